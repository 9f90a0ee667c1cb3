// Times of Lattigo on one thread, every answer checked: prints microseconds as JSON, by row.
//
// Its argument is JSON: of CKKS operations log_n, towers, bits, special_bits, log_scale and steps; of
// transforms a list of log_n and bits; of a bootstrapping log_n, log_q, log_p, log_scale and weight. Each
// figure is the least of many rounds.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"time"
)

const (
	// Rounds of an operation, and of what takes little time.
	rounds     = 15
	moreRounds = 301
	// After this no more than `rounds`.
	patience = 300 * time.Millisecond
	// Shortest time of one round, long against the clock's resolution.
	shortest = 100 * time.Microsecond
)

type request struct {
	Operations *operationsShape `json:"operations"`
	Transforms []transformShape `json:"transforms"`
	Bootstrap  *bootstrapShape  `json:"bootstrap"`
}

func main() {
	runtime.GOMAXPROCS(1)
	var asked request
	if len(os.Args) != 2 {
		fail(fmt.Errorf("usage: %s JSON", os.Args[0]))
	}
	check(json.Unmarshal([]byte(os.Args[1]), &asked))
	times := map[string]float64{}
	if asked.Operations != nil {
		timeOperations(*asked.Operations, times)
	}
	for _, shape := range asked.Transforms {
		timeTransforms(shape, times)
	}
	if asked.Bootstrap != nil {
		timeBootstrap(*asked.Bootstrap, times)
	}
	check(json.NewEncoder(os.Stdout).Encode(times))
}

// Least microseconds of a call.
func least(action func()) float64 {
	calls := 1
	for spent(action, calls) < shortest {
		calls *= 2
	}
	best := spent(action, calls)
	if _, once := os.LookupEnv("RINGWRIGHT_BENCH_ANSWERS_ONLY"); once {
		return float64(best.Nanoseconds()) / 1e3 / float64(calls)
	}
	start := time.Now()
	for round := 1; round < rounds || round < moreRounds && time.Since(start) < patience; round++ {
		best = min(best, spent(action, calls))
	}
	return float64(best.Nanoseconds()) / 1e3 / float64(calls)
}

func spent(action func(), calls int) time.Duration {
	start := time.Now()
	for i := 0; i < calls; i++ {
		action()
	}
	return time.Since(start)
}

func check(err error) {
	if err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
