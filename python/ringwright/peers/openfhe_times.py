"""Runs under an interpreter that has `openfhe`, not under ours: prints microseconds as JSON.

Its argument is JSON: of CKKS operations log_n, towers, bits, digit and steps; of a bootstrapping
log_n, bits, first_bits, digits, level_budget and levels.
"""

from __future__ import annotations

import json
import math
import os
import random
import resource
import sys
import time
from collections.abc import Callable
from typing import Any

# `row.ANSWERS_ONLY`, which this interpreter cannot import.
ROUNDS = 1 if "RINGWRIGHT_BENCH_ANSWERS_ONLY" in os.environ else 15
#: How often a bootstrapping is timed; each takes longer than all other rows together.
BOOTSTRAP_ROUNDS = 4
#: Least bits of precision that count as right: a slot that was not bootstrapped has none.
LEAST_PRECISION = 6
#: Largest error of a slot that counts as right, far above the noise of these sets.
TOLERANCE = 1e-4


def least(action: Callable[[], Any]) -> float:
    """Least microseconds of several runs, after one to warm up."""
    action()
    taken = []
    for _ in range(ROUNDS):
        start = time.perf_counter_ns()
        action()
        taken.append(time.perf_counter_ns() - start)
    return min(taken) / 1e3


def operations(shape: dict[str, Any]) -> dict[str, float]:
    """Microseconds of each operation, by the name of its row."""
    import openfhe as fhe  # type: ignore[import-not-found,unused-ignore]

    parameters = fhe.CCParamsCKKSRNS()
    parameters.SetRingDim(1 << shape["log_n"])
    parameters.SetMultiplicativeDepth(shape["towers"] - 1)
    # Of 60 bits it has the first one only.
    parameters.SetScalingModSize(min(shape["bits"], 59))
    parameters.SetFirstModSize(shape["bits"])
    parameters.SetNumLargeDigits(-(-shape["towers"] // shape["digit"]))
    parameters.SetScalingTechnique(fhe.FIXEDMANUAL)
    parameters.SetBatchSize(1 << (shape["log_n"] - 1))
    parameters.SetSecurityLevel(fhe.HEStd_NotSet)
    context = fhe.GenCryptoContext(parameters)
    for feature in (fhe.PKE, fhe.KEYSWITCH, fhe.LEVELEDSHE):
        context.Enable(feature)
    keys = context.KeyGen()
    context.EvalMultKeyGen(keys.secretKey)
    steps = shape["steps"]
    context.EvalRotateKeyGen(keys.secretKey, steps)
    values = [(i % 7) / 7 for i in range(1 << (shape["log_n"] - 1))]

    def encrypt() -> Any:
        return context.Encrypt(keys.publicKey, context.MakeCKKSPackedPlaintext(values))

    def decrypt(x: Any) -> Any:
        plain = context.Decrypt(x, keys.secretKey)
        plain.SetLength(len(values))
        return plain.GetRealPackedValue()

    def hoisted() -> list[Any]:
        digits = context.EvalFastRotationPrecompute(x)
        order = 2 << shape["log_n"]
        return [context.EvalFastRotation(x, step, order, digits) for step in steps]

    def check(name: str, result: Any, expected: list[float]) -> None:
        error = max(abs(a - b) for a, b in zip(decrypt(result), expected, strict=True))
        if not error <= TOLERANCE:
            sys.exit(f"{name}: wrong answer, off by {error:.2g}")

    x = encrypt()
    product = context.EvalMult(x, x)
    check("product", context.Rescale(product), [value * value for value in values])
    turned = [[*values[step:], *values[:step]] for step in steps]
    check("rotation", context.EvalRotate(x, steps[0]), turned[0])
    for result, expected in zip(hoisted(), turned, strict=True):
        check("rotations", result, expected)
    return {
        "encode+encrypt": least(encrypt),
        "decrypt+decode": least(lambda: decrypt(x)),
        "multiply+relinearise": least(lambda: context.EvalMult(x, x)),
        "rescale": least(lambda: context.Rescale(product)),
        "rotate": least(lambda: context.EvalRotate(x, steps[0])),
        f"{len(steps)} rotations": least(hoisted),
    }


def bootstrap(shape: dict[str, Any]) -> dict[str, float]:
    """A bootstrapping of all slots, with a sparse secret around the raise.

    Microseconds, bits of the worst slot, levels left, most memory held.
    """
    import openfhe as fhe  # type: ignore[import-not-found,unused-ignore]

    secret = fhe.SPARSE_ENCAPSULATED
    parameters = fhe.CCParamsCKKSRNS()
    parameters.SetSecretKeyDist(secret)
    parameters.SetSecurityLevel(fhe.HEStd_NotSet)
    parameters.SetRingDim(1 << shape["log_n"])
    parameters.SetScalingModSize(shape["bits"])
    parameters.SetFirstModSize(shape["first_bits"])
    parameters.SetNumLargeDigits(shape["digits"])
    parameters.SetScalingTechnique(fhe.FLEXIBLEAUTO)
    budget = shape["level_budget"]
    depth = fhe.CryptoContext.GetBootstrapDepth(budget, secret) + shape["levels"]
    parameters.SetMultiplicativeDepth(depth)
    context = fhe.GenCryptoContext(parameters)
    for feature in (fhe.PKE, fhe.KEYSWITCH, fhe.LEVELEDSHE, fhe.ADVANCEDSHE, fhe.FHE):
        context.Enable(feature)
    slots = 1 << (shape["log_n"] - 1)
    context.EvalBootstrapSetup(budget, [0, 0], slots)
    keys = context.KeyGen()
    context.EvalMultKeyGen(keys.secretKey)
    context.EvalBootstrapKeyGen(keys.secretKey, slots)

    draw = random.Random(1)
    values = [complex(draw.uniform(-1, 1), draw.uniform(-1, 1)) for _ in range(slots)]
    plain = context.MakeCKKSPackedPlaintext(values, 1, depth - 1)
    plain.SetLength(slots)
    spent = context.Encrypt(keys.publicKey, plain)

    def decrypted(x: Any) -> list[complex]:
        plain = context.Decrypt(x, keys.secretKey)
        plain.SetLength(slots)
        numbers: list[complex] = plain.GetCKKSPackedValue()
        return numbers

    before = decrypted(spent)
    taken = []
    for _ in range(BOOTSTRAP_ROUNDS):
        start = time.perf_counter_ns()
        result = context.EvalBootstrap(spent)
        taken.append(time.perf_counter_ns() - start)
    errors = [a - b for a, b in zip(decrypted(result), before, strict=True)]
    worst = max(max(abs(error.real), abs(error.imag)) for error in errors)
    bits = -math.log2(worst)
    if not bits > LEAST_PRECISION:
        sys.exit(f"bootstrap: {bits:.1f} bits in the worst slot")
    return {
        "bootstrap": min(taken) / 1e3,
        "precision_bits_worst": bits,
        "levels_left": depth - result.GetLevel() - (result.GetNoiseScaleDeg() - 1),
        "rss_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }


if __name__ == "__main__":
    asked = json.loads(sys.argv[1])
    known = {"operations": operations, "bootstrap": bootstrap}
    found = [known[name](shape) for name, shape in asked.items() if name in known]
    print(json.dumps(found[0] if found else {}))
