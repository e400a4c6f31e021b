package programs

import (
	"strings"
	"testing"

	"mirage/shell/programs/progtest"
)

// What the program does otherwise than bash's builtin.
func TestTest(t *testing.T) {
	var cases []progtest.Case
	for line, status := range map[string]int{
		"( ! = ! )": 0, "! ( ! = ! )": 1, "! ! ( ( = ( )": 0, "( ( != ( )": 1, "( a )": 0, "( -f )": 0, "( ! a )": 1, "( a = b -o c = c )": 0, "-l abc -eq 3": 0, "3 -eq -l abc": 0, "-l ab -lt -l abc": 0, "( -l abc -ne 3 )": 1, "! -l abc -eq 2": 0,
		"18446744073709551616 -eq 0": 1, "18446744073709551616 -gt 18446744073709551615": 0, "-18446744073709551616 -lt 3": 0, "-0 -eq +00": 0, "007 -eq 7": 0,
		"-5 -gt -6": 0, "99999999999999999999 -ge 99999999999999999999": 0,
	} {
		cases = append(cases, progtest.Case{Name: line, Argv: strings.Fields(line), Status: status})
	}
	cases = append(cases, progtest.Case{Args: "x -eq 1", Stderr: "test: invalid integer 'x'\n", Status: 2})
	progtest.Run(t, All(), "test", cases)
}
