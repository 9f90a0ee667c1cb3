"""CKKS from Python: parameters, keys, encoding, encryption, decryption.

A `Client` owns the secret key and does the steps M2C (message to ciphertext: encode, sample,
encrypt) and C2M (decrypt, decode), together or one by one. Vectors are numpy arrays of up to
`Parameters.slots` numbers; shorter ones are padded with zeros. Precision follows from the scale
and is predicted with every ciphertext (`Ciphertext.noise`).

CKKS is IND-CPA secure only: a decrypted result tells whoever sees it something about the secret
key's noise. `decrypt(..., share=True)` floods the noise before a result leaves the key holder.

Parameters: Cheon, Kim, Kim, Song, "Homomorphic Encryption for Arithmetic of Approximate Numbers",
ASIACRYPT 2017, in the RNS form of Cheon, Han, Kim, Kim, Song, SAC 2018; security from the table
of the HE security standard (Albrecht et al., 2018).
"""

from __future__ import annotations

import copyreg
import math
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ringwright import _ringwright as native
from ringwright.errors import ParameterError, SecurityError
from ringwright.machines import Machine
from ringwright.machines import machine as load_machine

if TYPE_CHECKING:
    from ringwright.program import Program

__all__ = [
    "Ciphertext",
    "Client",
    "EvaluationKeys",
    "Input",
    "Parameters",
    "Plaintext",
    "PublicKey",
    "SecretKey",
    "Security",
    "Sender",
]

Parameters = native.Parameters
Security = native.Security
Plaintext = native.Plaintext
Ciphertext = native.Ciphertext
SecretKey = native.SecretKey
PublicKey = native.PublicKey
EvaluationKeys = native.EvaluationKeys

Slots: TypeAlias = NDArray[np.float64] | NDArray[np.complex128]


@dataclass(frozen=True)
class Input:
    """What a program expects of one encrypted input.

    `max` and `rms`: bounds on the largest and root-mean-square absolute slot value, from which
    noise and headroom are predicted (`rms=None`: as `max`). `level`: towers that are left
    (`None`: all). `scale`: `None` for the parameters' own. `noise`: standard deviation of a
    coefficient's error (`None`: that of a fresh encryption). `length`: numbers that the vector has
    (`None`: as many as there are slots); the slots after them are undefined.
    """

    max: float = 1.0
    rms: float | None = None
    level: int | None = None
    scale: float | None = None
    noise: float | None = None
    length: int | None = None

    def __post_init__(self) -> None:
        for name in ("level", "length"):
            _check_declared(name, getattr(self, name), (int, np.integer), "an integer from 0 on")
        for name in ("max", "rms", "scale", "noise"):
            value, numbers = getattr(self, name), (int, float, np.integer, np.floating)
            _check_declared(name, value, numbers, "a finite number from 0 on")
        if self.rms is not None and self.rms > self.max:
            raise ParameterError(f"Input: rms = {self.rms}, max = {self.max}; rms <= max allowed")


def _check_declared(name: str, value: Any, kinds: tuple[type, ...], allowed: str) -> None:
    if value is None and name != "max":
        return
    known = isinstance(value, kinds) and not isinstance(value, bool)
    if not known or not math.isfinite(value) or value < 0:
        raise ParameterError(f"Input: {name} = {value!r} given; {allowed} allowed")


class Sender:
    """Encrypts with a public key, its own or somebody else's: M2C without the secret.

    `machine`: where encryption runs; a name, a path to a description, or a `Machine`.

    Raises `MachineError` for a machine that does not exist or cannot hold the parameters.
    """

    def __init__(self, public_key: PublicKey, machine: str | Machine = "cpu") -> None:
        self.parameters = public_key.parameters
        self.machine = load_machine(machine)
        self.public_key = public_key
        self._embedding = native.Embedding(self.parameters)
        backend = native.Backend(self.machine)
        self._encryptor = native.Encryptor(self.parameters, public_key, backend)

    def __repr__(self) -> str:
        return f"Sender({self.parameters.name!r}, machine={self.machine.name!r})"

    def encode(self, values: ArrayLike, declared: Input | None = None) -> Plaintext:
        """M2C, first step: up to `slots` real or complex numbers into a polynomial.

        `declared`: level, scale and public bounds; default: all levels, `parameters.scale`,
        values up to 1 (larger ones: the next power of two). The bounds travel with the
        ciphertext; they are never computed from the values beyond that.
        Raises `ParameterError` for too many values, values that are not finite or above the
        declared bound, or a coefficient that does not fit the modulus.
        """
        slots = _vector(values)
        wanted = declared or Input()
        level = self.parameters.levels if wanted.level is None else wanted.level
        scale = self.parameters.scale if wanted.scale is None else wanted.scale
        if np.iscomplexobj(slots):
            encoded = self._embedding.encode_complex(slots.astype(np.complex128), scale, level)
        else:
            encoded = self._embedding.encode_real(np.asarray(slots, np.float64), scale, level)
        if declared is None:
            return encoded
        if declared.length is not None and len(slots) != declared.length:
            raise ParameterError(f"{len(slots)} values given; {declared.length} declared")
        rms = declared.max if declared.rms is None else declared.rms
        return encoded.with_bounds(declared.max, rms)

    def encrypt(
        self, values: ArrayLike | Plaintext, *, seed: bytes | None = None, insecure: bool = False
    ) -> Ciphertext:
        """M2C: encrypts a plaintext, or encodes and encrypts a vector.

        Randomness is fresh from the operating system on every call. `seed` (32 bytes) makes the
        ciphertext repeatable and thereby worthless as encryption; it needs `insecure=True`,
        else `SecurityError`.
        """
        plaintext = values if isinstance(values, Plaintext) else self.encode(values)
        if seed is None:
            return self._encryptor.encrypt(plaintext)
        if not insecure:
            raise SecurityError("a caller's own seed repeats randomness: it needs insecure=True")
        return self._encryptor.encrypt_with_insecure_seed(plaintext, seed)


class Client(Sender):
    """The key holder. Draws a fresh secret key, or takes one over.

    `machine`: where key generation, encryption and decryption run; a name, a path to a
    description, or a `Machine`. `key_machine`: where keys are made, if that is another one.

    Raises `MachineError` for a machine that does not exist or cannot hold the parameters, and
    `KeyMismatchError` for a secret key of other parameters.
    """

    def __init__(
        self,
        parameters: Parameters,
        machine: str | Machine = "cpu",
        *,
        secret_key: SecretKey | None = None,
        key_machine: str | Machine | None = None,
    ) -> None:
        machine = load_machine(machine)
        keys_on = machine if key_machine is None else load_machine(key_machine)
        #: Makes the keys of this client's secret.
        self.generator = native.KeyGenerator(parameters, native.Backend(keys_on))
        self._secret = secret_key or self.generator.secret_key()
        super().__init__(self.generator.public_key(self._secret), machine)
        self._decryptor = native.Decryptor(parameters, self._secret, native.Backend(machine))

    @classmethod
    def load(
        cls, parameters: Parameters, path: str | os.PathLike[str], machine: str | Machine = "cpu"
    ) -> Client:
        """A client with a secret key that `client.secret_key.save(path)` wrote.

        Raises `StorageError` for a file that cannot be read, `FormatError` for a damaged one, and
        `KeyMismatchError` for a key of other parameters.
        """
        backend = native.Backend(load_machine(machine))
        secret = native.KeyGenerator(parameters, backend).load_secret_key(path)
        return cls(parameters, machine, secret_key=secret)

    def __repr__(self) -> str:
        return f"Client({self.parameters.name!r}, machine={self.machine.name!r}, secret key hidden)"

    def __reduce__(self) -> Any:
        raise SecurityError(
            "a client holds a secret key and is not pickled; "
            "client.secret_key.save(path) writes the key deliberately"
        )

    @property
    def secret_key(self) -> SecretKey:
        """The secret key, to `save(path)` deliberately; it is in no repr and no pickle."""
        return self._secret

    def keys_for(self, *programs: Program) -> EvaluationKeys:
        """The evaluation keys that these programs need, for a `Server`. Public, but large.

        Raises `DepthError` where the parameters do not carry a program.
        """
        traced = [program.trace(self.parameters) for program in programs]
        return self.generator.evaluation_keys(self._secret, traced)

    def decrypt_plaintext(self, ciphertext: Ciphertext, *, share: bool = False) -> Plaintext:
        """C2M, first step: the encoded result. `share=True` floods the noise (see `decrypt`)."""
        if share:
            return self._decryptor.decrypt_share(ciphertext)
        return self._decryptor.decrypt(ciphertext)

    @overload
    def decode(self, plaintext: Plaintext) -> NDArray[np.float64]: ...
    @overload
    def decode(self, plaintext: Plaintext, *, imag: Literal[False]) -> NDArray[np.float64]: ...
    @overload
    def decode(self, plaintext: Plaintext, *, imag: Literal[True]) -> NDArray[np.complex128]: ...
    def decode(self, plaintext: Plaintext, *, imag: bool = False) -> Slots:
        """C2M, second step: all `slots` values, their real parts or (`imag=True`) complex."""
        if imag:
            return self._embedding.decode_complex(plaintext)
        return self._embedding.decode_real(plaintext)

    @overload
    def decrypt(self, ciphertext: Ciphertext, *, share: bool = False) -> NDArray[np.float64]: ...
    @overload
    def decrypt(
        self, ciphertext: Ciphertext, *, share: bool = False, imag: Literal[False]
    ) -> NDArray[np.float64]: ...
    @overload
    def decrypt(
        self, ciphertext: Ciphertext, *, share: bool = False, imag: Literal[True]
    ) -> NDArray[np.complex128]: ...
    def decrypt(self, ciphertext: Ciphertext, *, share: bool = False, imag: bool = False) -> Slots:
        """C2M: all `slots` values of a ciphertext, their real parts or (`imag=True`) complex.

        `share=True`: for a result that leaves the key holder. Noise that drowns what the
        decryption would tell about the key is added first, at the cost of precision
        (Li, Micciancio, "On the Security of Homomorphic Encryption on Approximate Numbers",
        EUROCRYPT 2021).
        Raises `KeyMismatchError` for a ciphertext of other parameters. One of the same parameters
        under another secret key decrypts to noise as large as the modulus; nothing in it says so.
        """
        plaintext = self.decrypt_plaintext(ciphertext, share=share)
        return self.decode(plaintext, imag=True) if imag else self.decode(plaintext)


def _vector(values: ArrayLike) -> NDArray[Any]:
    given = np.atleast_1d(np.asarray(values))
    if given.ndim != 1:
        raise ParameterError(f"an array of shape {given.shape} given; one dimension allowed")
    if given.dtype.kind not in "biufc":
        raise ParameterError(f"values of type {given.dtype} given; real or complex numbers allowed")
    return given


# What is public is pickled as its wire record, and checked when it is read. Consent to parameters
# beyond the table goes with them: a pickle can run any code, so whoever loads one trusts its maker.
def _parameters_from(data: bytes, insecure: bool) -> Parameters:
    return Parameters.from_bytes(data, insecure=insecure)


def _record_from(kind: Any, parameters: Parameters, data: bytes) -> Any:
    return kind.from_bytes(parameters, data)


def _reduced_parameters(given: Parameters) -> tuple[Any, ...]:
    return _parameters_from, (given.to_bytes(), given.security.bits == 0)


def _reduced_record(given: Any) -> tuple[Any, ...]:
    return _record_from, (type(given), given.parameters, given.to_bytes())


copyreg.pickle(Parameters, _reduced_parameters)
for _kind in (Ciphertext, PublicKey, EvaluationKeys):
    copyreg.pickle(_kind, _reduced_record)
