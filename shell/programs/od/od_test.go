package od_test

import (
	"testing"

	"mirage/shell/programs"
	"mirage/shell/programs/progtest"
)

func TestOd(t *testing.T) {
	files := map[string]string{"f": "abc", "b": "\x00\x01\x02\x03\n\t hello world, this is\x7f text\n", "z": "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", "h": "Hello\x00ab\x00\x01tiny\x00long string", "d/": ""}
	progtest.Run(t, programs.All(), "od", []progtest.Case{
		{Args: "-- -0", Stderr: "od: -0: No such file or directory\n", Status: 1},
		{Args: "b", Files: files, Stdout: "0000000 000400 001402 004412 064040 066145 067554 073440 071157\n0000020 062154 020054 064164 071551 064440 077563 072040 074145\n0000040 005164\n0000042\n"},
		{Args: "-c b", Files: files, Stdout: "0000000  \\0 001 002 003  \\n  \\t       h   e   l   l   o       w   o   r\n0000020   l   d   ,       t   h   i   s       i   s 177       t   e   x\n0000040   t  \\n\n0000042\n"},
		{Args: "-a b", Files: files, Stdout: "0000000 nul soh stx etx  nl  ht  sp   h   e   l   l   o  sp   w   o   r\n0000020   l   d   ,  sp   t   h   i   s  sp   i   s del  sp   t   e   x\n0000040   t  nl\n0000042\n"},
		{Args: "-b b", Files: files, Stdout: "0000000 000 001 002 003 012 011 040 150 145 154 154 157 040 167 157 162\n0000020 154 144 054 040 164 150 151 163 040 151 163 177 040 164 145 170\n0000040 164 012\n0000042\n"},
		{Args: "-x b", Files: files, Stdout: "0000000 0100 0302 090a 6820 6c65 6f6c 7720 726f\n0000020 646c 202c 6874 7369 6920 7f73 7420 7865\n0000040 0a74\n0000042\n"},
		{Args: "-d b", Files: files, Stdout: "0000000   256   770  2314 26656 27749 28524 30496 29295\n0000020 25708  8236 26740 29545 26912 32627 29728 30821\n0000040  2676\n0000042\n"},
		{Args: "-i b", Files: files, Stdout: "0000000    50462976  1746929930  1869376613  1919907616\n0000020   539780204  1936287860  2138269984  2019914784\n0000040        2676\n0000042\n"},
		{Args: "-l b", Files: files, Stdout: "0000000  7503006917804032256  8245940423930702949\n0000020  8316293034881606764  8675467940125174048\n0000040                 2676\n0000042\n"},
		{Args: "-o b", Files: files, Stdout: "0000000 000400 001402 004412 064040 066145 067554 073440 071157\n0000020 062154 020054 064164 071551 064440 077563 072040 074145\n0000040 005164\n0000042\n"},
		{Args: "-s b", Files: files, Stdout: "0000000    256    770   2314  26656  27749  28524  30496  29295\n0000020  25708   8236  26740  29545  26912  32627  29728  30821\n0000040   2676\n0000042\n"},
		{Args: "-D b", Files: files, Stdout: "0000000   50462976 1746929930 1869376613 1919907616\n0000020  539780204 1936287860 2138269984 2019914784\n0000040       2676\n0000042\n"},
		{Args: "-X b", Files: files, Stdout: "0000000 03020100 6820090a 6f6c6c65 726f7720\n0000020 202c646c 73696874 7f736920 78657420\n0000040 00000a74\n0000042\n"},
		{Args: "-f b", Files: files, Stdout: "0000000   3.8204714e-37   3.0229815e+24   7.3169503e+28   4.7430996e+30\n0000020   1.4602194e-19   1.8492489e+31   3.2354824e+38   1.8615489e+34\n0000040        3.75e-42\n0000042\n"},
		{Args: "-e b", Files: files, Stdout: "0000000    3.65800725880325e+193  1.6784906592353217e+243\n0000020   8.882542712627274e+247   9.067064466286658e+271\n0000040               1.322e-320\n0000042\n"},
		{Args: "-t fL -N32 b", Files: files, Stdout: "0000000                           nan\n0000020                           nan\n0000040\n"},
		{Args: "-A d -t x1z b", Files: files, Stdout: "0000000 00 01 02 03 0a 09 20 68 65 6c 6c 6f 20 77 6f 72  >...... hello wor<\n0000016 6c 64 2c 20 74 68 69 73 20 69 73 7f 20 74 65 78  >ld, this is. tex<\n0000032 74 0a                                            >t.<\n0000034\n"},
		{Args: "-A x -tx2z -w6 b", Files: files, Stdout: "000000 0100 0302 090a  >......<\n000006 6820 6c65 6f6c  > hello<\n00000c 7720 726f 646c  > world<\n000012 202c 6874 7369  >, this<\n000018 6920 7f73 7420  > is. t<\n00001e 7865 0a74       >ext.<\n000022\n"},
		{Args: "-An -tu1 b", Files: files, Stdout: "   0   1   2   3  10   9  32 104 101 108 108 111  32 119 111 114\n 108 100  44  32 116 104 105 115  32 105 115 127  32 116 101 120\n 116  10\n"},
		{Args: "-tx1 -ta -tx8 b", Files: files, Stdout: "0000000  00  01  02  03  0a  09  20  68  65  6c  6c  6f  20  77  6f  72\n        nul soh stx etx  nl  ht  sp   h   e   l   l   o  sp   w   o   r\n                       6820090a03020100                726f77206f6c6c65\n0000020  6c  64  2c  20  74  68  69  73  20  69  73  7f  20  74  65  78\n          l   d   ,  sp   t   h   i   s  sp   i   s del  sp   t   e   x\n                       73696874202c646c                786574207f736920\n0000040  74  0a\n          t  nl\n                       0000000000000a74\n0000042\n"},
		{Args: "z", Files: files, Stdout: "0000000 000000 000000 000000 000000 000000 000000 000000 000000\n*\n0000100 000000 000000 000000\n0000106\n"},
		{Args: "-v z", Files: files, Stdout: "0000000 000000 000000 000000 000000 000000 000000 000000 000000\n0000020 000000 000000 000000 000000 000000 000000 000000 000000\n0000040 000000 000000 000000 000000 000000 000000 000000 000000\n0000060 000000 000000 000000 000000 000000 000000 000000 000000\n0000100 000000 000000 000000\n0000106\n"},
		{Args: "-w b", Files: files, Stdout: "0000000 000400 001402 004412 064040 066145 067554 073440 071157 062154 020054 064164 071551 064440 077563 072040 074145\n0000040 005164\n0000042\n"},
		{Args: "-w4 -tx1 z", Files: files, Stdout: "0000000 00 00 00 00\n*\n0000104 00 00\n0000106\n"},
		{Args: "-j3 -N5 -tc b", Files: files, Stdout: "0000003 003  \\n  \\t       h\n0000010\n"},
		{Args: "-j 0x3 b", Files: files, Stdout: "0000003 005003 020011 062550 066154 020157 067567 066162 026144\n0000023 072040 064550 020163 071551 020177 062564 072170 000012\n0000042\n"},
		{Args: "-j 010 b", Files: files, Stdout: "0000010 066145 067554 073440 071157 062154 020054 064164 071551\n0000030 064440 077563 072040 074145 005164\n0000042\n"},
		{Args: "-j 1b z", Files: files, Stderr: "od: cannot skip past end of combined input\n", Status: 1},
		{Args: "-S 3 h", Files: files, Stdout: "0000000 Hello\n0000012 tiny\n"},
		{Args: "--strings=4 -An h", Files: files, Stdout: "Hello\ntiny\n"},
		{Args: "--strings h", Files: files, Stdout: "0000000 Hello\n0000012 tiny\n"},
		{Args: "--endian=big -tx4 b", Files: files, Stdout: "0000000 00010203 0a092068 656c6c6f 20776f72\n0000020 6c642c20 74686973 2069737f 20746578\n0000040 740a0000\n0000042\n"},
		{Args: "-t d1d2d4d8u1u2u4u8o1o2o4o8 -w8 -N8 b", Files: files, Stdout: "0000000    0    1    2    3   10    9   32  104\n              256       770      2314     26656\n                   50462976          1746929930\n                            7503006917804032256\n           0    1    2    3   10    9   32  104\n              256       770      2314     26656\n                   50462976          1746929930\n                            7503006917804032256\n         000  001  002  003  012  011  040  150\n           000400    001402    004412    064040\n                00300400400         15010004412\n                         0640400220500300400400\n0000010\n"},
		{Args: "-tdC -tdS -tdI -tdL -N8 b", Files: files, Stdout: "0000000    0    1    2    3   10    9   32  104\n              256       770      2314     26656\n                   50462976          1746929930\n                            7503006917804032256\n0000010\n"},
		{Args: "--traditional b 5 7", Files: files, Stdout: "0000005 (0000007) 020011 062550 066154 020157 067567 066162 026144 072040\n0000025 (0000027) 064550 020163 071551 020177 062564 072170 000012\n0000042 (0000044)\n"},
		{Args: "b +5", Files: files, Stdout: "0000005 020011 062550 066154 020157 067567 066162 026144 072040\n0000025 064550 020163 071551 020177 062564 072170 000012\n0000042\n"},
		{Args: "f b -tx1", Files: files, Stdout: "0000000 61 62 63 00 01 02 03 0a 09 20 68 65 6c 6c 6f 20\n0000020 77 6f 72 6c 64 2c 20 74 68 69 73 20 69 73 7f 20\n0000040 74 65 78 74 0a\n0000045\n"},
		{Args: "b +0x2", Files: files, Stdout: "0000002 001402 004412 064040 066145 067554 073440 071157 062154\n0000022 020054 064164 071551 064440 077563 072040 074145 005164\n0000042\n"},
		{Args: "-t x3 f", Files: files, Stderr: "od: invalid type string 'x3';\nthis system doesn't provide a 3-byte integral type\n", Status: 1},
		{Args: "-t y f", Files: files, Stderr: "od: invalid character 'y' in type string 'y'\n", Status: 1},
		{Args: "-t xy f", Files: files, Stderr: "od: invalid character 'y' in type string 'xy'\n", Status: 1},
		{Args: "-t f3 f", Files: files, Stderr: "od: invalid type string 'f3';\nthis system doesn't provide a 3-byte floating point type\n", Status: 1},
		{Args: "-A y f", Files: files, Stderr: "od: invalid output address radix 'y'; it must be one character from [doxn]\n", Status: 1},
		{Args: "-j x f", Files: files, Stderr: "od: invalid -j argument 'x'\n", Status: 1},
		{Args: "-N 1y f", Files: files, Stderr: "od: invalid suffix in -N argument '1y'\n", Status: 1},
		{Args: "-w3 -x f", Files: files, Stdout: "0000000 6261\n0000002 0063\n0000003\n", Stderr: "od: warning: invalid width 3; using 2 instead\n"},
		{Args: "-w0 f", Files: files, Stdout: "0000000 061141\n0000002 000143\n0000003\n", Stderr: "od: warning: invalid width 0; using 2 instead\n"},
		{Args: "-j 99 f", Files: files, Stderr: "od: cannot skip past end of combined input\n", Status: 1},
		{Args: "-S x f", Files: files, Stderr: "od: invalid -S argument 'x'\n", Status: 1},
		{Args: "nope f", Files: files, Stdout: "0000000 061141 000143\n0000003\n", Stderr: "od: nope: No such file or directory\n", Status: 1},
		{Args: "--endian=x f", Files: files, Stderr: "od: invalid argument 'x' for '--endian'\nValid arguments are:\n  - 'little'\n  - 'big'\nTry 'od --help' for more information.\n", Status: 1},
		{Args: "--traditional f 1 2 3 4", Files: files, Stderr: "od: extra operand '1'\nod: compatibility mode supports at most one file\nTry 'od --help' for more information.\n", Status: 1},
		{Args: "--bytes f", Files: files, Stderr: "od: unrecognized option '--bytes'\nTry 'od --help' for more information.\n", Status: 1},
		{Args: "-An -tfF", Files: files, Stdin: "\x00\x00\x80?\x00\x00\x80\x7f\x00\x00\x80\xff\x00\x00\xc0\xff\xcd\xcc\xcc=\x01\x00\x00\x00", Stdout: "               1             inf            -inf            -nan\n             0.1           1e-45\n"},
		{Args: "-tfD", Files: files, Stdin: "\x9a\x99\x99\x99\x99\x99\xb9?\xff\xff\xff\xff\xff\xff\xef\x7f\x01\x00\x00\x00\x00\x00\x00\x00", Stdout: "0000000                      0.1  1.7976931348623157e+308\n0000020                   5e-324\n0000030\n"},
		{Args: "-tx1", Files: files, Stdout: "0000000\n"},
		{Args: "-c -w20", Files: files, Stdin: "\x00\x01\x02\x03\x04\x05\x06\x07\x08\t\n\x0b\x0c\r\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f !\"#$%&'Hello, world!\x00\xff\xfe\x80abc\n", Stdout: "0000000  \\0 001 002 003 004 005 006  \\a  \\b  \\t  \\n  \\v  \\f  \\r 016 017 020 021 022 023\n0000024 024 025 026 027 030 031 032 033 034 035 036 037       !   \"   #   $   %   &   '\n0000050   H   e   l   l   o   ,       w   o   r   l   d   !  \\0 377 376 200   a   b   c\n0000074  \\n\n0000075\n"},
		{Args: "-w -x f", Files: files, Stdout: "0000000 6261 0063\n0000003\n"},
		{Args: "- f", Files: files, Stdout: "0000000 061141 000143\n0000003\n"},
	})
}
