package programs

import (
	"context"
	"fmt"
	"io"
	"strings"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/stream"
)

// cksumWords are the algorithms of cksum -a, as its messages list them.
const cksumWords = "bsd sysv crc md5 sha1 sha224 sha256 sha384 sha512 blake2b sm3"

func cksumSpec() *getopt.Spec {
	family := checksumSpec(checksumBlake2b(512))
	s := &getopt.Spec{
		Name:     "cksum",
		Synopsis: family.Synopsis,
		Summary: "Print or verify checksums.\nBy default use the 32 bit CRC algorithm.\n\n" +
			"With no FILE, or when FILE is -, read standard input.",
		Options: []getopt.Option{
			{Short: "a", Long: "algorithm", Arg: getopt.Required, Meta: "TYPE", Help: "select the digest type to use.  See DIGEST below."},
			{Long: "untagged", Help: "create a reversed style checksum, without digest type"},
			{Long: "debug", Help: "indicate which implementation used"},
		},
		Epilog: "DIGEST determines the digest algorithm and default output format:\n" +
			"  sysv      (equivalent to sum -s)\n" +
			"  bsd       (equivalent to sum -r)\n" +
			"  crc       (equivalent to cksum)\n" +
			"  md5       (equivalent to md5sum)\n" +
			"  sha1      (equivalent to sha1sum)\n" +
			"  sha224    (equivalent to sha224sum)\n" +
			"  sha256    (equivalent to sha256sum)\n" +
			"  sha384    (equivalent to sha384sum)\n" +
			"  sha512    (equivalent to sha512sum)\n" +
			"  blake2b   (equivalent to b2sum)\n\n" +
			"When checking, the input should be a former output of this program,\n" +
			"or equivalent standalone program.",
	}
	for _, o := range family.Options {
		if o.Short != "b" && o.Short != "t" {
			s.Options = append(s.Options, o)
		}
	}
	return s
}

func runCksum(ctx context.Context, inv *program.Invocation) int {
	c := &checksumRun{checksumKind: checksumBlake2b(512), inv: inv, tagged: true, mode: '*'}
	algorithm, check, length, debug := "", false, false, false
	p := cksumSpec().Parse(inv)
	for p.Next() {
		switch name := p.Opt.Name; name {
		case "a":
			algorithm, _ = p.OneOf(strings.Fields(cksumWords)...)
		case "c":
			check = true
		case "debug":
			debug = true
		case "l":
			if !c.setLength(p) {
				return p.Status
			}
			length = true
		case "tag":
			c.tagged = true
		case "untagged":
			c.tagged = false
		default:
			c.family(name)
		}
	}
	if p.Stopped {
		return p.Status
	}
	simple := algorithm == "bsd" || algorithm == "sysv" || algorithm == "crc"
	switch {
	case length && algorithm != "blake2b":
		return p.Fail("--length is only supported with --algorithm=blake2b")
	case check && simple:
		return p.Fail("--check is not supported with --algorithm={bsd,sysv,crc}")
	case algorithm == "sm3":
		return p.Fail("--algorithm=sm3 is not supported")
	}
	tagged := c.tagged
	c.tagged, c.mode = false, 0
	if text := c.conflict(check); text != "" {
		return p.Usage("%s", text)
	}
	if c.tagged = tagged; tagged {
		c.mode = '*'
	}
	if algorithm == "" && check {
		c.any = true
	} else if !simple && algorithm != "" && algorithm != "blake2b" {
		for _, k := range checksumKinds() {
			if k.program == algorithm+"sum" {
				c.checksumKind = k
			}
		}
	}
	if check {
		c.out = stream.Stdout(inv)
		return c.check(ctx, p.Operands)
	}
	end := "\n"
	if c.zero {
		end = "\x00"
	}
	switch algorithm {
	case "bsd":
		return sumFiles(ctx, inv, p.Operands, end, sumBSD)
	case "sysv":
		return sumFiles(ctx, inv, p.Operands, end, sumSysV)
	case "", "crc":
		if debug {
			inv.Errorf("pclmul support not detected") // as of a machine without it
		}
		return sumFiles(ctx, inv, p.Operands, end, cksumCRC)
	}
	return c.print(ctx, p.Operands)
}

// cksumCRC is the checksum of POSIX, with the size in bytes.
func cksumCRC(ctx context.Context, r io.Reader) (string, error) {
	var table [256]uint32
	for i := range table {
		crc := uint32(i) << 24
		for range 8 {
			if crc&(1<<31) != 0 {
				crc = crc<<1 ^ 0x04c11db7
			} else {
				crc <<= 1
			}
		}
		table[i] = crc
	}
	sum := uint32(0)
	n, err, _ := stream.Copy(ctx, summer(func(p []byte) {
		for _, c := range p {
			sum = sum<<8 ^ table[byte(sum>>24)^c]
		}
	}), r)
	for rest := n; rest != 0; rest >>= 8 {
		sum = sum<<8 ^ table[byte(sum>>24)^byte(rest)]
	}
	return fmt.Sprintf("%d %d", ^sum, n), err
}
