package main

import (
	"fmt"
	"math/big"

	"github.com/tuneinsight/lattigo/v6/ring"
)

// Peers need q = 1 mod 2N at every size: the primes are of the largest.
const largestLogN = 16

type transformShape struct {
	LogN int `json:"log_n"`
	Bits int `json:"bits"`
}

// Both transforms of one tower, words fully reduced.
func timeTransforms(shape transformShape, times map[string]float64) {
	primes := ring.NewNTTFriendlyPrimesGenerator(uint64(shape.Bits), 2<<largestLogN)
	q, err := primes.NextDownstreamPrime()
	check(err)
	n := 1 << shape.LogN
	r, err := ring.NewRing(n, []uint64{q})
	check(err)
	tower := r.SubRings[0]
	words := make([]uint64, n)
	for i := range words {
		words[i] = uint64(i*i+7*i+3) % q
	}
	checkSquare(tower, words)
	name := func(direction string) string {
		return fmt.Sprintf("ntt %s log_n=%d bits=%d", direction, shape.LogN, shape.Bits)
	}
	times[name("forward")] = least(func() { tower.NTT(words, words) })
	times[name("inverse")] = least(func() { tower.INTT(words, words) })
}

// Transform, pointwise product and inverse give the negacyclic square, coefficients by the definition.
func checkSquare(tower *ring.SubRing, a []uint64) {
	n, q := len(a), new(big.Int).SetUint64(tower.Modulus)
	square, factor := make([]uint64, n), make([]uint64, n)
	tower.NTT(a, square)
	tower.MForm(square, factor)
	tower.MulCoeffsMontgomery(square, factor, square)
	tower.INTT(square, square)
	for _, k := range []int{0, 1, n / 2, n - 1} {
		sum, term := new(big.Int), new(big.Int)
		for i := range a {
			j := (k + n - i) % n
			term.Mul(new(big.Int).SetUint64(a[i]), new(big.Int).SetUint64(a[j]))
			if i+j >= n {
				term.Neg(term)
			}
			sum.Add(sum, term)
		}
		if sum.Mod(sum, q).Uint64() != square[k] {
			fail(fmt.Errorf("ntt: wrong answer in word %d of %d, q = %d", k, n, tower.Modulus))
		}
	}
}
