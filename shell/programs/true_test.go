package programs

import (
	"testing"

	"mirage/shell/programs/progtest"
)

func TestTrue(t *testing.T) {
	progtest.Run(t, All(), "true", []progtest.Case{
		{Args: ""},
		{Args: "x"},
		{Args: "--help x"},
		{Args: "-Z"},
		{Args: "--version x"},
	})
}

func TestFalse(t *testing.T) {
	progtest.Run(t, All(), "false", []progtest.Case{
		{Args: "", Status: 1},
		{Args: "x", Status: 1},
		{Args: "--help x", Status: 1},
	})
}
