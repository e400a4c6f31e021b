package jq

import (
	"math"
)

// mathNatives are the functions of C's math library.
func mathNatives() map[string]native {
	table := map[string]native{
		"frexp/0": unaryArray(func(f float64) []any {
			fraction, exponent := math.Frexp(f)
			return []any{fraction, float64(exponent)}
		}),
		"modf/0": unaryArray(func(f float64) []any {
			if math.IsInf(f, 0) {
				return []any{math.Copysign(0, f), f}
			}
			whole, fraction := math.Modf(f)
			return []any{fraction, whole}
		}),
		"lgamma_r/0": unaryArray(func(f float64) []any {
			g, sign := math.Lgamma(f)
			return []any{g, float64(sign)}
		}),
	}
	lgamma := func(f float64) float64 {
		g, _ := math.Lgamma(f)
		return g
	}
	for name, fn := range map[string]func(float64) float64{
		"acos": math.Acos, "acosh": math.Acosh, "asin": math.Asin, "asinh": math.Asinh, "atan": math.Atan,
		"atanh": math.Atanh, "cbrt": math.Cbrt, "ceil": math.Ceil, "cos": math.Cos, "cosh": math.Cosh,
		"exp": math.Exp, "exp2": math.Exp2, "exp10": exp10, "expm1": math.Expm1, "fabs": math.Abs,
		"floor": math.Floor, "gamma": lgamma, "j0": math.J0, "j1": math.J1, "lgamma": lgamma, "log": math.Log,
		"log10": math.Log10, "log1p": math.Log1p, "log2": log2, "logb": math.Logb, "nearbyint": math.RoundToEven,
		"pow10": exp10, "rint": math.RoundToEven, "round": math.Round, "significand": significand, "sin": math.Sin,
		"sinh": math.Sinh, "sqrt": math.Sqrt, "tan": math.Tan, "tanh": math.Tanh, "tgamma": math.Gamma,
		"trunc": math.Trunc, "y0": math.Y0, "y1": math.Y1,
	} {
		table[name+"/0"] = func(m *machine, v any, _ []any) (any, error) {
			n, ok := number(v)
			if !ok {
				return nil, typeError(v, "number required")
			}
			m.grow(sizeNumber)
			return fn(n), nil
		}
	}
	scale := func(f, n float64) float64 {
		return math.Ldexp(f, int(max(min(n, 1e5), -1e5)))
	}
	for name, fn := range map[string]func(a, b float64) float64{
		"atan2": math.Atan2, "copysign": math.Copysign, "drem": math.Remainder, "fdim": math.Dim, "fmax": fmax,
		"fmin": fmin, "fmod": math.Mod, "hypot": math.Hypot, "jn": func(n, f float64) float64 { return math.Jn(int(n), f) },
		"ldexp": scale, "nextafter": math.Nextafter, "nexttoward": math.Nextafter, "pow": math.Pow, "remainder": math.Remainder,
		"scalb": scale, "scalbln": scale, "yn": func(n, f float64) float64 { return math.Yn(int(n), f) },
	} {
		table[name+"/2"] = func(m *machine, _ any, a []any) (any, error) {
			x, ok := number(a[0])
			if !ok {
				return nil, typeError(a[0], "number required")
			}
			y, ok := number(a[1])
			if !ok {
				return nil, typeError(a[1], "number required")
			}
			m.grow(sizeNumber)
			return fn(x, y), nil
		}
	}
	table["fma/3"] = func(_ *machine, _ any, a []any) (any, error) {
		var n [3]float64
		for i := range n {
			var ok bool
			if n[i], ok = number(a[i]); !ok {
				return nil, typeError(a[i], "number required")
			}
		}
		return math.FMA(n[0], n[1], n[2]), nil
	}
	return table
}

func unaryArray(fn func(float64) []any) native {
	return func(_ *machine, v any, _ []any) (any, error) {
		n, ok := number(v)
		if !ok {
			return nil, typeError(v, "number required")
		}
		return fn(n), nil
	}
}

func exp10(f float64) float64 { return math.Pow(10, f) }

// log2 is exact for powers of two and rounds better than math.Log2 elsewhere.
func log2(f float64) float64 {
	if fraction, exponent := math.Frexp(f); fraction == 0.5 {
		return float64(exponent - 1)
	}
	return math.Log(f) / math.Ln2
}

func significand(f float64) float64 {
	if f == 0 || f-f != 0 {
		return f
	}
	fraction, _ := math.Frexp(f)
	return fraction * 2
}

// fmax and fmin prefer a number to a NaN.
func fmax(a, b float64) float64 {
	switch {
	case a != a:
		return b
	case b != b:
		return a
	}
	return max(a, b)
}

func fmin(a, b float64) float64 {
	switch {
	case a != a:
		return b
	case b != b:
		return a
	}
	return min(a, b)
}
