package main

import (
	"fmt"
	"math"
	"math/rand"
	"syscall"
	"time"

	"github.com/tuneinsight/lattigo/v6/circuits/ckks/bootstrapping"
	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/ring"
	"github.com/tuneinsight/lattigo/v6/schemes/ckks"
)

// How often a bootstrapping is timed; each takes longer than all other rows together.
const bootstrapRounds = 4

// Least bits of precision that count as right: a slot that was not bootstrapped has none.
const leastPrecision = 8

type bootstrapShape struct {
	LogN     int   `json:"log_n"`
	LogQ     []int `json:"log_q"`
	LogP     []int `json:"log_p"`
	LogScale int   `json:"log_scale"`
	Weight   int   `json:"weight"`
}

// A bootstrapping of all slots with the library's own circuit parameters: microseconds, bits of the worst slot,
// levels left, most memory held.
func timeBootstrap(shape bootstrapShape, found map[string]float64) {
	params, err := ckks.NewParametersFromLiteral(ckks.ParametersLiteral{
		LogN: shape.LogN, LogQ: shape.LogQ, LogP: shape.LogP, LogDefaultScale: shape.LogScale,
		Xs: ring.Ternary{H: shape.Weight},
	})
	check(err)
	circuit, err := bootstrapping.NewParametersFromLiteral(params, bootstrapping.ParametersLiteral{
		LogN: &shape.LogN, LogP: shape.LogP, Xs: params.Xs(),
	})
	check(err)
	secret, public := rlwe.NewKeyGenerator(params).GenKeyPairNew()
	keys, _, err := circuit.GenEvaluationKeys(secret)
	check(err)
	evaluator, err := bootstrapping.NewEvaluator(circuit, keys)
	check(err)
	encoder := ckks.NewEncoder(params)
	decryptor := ckks.NewDecryptor(params, secret)

	drawn := rand.New(rand.NewSource(1))
	values := make([]complex128, params.MaxSlots())
	for i := range values {
		values[i] = complex(2*drawn.Float64()-1, 2*drawn.Float64()-1)
	}
	plain := ckks.NewPlaintext(params, 0)
	check(encoder.Encode(values, plain))
	spent, err := ckks.NewEncryptor(params, public).EncryptNew(plain)
	check(err)
	decoded := func(x *rlwe.Ciphertext) []complex128 {
		slots := make([]complex128, len(values))
		check(encoder.Decode(decryptor.DecryptNew(x), slots))
		return slots
	}
	before := decoded(spent)

	least := math.Inf(1)
	var result *rlwe.Ciphertext
	for round := 0; round < bootstrapRounds; round++ {
		start := time.Now()
		result, err = evaluator.Bootstrap(spent.CopyNew())
		check(err)
		least = min(least, float64(time.Since(start).Nanoseconds())/1e3)
	}
	worst := 0.0
	for i, slot := range decoded(result) {
		off := slot - before[i]
		worst = max(worst, math.Abs(real(off)), math.Abs(imag(off)))
	}
	bits := -math.Log2(worst)
	if !(bits > leastPrecision) {
		fail(fmt.Errorf("bootstrap: %.1f bits in the worst slot", bits))
	}
	found["bootstrap"] = least
	found["precision_bits_worst"] = bits
	found["levels_left"] = float64(result.Level())
	var used syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	found["rss_bytes"] = float64(used.Maxrss) * 1024
}
