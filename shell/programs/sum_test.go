package programs

import (
	"testing"

	"mirage/shell/programs/progtest"
)

func TestSum(t *testing.T) {
	files := map[string]string{"f": "abc", "g": "message digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\n", "e": "", "list": "MD5 (f) = 900150983cd24fb0d6963f7d28e17f72\nSHA1 (f) = a9993e364706816aba3e25717850c26c9cd0d89d\nBLAKE2b-64 (f) = d8bb14d833d59559\nMD5 (g) = 900150983cd24fb0d6963f7d28e17f72\njunk\n", "d/": ""}
	progtest.Run(t, All(), "sum", []progtest.Case{
		{Args: "f", Files: files, Stdout: "16556     1 f\n"},
		{Args: "-s f", Files: files, Stdout: "294 1 f\n"},
		{Args: "f g e", Files: files, Stdout: "16556     1 f\n26005     2 g\n00000     0 e\n"},
		{Args: "-s f g e", Files: files, Stdout: "294 1 f\n11230 3 g\n0 0 e\n"},
		{Args: "-r -s f", Files: files, Stdout: "294 1 f\n"},
		{Args: "-s -r f", Files: files, Stdout: "16556     1 f\n"},
		{Args: "", Files: files, Stdin: "abc", Stdout: "16556     1\n"},
		{Args: "- f", Files: files, Stdout: "00000     0 -\n16556     1 f\n"},
		{Args: "nope f", Files: files, Stdout: "16556     1 f\n", Stderr: "sum: nope: No such file or directory\n", Status: 1},
		{Args: "d", Files: files, Stderr: "sum: d: Is a directory\n", Status: 1},
		{Args: "-Z", Files: files, Stderr: "sum: invalid option -- 'Z'\nTry 'sum --help' for more information.\n", Status: 1},
	})
}

func TestCksum(t *testing.T) {
	files := map[string]string{"f": "abc", "g": "message digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\nmessage digest\n", "e": "", "list": "MD5 (f) = 900150983cd24fb0d6963f7d28e17f72\nSHA1 (f) = a9993e364706816aba3e25717850c26c9cd0d89d\nBLAKE2b-64 (f) = d8bb14d833d59559\nMD5 (g) = 900150983cd24fb0d6963f7d28e17f72\njunk\n", "d/": ""}
	progtest.Run(t, All(), "cksum", []progtest.Case{
		{Args: "f g e", Files: files, Stdout: "1219131554 3 f\n858871592 1500 g\n4294967295 0 e\n"},
		{Args: "", Files: files, Stdin: "abc", Stdout: "1219131554 3\n"},
		{Args: "-a bsd f", Files: files, Stdout: "16556     1 f\n"},
		{Args: "-a sysv f g", Files: files, Stdout: "294 1 f\n11230 3 g\n"},
		{Args: "-a md5 f", Files: files, Stdout: "MD5 (f) = 900150983cd24fb0d6963f7d28e17f72\n"},
		{Args: "-a sha1 --untagged f", Files: files, Stdout: "a9993e364706816aba3e25717850c26c9cd0d89d  f\n"},
		{Args: "-a sha512 f", Files: files, Stdout: "SHA512 (f) = ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f\n"},
		{Args: "-a blake2b f", Files: files, Stdout: "BLAKE2b (f) = ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d17d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923\n"},
		{Args: "-a blake2b -l 64 f", Files: files, Stdout: "BLAKE2b-64 (f) = d8bb14d833d59559\n"},
		{Args: "-z f", Files: files, Stdout: "1219131554 3 f\x00"},
		{Args: "-a sha224 -z f", Files: files, Stdout: "SHA224 (f) = 23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7\x00"},
		{Args: "-a x f", Files: files, Stderr: "cksum: invalid argument 'x' for '--algorithm'\nValid arguments are:\n  - 'bsd'\n  - 'sysv'\n  - 'crc'\n  - 'md5'\n  - 'sha1'\n  - 'sha224'\n  - 'sha256'\n  - 'sha384'\n  - 'sha512'\n  - 'blake2b'\n  - 'sm3'\nTry 'cksum --help' for more information.\n", Status: 1},
		{Args: "-a crc -c f", Files: files, Stderr: "cksum: --check is not supported with --algorithm={bsd,sysv,crc}\n", Status: 1},
		{Args: "-l 8 f", Files: files, Stderr: "cksum: --length is only supported with --algorithm=blake2b\n", Status: 1},
		{Args: "-a blake2b -l 7 f", Files: files, Stderr: "cksum: invalid length: '7'\ncksum: length is not a multiple of 8\n", Status: 1},
		{Args: "-c list", Files: files, Stdout: "f: OK\nf: OK\nf: OK\ng: FAILED\n", Stderr: "cksum: WARNING: 1 line is improperly formatted\ncksum: WARNING: 1 computed checksum did NOT match\n", Status: 1},
		{Args: "-w -c list", Files: files, Stdout: "f: OK\nf: OK\nf: OK\ng: FAILED\n", Stderr: "cksum: list: 5: improperly formatted MD5 checksum line\ncksum: WARNING: 1 line is improperly formatted\ncksum: WARNING: 1 computed checksum did NOT match\n", Status: 1},
		{Args: "-a md5 -c list", Files: files, Stdout: "f: OK\ng: FAILED\n", Stderr: "cksum: WARNING: 3 lines are improperly formatted\ncksum: WARNING: 1 computed checksum did NOT match\n", Status: 1},
		{Args: "-c --status list", Files: files, Status: 1},
		{Args: "-c f", Files: files, Stderr: "cksum: f: no properly formatted checksum lines found\n", Status: 1},
		{Args: "--quiet f", Files: files, Stderr: "cksum: the --quiet option is meaningful only when verifying checksums\nTry 'cksum --help' for more information.\n", Status: 1},
		{Args: "nope", Files: files, Stderr: "cksum: nope: No such file or directory\n", Status: 1},
		{Args: "--untagged f", Files: files, Stdout: "1219131554 3 f\n"},
		{Args: "--debug f", Files: files, Stdout: "1219131554 3 f\n", Stderr: "cksum: pclmul support not detected\n", AnyStderr: true},
		{Args: "--debug -a md5 f", Files: files, Stdout: "MD5 (f) = 900150983cd24fb0d6963f7d28e17f72\n"},
		{Args: "-c --tag list", Files: files, Stdout: "f: OK\nf: OK\nf: OK\ng: FAILED\n", Stderr: "cksum: WARNING: 1 line is improperly formatted\ncksum: WARNING: 1 computed checksum did NOT match\n", Status: 1},
	})
}
