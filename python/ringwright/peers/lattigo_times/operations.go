package main

import (
	"fmt"
	"math"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/schemes/ckks"
)

// Largest error of a slot that counts as right: 40 deviations of what rescaling a product to a scale of 2^26 leaves
// at N = 2^15, and less than half of what slots differ by.
const tolerance = 5e-3

type operationsShape struct {
	LogN        int   `json:"log_n"`
	Towers      int   `json:"towers"`
	Bits        int   `json:"bits"`
	SpecialBits []int `json:"special_bits"`
	LogScale    int   `json:"log_scale"`
	Steps       []int `json:"steps"`
}

// CKKS operations with a public key. On the server results are written where there is room for them, as the
// library offers it; the factors of the product are two, since it takes a quicker way with one.
func timeOperations(shape operationsShape, times map[string]float64) {
	logQ := make([]int, shape.Towers)
	for i := range logQ {
		logQ[i] = shape.Bits
	}
	params, err := ckks.NewParametersFromLiteral(ckks.ParametersLiteral{
		LogN: shape.LogN, LogQ: logQ, LogP: shape.SpecialBits, LogDefaultScale: shape.LogScale,
	})
	check(err)
	keys := rlwe.NewKeyGenerator(params)
	secret, public := keys.GenKeyPairNew()
	galois := make([]uint64, len(shape.Steps))
	for i, step := range shape.Steps {
		galois[i] = params.GaloisElement(step)
	}
	relinearisation := keys.GenRelinearizationKeyNew(secret)
	evaluation := rlwe.NewMemEvaluationKeySet(relinearisation, keys.GenGaloisKeysNew(galois, secret)...)
	encoder := ckks.NewEncoder(params)
	encryptor := ckks.NewEncryptor(params, public)
	decryptor := ckks.NewDecryptor(params, secret)
	evaluator := ckks.NewEvaluator(params, evaluation)

	values := make([]float64, params.MaxSlots())
	for i := range values {
		values[i] = float64(i%7) / 7
	}
	encrypt := func() *rlwe.Ciphertext {
		plain := ckks.NewPlaintext(params, params.MaxLevel())
		check(encoder.Encode(values, plain))
		encrypted, err := encryptor.EncryptNew(plain)
		check(err)
		return encrypted
	}
	decoded := make([]float64, len(values))
	decrypt := func(x *rlwe.Ciphertext) { check(encoder.Decode(decryptor.DecryptNew(x), decoded)) }
	right := func(name string, x *rlwe.Ciphertext, expected func(int) float64) {
		decrypt(x)
		for i, value := range decoded {
			if !(math.Abs(value-expected(i)) <= tolerance) {
				fail(fmt.Errorf("%s: wrong answer in slot %d: %g, not %g", name, i, value, expected(i)))
			}
		}
	}
	turned := func(step int) func(int) float64 {
		return func(i int) float64 { return values[(i+step)%len(values)] }
	}

	x, y := encrypt(), encrypt()
	times["encode+encrypt"] = least(func() { encrypt() })
	times["decrypt+decode"] = least(func() { decrypt(x) })
	right("encode+encrypt", x, turned(0))

	product := ckks.NewCiphertext(params, 1, params.MaxLevel())
	times["multiply+relinearise"] = least(func() { check(evaluator.MulRelin(x, y, product)) })
	rescaled := ckks.NewCiphertext(params, 1, params.MaxLevel()-1)
	times["rescale"] = least(func() { check(evaluator.Rescale(product, rescaled)) })
	right("multiply+relinearise, rescale", rescaled, func(i int) float64 { return values[i] * values[i] })

	first := shape.Steps[0]
	rotated := ckks.NewCiphertext(params, 1, params.MaxLevel())
	times["rotate"] = least(func() { check(evaluator.Rotate(x, first, rotated)) })
	right("rotate", rotated, turned(first))

	results := map[int]*rlwe.Ciphertext{}
	for _, step := range shape.Steps {
		results[step] = ckks.NewCiphertext(params, 1, params.MaxLevel())
	}
	name := fmt.Sprintf("%d rotations", len(shape.Steps))
	times[name] = least(func() { check(evaluator.RotateHoisted(x, shape.Steps, results)) })
	for _, step := range shape.Steps {
		right(name, results[step], turned(step))
	}
}
