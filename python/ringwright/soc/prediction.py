"""What a run of the firmware should take: its operations times a host's cycles, and a simulator's.

The operations of each phase are counted from the sizes alone; the host's cycles are those of a
description (`machines/hosts`), counted one by one; the accelerator's are its simulator's. Counted
alone, an operation finds its data in the memory. What an encoding does not find there is counted
from the cache's size; of the other phases it is left out.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import ceil

from ringwright import _ringwright as native
from ringwright.ckks import Parameters
from ringwright.machines import Host, Machine

__all__ = ["Memory", "predicted", "predicted_decryption"]

_BLOCK_BYTES, _BINOMIAL_SAMPLES = 136, 25
#: Registers of a seed, and of a call with its start.
_SEED_WRITES, _CALL_WRITES = 8, 7
#: The modem asks for lines of so many beats, a beat a cycle (`hw/soc/rtl/soc_modem.sv`); so many of
#: them are on their way (`hw/harness/soc/build.py`).
_MODEM_LINE_BYTES, _MODEM_BEATS, _MODEM_LINES = 64, 8, 8


#: Of a message's value, a coefficient while it is transformed, a factor of the transform.
_VALUE_BYTES, _COEFFICIENT_BYTES, _FACTOR_BYTES = 4, 8, 16


@dataclass(frozen=True)
class Memory:
    """A core's cache of data, and cycles until what is behind it answers. `is_shared`: accelerator
    and modem reach memory through the memory.
    """

    sets: int
    ways: int
    line_bytes: int
    is_shared: bool
    latency: int
    miss_overhead: int

    @property
    def miss_cycles(self) -> int:
        """Of one line."""
        return self.latency + self.miss_overhead

    @property
    def lines(self) -> int:
        """That the cache holds."""
        return self.sets * self.ways

    def encoding_cycles(self, n: int, frames: int) -> int:
        """What encodings of N coefficients wait for lines: for all of it once, which stays for the
        next frame if it fits; and in each stage again for those of the sets that coefficients fill
        and the stage's factors come to, or for all where they do not fit, each when another one has
        been written back.
        """
        coefficients = n * _COEFFICIENT_BYTES // self.line_bytes
        messages = n // 2 * _VALUE_BYTES // self.line_bytes
        once, again, written, half = coefficients, 0, 0, n // 4
        while half:
            factors = ceil(half * _FACTOR_BYTES / self.line_bytes)
            once += factors
            if coefficients > self.lines:
                again += coefficients
                written += coefficients
            elif coefficients + factors > self.lines:
                again += min(self.sets, factors) * coefficients // self.sets
            half //= 2
        first = 1 if once + messages <= self.lines else frames
        fetched = first * once + frames * (messages + again)
        return fetched * self.miss_cycles + frames * written * self.latency


def predicted(
    host: Host, memory: Memory, parameters: Parameters, machine: Machine | None, frames: int
) -> dict[str, float]:
    """Cycles by phase, for those that can be said; `machine`: the accelerator, if there is one."""
    counts = _counts(parameters, machine)
    phases = {name: host_cycles(host, counted) for name, counted in counts.items()}
    if memory.is_shared and machine is not None:
        # What the core writes was the accelerator's.
        lines = counts["write"]["signed_residue"] * 4 // memory.line_bytes
        if 2 * 4 * parameters.n // memory.line_bytes > memory.lines:
            # Nor does the message stay.
            lines *= 2
        phases["write"] += lines * memory.miss_cycles
        # No simulator here knows transfers through a core's port.
        del phases["encrypt"]
    elif machine is not None:
        timing = encryption_timing(parameters, machine)
        if timing is not None:
            phases["encrypt"] += parameters.levels * timing.cycles
    if not memory.is_shared:
        lines = 2 * 4 * parameters.n // _MODEM_LINE_BYTES
        line = max(_MODEM_BEATS, (memory.latency + _MODEM_BEATS) / _MODEM_LINES)
        phases["transmit"] = parameters.levels * (lines * line + memory.latency)
    whole = {name: frames * cycles for name, cycles in phases.items()}
    whole["encode"] += memory.encoding_cycles(parameters.n, frames)
    return whole


def predicted_decryption(
    host: Host, memory: Memory, parameters: Parameters, machine: Machine | None, frames: int
) -> dict[str, float]:
    """The same of answers of one tower that are decrypted and decoded."""
    n, log_n = parameters.n, parameters.log_n
    decode = Counter(complex_butterfly=n // 4 * (log_n - 1), coefficient_round=n, word_move=n)
    phases = {"decode": host_cycles(host, decode)}
    if machine is not None:
        # What the accelerator wrote is in no cache; past the caches two words come at a time.
        reads = 4 * n // memory.line_bytes if memory.is_shared else n // 2
        phases["decode"] += reads * memory.miss_cycles
    if machine is None:
        # A product with 1/N is about a quarter of a butterfly.
        products = Counter(modular_mul=n, butterfly=n // 2 * log_n + n // 4)
        phases["decrypt"] = host_cycles(host, products)
    elif not memory.is_shared:
        timing = decryption_timing(parameters, machine)
        counts = Counter(register_write=_CALL_WRITES, interrupt=1)
        if machine.values["offload"] == "transforms":
            counts["modular_mul"] = n
        if timing is not None:
            phases["decrypt"] = timing.cycles + host_cycles(host, counts)
    whole = {name: frames * cycles for name, cycles in phases.items()}
    whole["decode"] += memory.encoding_cycles(n, frames)
    return whole


def encryption_timing(parameters: Parameters, machine: Machine) -> native.Timing | None:
    """Of one tower of an encryption, as the machine's simulator has it."""
    return native.lower(native.Backend(machine), native.Module.encryption(parameters, 1)).timing


def decryption_timing(parameters: Parameters, machine: Machine) -> native.Timing | None:
    """The same of a decryption."""
    return native.lower(native.Backend(machine), native.Module.decryption(parameters, 1)).timing


def host_cycles(host: Host, counts: Counter[str]) -> float:
    """Of so many operations."""
    return sum(host.operations[name]["cycles"] * count for name, count in counts.items())


def _counts(parameters: Parameters, machine: Machine | None) -> dict[str, Counter[str]]:
    """The core's operations by phase, of one frame."""
    n, log_n, towers = parameters.n, parameters.log_n, parameters.levels
    values = {} if machine is None else machine.values
    draws = values.get("samplers", "none") == "none"
    phases = {
        "encode": Counter(complex_butterfly=n // 4 * (log_n - 1), coefficient_round=n, word_move=n)
    }
    if draws:
        ternary = ceil((n + n // 128 + 64) / _BLOCK_BYTES)
        phases["sample"] = Counter(
            keccak_permutation=ternary + 2 * ceil(n / _BINOMIAL_SAMPLES),
            ternary_sample=n,
            binomial_sample=2 * n,
        )
    if machine is None:
        phases["encrypt"] = Counter(
            signed_residue=3 * n * towers,
            butterfly=3 * n // 2 * log_n * towers,
            modular_mul=2 * n * towers,
        )
        return phases
    written = 3 if draws else 1
    phases["write"] = Counter(signed_residue=written * n * towers)
    if not draws:
        phases["write"]["register_write"] = _SEED_WRITES
    # Three transforms, or two halves; a call that is queued is written while another one runs.
    calls = 3 if values["offload"] == "transforms" else 2
    calls -= int(values["queued_calls"]) - 1
    phases["encrypt"] = Counter(
        register_write=calls * _CALL_WRITES * towers, interrupt=calls * towers
    )
    return phases
