"""What a run of the firmware should take: its operations times a host's cycles, and a simulator's.

The operations of each phase are counted from the sizes alone; the host's cycles are those of a
description (`machines/hosts`), counted one by one where their data is in the cache; lines that are
not come from a model of it; the accelerator's cycles are its simulator's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil

from ringwright import _ringwright as native
from ringwright.ckks import Parameters
from ringwright.machines import Host, Machine
from ringwright.soc.accesses import ClientAccesses, ReceiverAccesses
from ringwright.soc.cache import Cache, Geometry

__all__ = ["CoreModel", "predicted", "predicted_decryption"]

_BLOCK_BYTES, _BINOMIAL_SAMPLES = 136, 25
#: Registers of a seed, and of a call with its start; accesses of the modem's, two of them reads
#: (`fw/src/platform_soc.c`).
_SEED_WRITES, _CALL_WRITES, _MODEM_ACCESSES = 8, 7, 4
#: The modem asks for lines of so many beats, a beat a cycle (`hw/soc/rtl/soc_modem.sv`); so many of
#: them are on their way (`hw/harness/soc/build.py`).
_MODEM_LINE_BYTES, _MODEM_BEATS, _MODEM_LINES = 64, 8, 8

#: Functions of the firmware that phases run; others are compiled into one that calls them.
_SAMPLING = ("sample_ternary", "sample_binomial", "shake_start", "shake_block", "permute")
_ENCRYPTION = ("ring_residues", "ring_sums", "ring_forward", "ring_multiply_add")


@dataclass(frozen=True)
class CoreModel:
    """What is known of a core without a run: what its operations take, its cache of data, cycles
    until memory answers, and how many more a miss takes. `is_shared`: accelerator and modem reach
    memory through the cache. `instructions`: firmware uses ours. `symbols`: address and bytes of
    the firmware's functions and arrays.
    """

    profile: Host
    cache: Geometry
    is_shared: bool
    latency: int
    miss_overhead: int
    instructions: bool
    symbols: Mapping[str, tuple[int, int]]

    @property
    def addresses(self) -> dict[str, int]:
        """Of what has a name."""
        return {name: first for name, (first, _) in self.symbols.items()}

    @property
    def miss_cycles(self) -> int:
        """Of one line, or of what is read past the cache."""
        return self.latency + self.miss_overhead

    def past_cache(self, reads: int, writes: int) -> float:
        """Of so many, of two words each: a write takes what one of a register does."""
        return reads * self.miss_cycles + self.cycles(Counter(register_write=writes))

    def cycles(self, counts: Counter[str]) -> float:
        """Of so many operations whose data is in the cache."""
        each = self.profile.operations
        return sum(each[name]["cycles"] * count for name, count in counts.items())


class _Phases:
    """Cycles by phase, of operations and of lines that caches fetch meanwhile; of code, those of
    functions that have not run, and a line where a phase begins that has not.
    """

    def __init__(self, core: CoreModel) -> None:
        self.core, self.cache = core, Cache(core.cache)
        self.cycles: dict[str, float] = {}
        self._begun: set[str] = set()
        self._ran: set[str] = set()

    def add(self, name: str, cycles: float) -> None:
        if name not in self._begun:
            cycles += self.core.miss_cycles
            self._begun.add(name)
        self.cycles[name] = self.cycles.get(name, 0) + cycles

    def write_back(self) -> None:
        """For accelerator and modem: the instruction that does it forgets all code."""
        if not self.core.is_shared:
            self._begun.clear()
            self._ran.clear()

    @contextmanager
    def phase(self, name: str, counts: Counter[str], *functions: str) -> Iterator[None]:
        """Operations of some of the firmware's functions, and what the accesses that follow
        fetch.
        """
        before = self.cache.fetched
        yield
        lines = self.cache.fetched - before + sum(map(self._lines_of, functions))
        self.add(name, self.core.cycles(counts) + lines * self.core.miss_cycles)

    def _lines_of(self, function: str) -> int:
        """To fetch, of its code."""
        if function in self._ran:
            return 0
        self._ran.add(function)
        _, size = self.core.symbols[function]
        return ceil(size / self.core.cache.line_bytes)


def predicted(
    core: CoreModel, parameters: Parameters, machine: Machine | None, frames: int
) -> dict[str, float]:
    """Cycles by phase, for those that can be said, of the towers that the firmware has; `machine`:
    the accelerator, if there is one.
    """
    n = parameters.n
    phases = _Phases(core)
    accesses = ClientAccesses(phases.cache, n, core.instructions, core.addresses)
    accelerator = machine and _Accelerator.of(machine, encryption_timing(parameters, machine))
    draws = accelerator is None or not accelerator.draws
    for _ in range(frames):
        encoding = _of_embedding(parameters) + Counter(slot_reorder=n // 2)
        with phases.phase("encode", encoding, "encode", "encode_transform", "encode_reorder"):
            accesses.encode()
        if draws:
            with phases.phase("sample", _of_samples(n), *_SAMPLING):
                accesses.sample()
            if accelerator is not None:
                phases.write_back()
        else:
            phases.add("write", core.cycles(Counter(register_write=_SEED_WRITES)))
        for tower in range(accesses.towers):
            if accelerator is None:
                with phases.phase("encrypt", _of_encryption(parameters), *_ENCRYPTION):
                    accesses.encrypt(tower)
                phases.write_back()
            else:
                _accelerated_tower(phases, accesses, accelerator, tower)
            if not core.is_shared:
                phases.add("transmit", _transmission(core, 2 * 4 * n))
        with phases.phase("wipe", Counter(word_wipe=n + (3 * n // 8 if draws else 0)), "wipe"):
            accesses.wipe(draws=draws)
    return phases.cycles


@dataclass(frozen=True)
class _Accelerator:
    """What prediction asks of a machine, and its simulator's cycles of a tower, if it has any."""

    draws: bool
    transforms_only: bool
    queued_calls: int
    tower_cycles: int | None

    @classmethod
    def of(cls, machine: Machine, timing: native.Timing | None) -> _Accelerator:
        """Of its parameters."""
        values = machine.values
        return cls(
            values["samplers"] != "none",
            values["offload"] == "transforms",
            int(values["queued_calls"]),
            None if timing is None else timing.cycles,
        )


def _accelerated_tower(
    phases: _Phases, accesses: ClientAccesses, machine: _Accelerator, tower: int
) -> None:
    core, n = phases.core, accesses.n
    drawn = Counter(shared_residue=2 * n, shared_sum=n)
    written = Counter(shared_residue=n) if machine.draws else drawn
    with phases.phase("write", written, "ring_share"):
        accesses.write(draws=not machine.draws, cached=core.is_shared)
    accesses.accelerated()
    if core.is_shared:
        # No simulator here knows transfers through a core's port.
        return
    if machine.transforms_only:
        with phases.phase("multiply", Counter(modular_mul=2 * n)):
            accesses.multiply(tower)
        phases.add("multiply", core.past_cache(3 * n // 2, n))
    if machine.tower_cycles is not None:
        # Three transforms, or two halves; a call that is queued is written while another one runs.
        calls = (3 if machine.transforms_only else 2) - (machine.queued_calls - 1)
        asked = Counter(register_write=calls * _CALL_WRITES, interrupt=calls)
        phases.add("encrypt", machine.tower_cycles + core.cycles(asked))


def predicted_decryption(
    core: CoreModel, parameters: Parameters, machine: Machine | None, frames: int
) -> dict[str, float]:
    """The same of answers of one tower that are decrypted and decoded."""
    n = parameters.n
    phases = _Phases(core)
    accesses = ReceiverAccesses(phases.cache, n, core.instructions, core.addresses)
    accelerator = machine and _Accelerator.of(machine, decryption_timing(parameters, machine))
    # Past the cache go words that an accelerator shares, unless it shares the cache.
    cached = accelerator is None or core.is_shared
    for _ in range(frames):
        if accelerator is None:
            products = Counter(modular_mul=n, inverse_butterfly=n // 2 * parameters.log_n)
            with phases.phase("decrypt", products, "ring_multiply_add", "ring_inverse"):
                accesses.multiply(cached=True)
                accesses.transform()
        else:
            _accelerated_decryption(phases, accesses, accelerator)
        decoding = _of_embedding(parameters) + Counter(word_move=n)
        with phases.phase("decode", decoding, "decode_load", "decode"):
            accesses.decode(cached=cached)
        if not cached:
            phases.add("decode", core.past_cache(n // 2, 0))
        phases.write_back()
        if not core.is_shared:
            phases.add("transmit", _transmission(core, 2 * n))
        wiped = Counter(word_wipe=n // 4 + n + (n // 2 if cached else 0))
        with phases.phase("wipe", wiped, "wipe"):
            accesses.wipe(cached=cached)
        if not cached:
            phases.add("wipe", core.past_cache(0, n // 2))
    with phases.phase("wipe", Counter(word_wipe=n // 2), "wipe"):
        accesses.end()
    return phases.cycles


def _accelerated_decryption(
    phases: _Phases, accesses: ReceiverAccesses, machine: _Accelerator
) -> None:
    core = phases.core
    if machine.tower_cycles is not None and not core.is_shared:
        asked = Counter(register_write=_CALL_WRITES, interrupt=1)
        phases.add("decrypt", machine.tower_cycles + core.cycles(asked))
        if machine.transforms_only:
            products = Counter(modular_mul=accesses.n)
            with phases.phase("decrypt", products, "ring_multiply_share"):
                accesses.multiply(cached=False)
            phases.add("decrypt", core.past_cache(0, accesses.n // 2))
    accesses.accelerated()


def encryption_timing(parameters: Parameters, machine: Machine) -> native.Timing | None:
    """Of one tower of an encryption, as the machine's simulator has it."""
    return native.lower(native.Backend(machine), native.Module.encryption(parameters, 1)).timing


def decryption_timing(parameters: Parameters, machine: Machine) -> native.Timing | None:
    """The same of a decryption."""
    return native.lower(native.Backend(machine), native.Module.decryption(parameters, 1)).timing


def _transmission(core: CoreModel, size: int) -> float:
    """Of so many bytes that the modem asks the memory for."""
    line = max(_MODEM_BEATS, (core.latency + _MODEM_BEATS) / _MODEM_LINES)
    asked = core.cycles(Counter(register_write=_MODEM_ACCESSES))
    return size // _MODEM_LINE_BYTES * line + core.latency + asked


def _of_embedding(parameters: Parameters) -> Counter[str]:
    n = parameters.n
    return Counter(complex_butterfly=n // 4 * (parameters.log_n - 1), coefficient_round=n)


def _of_samples(n: int) -> Counter[str]:
    ternary = ceil((n + n // 128 + 64) / _BLOCK_BYTES)
    return Counter(
        keccak_permutation=ternary + 2 * ceil(n / _BINOMIAL_SAMPLES),
        ternary_sample=n,
        binomial_sample=2 * n,
    )


def _of_encryption(parameters: Parameters) -> Counter[str]:
    """Of a tower."""
    n = parameters.n
    return Counter(
        signed_residue=2 * n,
        summed_residue=n,
        butterfly=3 * n // 2 * parameters.log_n,
        modular_mul=2 * n,
    )
