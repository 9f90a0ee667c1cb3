"""CKKS client and server operations beside SEAL (through `tenseal`'s binding), answers checked.

Both encode N/2 real slots, encrypt with a public key, multiply, relinearise and rescale,
decrypt and decode. SEAL takes and gives Python lists; the conversion is in its time, as it is in
ours for numpy arrays.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import tenseal.sealapi as seal

import ringwright as rw

ROUNDS = 9
SETS = {"16384-13x30": 26, "16384-7x54": 40}
ONE_THREAD, ALL_CORES = "cpu-1", "cpu"
# Largest slot error that counts as correct, in predicted standard deviations. Slot errors have
# exponential tails: over 8,192 slots the largest is about 8.
DEVIATIONS = 16

Action = Callable[[], Any]


@dataclass(frozen=True)
class Sides:
    """One operation on each side; `correct` looks at ours after the runs."""

    name: str
    ours: Action
    peer: Action
    correct: Callable[[Any], bool]


class Seal:
    """SEAL under the same N and prime sizes, one thread (it has no other mode)."""

    def __init__(self, parameters: rw.ckks.Parameters, log_scale: int) -> None:
        bits = [q.bit_length() for q in [*parameters.q, *parameters.p]]
        literal = seal.EncryptionParameters(seal.SCHEME_TYPE.CKKS)
        literal.set_poly_modulus_degree(parameters.n)
        literal.set_coeff_modulus(seal.CoeffModulus.Create(parameters.n, bits))
        context = seal.SEALContext(literal, True, seal.SEC_LEVEL_TYPE.TC128)
        keys = seal.KeyGenerator(context)
        public = seal.PublicKey()
        keys.create_public_key(public)
        self.relin = seal.RelinKeys()
        keys.create_relin_keys(self.relin)
        self.scale = 2.0**log_scale
        self.encoder = seal.CKKSEncoder(context)
        self.encryptor = seal.Encryptor(context, public)
        self.decryptor = seal.Decryptor(context, keys.secret_key())
        self.evaluator = seal.Evaluator(context)

    def encrypt(self, values: list[float]) -> Any:
        plain, encrypted = seal.Plaintext(), seal.Ciphertext()
        self.encoder.encode(values, self.scale, plain)
        self.encryptor.encrypt(plain, encrypted)
        return encrypted

    def decrypt(self, encrypted: Any) -> Any:
        plain = seal.Plaintext()
        self.decryptor.decrypt(encrypted, plain)
        return self.encoder.decode_double(plain)

    def multiply(self, a: Any, b: Any) -> Any:
        product = seal.Ciphertext()
        self.evaluator.multiply(a, b, product)
        self.evaluator.relinearize_inplace(product, self.relin)
        self.evaluator.rescale_to_next_inplace(product)
        return product


def operations(preset: str, log_scale: int, machine: str) -> list[Sides]:
    parameters = rw.ckks.Parameters.preset(preset)
    client = rw.ckks.Client(parameters, machine=machine)
    server = rw.Server(client.keys_for(product), machine=machine)
    x = np.random.default_rng(0).uniform(-1, 1, parameters.slots)
    listed = x.tolist()
    encrypted = client.encrypt(x)
    other = Seal(parameters, log_scale)
    theirs = other.encrypt(listed)

    def close(ciphertext: rw.ckks.Ciphertext, values: Any, expected: Any) -> bool:
        deviation = ciphertext.noise * np.sqrt(parameters.n / 2) / ciphertext.scale
        return bool(np.max(np.abs(values - expected)) < DEVIATIONS * deviation)

    return [
        Sides(
            "encode+encrypt",
            lambda: client.encrypt(x),
            lambda: other.encrypt(listed),
            lambda result: close(result, client.decrypt(result), x),
        ),
        Sides(
            "decrypt+decode",
            lambda: client.decrypt(encrypted),
            lambda: other.decrypt(theirs),
            lambda result: close(encrypted, result, x),
        ),
        Sides(
            "multiply+relinearise+rescale",
            lambda: server.run(product, encrypted, encrypted).value,
            lambda: other.multiply(theirs, theirs),
            lambda result: close(result, client.decrypt(result), x * x),
        ),
    ]


@rw.program
def product(a: Any, b: Any) -> Any:
    """Multiplication, relinearisation and rescaling."""
    return a * b


def microseconds(action: Action) -> tuple[float, Any]:
    start = time.perf_counter_ns()
    result = action()
    return (time.perf_counter_ns() - start) / 1e3, result


def measure(sides: Sides, preset: str, machine: str) -> dict[str, Any]:
    sides.ours(), sides.peer()
    ours, peer = [], []
    for _ in range(ROUNDS):
        took, result = microseconds(sides.ours)
        ours.append(took)
        peer.append(microseconds(sides.peer)[0])
    ours_us, peer_us = float(np.median(ours)), float(np.median(peer))
    return {
        "name": sides.name,
        "parameters": {"preset": preset, "machine": machine},
        "ours_us": ours_us,
        "peers": {"SEAL": peer_us},
        "ratio_to_best": peer_us / ours_us,
        "correct": sides.correct(result),
    }


def rows() -> list[dict[str, Any]]:
    """Every operation, set and machine; the peer runs in one thread throughout."""
    return [
        measure(sides, preset, machine)
        for preset, log_scale in SETS.items()
        for machine in (ONE_THREAD, ALL_CORES)
        for sides in operations(preset, log_scale, machine)
    ]
