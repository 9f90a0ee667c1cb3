"""The client that a firmware is compared with: keys, messages, seeds that follow from a number."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ringwright import _ringwright as native
from ringwright.ckks import Parameters
from ringwright.errors import RingwrightError
from ringwright.machines import Machine
from ringwright.machines import backend as made_ready
from ringwright.soc import firmware
from ringwright.soc.tables import Tables

__all__ = ["KEY_SEED", "Client"]

#: Of the key generator, so of the secret, its first draw.
KEY_SEED = bytes(range(32))


class Client:
    """Keys, messages and seeds that follow from a number, and what our own client makes of them.

    `towers`: of a ciphertext; all of them where it is not given.
    """

    def __init__(
        self, parameters: Parameters, frames: int, seed: int, *, towers: int | None = None
    ) -> None:
        self.parameters = parameters
        self.towers = parameters.levels if towers is None else towers
        self._backend = made_ready(Machine.load("cpu"))
        keys = native.KeyGenerator.with_insecure_seed(parameters, self._backend, KEY_SEED)
        self._secret = keys.secret_key()
        self._public = keys.public_key(self._secret)
        random = np.random.default_rng(seed)
        self._messages = [random.uniform(-1, 1, parameters.slots) for _ in range(frames)]
        self._seeds = [random.bytes(32) for _ in range(frames)]

    def tables(self, constants: list[list[int]], word_bits: int) -> Tables:
        """For the firmware."""
        return Tables(
            self.parameters,
            self.towers,
            self._public,
            self._seeds,
            self._messages,
            constants,
            word_bits,
        )

    def check(self, tables: Tables, sent: bytes) -> tuple[bool, float | None, float | None]:
        """Whether every word is that of our encryption of the firmware's encoding, and decrypts;
        the largest error of a slot, and its bound, `None` where there is no ciphertext.
        """
        parameters, level = self.parameters, self.towers
        shape = (len(self._messages), level, 2, parameters.n)
        if len(sent) != 4 * int(np.prod(shape)):
            return False, None, None
        words = np.frombuffer(sent, dtype=np.uint32).reshape(shape).astype(np.uint64)
        encoded, _ = firmware.run_here(tables)
        encryptor = native.Encryptor(parameters, self._public, self._backend)
        decryptor = native.Decryptor(parameters, self._secret, self._backend)
        embedding = native.Embedding(parameters)
        correct, error, bound = True, 0.0, 0.0
        for frame, message in enumerate(self._messages):
            plain = native.plaintext_of_coefficients(
                parameters, encoded[frame], parameters.scale, level
            )
            ours = encryptor.encrypt_with_insecure_seed(plain, self._seeds[frame])
            theirs = (_part(words[frame], 0), _part(words[frame], 1))
            same = zip(native.ciphertext_words(ours), theirs, strict=True)
            correct &= all(np.array_equal(a, b) for a, b in same)
            try:
                received = native.fresh_ciphertext(parameters, theirs, parameters.scale)
            except RingwrightError:
                return False, None, None
            values = embedding.decode_real(decryptor.decrypt(received))
            error = max(error, float(np.max(np.abs(values - message))))
            bound = received.error_bound
        return correct and error <= bound, error, bound


def _part(frame: NDArray[np.uint64], part: int) -> NDArray[np.uint64]:
    """The towers of one part, one behind the other."""
    return np.ascontiguousarray(frame[:, part, :]).ravel()
