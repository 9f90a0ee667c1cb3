"""The receiver that a firmware is compared with: a key, answers, and what they decrypt to."""

from __future__ import annotations

import numpy as np

from ringwright import _ringwright as native
from ringwright.ckks import Parameters
from ringwright.machines import Machine
from ringwright.machines import backend as made_ready
from ringwright.soc import firmware
from ringwright.soc.client import KEY_SEED
from ringwright.soc.tables import VALUE_BITS, Answers

__all__ = ["Receiver"]


class Receiver:
    """A key and answers of one tower that follow from a number."""

    def __init__(self, parameters: Parameters, frames: int, seed: int) -> None:
        self.parameters = parameters
        cpu = made_ready(Machine.load("cpu"))
        keys = native.KeyGenerator.with_insecure_seed(parameters, cpu, KEY_SEED)
        secret = keys.secret_key()
        encryptor = native.Encryptor(parameters, keys.public_key(secret), cpu)
        self._decryptor = native.Decryptor(parameters, secret, cpu)
        self._embedding = native.Embedding(parameters)
        random = np.random.default_rng(seed)
        self._messages = [random.uniform(-1, 1, parameters.slots) for _ in range(frames)]
        self._ciphertexts = [
            encryptor.encrypt_with_insecure_seed(
                self._embedding.encode_real(message, parameters.scale, 1), random.bytes(32)
            )
            for message in self._messages
        ]

    def tables(self, constants: list[list[int]], word_bits: int) -> Answers:
        """For the firmware."""
        words = [native.ciphertext_words(ciphertext) for ciphertext in self._ciphertexts]
        parts = [(c0, c1) for c0, c1 in words]
        return Answers(self.parameters, KEY_SEED, parts, constants, word_bits)

    def check(self, sent: bytes) -> tuple[bool, float | None, float | None]:
        """Whether all values are as close to those that our client decrypts as fixed point
        promises, and to the messages; the largest error of a slot, and its bound, `None` where
        values are missing.
        """
        parameters = self.parameters
        if len(sent) != 4 * len(self._messages) * parameters.slots:
            return False, None, None
        values = np.frombuffer(sent, dtype=np.int32).reshape(-1, parameters.slots)
        # fw/src/decode.h says why.
        guard = 2 ** firmware.defined("src/encode.h", "GUARD_BITS")
        off = parameters.n / guard / parameters.scale + 0.5 / 2**VALUE_BITS
        correct, error, bound = True, 0.0, 0.0
        for frame, message in enumerate(self._messages):
            found = values[frame] / 2**VALUE_BITS
            ciphertext = self._ciphertexts[frame]
            ours = self._embedding.decode_real(self._decryptor.decrypt(ciphertext))
            correct &= bool(np.max(np.abs(found - ours)) <= off)
            error = max(error, float(np.max(np.abs(found - message))))
            bound = max(bound, ciphertext.error_bound + off)
        return correct and error <= bound, error, bound
