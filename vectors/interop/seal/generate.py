"""Makes the golden files of this folder with SEAL 4.1, as TenSEAL's wheel carries it.

    pip install tenseal==0.3.16 zstandard     (for CPython 3.10; later TenSEALs carry SEAL 4.3)
    python vectors/interop/seal/generate.py

The ring is far too small to be secure and the seed is fixed, so a second run gives the same words.
"""

from __future__ import annotations

import struct
import tempfile
import zlib
from pathlib import Path

import zstandard
from tenseal import sealapi

HERE = Path(__file__).parent
LOG_N = 4
N = 1 << LOG_N
PRIME_BITS = [40, 40, 40, 41]
SCALE = 2.0**30
SEED = list(range(1, 9))
HEADER = 16


def slots() -> list[complex]:
    """The message: SEAL's slot j."""
    return [complex((j + 1) / 8, -j / 16) for j in range(N // 2)]


def saved(thing: object) -> bytes:
    """What the library saves."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "object"
        thing.save(str(path))
        return path.read_bytes()


def recompressed(data: bytes, compression: int) -> bytes:
    """The same object without compression (0) or with zlib (1); SEAL's wheel writes zstd (2)."""
    magic, size, major, minor, given, zero, _ = struct.unpack("<HBBBBHQ", data[:HEADER])
    body = data[HEADER:]
    if given == 2:
        body = zstandard.ZstdDecompressor().decompressobj().decompress(body)
    if compression == 1:
        body = zlib.compress(body)
    length = HEADER + len(body)
    return struct.pack("<HBBBBHQ", magic, size, major, minor, compression, zero, length) + body


def ternary(secret: sealapi.SecretKey, prime: int) -> list[int]:
    """The secret's coefficients, from its evaluations under the first prime."""
    candidates = (pow(c, (prime - 1) // (2 * N), prime) for c in range(2, prime))
    root = next(w for w in candidates if pow(w, N, prime) == prime - 1)
    root = min(pow(root, k, prime) for k in range(1, 2 * N, 2))
    reversed_bits = [int(f"{i:0{LOG_N}b}"[::-1], 2) for i in range(N)]
    evaluations = [secret.data()[i] for i in range(N)]

    def coefficient(k: int) -> int:
        terms = (
            v * pow(root, -k * (2 * r + 1), prime)
            for v, r in zip(evaluations, reversed_bits, strict=True)
        )
        value = sum(terms) * pow(N, -1, prime) % prime
        return value - prime if value > 1 else value

    return [coefficient(k) for k in range(N)]


def main() -> None:
    """Writes the files."""
    chosen = sealapi.EncryptionParameters(sealapi.SCHEME_TYPE.CKKS)
    chosen.set_poly_modulus_degree(N)
    chosen.set_coeff_modulus(sealapi.CoeffModulus.Create(N, PRIME_BITS))
    chosen.set_random_generator(sealapi.Blake2xbPRNGFactory(SEED))
    context = sealapi.SEALContext(chosen, True, sealapi.SEC_LEVEL_TYPE.NONE)
    generator = sealapi.KeyGenerator(context)
    public, relinearisation, galois = (
        sealapi.PublicKey(),
        sealapi.RelinKeys(),
        sealapi.GaloisKeys(),
    )
    generator.create_public_key(public)
    generator.create_relin_keys(relinearisation)
    generator.create_galois_keys([3, 9, 2 * N - 1], galois)

    plain, fresh = sealapi.Plaintext(), sealapi.Ciphertext()
    sealapi.CKKSEncoder(context).encode(slots(), SCALE, plain)
    sealapi.Encryptor(context, public).encrypt(plain, fresh)
    square, low = sealapi.Ciphertext(), sealapi.Ciphertext()
    evaluator = sealapi.Evaluator(context)
    evaluator.square(fresh, square)
    evaluator.mod_switch_to_next(fresh, low)

    files = {
        "parameters": saved(chosen),
        "public_key": saved(public),
        "relinearisation_key": saved(relinearisation),
        "galois_keys": saved(galois),
        "fresh": saved(fresh),
        "fresh-zlib": recompressed(saved(fresh), 1),
        "fresh-none": recompressed(saved(fresh), 0),
        "square": saved(square),
        "low": saved(low),
    }
    for name, data in files.items():
        (HERE / f"{name}.seal").write_bytes(data)
    secret = ternary(generator.secret_key(), chosen.coeff_modulus()[0].value())
    (HERE / "secret.txt").write_text("".join(f"{c}\n" for c in secret))
    (HERE / "slots.txt").write_text("".join(f"{z.real} {z.imag}\n" for z in slots()))


if __name__ == "__main__":
    main()
