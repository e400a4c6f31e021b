package expand_test

import "testing"

func TestPathnameExpansion(t *testing.T) {
	runPairs(t, []pair{
		{`argv * ; argv *.txt a* [ab]* ?.txt *.nope; argv */ */*; argv d/* d/*.c; argv "*" \* '*'.txt "a"*; argv .* ; argv d//*.c ./*.txt`, "9: <Abc> <Z9> <a*> <a.txt> <b.txt> <d> <empty> <sp ace> <é1>\n10: <a.txt> <b.txt> <a*> <a.txt> <a*> <a.txt> <b.txt> <a.txt> <b.txt> <*.nope>\n7: <d/> <empty/> <sp ace/> <d/e> <d/x.c> <d/y.c> <sp ace/f1>\n5: <d/e> <d/x.c> <d/y.c> <d/x.c> <d/y.c>\n5: <*> <*> <*.txt> <a*> <a.txt>\n1: <.hidden>\n4: <d//x.c> <d//y.c> <./a.txt> <./b.txt>\n"},
		{`argv a\* a'*' a[*] *[!t] [[:upper:]]* *[[:digit:]]* [^a-z]* [a-c].txt`, "19: <a*> <a*> <a*> <Abc> <Z9> <a*> <d> <empty> <sp ace> <é1> <Abc> <Z9> <Z9> <é1> <Abc> <Z9> <é1> <a.txt> <b.txt>\n"},
		{`x='*.txt'; argv $x "$x"; y='d/*'; argv $y; z='\*'; argv $z; w='[ab].txt'; argv $w; p='b.tx\t'; argv $p`, "3: <a.txt> <b.txt> <*.txt>\n3: <d/e> <d/x.c> <d/y.c>\n1: <\\*>\n2: <a.txt> <b.txt>\n1: <b.tx\\t>\n"},
		{`shopt -s nullglob; argv *.nope a.txt; argv x*.nope "*.nope"`, "1: <a.txt>\n1: <*.nope>\n"},
		{`shopt -s failglob; argv *.nope; argv no`, "no match: *.nope\n"},
		{`shopt -s dotglob; argv *; argv */*`, "10: <.hidden> <Abc> <Z9> <a*> <a.txt> <b.txt> <d> <empty> <sp ace> <é1>\n5: <d/.dot> <d/e> <d/x.c> <d/y.c> <sp ace/f1>\n"},
		{`shopt -s nocaseglob; argv A* *.TXT`, "5: <Abc> <a*> <a.txt> <a.txt> <b.txt>\n"},
		{`shopt -u globskipdots; argv .*`, "3: <.> <..> <.hidden>\n"},
		{`shopt -s globstar; argv **; argv **/; argv **/*.c; argv d/**; argv **/e/**; argv d**; argv */**/x*`, "14: <Abc> <Z9> <a*> <a.txt> <b.txt> <d> <d/e> <d/e/z.c> <d/x.c> <d/y.c> <empty> <sp ace> <sp ace/f1> <é1>\n4: <d/> <d/e/> <empty/> <sp ace/>\n3: <d/e/z.c> <d/x.c> <d/y.c>\n5: <d/> <d/e> <d/e/z.c> <d/x.c> <d/y.c>\n2: <d/e> <d/e/z.c>\n1: <d>\n1: <d/x.c>\n"},
		{"shopt -s extglob\nargv !(*.txt) ; argv @(a|b).txt +([a-z]) *(a|b).* ?(a).txt; x='@(a|b).txt'; argv $x", "7: <Abc> <Z9> <a*> <d> <empty> <sp ace> <é1>\n8: <a.txt> <b.txt> <d> <empty> <.hidden> <a.txt> <b.txt> <a.txt>\n2: <a.txt> <b.txt>\n"},
		{`set -f; argv * *.txt`, "2: <*> <*.txt>\n"},
		{`GLOBIGNORE='*.txt:d'; argv *; GLOBIGNORE=; argv *.txt`, "7: <.hidden> <Abc> <Z9> <a*> <empty> <sp ace> <é1>\n2: <a.txt> <b.txt>\n"},
		{`argv {a,b}*.txt {*.c,*.txt}`, "5: <a.txt> <b.txt> <*.c> <a.txt> <b.txt>\n"},
		{`argv 'sp ace'/* sp\ ace/* sp*/* "sp ace"/f?`, "4: <sp ace/f1> <sp ace/f1> <sp ace/f1> <sp ace/f1>\n"},
		{`for=1; argv *"t"xt *.[t]xt *.[]x]xt *.[!a-s]xt a*.txt*`, "8: <a.txt> <b.txt> <a.txt> <b.txt> <*.[]x]xt> <a.txt> <b.txt> <a.txt>\n"},
		{`argv Z* é* ?*é`, "3: <Z9> <é1> <?*é>\n"},
		{`a=(*.txt); argv "${a[@]}"; b=*.txt; argv "$b" $b; argv ${b/txt/c}`, "2: <a.txt> <b.txt>\n3: <*.txt> <a.txt> <b.txt>\n1: <*.c>\n"},
		{`argv d/e/.. d/*/../x.c nope/* */nope d/e/*/*`, "5: <d/e/..> <d/e/../x.c> <nope/*> <*/nope> <d/e/*/*>\n"},
	}, "a.txt", "b.txt", "Abc", "a*", ".hidden", "d/x.c", "d/y.c", "d/e/z.c", "d/.dot/h.c", "sp ace/f1", "é1", "Z9", "empty/")
}
