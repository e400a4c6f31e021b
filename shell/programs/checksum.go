package programs

import (
	"context"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"hash"
	"io"
	"strconv"
	"strings"

	"golang.org/x/crypto/blake2b"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/stream"
)

// checksumKind is one member of the md5sum family.
type checksumKind struct {
	program string
	tag     string // as in "MD5 (file) = ..."
	bits    int
	source  string // where the sum is described
	new     func() hash.Hash
}

// checksumKinds lists the family; b2sum's length can be changed.
func checksumKinds() []checksumKind {
	return []checksumKind{
		{"md5sum", "MD5", 128, "RFC 1321", md5.New},
		{"sha1sum", "SHA1", 160, "FIPS-180-1", sha1.New},
		{"sha224sum", "SHA224", 224, "RFC 3874", sha256.New224},
		{"sha256sum", "SHA256", 256, "FIPS-180-2", sha256.New},
		{"sha384sum", "SHA384", 384, "FIPS-180-2", sha512.New384},
		{"sha512sum", "SHA512", 512, "FIPS-180-2", sha512.New},
		checksumBlake2b(512),
	}
}

func checksumBlake2b(bits int) checksumKind {
	k := checksumKind{"b2sum", "BLAKE2b", bits, "RFC 7693", func() hash.Hash {
		h, err := blake2b.New(bits/8, nil)
		if err != nil {
			panic(err) // bits is 8 to 512
		}
		return h
	}}
	if bits != 512 {
		k.tag += "-" + strconv.Itoa(bits)
	}
	return k
}

// checksumProgs makes the programs of the family.
func checksumProgs() []*program.Program {
	var list []*program.Program
	for _, k := range checksumKinds() {
		spec := checksumSpec(k)
		list = append(list, spec.Program(func(ctx context.Context, inv *program.Invocation) int {
			return runChecksum(ctx, inv, spec, k)
		}))
	}
	return list
}

func checksumSpec(k checksumKind) *getopt.Spec {
	s := &getopt.Spec{
		Name:     k.program,
		Synopsis: []string{"[OPTION]... [FILE]..."},
		Summary: "Print or check " + strings.SplitN(k.tag, "-", 2)[0] + " (" + strconv.Itoa(k.bits) + "-bit) checksums.\n\n" +
			"With no FILE, or when FILE is -, read standard input.",
		Options: []getopt.Option{
			{Short: "b", Long: "binary", Help: "read in binary mode"},
			{Short: "c", Long: "check", Help: "read checksums from the FILEs and check them"},
			{Long: "tag", Help: "create a BSD-style checksum"},
			{Short: "t", Long: "text", Help: "read in text mode (default)"},
			{Short: "z", Long: "zero", Help: "end each output line with NUL, not newline,\nand disable file name escaping"},
			{Long: "ignore-missing", Help: "don't fail or report status for missing files"},
			{Long: "quiet", Help: "don't print OK for each successfully verified file"},
			{Long: "status", Help: "don't output anything, status code shows success"},
			{Long: "strict", Help: "exit non-zero for improperly formatted checksum lines"},
			{Short: "w", Long: "warn", Help: "warn about improperly formatted checksum lines"},
		},
		Epilog: "The sums are computed as described in " + k.source + ".\n" +
			"When checking, the input should be a former output of this program.\n" +
			"The default mode is to print a line with: checksum, a space,\n" +
			"a character indicating input mode ('*' for binary, ' ' for text\n" +
			"or where binary is insignificant), and name for each FILE.",
	}
	if k.program == "b2sum" {
		s.Options = append(s.Options, getopt.Option{Short: "l", Long: "length", Arg: getopt.Required, Meta: "BITS",
			Help: "digest length in bits; must not exceed the max for\nthe blake2 algorithm and must be a multiple of 8"})
	}
	return s
}

// checksumRun is one run of a program of the family.
type checksumRun struct {
	checksumKind
	mode                         byte // ' ' or '*' before the name; 0 when not asked for
	tagged, zero                 bool
	ignoreMissing, quiet, silent bool
	strict, warn                 bool
	any                          bool // each line says which sum it is (cksum -c)
	inv                          *program.Invocation
	out                          *stream.Writer
}

func runChecksum(ctx context.Context, inv *program.Invocation, spec *getopt.Spec, k checksumKind) int {
	c := &checksumRun{checksumKind: k, inv: inv}
	check := false
	p := spec.Parse(inv)
	for p.Next() {
		switch p.Opt.Name {
		case "b":
			c.mode = '*'
		case "c":
			check = true
		case "t":
			c.mode = ' '
		case "tag":
			c.tagged = true
			c.mode = '*'
		case "l":
			if !c.setLength(p) {
				return p.Status
			}
		default:
			c.family(p.Opt.Name)
		}
	}
	if p.Stopped {
		return p.Status
	}
	if text := c.conflict(check); text != "" {
		return p.Usage("%s", text)
	}
	if check {
		c.out = stream.Stdout(inv)
		return c.check(ctx, p.Operands)
	}
	return c.print(ctx, p.Operands)
}

// family takes in an option that cksum has too.
func (c *checksumRun) family(name string) {
	switch name {
	case "z":
		c.zero = true
	case "ignore-missing":
		c.ignoreMissing = true
	case "quiet":
		c.quiet, c.silent, c.warn = true, false, false
	case "status":
		c.quiet, c.silent, c.warn = false, true, false
	case "w":
		c.quiet, c.silent, c.warn = false, false, true
	case "strict":
		c.strict = true
	}
}

// print prints the checksums of files.
func (c *checksumRun) print(ctx context.Context, files []string) int {
	c.out = stream.Stdout(c.inv)
	status := stream.Inputs(ctx, c.inv, files, func(name string, r io.Reader) error {
		sum, err := c.sum(ctx, r)
		if err != nil {
			return err
		}
		c.line(name, sum)
		return c.stop()
	})
	return c.out.Close(c.inv, status)
}

// setLength reads the argument of b2sum -l.
func (c *checksumRun) setLength(p *getopt.Parser) bool {
	bits, err := strconv.ParseUint(p.Opt.Value, 10, 64)
	switch {
	case err != nil:
		p.Fail("invalid length: %s", c.inv.QuoteArg(p.Opt.Value))
		return false
	case bits > 512:
		c.inv.Errorf("invalid length: %s", c.inv.QuoteArg(p.Opt.Value))
		p.Fail("maximum digest length for %s is 512 bits", c.inv.QuoteArg("BLAKE2b"))
		return false
	case bits%8 != 0:
		c.inv.Errorf("invalid length: %s", c.inv.QuoteArg(p.Opt.Value))
		p.Fail("length is not a multiple of 8")
		return false
	case bits == 0:
		bits = 512
	}
	c.checksumKind = checksumBlake2b(int(bits))
	return true
}

// conflict words the first contradiction among the options.
func (c *checksumRun) conflict(check bool) string {
	for _, only := range []struct {
		on   bool
		text string
	}{
		{c.tagged && c.mode == ' ', "--tag does not support --text mode"},
		{c.zero && check, "the --zero option is not supported when verifying checksums"},
		{c.tagged && check, "the --tag option is meaningless when verifying checksums"},
		{c.mode != 0 && check, "the --binary and --text options are meaningless when verifying checksums"},
		{c.ignoreMissing && !check, "the --ignore-missing option is meaningful only when verifying checksums"},
		{c.silent && !check, "the --status option is meaningful only when verifying checksums"},
		{c.warn && !check, "the --warn option is meaningful only when verifying checksums"},
		{c.quiet && !check, "the --quiet option is meaningful only when verifying checksums"},
		{c.strict && !check, "the --strict option is meaningful only when verifying checksums"},
	} {
		if only.on {
			return only.text
		}
	}
	return ""
}

func (c *checksumRun) stop() error {
	if c.out.Err() != nil {
		return stream.ErrStop
	}
	return nil
}

// sum answers the checksum of what r holds, in hexadecimal digits.
func (c *checksumRun) sum(ctx context.Context, r io.Reader) (string, error) {
	h := c.new()
	if _, err, _ := stream.Copy(ctx, h, r); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// line prints one file's checksum. A name that would break the line is
// escaped, and the line says so by a backslash in front.
func (c *checksumRun) line(name, sum string) {
	mark := ""
	if !c.zero && strings.ContainsAny(name, "\\\n\r") {
		mark, name = `\`, checksumEscape(name)
	}
	end := "\n"
	if c.zero {
		end = "\x00"
	}
	if c.tagged {
		c.out.WriteString(mark + c.tag + " (" + name + ") = " + sum + end)
		return
	}
	mode := "  "
	if c.mode == '*' {
		mode = " *"
	}
	c.out.WriteString(mark + sum + mode + name + end)
}

func checksumEscape(name string) string {
	return strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`).Replace(name)
}

// checksumUnescape reverses checksumEscape; ok is false for other escapes.
func checksumUnescape(name string) (plain string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		c := name[i]
		if c == 0 {
			return "", false
		}
		if c == '\\' {
			i++
			if i == len(name) {
				return "", false
			}
			switch name[i] {
			case 'n':
				c = '\n'
			case 'r':
				c = '\r'
			case '\\':
			default:
				return "", false
			}
		}
		b.WriteByte(c)
	}
	return b.String(), true
}
