"""Transforms on the RPU and on TREBUCHET's tile: the paper's program and ours, without values.

| program | what |
|---|---|
| `naive` | the paper's, by Korn and Lambiotte, in the order of its blocks |
| `scheduled` | the same instructions in our list scheduler's order |
| `compiled` | ours (docs/nttx.md), words in any order as in the paper's |

Register ports are as published (16 single-port memories) or `free`; `strict` reads whatever the
paper leaves open the harsher way. Below 64 lanes the paper's program as we write it needs free
ports, so sweeps over lanes have them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from ringwright import _ringwright as native
from ringwright.errors import MachineError, ProgramError
from ringwright.machines import Machine, machine
from ringwright.machines import backend as made_ready
from ringwright.reproduce import inputs

GENERATORS = {
    "naive": "korn-lambiotte",
    "scheduled": "korn-lambiotte-scheduled",
    "compiled": "compiled-any-order",
}
#: Those that the papers describe.
PAPERS = frozenset({"naive", "scheduled"})
BASES = {
    "published": "rpu-128x128",
    "free": "rpu-128x128-freeports",
    "strict": "rpu-128x128-strict",
}
#: HPLEs and banks of figures 4 and 5, and the clock that the banks allow, MHz (section VI-B).
HPLES = (4, 8, 16, 32, 64, 128, 256)
BANKS_MHZ = {32: 1290, 64: 1530, 128: 1680, 256: 1680}
#: Degrees of figures 10 and 11.
DEGREES = tuple(1 << log_n for log_n in range(10, 17))
LARGEST = DEGREES[-1]
#: HBM2 of figure 10, bytes a second, and the bytes of a word.
HBM2 = 512e9
WORD_BYTES = 16

Changes = tuple[tuple[str, Any], ...]


@cache
def tile(name: str, changes: Changes = ()) -> Machine:
    """A machine, or one that differs in some parameters."""
    base = machine(name)
    if not changes:
        return base
    differs = "-".join(f"{key}-{value}" for key, value in changes)
    # Where a clock differs, figure 4 has it (`BANKS_MHZ`).
    return base.with_values(
        f"{name}-{differs}",
        source="swept",
        clock_provenance=base.clock_provenance,
        **dict(changes),
    )


def two_ports(on: Machine) -> Machine:
    """The machine with a port to read and one to write in each bank: that of figures 5 and 6."""
    return on.with_values(
        "two-ports",
        source="a port to read and one to write",
        clock_provenance=on.clock_provenance,
        vdm_port="exclusive",
    )


def sized(hples: int, banks: int, ports: str = "free") -> Changes:
    """A point of figure 4's grid."""
    if (hples, banks) == (128, 128):
        return ()
    return (("hples", hples), ("banks", banks), ("clock_fs", 10**9 // BANKS_MHZ[banks]))


def timed(
    program: str, n: int, name: str, changes: Changes = (), written_for: Changes | None = None
) -> native.TransformTime:
    """Cycles of a program, written for the machine with the changes or with others.

    Raises `MachineError` where the machine cannot run it.
    """
    differs = "".join(f", {key} = {value}" for key, value in changes)
    inputs.result(f"{program} transform, N = {n}, {name}{differs}")
    if program not in PAPERS:
        inputs.own("our program")
    return _timed(program, n, name, changes, written_for)


@cache
def _timed(
    program: str, n: int, name: str, changes: Changes, written_for: Changes | None
) -> native.TransformTime:
    on = tile(name, changes)
    other = None if written_for is None else tile(name, written_for)
    try:
        return native.time_transform_program(
            on, GENERATORS[program], n.bit_length() - 1, written_for=other
        )
    except ProgramError as error:
        raise MachineError(f"{on.name}: {error}") from None


def counters(program: str, n: int, name: str) -> dict[str, int]:
    """What a program does, counted; a fact of the program, whatever it takes."""
    return _timed(program, n, name, (), None).counters


def seconds(program: str, n: int, name: str, changes: Changes = ()) -> float:
    """The same as time."""
    made = timed(program, n, name, changes)
    return made.cycles * made.clock_fs / 1e15


def ideal_cycles(n: int, hples: int = 128) -> float:
    """The paper's theoretical latency, n log2 n / HPLEs: it counts each butterfly twice."""
    return n * (n.bit_length() - 1) / hples


def hbm2_seconds(n: int, towers: int) -> float:
    """Moving this many towers of 16-byte words over the paper's HBM2."""
    return towers * n * WORD_BYTES / HBM2


@dataclass(frozen=True)
class Kernel:
    """An operation on whole towers: cycles, period of their clock, where they come from."""

    cycles: int
    clock_fs: int
    provenance: str

    @property
    def seconds(self) -> float:
        """The same as time."""
        return self.cycles * self.clock_fs / 1e15


def ring_operation(name: str, operation: str, n: int) -> Kernel:
    """A product or sum of two towers on a tile."""
    inputs.result(f"{operation}, N = {n}, {name}")
    return _ring_operation(name, operation, n)


@cache
def _ring_operation(name: str, operation: str, n: int) -> Kernel:
    program = native.Module.parse(module(operation, n))
    # Nothing moves beside it: the operands lie there, and the operation takes them whole.
    source = "an operation alone"
    tile = machine(name).with_values(f"{name}-alone", source=source, vdm_port="exclusive")
    made = native.lower(made_ready(tile), program).timing
    assert made is not None, "tiles are simulated"
    start = int(tile.values["start_cycles"])
    (kernel,) = (step for step in made.steps if step.kind == "kernel")
    return Kernel(kernel.cycles - start, made.clock_fs, kernel.provenance or "")


def side_by_side(name: str, operation: str, n: int) -> Kernel:
    """One operation on each of a chip's tiles, on towers of its own, with memory at its fastest."""
    inputs.result(f"{operation} on each tile, N = {n}, {name}")
    return _side_by_side(name, operation, n)


@cache
def _side_by_side(name: str, operation: str, n: int) -> Kernel:
    chip = machine(name)
    source = "no I/O: as fast as can be written"
    chip = chip.with_values(
        f"{name}-no-io", source=source, dma_bits_per_second=10**15, dma_latency=1
    )
    program = native.Module.parse(calls(operation, n, int(chip.values["tiles"])))
    made = native.lower(made_ready(chip), program).timing
    assert made is not None, "chips are simulated"
    kernels = [step for step in made.steps if step.kind == "kernel"]
    assert len(kernels) == chip.values["tiles"], kernels
    # All of it, with what next to no time is, and so with moves.
    return Kernel(made.cycles, made.clock_fs, "modelled")


def calls(operation: str, n: int, count: int) -> str:
    """As `module`, so many times, each on towers of its own."""
    shape = SHAPES[operation]
    names = [[f"{name}{index}" for name in shape.operands] for index in range(count)]
    params = ", ".join(f"{name}: poly[q0; {shape.given}]" for row in names for name in row)
    types = ", ".join([f"poly[q0; {shape.made}]"] * count)
    body = "".join(f"  r{i} = call one({', '.join(row)})\n" for i, row in enumerate(names))
    returned = ", ".join(f"r{index}" for index in range(count))
    main = f"ring main({params}) -> {types} {{\n{body}  return {returned}\n}}\n"
    return _head(n, PRIME) + _function("one", operation) + main


def module(operation: str, n: int, prime: int | None = None) -> str:
    """One operation on one tower as a ring program: `ntt`, `mul` or `add`."""
    return _head(n, prime or PRIME) + _function("main", operation)


@dataclass(frozen=True)
class Shape:
    """An operation's operands, their form, and that of its result."""

    operands: str
    given: str
    made: str


SHAPES = {
    "ntt": Shape("a", "coeff", "eval"),
    "mul": Shape("ab", "eval", "eval"),
    "add": Shape("ab", "eval", "eval"),
}


def _head(n: int, prime: int) -> str:
    return f"log_n {n.bit_length() - 1}\nprime q0 = {prime}\nentry main\n"


def _function(name: str, operation: str) -> str:
    shape = SHAPES[operation]
    params = ", ".join(f"{operand}: poly[q0; {shape.given}]" for operand in shape.operands)
    text = f"{operation} {', '.join(shape.operands)}"
    return f"ring {name}({params}) -> poly[q0; {shape.made}] {{\n  r = {text}\n  return r\n}}\n"


#: 1 modulo 2^17, of 60 bits: what the CPU's 64-bit words take.
PRIME = 1152921504606584833
