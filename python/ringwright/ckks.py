"""CKKS from Python: parameters, keys, encoding, encryption, decryption.

A `Client` owns the secret key and does the steps M2C (message to ciphertext: encode, sample,
encrypt) and C2M (decrypt, decode), together or one by one. Vectors are numpy arrays of up to
`Parameters.slots` numbers; shorter ones are padded with zeros. Precision follows from the scale
and is predicted with every ciphertext (`Ciphertext.noise`).

CKKS is IND-CPA secure only: a decrypted result tells whoever sees it something about the secret
key. `decrypt` is for the key holder's eyes; `expect` and `share` are for a result that leaves::

    record = alice.expect(energy, now, before)           # before anything is sent
    run = server.run(energy, now, before)
    told = alice.share(run.value, record, rw.ckks.Sharing(), evaluated="recheck")

Parameters: Cheon, Kim, Kim, Song, "Homomorphic Encryption for Arithmetic of Approximate Numbers",
ASIACRYPT 2017, in the RNS form of Cheon, Han, Kim, Kim, Song, SAC 2018; security from the table
of the HE security standard (Albrecht et al., 2018).
"""

from __future__ import annotations

import copyreg
import os
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ringwright import _ringwright as native
from ringwright.bootstrapping import Bootstrapping
from ringwright.declared import Input
from ringwright.errors import ParameterError, SecurityError
from ringwright.machines import Machine
from ringwright.machines import backend as made_ready
from ringwright.machines import machine as load_machine
from ringwright.plain import Plain
from ringwright.sharing import Expected, Sharing, recheck

if TYPE_CHECKING:
    from ringwright.program import Program

__all__ = [
    "Bootstrapping",
    "Ciphertext",
    "Client",
    "EvaluationKeys",
    "Expected",
    "Input",
    "Parameters",
    "Plaintext",
    "PublicKey",
    "SecretKey",
    "Security",
    "Sender",
    "Sharing",
]

Parameters = native.Parameters
Security = native.Security
Plaintext = native.Plaintext
Ciphertext = native.Ciphertext
SecretKey = native.SecretKey
PublicKey = native.PublicKey
EvaluationKeys = native.EvaluationKeys

Slots: TypeAlias = NDArray[np.float64] | NDArray[np.complex128]


class Results(Protocol):
    """What a run returned: one ciphertext per vector, each of its length."""

    @property
    def values(self) -> tuple[Ciphertext, ...]:
        """At least one."""


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
        backend = made_ready(self.machine)
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
        slots, scale, level, bounds = self._message(values, declared)
        if np.iscomplexobj(slots):
            encoded = self._embedding.encode_complex(slots, scale, level)
        else:
            encoded = self._embedding.encode_real(slots, scale, level)
        return encoded if bounds is None else encoded.with_bounds(*bounds)

    def encrypt(
        self,
        values: ArrayLike | Plaintext,
        declared: Input | None = None,
        *,
        seed: bytes | None = None,
        insecure: bool = False,
    ) -> Ciphertext:
        """M2C: encrypts a plaintext, or encodes and encrypts a vector.

        `declared`: as for `encode`; `alice.encrypt(x, energy.inputs[0])` is for that input.
        Randomness is fresh from the operating system on every call. `seed` (32 bytes) makes the
        ciphertext repeatable and thereby worthless as encryption; it needs `insecure=True`,
        else `SecurityError`.
        """
        if seed is None and not isinstance(values, Plaintext):
            return self._encrypt_encoded(values, declared)
        plaintext = self._encoded(values, declared)
        if seed is None:
            return self._encryptor.encrypt(plaintext)
        if insecure is not True:
            raise SecurityError(
                f"a caller's own seed repeats randomness: it needs insecure=True, not {insecure!r}"
            )
        return self._encryptor.encrypt_with_insecure_seed(plaintext, seed)

    def _encrypt_encoded(self, values: ArrayLike, declared: Input | None) -> Ciphertext:
        """Encodes and encrypts at once: noise may be drawn meanwhile."""
        slots, scale, level, bounds = self._message(values, declared)
        encryptor, embedding = self._encryptor, self._embedding
        if np.iscomplexobj(slots):
            return encryptor.encrypt_complex(embedding, slots, scale, level, bounds)
        return encryptor.encrypt_real(embedding, slots, scale, level, bounds)

    def _message(
        self, values: ArrayLike, declared: Input | None
    ) -> tuple[NDArray[Any], float, int, tuple[float, float] | None]:
        """A vector of doubles, real or complex, its scale and level, and the bounds declared."""
        slots = _vector(values)
        wanted = declared or Input()
        level = self.parameters.levels if wanted.level is None else wanted.level
        scale = self.parameters.scale if wanted.scale is None else wanted.scale
        kind = np.complex128 if np.iscomplexobj(slots) else np.float64
        slots = np.asarray(slots, kind)
        if declared is None:
            return slots, scale, level, None
        if declared.length is not None and len(slots) != declared.length:
            raise ParameterError(f"{len(slots)} values given; {declared.length} declared")
        rms = declared.max if declared.rms is None else declared.rms
        return slots, scale, level, (declared.max, rms)

    def _encoded(self, values: ArrayLike | Plaintext, declared: Input | None) -> Plaintext:
        """A plaintext as it is, anything else encoded as declared."""
        if not isinstance(values, Plaintext):
            return self.encode(values, declared)
        if declared is None:
            return values
        raise ParameterError(f"{declared} given with a plaintext, which was encoded already")


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
        self.generator = native.KeyGenerator(parameters, made_ready(keys_on))
        self._secret = secret_key or self.generator.secret_key()
        super().__init__(self.generator.public_key(self._secret), machine)
        self._decryptor = native.Decryptor(parameters, self._secret, made_ready(machine))
        symmetric = native.SymmetricEncryptor(parameters, self._secret, made_ready(machine))
        self._symmetric = symmetric

    @classmethod
    def load(
        cls, parameters: Parameters, path: str | os.PathLike[str], machine: str | Machine = "cpu"
    ) -> Client:
        """A client with a secret key that `client.secret_key.save(path)` wrote.

        Raises `StorageError` for a file that cannot be read, `FormatError` for a damaged one, and
        `KeyMismatchError` for a key of other parameters.
        """
        backend = made_ready(load_machine(machine))
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

    def encrypt_symmetric(
        self, values: ArrayLike | Plaintext, declared: Input | None = None
    ) -> Ciphertext:
        """M2C with the secret key: less noise than `encrypt`, and half of the record's bytes.

        Half of such a ciphertext is drawn from a seed that is public; what is sent holds the seed.
        `declared`: as for `encode`. Randomness is fresh from the operating system on every call.
        """
        return self._symmetric.encrypt(self._encoded(values, declared))

    def keys_for(
        self,
        *programs: Program,
        limited: bool = False,
        in_memory: int | None = None,
        folder: str | os.PathLike[str] | None = None,
    ) -> EvaluationKeys:
        """The evaluation keys that these programs need, for a `Server`. Public, but large.

        `limited`: each for the levels that these programs use it at, and no higher. That is fewer
        bytes; a program that needs a key at more levels is refused.
        `in_memory`: at most so many bytes of keys stay in memory, those for products first. The
        others lie in files without names in `folder`, by default the one for temporary files, and
        are read when a run on the CPU comes to them; they are gone with the keys.
        Raises `DepthError` where the parameters do not carry a program, `MachineError` for keys
        larger than the memory that is free, `StorageError` where the folder does not take them.
        """
        traced = [program.trace(self.parameters) for program in programs]
        streamed = None if in_memory is None else (in_memory, folder)
        return self.generator.evaluation_keys(self._secret, traced, limited, streamed)

    def expect(self, program: Program, *inputs: Ciphertext | Plain, queries: int = 1) -> Expected:
        """Predicts what a program returns for inputs that were encrypted in this process.

        The record is what `share` goes by. `queries`: how many different ciphertexts may be shared
        against it; one for each returned vector is enough for a server that answers once.
        Raises `SecurityError` for an input that was read from elsewhere: nobody here knows its
        noise.
        """
        traced = program.trace(self.parameters, inputs)
        ciphertexts = [each for each in inputs if isinstance(each, Ciphertext)]
        return Expected(self._decryptor.expect(traced, ciphertexts, queries), program, inputs)

    @overload
    def share(
        self,
        result: Ciphertext,
        record: Expected,
        sharing: Sharing,
        *,
        evaluated: Literal["honest", "recheck"],
        index: int = 0,
    ) -> NDArray[np.float64]: ...
    @overload
    def share(
        self,
        result: Ciphertext,
        record: Expected,
        sharing: Sharing,
        *,
        evaluated: Literal["honest", "recheck"],
        index: int = 0,
        imag: bool,
    ) -> Slots: ...
    def share(  # noqa: PLR0913 - what is shared, against what, promised how, and two details
        self,
        result: Ciphertext,
        record: Expected,
        sharing: Sharing,
        *,
        evaluated: Literal["honest", "recheck"],
        index: int = 0,
        imag: bool = False,
    ) -> Slots:
        """Decrypts a result that leaves the key holder: under noise that drowns what its error says
        of the key (Li, Micciancio, EUROCRYPT 2021; see `Sharing` for what that promises).

        The noise is sized from the record, never from what the ciphertext says of itself; level,
        scale and parts must be the record's. `evaluated`: `"recheck"` computes the program again
        here, with the same keys, and compares every word; `"honest"` believes that the server
        computed it: **a server that lies then learns the secret key** (SECURITY.md).
        Every result is counted, in the file of a key that has one; the same result of the same
        record gives the same values again and costs nothing. `index`: which of the program's
        results it is. Returns the numbers that the vector has.

        Raises `SecurityError` for anything but what was expected, without room for the noise, and
        at the end of the budget of `sharing.queries` or `record.queries`; `StorageError` where the
        count cannot be saved.
        """
        if evaluated == "recheck":
            keys = self.generator.evaluation_keys
            recheck(result, record, index, lambda traced: keys(self._secret, [traced]))
        elif evaluated != "honest":
            raise SecurityError(f"evaluated = {evaluated!r} given; 'honest' or 'recheck' allowed")
        plaintext, _ = self._decryptor.share(result, record.native, index, sharing)
        slots = self.decode(plaintext, imag=True) if imag else self.decode(plaintext)
        return slots[: record.length_of(result, index)]

    def decrypt_plaintext(self, ciphertext: Ciphertext) -> Plaintext:
        """C2M, first step: the encoded result, for the key holder only."""
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
    def decrypt(self, ciphertext: Ciphertext) -> NDArray[np.float64]: ...
    @overload
    def decrypt(self, ciphertext: Ciphertext, *, imag: Literal[False]) -> NDArray[np.float64]: ...
    @overload
    def decrypt(self, ciphertext: Ciphertext, *, imag: Literal[True]) -> NDArray[np.complex128]: ...
    @overload
    def decrypt(self, ciphertext: Results, *, imag: bool = False) -> Any: ...
    def decrypt(self, ciphertext: Ciphertext | Results, *, imag: bool = False) -> Any:
        """C2M: all `slots` values of a ciphertext, their real parts or (`imag=True`) complex.

        Of a `Run`: the numbers of its result, without the slots beyond; a tuple where the program
        returns several. For the key holder's eyes: its errors say something of the secret key.
        What leaves goes through `share`.
        Raises `KeyMismatchError` for a ciphertext of other parameters or of another secret key. One
        whose key nobody named may be of another all the same: noise as large as the modulus.
        """
        if not isinstance(ciphertext, Ciphertext):
            numbers = tuple(
                self.decrypt(each, imag=True)[: each.length]
                if imag
                else self.decrypt(each)[: each.length]
                for each in _results(ciphertext)
            )
            return numbers if len(numbers) > 1 else numbers[0]
        plaintext = self.decrypt_plaintext(ciphertext)
        return self.decode(plaintext, imag=True) if imag else self.decode(plaintext)


def _results(given: Any) -> tuple[Ciphertext, ...]:
    values = getattr(given, "values", None)
    if isinstance(values, tuple) and all(isinstance(value, Ciphertext) for value in values):
        return values
    raise TypeError(f"a {type(given).__name__} given; a ciphertext or a run allowed")


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
