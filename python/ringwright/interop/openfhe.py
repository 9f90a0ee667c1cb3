"""What OpenFHE's `Serialize(..., BINARY)` writes: ciphertexts, public keys, evaluation keys.

Carried: CKKS with hybrid key switching, any number of large digits and special primes, scales and
levels as they are; `FIXEDMANUAL` is the scaling that a program of ours follows. Slots are in our
order; a batch smaller than N/2 comes out repeated.

An object of OpenFHE's holds its whole crypto context. Where it comes from:

- **From here.** `write_context` makes one of parameters of ours, for OpenFHE to make keys in, and
  writers put it into every object. `tag` is the name under which OpenFHE holds the keys of one
  secret: the same for all that one client writes. OpenFHE computes the special primes itself, so
  parameters with others are refused. The layout is that of OpenFHE 1.6's wheel.
- **From there.** With a `template`, an object of the same shape that OpenFHE wrote, writers replace
  its words; context and tag are the template's. A throw-away key pair makes templates. Any context
  will do, and any version whose towers are the same.

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
    "write_context",
    "write_public_key",
    "write_relinearisation_key",
    "write_rotation_keys",
]

#: Of keys and ciphertexts of one client, where nothing else is said.
TAG = "ringwright"


def read_parameters(
    public_key: bytes,
    evaluation_key: bytes | None = None,
    *,
    log_scale: int,
    insecure: bool = False,
    name: str = "openfhe",
) -> Parameters:
    """The parameters of a public key, and of a relinearisation key: special primes and digits.

    Without the second they encrypt and decrypt only, and their security is unknown: the special
    primes count, and only an evaluation key shows them. `log_scale`: OpenFHE's scaling modulus
    size. `insecure`: accept parameters beyond the 128-bit table.
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


def write_context(parameters: Parameters) -> bytes:
    """The crypto context of parameters, for `DeserializeCryptoContextString`.

    Raises `ParameterError` for parameters whose special primes or digits are not those that
    OpenFHE chooses: the largest primes of one length that are no ciphertext primes.
    """
    return native.openfhe_write_context(parameters)


def write_ciphertext(
    ciphertext: Ciphertext, template: bytes | None = None, *, tag: str = TAG
) -> bytes:
    """A ciphertext for OpenFHE (`DeserializeCiphertextString`).

    `template`: in the place of one with as many parts and towers.
    """
    return native.openfhe_write_ciphertext(ciphertext, template, tag)


def read_public_key(data: bytes, parameters: Parameters) -> PublicKey:
    """A public key, to encrypt with here (`ringwright.ckks.Sender`)."""
    return native.openfhe_read_public_key(data, parameters)


def write_public_key(key: PublicKey, template: bytes | None = None, *, tag: str = TAG) -> bytes:
    """A public key for OpenFHE (`DeserializePublicKeyString`); `template`: in its place."""
    return native.openfhe_write_public_key(key, template, tag)


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


def write_relinearisation_key(
    keys: EvaluationKeys, template: bytes | None = None, *, tag: str = TAG
) -> bytes:
    """The relinearisation key for OpenFHE (`DeserializeEvalMultKeyString`).

    `template`: in its place, and in its form. Raises `KeyMismatchError` where there is no such key.
    """
    written = native.openfhe_write_relinearisation_key(keys, template, tag)
    if written is None:
        given = ", ".join(keys.names) or "none"
        raise KeyMismatchError(f"no relinearisation key to write; keys given: {given}")
    return written


def write_rotation_keys(
    keys: EvaluationKeys, template: bytes | None = None, *, tag: str = TAG
) -> bytes:
    """All keys of automorphisms for OpenFHE (`DeserializeEvalAutomorphismKeyString`).

    `template`: in the place of others of the same automorphisms, and in their form.
    """
    return native.openfhe_write_rotation_keys(keys, template, tag)
