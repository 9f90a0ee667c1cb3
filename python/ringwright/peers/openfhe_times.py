"""Runs under an interpreter that has `openfhe`, not under ours: prints microseconds as JSON.

Its argument is JSON: of CKKS operations log_n, towers, bits, digit and steps. It has nothing else.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

ROUNDS = 15
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


if __name__ == "__main__":
    asked = json.loads(sys.argv[1])
    print(json.dumps(operations(asked["operations"]) if "operations" in asked else {}))
