"""What OpenFHE's `Serialize(..., BINARY)` writes: ciphertexts, public keys, evaluation keys.

Carried: CKKS with hybrid key switching, any number of large digits and special primes, scales and
levels as they are; `FIXEDMANUAL` is the scaling that a program of ours follows. Slots are in our
order; a batch smaller than N/2 comes out repeated.

**Templates.** An object of OpenFHE's holds its whole crypto context, so writers take an object of
the same shape that OpenFHE wrote, and replace its words. A throw-away key pair makes templates:
what is deserialised then belongs to that pair's context and key tag, and to nobody's secret there.

Secret keys are neither read nor written; not carried are BV key switching, composite scaling,
extended encryption and 128-bit words.
"""

from __future__ import annotations

from ringwright import _ringwright as native
from ringwright.ckks import Ciphertext, EvaluationKeys, Parameters, PublicKey
from ringwright.errors import KeyMismatchError

__all__ = [
    "read_ciphertext",
    "read_keys",
    "read_parameters",
    "read_public_key",
    "write_ciphertext",
    "write_public_key",
    "write_relinearisation_key",
    "write_rotation_keys",
]


def read_parameters(
    public_key: bytes,
    evaluation_key: bytes | None = None,
    *,
    log_scale: int,
    insecure: bool = False,
    name: str = "openfhe",
) -> Parameters:
    """The parameters of a public key, and of a relinearisation key: special primes and digits.

    Without the second they encrypt and decrypt only. `log_scale`: OpenFHE's scaling modulus size.
    `insecure`: accept parameters beyond the 128-bit table.
    """
    return native.openfhe_read_parameters(public_key, evaluation_key, name, log_scale, insecure)


def read_ciphertext(
    data: bytes,
    parameters: Parameters,
    *,
    maximum: float = 1.0,
    rms: float | None = None,
    noise: float | None = None,
) -> Ciphertext:
    """A ciphertext at any level, of two or three parts, with its scale.

    What the object does not hold is declared: bounds on the largest and root-mean-square absolute
    slot value (`rms=None`: as `maximum`), and the standard deviation of a coefficient's error
    (`None`: that of a fresh encryption).
    """
    bound = maximum if rms is None else rms
    return native.openfhe_read_ciphertext(data, parameters, maximum, bound, noise)


def write_ciphertext(ciphertext: Ciphertext, template: bytes) -> bytes:
    """A ciphertext for OpenFHE, in the place of one with as many parts and towers."""
    return native.openfhe_write_ciphertext(ciphertext, template)


def read_public_key(data: bytes, parameters: Parameters) -> PublicKey:
    """A public key, to encrypt with here (`ringwright.ckks.Sender`)."""
    return native.openfhe_read_public_key(data, parameters)


def write_public_key(key: PublicKey, template: bytes) -> bytes:
    """A public key for OpenFHE, in the place of another."""
    return native.openfhe_write_public_key(key, template)


def read_keys(
    parameters: Parameters,
    *,
    relinearisation: bytes | None = None,
    rotations: bytes | None = None,
) -> EvaluationKeys:
    """Evaluation keys for a `Server`, each where it is given.

    `relinearisation`: of `GetEvalMultKeyVector(tag)`, the first; `rotations`:
    `GetEvalAutomorphismKeyMap(tag)`. What `SerializeEvalMultKeyString` and
    `SerializeEvalAutomorphismKeyString` give for one tag is read as well.
    """
    return native.openfhe_read_evaluation_keys(parameters, relinearisation, rotations)


def write_relinearisation_key(keys: EvaluationKeys, template: bytes) -> bytes:
    """The relinearisation key for OpenFHE, in the place of another.

    Raises `KeyMismatchError` where there is none.
    """
    written = native.openfhe_write_relinearisation_key(keys, template)
    if written is None:
        given = ", ".join(keys.names) or "none"
        raise KeyMismatchError(f"no relinearisation key to write; keys given: {given}")
    return written


def write_rotation_keys(keys: EvaluationKeys, template: bytes) -> bytes:
    """All keys of automorphisms for OpenFHE, in the place of others of the same automorphisms."""
    return native.openfhe_write_rotation_keys(keys, template)
