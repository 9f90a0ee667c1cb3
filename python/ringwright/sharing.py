"""Results that leave the key holder: what is promised, what was expected, and whether it came.

`Client.expect` predicts what a program returns, `Client.share` decrypts against that prediction;
see there, and SECURITY.md for what a server that lies gets.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from ringwright import _ringwright as native
from ringwright.errors import ParameterError, SecurityError
from ringwright.machines import machine
from ringwright.plain import Plain, plain_values

if TYPE_CHECKING:
    from ringwright.program import Program

__all__ = ["Expected", "Sharing", "recheck"]

Ciphertext: TypeAlias = native.Ciphertext
Parameters: TypeAlias = native.Parameters


@dataclass(frozen=True)
class Sharing:
    """What results that leave the key holder are to have.

    `statistical_bits`: whoever sees everything that is shared tells it from results that say
    nothing of the key with an advantage of at most 2^(-statistical_bits/2): 2^-15 for 30.
    `queries`: results that may be shared under one key. `precision_bits`: bits after the binary
    point that the slots' real parts keep (root mean square).
    """

    statistical_bits: int = 30
    queries: int = 1
    precision_bits: int = 8

    def __post_init__(self) -> None:
        least = {"statistical_bits": 2, "queries": 1, "precision_bits": 0}
        for name, low in least.items():
            value = getattr(self, name)
            whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
            if not whole or value < low:
                raise ParameterError(f"Sharing: {name} = {value!r} given; {low} or more allowed")

    @property
    def advantage(self) -> float:
        """With which advantage an observer may tell what is shared from what says nothing."""
        return float(2.0 ** (-self.statistical_bits / 2))


@dataclass(frozen=True)
class Expected:
    """What a key holder expects of a server: the record that `Client.expect` returns.

    `native`: program, inputs and predicted noise, with a code of the secret key; `to_bytes()` keeps
    it, anywhere. `program` and `inputs` are what a client computes again to check every word; a
    record that was read back has none until `with_inputs`.
    """

    native: native.Expected
    program: Program | None = None
    inputs: tuple[Ciphertext | Plain, ...] = ()

    @property
    def queries(self) -> int:
        """How many different ciphertexts may be shared against it."""
        return self.native.queries

    @property
    def error_bounds(self) -> list[float]:
        """Predicted for each result: what no slot is off by more, but with probability 2^-20."""
        return self.native.error_bounds

    def to_bytes(self) -> bytes:
        """The wire record; a changed one is refused when something is shared."""
        return self.native.to_bytes()

    def length_of(self, result: Ciphertext, index: int) -> int:
        """Numbers that a result has; what it says itself, where the program is not there."""
        if self.program is None:
            return result.length
        return self.program.lengths(result.parameters, self.inputs)[index]

    @classmethod
    def from_bytes(cls, parameters: Parameters, data: bytes) -> Expected:
        """Reads a wire record. Raises `FormatError` and `KeyMismatchError`."""
        return cls(native.Expected.from_bytes(parameters, data))

    def with_inputs(self, program: Program, *inputs: Ciphertext | Plain) -> Expected:
        """The same, ready to be computed again. `SecurityError` for other ciphertexts, word by
        word; plain inputs are the key holder's own word.
        """
        self.native.check_inputs([each for each in inputs if isinstance(each, Ciphertext)])
        return Expected(self.native, program, inputs)


def recheck(
    result: Ciphertext,
    record: Expected,
    index: int,
    keys_for: Callable[[native.HeProgram], native.EvaluationKeys],
) -> None:
    """Computes a program again and compares every word; every machine computes the same ones.

    `keys_for`: the client's evaluation keys, the same as the server's. Raises `SecurityError` for
    other words, or a record that was read back and does not have its program and inputs.
    """
    if record.program is None:
        raise SecurityError(
            "the record was read back: record.with_inputs(program, *inputs) says what to check"
        )
    name = record.program.name
    traced = record.program.trace(result.parameters, record.inputs)
    if traced.digest != record.native.program:
        raise SecurityError(f"{name} is not the program of the record")
    backend = native.Backend(machine("cpu"))
    evaluator = native.Evaluator(result.parameters, backend)
    prepared = evaluator.bind(evaluator.prepare(traced), plain_values(record.inputs))
    ciphertexts = [each for each in record.inputs if isinstance(each, Ciphertext)]
    expected = prepared.run(ciphertexts, keys_for(traced))
    if not 0 <= index < len(expected) or not expected[index].same_words(result):
        raise SecurityError(
            f"{name}: the words are not those of result {index} of this program on these inputs "
            "under this client's keys: not shared"
        )
