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
from ringwright.soc.cache import Cache, Geometry, written

__all__ = ["CoreModel", "predicted", "predicted_decryption", "through_port"]

_BLOCK_BYTES, _BINOMIAL_SAMPLES = 136, 25
#: Registers of a seed, and of a call with its start; accesses of the modem's, two of them reads
#: (`fw/src/platform_soc.c`).
_SEED_WRITES, _CALL_WRITES, _MODEM_ACCESSES = 8, 7, 4
#: Accesses of the flusher's, one of them a read (`fw/src/host_rocket.c`).
_FLUSHER_ACCESSES = 3
#: The modem asks for lines of so many beats, a beat a cycle (`hw/soc/rtl/soc_modem.sv`); so many of
#: them are on their way (`hw/harness/soc/build.py`).
_MODEM_LINE_BYTES, _MODEM_BEATS, _MODEM_LINES = 64, 8, 8

#: Functions of the firmware that phases run; others are compiled into one that calls them.
_SAMPLING = ("sample_ternary", "sample_binomial", "shake_start", "shake_block", "permute")
_ENCRYPTION = ("ring_residues", "ring_sums", "ring_forward", "ring_multiply_add")


@dataclass(frozen=True)
class CoreModel:
    """What is known of a core without a run: what its operations take, its cache of data, cycles
    until memory answers; how many more a miss takes, how many more again one that pushes out what
    was written, and how many more than memory those who ask for a line wait that the core has
    written; how many lines its coherent port has on their way, 0 where it has none. `is_shared`:
    accelerator and modem are at that port, and ask. `instructions`: firmware uses ours. `memory`,
    `symbols`: address and bytes of what can be written, and of the firmware's functions and arrays.
    """

    profile: Host
    cache: Geometry
    is_shared: bool
    latency: int
    miss_overhead: int
    write_back: int
    give_back_overhead: int
    port_lines: int
    instructions: bool
    memory: tuple[int, int]
    symbols: Mapping[str, tuple[int, int]]

    @property
    def addresses(self) -> dict[str, int]:
        """Of what has a name."""
        return {name: first for name, (first, _) in self.symbols.items()}

    @property
    def miss_cycles(self) -> int:
        """Of one line, or of what is read past the cache."""
        return self.latency + self.miss_overhead

    @property
    def is_cached(self) -> bool:
        """Whether what is shared goes through the cache: the port's users ask for it, or the core
        gives it up. Else it is written and read past the cache.
        """
        return self.port_lines > 0

    @property
    def gives_up(self) -> bool:
        """Whether the core gives lines up for those who reach memory past its cache."""
        return self.is_cached and not self.is_shared

    def port_cycles(self, lines: int, given_back: int) -> float:
        """Of lines at the coherent port, several on their way; of some that the core has written,
        which memory gets first.
        """
        given = given_back * (self.latency + self.give_back_overhead)
        return (lines * self.miss_cycles + given) / self.port_lines

    def started(self) -> Cache:
        """As `fw/src/start.S` leaves it, which clears and paints all memory; a core that gives
        lines up has given all.
        """
        cache = Cache(self.cache)
        first, size = self.memory
        cache.walk(size // 8, written(first, 8))
        if self.gives_up:
            cache.drop(first, size)
        return cache

    def waited(self, cache: Cache) -> int:
        """For all lines that a cache has fetched."""
        return cache.fetched * self.miss_cycles + cache.written_back * self.write_back

    def lines(self, size: int) -> int:
        """Of so many bytes."""
        return ceil(size / self.cache.line_bytes)

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
        self.core, self.cache = core, core.started()
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
        if not self.core.is_cached:
            self._begun.clear()
            self._ran.clear()

    def hand_over(self, name: str, first: int, size: int) -> None:
        """Bytes that accelerator and modem are to see."""
        if not self.core.gives_up:
            return
        before = self.cache.given_back
        self.cache.drop(first, size)
        lines = self.core.port_cycles(self.core.lines(size), self.cache.given_back - before)
        asked = Counter(register_write=_FLUSHER_ACCESSES)
        self.add(name, self.core.cycles(asked) + lines)

    @contextmanager
    def phase(self, name: str, counts: Counter[str], *functions: str) -> Iterator[None]:
        """Operations of some of the firmware's functions, and what the accesses that follow
        fetch.
        """
        before = self.core.waited(self.cache)
        yield
        waited = self.core.waited(self.cache) - before
        code = sum(map(self._lines_of, functions)) * self.core.miss_cycles
        self.add(name, self.core.cycles(counts) + waited + code)

    @contextmanager
    def through_cache(self, name: str, cycles: float) -> Iterator[None]:
        """An accelerator's or the modem's; what they then take from the cache adds to it."""
        before = self.cache.given_back
        yield
        if self.core.is_shared:
            cycles += self.core.port_cycles(0, self.cache.given_back - before)
        self.add(name, cycles)

    def _lines_of(self, function: str) -> int:
        """To fetch, of its code."""
        if function in self._ran:
            return 0
        self._ran.add(function)
        _, size = self.core.symbols[function]
        return self.core.lines(size)


def predicted(
    core: CoreModel, parameters: Parameters, machine: Machine | None, frames: int
) -> dict[str, float]:
    """Cycles by phase, of the towers that the firmware has; `machine`: the accelerator, if there is
    one.
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
                phases.hand_over("encrypt", *accesses.ciphertext)
            else:
                _accelerated_tower(phases, accesses, accelerator, tower)
            _transmitted(phases, accesses, 2 * 4 * n)
        with phases.phase("wipe", Counter(word_wipe=n + (3 * n // 8 if draws else 0)), "wipe"):
            accesses.wipe(draws=draws)
    return phases.cycles


@dataclass(frozen=True)
class _Accelerator:
    """What prediction asks of a machine, and its simulator's steps of a tower."""

    draws: bool
    transforms_only: bool
    queued_calls: int
    timing: native.Timing

    @classmethod
    def of(cls, machine: Machine, timing: native.Timing | None) -> _Accelerator:
        """Of its parameters."""
        # Machines that the firmware drives have a simulator.
        assert timing is not None
        values = machine.values
        return cls(
            values["samplers"] != "none",
            values["offload"] == "transforms",
            int(values["queued_calls"]),
            timing,
        )

    def cycles(self, core: CoreModel, calls: int) -> float:
        """Of a tower, whose core writes and waits for so many calls."""
        steps = through_port(core, self.timing) if core.is_shared else self.timing.cycles
        return steps + core.cycles(Counter(register_write=calls * _CALL_WRITES, interrupt=calls))


def through_port(core: CoreModel, timing: native.Timing) -> int:
    """Cycles of an accelerator's steps where a port brings a few lines at a time: each begins when
    those are done that it waits for, and its units. Nothing comes with the first line of a step.
    """
    ends: list[float] = []
    free: dict[str, float] = {}
    for step in timing.steps:
        begin = max([ends[before] for before in step.after] + [free.get(u, 0) for u in step.units])
        lines = core.lines(step.byte_count) + core.port_lines - 1 if "dma" in step.units else 0
        ends.append(begin + max(step.cycles, core.port_cycles(lines, 0)))
        free |= dict.fromkeys(step.units, ends[-1])
    return round(max(ends))


def _accelerated_tower(
    phases: _Phases, accesses: ClientAccesses, machine: _Accelerator, tower: int
) -> None:
    core, n, transforms_only = phases.core, accesses.n, machine.transforms_only
    drawn = Counter(shared_residue=2 * n, shared_sum=n)
    shared = Counter(shared_residue=n) if machine.draws else drawn
    with phases.phase("write", shared, "ring_share"):
        accesses.write(draws=not machine.draws, cached=core.is_cached)
    if machine.draws:
        phases.hand_over("write", *accesses.shared_message)
    else:
        phases.hand_over("write", *accesses.shared_u)
        phases.hand_over("write", *accesses.ciphertext)
    # Three transforms, or two halves; a call that is queued is written while another one runs.
    cycles = machine.cycles(core, (3 if transforms_only else 2) - (machine.queued_calls - 1))
    with phases.through_cache("encrypt", cycles):
        accesses.accelerated(
            tower, draws=machine.draws, transforms_only=transforms_only, cached=core.is_shared
        )
    if transforms_only:
        with phases.phase("multiply", Counter(modular_mul=2 * n)):
            accesses.multiply(tower, cached=core.is_cached)
        phases.hand_over("multiply", *accesses.ciphertext)
        if not core.is_cached:
            phases.add("multiply", core.past_cache(3 * n // 2, n))


def predicted_decryption(
    core: CoreModel, parameters: Parameters, machine: Machine | None, frames: int
) -> dict[str, float]:
    """The same of answers of one tower that are decrypted and decoded."""
    n = parameters.n
    phases = _Phases(core)
    accesses = ReceiverAccesses(phases.cache, n, core.instructions, core.addresses)
    accelerator = machine and _Accelerator.of(machine, decryption_timing(parameters, machine))
    # Past the cache go words that an accelerator shares, unless it shares the cache.
    cached = accelerator is None or core.is_cached
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
        phases.hand_over("decode", *accesses.shared_values)
        _transmitted(phases, accesses, 2 * n)
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
    core, transforms_only = phases.core, machine.transforms_only
    if transforms_only:
        products = Counter(modular_mul=accesses.n)
        with phases.phase("decrypt", products, "ring_multiply_share"):
            accesses.multiply(cached=core.is_cached)
        if not core.is_cached:
            phases.add("decrypt", core.past_cache(0, accesses.n // 2))
    phases.hand_over("decrypt", *accesses.shared_polynomial)
    with phases.through_cache("decrypt", machine.cycles(core, 1)):
        accesses.accelerated(transforms_only=transforms_only, cached=core.is_shared)


def encryption_timing(parameters: Parameters, machine: Machine) -> native.Timing | None:
    """Of one tower of an encryption, as the machine's simulator has it."""
    return native.lower(native.Backend(machine), native.Module.encryption(parameters, 1)).timing


def decryption_timing(parameters: Parameters, machine: Machine) -> native.Timing | None:
    """The same of a decryption."""
    return native.lower(native.Backend(machine), native.Module.decryption(parameters, 1)).timing


def _transmitted(phases: _Phases, accesses: ClientAccesses | ReceiverAccesses, size: int) -> None:
    """So many bytes that the modem asks for, from memory or through the core's cache."""
    core = phases.core
    lines = size // _MODEM_LINE_BYTES
    asked = core.cycles(Counter(register_write=_MODEM_ACCESSES))
    if core.is_shared:
        with phases.through_cache("transmit", asked + core.port_cycles(lines, 0)):
            accesses.transmitted()
        return
    line = max(_MODEM_BEATS, (core.latency + _MODEM_BEATS) / _MODEM_LINES)
    phases.add("transmit", asked + core.latency + lines * line)


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
