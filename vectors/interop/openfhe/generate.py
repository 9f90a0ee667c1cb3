"""Makes the golden files of this folder with OpenFHE, whose wheel wants CPython 3.10.

    python3.10 -m pip install openfhe==1.6.1.0.22.4
    python3.10 vectors/interop/openfhe/generate.py

The ring is far too small to be secure. OpenFHE takes no seed: a second run draws other keys.
"""

from __future__ import annotations

import struct
from pathlib import Path

import openfhe

HERE = Path(__file__).parent
LOG_N = 4
N = 1 << LOG_N
DEPTH = 2
SCALE_BITS = 50
DIGITS = 2
STEPS = [1, -2]


def slots() -> list[float]:
    """The message."""
    return [(j + 1) / 8 for j in range(N // 2)]


def context() -> openfhe.CryptoContext:
    """Three levels in digits of two towers."""
    chosen = openfhe.CCParamsCKKSRNS()
    chosen.SetMultiplicativeDepth(DEPTH)
    chosen.SetScalingModSize(SCALE_BITS)
    chosen.SetFirstModSize(60)
    chosen.SetRingDim(N)
    chosen.SetBatchSize(N // 2)
    chosen.SetSecurityLevel(openfhe.SecurityLevel.HEStd_NotSet)
    chosen.SetScalingTechnique(openfhe.ScalingTechnique.FIXEDMANUAL)
    chosen.SetKeySwitchTechnique(openfhe.KeySwitchTechnique.HYBRID)
    chosen.SetNumLargeDigits(DIGITS)
    made = openfhe.GenCryptoContext(chosen)
    for feature in ("PKE", "KEYSWITCH", "LEVELEDSHE"):
        made.Enable(getattr(openfhe.PKESchemeFeature, feature))
    return made


def ternary(secret: bytes) -> list[int]:
    """The secret's coefficients, from its evaluations under the first prime."""
    start = secret.index(struct.pack("<IBIQ", 0x40000000, 1, 0, N)) + 17
    *evaluations, prime = struct.unpack_from(f"<{N + 1}Q", secret, start)
    candidates = (pow(c, (prime - 1) // (2 * N), prime) for c in range(2, prime))
    root = next(w for w in candidates if pow(w, N, prime) == prime - 1)
    root = min(pow(root, k, prime) for k in range(1, 2 * N, 2))
    places = [int(f"{i:0{LOG_N}b}"[::-1], 2) for i in range(N)]

    def coefficient(k: int) -> int:
        terms = (
            v * pow(root, -k * (2 * r + 1), prime) for v, r in zip(evaluations, places, strict=True)
        )
        value = sum(terms) * pow(N, -1, prime) % prime
        return value - prime if value > 1 else value

    return [coefficient(k) for k in range(N)]


def main() -> None:
    """Writes the files."""
    made = context()
    pair = made.KeyGen()
    made.EvalMultKeyGen(pair.secretKey)
    made.EvalRotateKeyGen(pair.secretKey, STEPS)
    tag = pair.secretKey.GetKeyTag()
    fresh = made.Encrypt(pair.publicKey, made.MakeCKKSPackedPlaintext(slots()))
    objects = {
        "context": made,
        "public_key": pair.publicKey,
        "relinearisation_key": made.GetEvalMultKeyVector(tag)[0],
        "rotation_keys": made.GetEvalAutomorphismKeyMap(tag),
        "fresh": fresh,
        "square": made.EvalMultNoRelin(fresh, fresh),
        "low": made.LevelReduce(fresh, None, 1),
    }
    for name, thing in objects.items():
        (HERE / f"{name}.openfhe").write_bytes(openfhe.Serialize(thing, openfhe.BINARY))
    secret = ternary(openfhe.Serialize(pair.secretKey, openfhe.BINARY))
    (HERE / "secret.txt").write_text("".join(f"{c}\n" for c in secret))
    (HERE / "slots.txt").write_text("".join(f"{x} 0.0\n" for x in slots()))


if __name__ == "__main__":
    main()
