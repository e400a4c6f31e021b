package programs

import (
	"context"
	"math/big"
	"math/bits"
	"slices"
	"strings"

	"mirage/shell/program"
	"mirage/shell/program/getopt"
	"mirage/shell/program/stream"
)

var factorSpec = getopt.Spec{
	Name:     "factor",
	Synopsis: []string{"[NUMBER]...", "OPTION"},
	Summary: "Print the prime factors of each specified integer NUMBER.  If none\n" +
		"are specified on the command line, read them from standard input.",
}

// factorDigits is the most digits of a number that factor takes on: to tell
// whether a longer one is prime takes seconds.
const factorDigits = 400

func runFactor(ctx context.Context, inv *program.Invocation) int {
	p := factorSpec.Parse(inv)
	for p.Next() {
	}
	if p.Stopped {
		return p.Status
	}
	out := stream.Stdout(inv)
	status := 0
	one := func(text string) {
		if ctx.Err() == nil && !factorOne(ctx, inv, out, text) {
			status = 1
		}
	}
	if len(p.Operands) > 0 {
		for _, text := range p.Operands {
			one(text)
		}
		return out.Close(inv, status)
	}
	var token []byte
	end := func() {
		if len(token) > 0 {
			text, _, _ := strings.Cut(string(token), "\x00") // as C's strings end
			one(text)
			token = token[:0]
		}
	}
	err := eachBlock(ctx, inv.Stdin, out, func(p []byte) error {
		for _, c := range p {
			switch {
			case strings.IndexByte(" \t\n", c) >= 0:
				end()
			case len(token) <= stream.BufferSize: // far beyond factorDigits
				token = append(token, c)
			}
		}
		return nil
	})
	end()
	if err != nil && out.Err() == nil {
		inv.Fail(err, "error reading input")
		status = 1
	}
	return out.Close(inv, status)
}

// factorOne prints a number and its prime factors.
func factorOne(ctx context.Context, inv *program.Invocation, out *stream.Writer, text string) bool {
	digits := strings.TrimPrefix(strings.TrimLeft(text, " "), "+")
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		out.Flush()
		inv.Errorf("%s is not a valid positive integer", inv.QuoteArg(text))
		return false
	}
	digits = strings.TrimLeft(digits, "0")
	if len(digits) > factorDigits {
		out.Flush()
		inv.Errorf("%s is too large", inv.QuoteArg(text))
		return false
	}
	n, _ := new(big.Int).SetString("0"+digits, 10)
	var factors []*big.Int
	f := factorizer{ctx: ctx, found: &factors}
	f.split(n)
	if ctx.Err() != nil {
		return false
	}
	slices.SortFunc(factors, (*big.Int).Cmp)
	out.WriteString(n.String() + ":")
	for _, p := range factors {
		out.WriteString(" " + p.String())
	}
	out.WriteByte('\n')
	return true
}

// factorizer collects the prime factors of a number.
type factorizer struct {
	ctx   context.Context
	found *[]*big.Int
}

// split divides small primes out and leaves the rest to Pollard's rho.
func (f factorizer) split(n *big.Int) {
	n = new(big.Int).Set(n)
	if n.Sign() == 0 {
		return
	}
	quotient, rest := new(big.Int), new(big.Int)
	for d := int64(2); d < 1000; d++ {
		divisor := big.NewInt(d)
		for n.Cmp(divisor) >= 0 {
			quotient.QuoRem(n, divisor, rest)
			if rest.Sign() != 0 {
				break
			}
			*f.found = append(*f.found, divisor)
			n.Set(quotient)
		}
	}
	f.rho(n)
}

// rho splits what has no small factor.
func (f factorizer) rho(n *big.Int) {
	switch {
	case f.ctx.Err() != nil || n.Cmp(big.NewInt(1)) == 0:
		return
	case n.ProbablyPrime(10):
		*f.found = append(*f.found, n)
		return
	}
	for c := uint64(1); f.ctx.Err() == nil; c++ {
		d := f.divisor(n, c)
		if d == nil {
			continue
		}
		f.rho(d)
		f.rho(new(big.Int).Quo(n, d))
		return
	}
}

// divisor looks for a proper divisor of n with the sequence x*x+c (Brent's
// form of Pollard's rho method); nil when this c finds none.
func (f factorizer) divisor(n *big.Int, c uint64) *big.Int {
	if n.IsUint64() {
		return f.divisor64(n.Uint64(), c)
	}
	one := big.NewInt(1)
	add := new(big.Int).SetUint64(c)
	next := func(x *big.Int) {
		x.Mul(x, x).Add(x, add)
		x.Mod(x, n)
	}
	x, y, saved := big.NewInt(2), big.NewInt(2), new(big.Int)
	product, d, diff := big.NewInt(1), new(big.Int), new(big.Int)
	for length := 1; ; length *= 2 {
		x.Set(y)
		for done := 0; done < length; {
			if f.ctx.Err() != nil {
				return nil
			}
			saved.Set(y)
			steps := min(64, length-done)
			for range steps {
				next(y)
				product.Mul(product, diff.Sub(x, y).Abs(diff))
				product.Mod(product, n)
			}
			done += steps
			if d.GCD(nil, nil, product, n).Cmp(one) == 0 {
				continue
			}
			// Somewhere in the last steps: take them one by one.
			for range steps {
				next(saved)
				if d.GCD(nil, nil, diff.Sub(x, saved).Abs(diff), n).Cmp(one) != 0 {
					break
				}
			}
			if d.Cmp(n) == 0 {
				return nil
			}
			return d
		}
	}
}

// divisor64 is divisor for numbers of a machine word.
func (f factorizer) divisor64(n, c uint64) *big.Int {
	mul := func(a, b uint64) uint64 {
		hi, lo := bits.Mul64(a, b)
		return bits.Rem64(hi, lo, n)
	}
	next := func(x uint64) uint64 {
		x = mul(x, x)
		if sum, carry := bits.Add64(x, c%n, 0); carry != 0 || sum >= n {
			return sum - n
		} else {
			return sum
		}
	}
	distance := func(a, b uint64) uint64 { return max(a, b) - min(a, b) }
	y := uint64(2)
	for length := 1; ; length *= 2 {
		x := y
		product := uint64(1)
		for done := 0; done < length; {
			if f.ctx.Err() != nil {
				return nil
			}
			saved := y
			steps := min(256, length-done)
			for range steps {
				y = next(y)
				product = mul(product, distance(x, y))
			}
			done += steps
			if gcd64(product, n) == 1 {
				continue
			}
			d := uint64(1)
			for range steps {
				saved = next(saved)
				if d = gcd64(distance(x, saved), n); d != 1 {
					break
				}
			}
			if d == n {
				return nil
			}
			return new(big.Int).SetUint64(d)
		}
	}
}

func gcd64(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
