"""Parameters for a program: the smallest that keep its promises (`Parameters.for_program`).

What a program takes follows from tracing it: levels from its products, scale from its error bounds,
the first prime from the size of its results. Each candidate is the smallest set that
`Parameters.for_depth` knows for such needs; what is found wanting is enlarged, and written down.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, inf, log2
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ringwright import _ringwright as native
from ringwright.errors import (
    DepthError,
    MachineError,
    ParameterError,
    PrecisionError,
    ProgramError,
    SecurityError,
    StaleCaptureError,
)
from ringwright.machines import Machine
from ringwright.machines import machine as load_machine
from ringwright.sharing import Sharing

if TYPE_CHECKING:
    from ringwright.program import Program

__all__ = ["for_program"]

Parameters: TypeAlias = native.Parameters

#: Candidates that are tried before giving up; each enlarges something.
_TRIES = 64
#: Largest integer part of results, in bits, that candidates are given.
_INTEGER_BITS = 24


@dataclass(frozen=True)
class _Need:
    """What the next candidate is to have."""

    depth: int = 0
    #: `None`: what a fresh encryption takes for the precision.
    log_scale: int | None = None
    integer_bits: int = 1
    slots: int = 1

    def with_scale(self, more: int) -> _Need:
        """With a scale that is so many bits longer."""
        return replace(self, log_scale=(self.log_scale or 0) + more)

    def __str__(self) -> str:
        return f"depth {self.depth}, scale 2^{self.log_scale}"


def for_program(  # noqa: PLR0913 - a program, and what it is to have
    program: Program,
    inputs: Sequence[Any],
    *,
    precision_bits: int = 16,
    security: int = 128,
    share: Sharing | None = None,
    machine: str | Machine | None = None,
) -> Parameters:
    """See `Parameters.for_program`."""
    if not hasattr(program, "trace"):
        raise ParameterError(f"{program!r} given; a program allowed: a function under rw.program")
    if isinstance(precision_bits, bool) or not isinstance(precision_bits, (int, np.integer)):
        raise ParameterError(f"precision_bits = {precision_bits!r} given; an integer allowed")
    wanted = _Wanted(program, inputs or None, int(precision_bits), share, _backend(machine))
    if program.bootstrap is not None:
        return _preset_for(wanted, security)
    tried: list[str] = []
    need = _Need(slots=_slots(program))
    for _ in range(_TRIES):
        try:
            candidate = Parameters.for_depth(
                need.depth,
                security=security,
                log_scale=need.log_scale,
                precision=int(precision_bits) if need.log_scale is None else None,
                integer_bits=need.integer_bits,
                slots=need.slots,
                share=share,
            )
        except ParameterError as error:
            raise type(error)(_told(program, tried, str(error))) from None
        # Room for shared results may have taken a longer scale than was asked for.
        need = replace(need, log_scale=round(log2(candidate.scale)))
        enlarged, what = wanted.judge(candidate, need)
        size = f"N = {candidate.n}, log2(QP) = {candidate.security.log_qp:.0f}"
        tried.append(f"{need}: {size}: {what.partition('; ')[0]}")
        if enlarged is None:
            return candidate.found_by(tried)
        need = enlarged
    raise ParameterError(_told(program, tried, "nothing that was tried is enough"))


def _preset_for(wanted: _Wanted, security: int) -> Parameters:
    """For a program that bootstraps: the smallest preset that carries it. A bootstrapping's primes
    are made for what it is made of, so none are derived.
    """
    presets = [Parameters.preset(name) for name in Parameters.presets()]
    tried: list[str] = []
    for candidate in sorted(presets, key=lambda each: (each.n, each.security.log_qp)):
        if (candidate.security.bits or 0) < security:
            continue
        enough, what = wanted.carried(candidate)
        tried.append(f"{candidate.name}: {what.partition('; ')[0]}")
        if enough:
            return candidate.found_by(tried)
    raise ParameterError(_told(wanted.program, tried, "no preset is enough"))


def _told(program: Program, tried: Sequence[str], end: str) -> str:
    lines = "".join(f"\n  {line}" for line in tried)
    return f"{program.name}: {end}; tried:{lines}" if tried else f"{program.name}: {end}"


def _slots(program: Program) -> int:
    """As many as the longest declared vector has numbers."""
    return max(each.length or 1 for each in program.inputs)


def _backend(machine: str | Machine | None) -> native.Backend | None:
    return None if machine is None else native.Backend(load_machine(machine))


@dataclass(frozen=True)
class _Wanted:
    """A program, and what a candidate has to carry of it."""

    program: Program
    inputs: Sequence[Any] | None
    precision_bits: int
    share: Sharing | None
    backend: native.Backend | None

    def judge(self, candidate: Parameters, need: _Need) -> tuple[_Need | None, str]:
        """What to enlarge, `None` for nothing; and why, in words."""
        try:
            traced = self._traced(candidate)
            if isinstance(traced, int):
                depth = max(traced, need.depth + 1)
                return replace(need, depth=depth), f"it takes depth {traced}"
        except StaleCaptureError:
            raise
        except ProgramError as error:
            slots = 2 * candidate.slots
            if slots > Parameters.LARGEST_N // 2:
                raise
            return replace(need, slots=slots), f"with {candidate.slots} slots: {error}"
        except PrecisionError as error:
            return need.with_scale(1), str(error)
        except ParameterError as error:
            if need.integer_bits == _INTEGER_BITS:
                raise
            return replace(need, integer_bits=need.integer_bits + 1), str(error)
        return self._judge_results(traced, candidate, need)

    def carried(self, candidate: Parameters) -> tuple[bool, str]:
        """Whether these parameters carry the program as it is; and why, in words."""
        try:
            traced = self.program.trace(candidate, self.inputs)
            enlarged, what = self._judge_results(traced, candidate, _Need())
        except StaleCaptureError:
            raise
        except (DepthError, ParameterError, PrecisionError, ProgramError) as error:
            return False, str(error)
        return enlarged is None, what

    def _traced(self, candidate: Parameters) -> native.HeProgram | int:
        """The traced program, or how deep it is where that is too deep."""
        try:
            return self.program.trace(candidate, self.inputs)
        except DepthError:
            return self.program.depth(candidate, self.inputs)

    def _judge_results(
        self, traced: native.HeProgram, candidate: Parameters, need: _Need
    ) -> tuple[_Need | None, str]:
        bits = -log2(max(traced.error_bounds)) if max(traced.error_bounds) else inf
        what = f"results are right to {bits:.1f} bits"
        if bits < self.precision_bits:
            missing = ceil(self.precision_bits - bits)
            return need.with_scale(missing), what
        if self.share is not None:
            try:
                traced.check_sharing(self.share)
            except (SecurityError, ParameterError) as error:
                return need.with_scale(1), f"{what}, {error}"
            what += ", with room to share them"
        if self.backend is not None:
            try:
                native.Evaluator(candidate, self.backend).prepare(traced)
            except MachineError as error:
                raise MachineError(f"{self.program.name}: N = {candidate.n}: {error}") from None
            what += ", and the machine runs it"
        return None, what
