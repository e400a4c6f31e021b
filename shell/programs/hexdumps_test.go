package programs

import (
	"testing"

	"mirage/shell/programs/progtest"
)

func TestStrings(t *testing.T) {
	files := map[string]string{"b": "\x00\x01\x02hello world\x00ab\x00tabs\tinside\x00\nlonger string here\x7f\xc2\x80 end", "z": "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00x", "t": "abc\n", "w": "a\x00b\x00c\x00d\x00\x01\x01", "e": "", "d/": "", "h": "00000000: 6162 630a 6465                           abc.de\n00000010: 7a7a  zz\n"}
	progtest.Run(t, All(), "strings", []progtest.Case{
		{Args: "b", Files: files, Stdout: "hello world\ntabs\tinside\nlonger string here\n end\n"},
		{Args: "-n 2 b", Files: files, Stdout: "hello world\nab\ntabs\tinside\nlonger string here\n end\n"},
		{Args: "-3 b", Files: files, Stdout: "hello world\ntabs\tinside\nlonger string here\n end\n"},
		{Args: "-t x b", Files: files, Stdout: "      3 hello world\n     12 tabs\tinside\n     1f longer string here\n     34  end\n"},
		{Args: "-t d -n 5 b", Files: files, Stdout: "      3 hello world\n     18 tabs\tinside\n     31 longer string here\n"},
		{Args: "-o b", Files: files, Stdout: "      3 hello world\n     22 tabs\tinside\n     37 longer string here\n     64  end\n"},
		{Args: "-f b t", Files: files, Stdout: "b: hello world\nb: tabs\tinside\nb: longer string here\nb:  end\n"},
		{Args: "-w b", Files: files, Stdout: "hello world\ntabs\tinside\n\nlonger string here\n end\n"},
		{Args: "-a -s , b", Files: files, Stdout: "hello world,tabs\tinside,longer string here, end,"},
		{Args: "-e l w", Files: files, Stdout: "abcd\n"},
		{Args: "-e S b", Files: files, Stdout: "hello world\ntabs\tinside\nlonger string here\n\xc2\x80 end\n"},
		{Args: "nope", Files: files, Stderr: "strings: 'nope': No such file\n", Status: 1},
		{Args: "d", Files: files, Stderr: "strings: Warning: 'd' is a directory\n", Status: 1},
		{Args: "-n x b", Files: files, Stderr: "strings: invalid integer argument x\n", Status: 1},
		{Args: "-n 0 b", Files: files, Stderr: "strings: invalid minimum string length 0\n", Status: 1},
		{Args: "e", Files: files},
		{Args: "", Files: files, Stdin: "some text\x00", Stdout: "some text\n"},
	})
}

func TestXxd(t *testing.T) {
	files := map[string]string{"b": "\x00\x01\x02hello world\x00ab\x00tabs\tinside\x00\nlonger string here\x7f\xc2\x80 end", "z": "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00x", "t": "abc\n", "w": "a\x00b\x00c\x00d\x00\x01\x01", "e": "", "d/": "", "h": "00000000: 6162 630a 6465                           abc.de\n00000010: 7a7a  zz\n"}
	progtest.Run(t, All(), "xxd", []progtest.Case{
		{Args: "b", Files: files, Stdout: "00000000: 0001 0268 656c 6c6f 2077 6f72 6c64 0061  ...hello world.a\n00000010: 6200 7461 6273 0969 6e73 6964 6500 0a6c  b.tabs.inside..l\n00000020: 6f6e 6765 7220 7374 7269 6e67 2068 6572  onger string her\n00000030: 657f c280 2065 6e64                      e... end\n"},
		{Args: "t", Files: files, Stdout: "00000000: 6162 630a                                abc.\n"},
		{Args: "e", Files: files},
		{Args: "-p b", Files: files, Stdout: "00010268656c6c6f20776f726c64006162007461627309696e7369646500\n0a6c6f6e67657220737472696e6720686572657fc28020656e64\n"},
		{Args: "-i t", Files: files, Stdout: "unsigned char t[] = {\n  0x61, 0x62, 0x63, 0x0a\n};\nunsigned int t_len = 4;\n"},
		{Args: "-i -C t", Files: files, Stdout: "unsigned char T[] = {\n  0x61, 0x62, 0x63, 0x0a\n};\nunsigned int T_LEN = 4;\n"},
		{Args: "-n var -i t", Files: files, Stdout: "unsigned char var[] = {\n  0x61, 0x62, 0x63, 0x0a\n};\nunsigned int var_len = 4;\n"},
		{Args: "-b t", Files: files, Stdout: "00000000: 01100001 01100010 01100011 00001010                    abc.\n"},
		{Args: "-e b", Files: files, Stdout: "00000000: 68020100 6f6c6c65 726f7720 6100646c  ...hello world.a\n00000010: 61740062 69097362 6469736e 6c0a0065  b.tabs.inside..l\n00000020: 65676e6f 74732072 676e6972 72656820  onger string her\n00000030: 80c27f65 646e6520                    e... end\n"},
		{Args: "-e -g 2 b", Files: files, Stdout: "00000000: 0100 6802 6c65 6f6c 7720 726f 646c 6100  ...hello world.a\n00000010: 0062 6174 7362 6909 736e 6469 0065 6c0a  b.tabs.inside..l\n00000020: 6e6f 6567 2072 7473 6972 676e 6820 7265  onger string her\n00000030: 7f65 80c2 6520 646e                      e... end\n"},
		{Args: "-u b", Files: files, Stdout: "00000000: 0001 0268 656C 6C6F 2077 6F72 6C64 0061  ...hello world.a\n00000010: 6200 7461 6273 0969 6E73 6964 6500 0A6C  b.tabs.inside..l\n00000020: 6F6E 6765 7220 7374 7269 6E67 2068 6572  onger string her\n00000030: 657F C280 2065 6E64                      e... end\n"},
		{Args: "-c 8 b", Files: files, Stdout: "00000000: 0001 0268 656c 6c6f  ...hello\n00000008: 2077 6f72 6c64 0061   world.a\n00000010: 6200 7461 6273 0969  b.tabs.i\n00000018: 6e73 6964 6500 0a6c  nside..l\n00000020: 6f6e 6765 7220 7374  onger st\n00000028: 7269 6e67 2068 6572  ring her\n00000030: 657f c280 2065 6e64  e... end\n"},
		{Args: "-c5 -g1 b", Files: files, Stdout: "00000000: 00 01 02 68 65  ...he\n00000005: 6c 6c 6f 20 77  llo w\n0000000a: 6f 72 6c 64 00  orld.\n0000000f: 61 62 00 74 61  ab.ta\n00000014: 62 73 09 69 6e  bs.in\n00000019: 73 69 64 65 00  side.\n0000001e: 0a 6c 6f 6e 67  .long\n00000023: 65 72 20 73 74  er st\n00000028: 72 69 6e 67 20  ring \n0000002d: 68 65 72 65 7f  here.\n00000032: c2 80 20 65 6e  .. en\n00000037: 64              d\n"},
		{Args: "-g 0 b", Files: files, Stdout: "00000000: 00010268656c6c6f20776f726c640061  ...hello world.a\n00000010: 62007461627309696e73696465000a6c  b.tabs.inside..l\n00000020: 6f6e67657220737472696e6720686572  onger string her\n00000030: 657fc28020656e64                  e... end\n"},
		{Args: "-g 4 -c 10 b", Files: files, Stdout: "00000000: 00010268 656c6c6f 2077  ...hello w\n0000000a: 6f726c64 00616200 7461  orld.ab.ta\n00000014: 62730969 6e736964 6500  bs.inside.\n0000001e: 0a6c6f6e 67657220 7374  .longer st\n00000028: 72696e67 20686572 657f  ring here.\n00000032: c2802065 6e64           .. end\n"},
		{Args: "-l 4 b", Files: files, Stdout: "00000000: 0001 0268                                ...h\n"},
		{Args: "-s 3 b", Files: files, Stdout: "00000003: 6865 6c6c 6f20 776f 726c 6400 6162 0074  hello world.ab.t\n00000013: 6162 7309 696e 7369 6465 000a 6c6f 6e67  abs.inside..long\n00000023: 6572 2073 7472 696e 6720 6865 7265 7fc2  er string here..\n00000033: 8020 656e 64                             . end\n"},
		{Args: "-s 3 -l 7 b", Files: files, Stdout: "00000003: 6865 6c6c 6f20 77                        hello w\n"},
		{Args: "-o 16 t", Files: files, Stdout: "00000010: 6162 630a                                abc.\n"},
		{Args: "-d z", Files: files, Stdout: "00000000: 0000 0000 0000 0000 0000 0000 0000 0000  ................\n00000016: 0000 0000 0000 0000 0000 0000 0000 0000  ................\n00000032: 0000 0000 0000 0000 0000 0000 0000 0000  ................\n00000048: 0000 0000 0000 0000 0000 0000 0000 0000  ................\n00000064: 0000 0000 0000 0000 0000 0000 0000 0000  ................\n00000080: 78                                       x\n"},
		{Args: "-a z", Files: files, Stdout: "00000000: 0000 0000 0000 0000 0000 0000 0000 0000  ................\n*\n00000050: 78                                       x\n"},
		{Args: "-a -c 8 z", Files: files, Stdout: "00000000: 0000 0000 0000 0000  ........\n*\n00000050: 78                   x\n"},
		{Args: "-r h", Files: files, Stdout: "abc\nde\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00zz"},
		{Args: "nope", Files: files, Stderr: "xxd: nope: No such file or directory\n", Status: 2},
		{Args: "-c 300 t", Files: files, Stderr: "xxd: invalid number of columns (max. 256).\n", Status: 1},
		{Args: "", Files: files, Stdin: "stdin", Stdout: "00000000: 7374 6469 6e                             stdin\n"},
		{Args: "-i", Files: files, Stdin: "ab", Stdout: "  0x61, 0x62\n"},
		{Args: "-p -r", Files: files, Stdin: "30 31 !!32\n", Stdout: "01"},
		{Args: "-r -p", Files: files, Stdin: "616263", Stdout: "abc"},
		{Args: "-p -r", Files: files, Stdin: "33 3!4 3!!5\n36\n", Stdout: "3C6"},
		{Args: "-ps", Files: files, Stdin: "abc", Stdout: "616263\n"},
		{Args: "-p -c 4", Files: files, Stdin: "abcdefghij", Stdout: "61626364\n65666768\n696a\n"},
		{Args: "-p -u b", Files: files, Stdout: "00010268656C6C6F20776F726C64006162007461627309696E7369646500\n0A6C6F6E67657220737472696E6720686572657FC28020656E64\n"},
	})
}
