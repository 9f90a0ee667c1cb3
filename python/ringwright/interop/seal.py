"""What Microsoft SEAL 4 saves: parameters, ciphertexts, public keys, evaluation keys.

TenSEAL carries the same objects in its messages, and saves them with `.save(path)`. Objects may be
compressed (zlib, zstd) or not; ours are not. Those whose uniform part is replaced by a seed
(SEAL's `Serializable`) are refused: load and save them in SEAL, which writes them out.

**Versions.** A minor version of SEAL reads its own objects only. Writers take `version`: 4.1 is in
TenSEAL up to 0.3.16, 4.3 in 0.3.18; `version_of` tells it from an object. Readers take every 4.x.

**Order of slots.** SEAL's slot j is the message's value at another root of unity than ours, so a
vector comes out permuted: `from_slots` brings a decrypted vector into SEAL's order, `to_slots` a
vector of SEAL's into ours before it is encrypted. Products and sums of whole vectors need neither.
Inside a program `rotate` turns such a vector as SEAL's `rotate_vector` does, by SEAL's own keys.
"""

from __future__ import annotations

from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from ringwright import _ringwright as native
from ringwright.ckks import Ciphertext, Client, EvaluationKeys, Parameters, PublicKey, Slots
from ringwright.errors import KeyMismatchError, ParameterError
from ringwright.numpy_face import NumpyFace
from ringwright.source_line import integer

#: Major and minor number of a version of SEAL.
Version: TypeAlias = tuple[int, int]
#: An encrypted vector, or a plain one.
V = TypeVar("V", bound=NumpyFace)

__all__ = [
    "Version",
    "from_slots",
    "read_ciphertext",
    "read_keys",
    "read_parameters",
    "read_public_key",
    "rotate",
    "to_slots",
    "version_of",
    "write_ciphertext",
    "write_parameters",
    "write_public_key",
    "write_relinearisation_key",
    "write_rotation_keys",
]


def read_parameters(
    data: bytes, *, log_scale: int, insecure: bool = False, name: str = "seal"
) -> Parameters:
    """SEAL's `EncryptionParameters`, for CKKS. Its last prime is the special one.

    `log_scale`: log2 of the default scale, which SEAL's parameters do not have. `insecure`: accept
    parameters beyond the 128-bit table.
    """
    return native.seal_read_parameters(data, name, log_scale, insecure)


def version_of(data: bytes) -> Version:
    """The version of SEAL that wrote an object: what its reader wants as `version`."""
    return native.seal_version_of(data)


def write_parameters(parameters: Parameters, *, version: Version = (4, 1)) -> bytes:
    """Parameters for SEAL: one special prime and digits of one tower, or one prime in all."""
    return native.seal_write_parameters(parameters, version)


def read_ciphertext(
    data: bytes,
    parameters: Parameters,
    *,
    maximum: float = 1.0,
    rms: float | None = None,
    noise: float | None = None,
) -> Ciphertext:
    """A `Ciphertext` of SEAL's at any level, of two or three parts, with its scale.

    What SEAL does not keep is declared: bounds on the largest and root-mean-square absolute slot
    value (`rms=None`: as `maximum`), and the standard deviation of a coefficient's error (`None`:
    that of a fresh encryption of ours, which SEAL's stay below).
    """
    return native.seal_read_ciphertext(
        data, parameters, maximum, maximum if rms is None else rms, noise
    )


def write_ciphertext(ciphertext: Ciphertext, *, version: Version = (4, 1)) -> bytes:
    """A ciphertext for SEAL; its bounds and noise stay here."""
    return native.seal_write_ciphertext(ciphertext, version)


def read_public_key(data: bytes, parameters: Parameters) -> PublicKey:
    """A `PublicKey` of SEAL's, to encrypt with here (`ringwright.ckks.Sender`)."""
    return native.seal_read_public_key(data, parameters)


def write_public_key(client: Client, *, version: Version = (4, 1)) -> bytes:
    """A public key of the client's for SEAL, which wants it under the special prime too: a fresh
    one on every call. All are of the same secret key.
    """
    return native.seal_write_public_key(client.generator, client.secret_key, version)


def read_keys(
    parameters: Parameters,
    *,
    relinearisation: bytes | None = None,
    rotations: bytes | None = None,
) -> EvaluationKeys:
    """The keys of SEAL's `RelinKeys` and `GaloisKeys`, for a `Server`; each where it is given."""
    return native.seal_read_evaluation_keys(parameters, relinearisation, rotations)


def write_relinearisation_key(keys: EvaluationKeys, *, version: Version = (4, 1)) -> bytes:
    """`RelinKeys` for SEAL. Raises `KeyMismatchError` where there is no such key."""
    written = native.seal_write_relinearisation_key(keys, version)
    if written is None:
        given = ", ".join(keys.names) or "none"
        raise KeyMismatchError(f"no relinearisation key to write; keys given: {given}")
    return written


def write_rotation_keys(keys: EvaluationKeys, *, version: Version = (4, 1)) -> bytes:
    """`GaloisKeys` for SEAL: all keys of automorphisms that there are."""
    return native.seal_write_rotation_keys(keys, version)


def from_slots(slots: ArrayLike, parameters: Parameters) -> Slots:
    """A vector decrypted here, in SEAL's order: element j is what SEAL decodes at j."""
    given = _full(slots, parameters)
    order = native.seal_slots(parameters.slots)
    moved: Slots = given[np.where(order < 0, ~order, order)]
    return np.where(order < 0, np.conj(moved), moved)


def to_slots(values: ArrayLike, parameters: Parameters) -> Slots:
    """A vector in SEAL's order, to be encrypted here: SEAL decodes element j at j. A shorter
    vector is padded with zeros.
    """
    given = np.atleast_1d(np.asarray(values))
    if given.ndim != 1 or len(given) > parameters.slots:
        raise ParameterError(
            f"values of shape {given.shape} given; one dimension of at most {parameters.slots}"
        )
    given = np.pad(given, (0, parameters.slots - len(given)))
    order = native.seal_slots(parameters.slots)
    moved: Slots = np.empty_like(given)
    moved[np.where(order < 0, ~order, order)] = np.where(order < 0, np.conj(given), given)
    return moved


def rotate(vector: V, steps: int, *, own_key: bool = False) -> V:
    """Slot j becomes slot j + steps, cyclically, in SEAL's order: SEAL's `rotate_vector`.

    By the fewest rotations through powers of two, either way, whose keys `create_galois_keys()`
    makes; with `own_key` by one, whose key is of exactly these steps. For vectors that fill all
    slots.
    """
    slots = vector.slots
    if slots & (slots - 1):
        raise ParameterError(f"a vector of {slots} slots given; a power of two allowed")
    steps = integer("steps", steps) % slots
    steps -= slots * (steps > slots // 2)
    order = native.seal_slots(slots)
    for step in [steps] if own_key else _powers_of_two(steps):
        ours = int(order[step])
        # The Galois element 3^step is a power of 5, or minus one: that conjugates as well.
        vector = vector.rotate(ours) if ours >= 0 else vector.conjugate(~ours)
    return vector


def _powers_of_two(steps: int) -> list[int]:
    """The fewest positive and negative powers of two with this sum: the non-adjacent form."""
    powers, place = [], 1
    while steps:
        if steps % 2:
            digit = 2 - steps % 4
            powers.append(digit * place)
            steps -= digit
        steps, place = steps // 2, 2 * place
    return powers


def _full(slots: ArrayLike, parameters: Parameters) -> Slots:
    given: Slots = np.asarray(slots)
    if given.shape != (parameters.slots,):
        raise ParameterError(f"slots of shape {given.shape} given; ({parameters.slots},) allowed")
    return given
