"""SEAL through TenSEAL's binding: one thread, it has no other mode.

It takes and gives Python lists; the conversion is in its time, as ours is in ours for arrays.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Any

from ringwright.ckks import Parameters
from ringwright.errors import MissingToolError
from ringwright.peers.row import Action

__all__ = ["NAME", "operations"]

NAME = "SEAL"
#: Largest error of a slot that counts as right: 40 deviations of what rescaling a product to a
#: scale of 2^26 leaves at N = 2^15.
TOLERANCE = 5e-3


def operations(
    parameters: Parameters, log_scale: int, values: Sequence[float], steps: Sequence[int]
) -> Mapping[str, Action]:
    """What each row does, by its name; nothing for digits of several primes, which SEAL lacks.

    Raises `MissingToolError` where it is not here, or gives a wrong answer.
    """
    if importlib.util.find_spec("tenseal") is None:
        raise MissingToolError("needs TenSEAL: python -m pip install tenseal")
    if parameters.digit > 1:
        return {}
    peer = _Seal(parameters, log_scale, steps)
    x = peer.encrypt(values)
    product = peer.multiply(x)
    _check("product", peer.decrypt(peer.rescale(product)), [value * value for value in values])
    turned = [*values[steps[0] :], *values[: steps[0]]]
    _check("rotation", peer.decrypt(peer.rotate(x, steps[0])), turned)
    return {
        "encode+encrypt": lambda: peer.encrypt(values),
        "decrypt+decode": lambda: peer.decrypt(x),
        "multiply+relinearise": lambda: peer.multiply(x),
        "rescale": lambda: peer.rescale(product),
        "rotate": lambda: peer.rotate(x, steps[0]),
        f"{len(steps)} rotations": lambda: [peer.rotate(x, step) for step in steps],
    }


def _check(what: str, given: Sequence[float], expected: Sequence[float]) -> None:
    error = max(abs(a - b) for a, b in zip(given, expected, strict=True))
    if not error <= TOLERANCE:
        raise MissingToolError(f"gave a wrong answer: {what}, off by {error:.2g}")


class _Seal:
    """The same N and sizes of primes."""

    def __init__(self, parameters: Parameters, log_scale: int, steps: Sequence[int]) -> None:
        seal: Any = importlib.import_module("tenseal.sealapi")
        bits = [q.bit_length() for q in [*parameters.q, *parameters.p]]
        literal = seal.EncryptionParameters(seal.SCHEME_TYPE.CKKS)
        literal.set_poly_modulus_degree(parameters.n)
        literal.set_coeff_modulus(seal.CoeffModulus.Create(parameters.n, bits))
        context = seal.SEALContext(literal, True, seal.SEC_LEVEL_TYPE.TC128)
        keys = seal.KeyGenerator(context)
        public = seal.PublicKey()
        keys.create_public_key(public)
        self._relin = seal.RelinKeys()
        keys.create_relin_keys(self._relin)
        self._galois = seal.GaloisKeys()
        # A list names automorphisms, of which 3 turns by one step.
        elements = [pow(3, step, 2 * parameters.n) for step in steps]
        keys.create_galois_keys(elements, self._galois)
        self._seal = seal
        self._scale = 2.0**log_scale
        self._encoder = seal.CKKSEncoder(context)
        self._encryptor = seal.Encryptor(context, public)
        self._decryptor = seal.Decryptor(context, keys.secret_key())
        self._evaluator = seal.Evaluator(context)

    def encrypt(self, values: Sequence[float]) -> Any:
        plain, encrypted = self._seal.Plaintext(), self._seal.Ciphertext()
        self._encoder.encode(values, self._scale, plain)
        self._encryptor.encrypt(plain, encrypted)
        return encrypted

    def decrypt(self, encrypted: Any) -> Any:
        plain = self._seal.Plaintext()
        self._decryptor.decrypt(encrypted, plain)
        return self._encoder.decode_double(plain)

    def multiply(self, x: Any) -> Any:
        product = self._seal.Ciphertext()
        self._evaluator.multiply(x, x, product)
        self._evaluator.relinearize_inplace(product, self._relin)
        return product

    def rescale(self, x: Any) -> Any:
        smaller = self._seal.Ciphertext()
        self._evaluator.rescale_to_next(x, smaller)
        return smaller

    def rotate(self, x: Any, step: int) -> Any:
        turned = self._seal.Ciphertext()
        self._evaluator.rotate_vector(x, step, self._galois, turned)
        return turned
