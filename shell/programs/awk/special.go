package awk

// special is a variable that means something to awk itself.
type special int

const (
	specialNF special = iota
	specialNR
	specialFNR
	specialFS
	specialOFS
	specialRS
	specialORS
	specialSubsep
	specialConvfmt
	specialOfmt
	specialRstart
	specialRlength
	specialFilename
	specialRT
	specialErrno
	specialIgnoreCase
	specialFieldWidths
	specialFpat
)

var specials = map[string]special{
	"NF": specialNF, "NR": specialNR, "FNR": specialFNR, "FS": specialFS, "OFS": specialOFS, "RS": specialRS, "ORS": specialORS,
	"SUBSEP": specialSubsep, "CONVFMT": specialConvfmt, "OFMT": specialOfmt, "RSTART": specialRstart, "RLENGTH": specialRlength,
	"FILENAME": specialFilename, "RT": specialRT, "ERRNO": specialErrno, "IGNORECASE": specialIgnoreCase,
	"FIELDWIDTHS": specialFieldWidths, "FPAT": specialFpat,
}

func (in *interp) special(id special) value {
	switch id {
	case specialNF:
		in.splitRecord()
		return number(float64(in.nf))
	case specialNR:
		return number(in.nr)
	case specialFNR:
		return number(in.fnr)
	case specialFS:
		return text(in.fs)
	case specialOFS:
		return text(in.ofs)
	case specialRS:
		return text(in.rs)
	case specialORS:
		return text(in.ors)
	case specialSubsep:
		return text(in.subsep)
	case specialConvfmt:
		return text(in.convfmt)
	case specialOfmt:
		return text(in.ofmt)
	case specialRstart:
		return number(in.rstart)
	case specialRlength:
		return number(in.rlength)
	case specialFilename:
		return in.filename
	case specialRT:
		return in.rt
	case specialErrno:
		return in.errno
	case specialIgnoreCase:
		return in.ignore
	case specialFieldWidths:
		return text(in.fieldSpec.widths)
	case specialFpat:
		return text(in.fieldSpec.fpat)
	}
	return value{}
}

func (in *interp) setSpecial(id special, v value) {
	switch id {
	case specialNF:
		in.setNF(v.num())
	case specialNR:
		in.nr = v.num()
	case specialFNR:
		in.fnr = v.num()
	case specialFS:
		in.splitBefore()
		in.fs = in.str(v)
		in.fieldSpec.mode = byFS
		in.splitter = nil
	case specialOFS:
		in.ofs = in.str(v)
	case specialRS:
		in.splitBefore()
		in.rs = in.str(v)
		in.splitter = nil
	case specialORS:
		in.ors = in.str(v)
	case specialSubsep:
		in.subsep = in.str(v)
	case specialConvfmt:
		in.convfmt = in.str(v)
	case specialOfmt:
		in.ofmt = in.str(v)
	case specialRstart:
		in.rstart = v.num()
	case specialRlength:
		in.rlength = v.num()
	case specialFilename:
		in.filename = v
	case specialRT:
		in.rt = v
	case specialErrno:
		in.errno = v
	case specialIgnoreCase:
		in.splitBefore()
		in.ignore = v
		in.ignoreCase = v.isTrue()
		in.splitter = nil
	case specialFieldWidths:
		in.splitBefore()
		in.fieldSpec.widths = in.str(v)
		in.fieldSpec.mode = byWidths
		in.splitter = nil
	case specialFpat:
		in.splitBefore()
		in.fieldSpec.fpat = in.str(v)
		in.fieldSpec.mode = byFpat
		in.splitter = nil
	}
}
