"""Energy of a mapped netlist in a cycle with random operands: its edges, counted and weighed.

The netlist runs cycle by cycle, in many copies at once: a net is one integer, whose bit i is its
value in copy i. Every copy draws its own inputs, so do outputs of memories and of modules left out.
An edge of an output takes what the library's tables say and loads the inputs it drives; an edge of
an input that moves no output, and the clock at a flip-flop, take what they say as well. Left out:
glitches (a net moves once a cycle), the clock's tree, leakage. Wires count as the library has them.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, TypeAlias

from .netlist import in_order, loads
from .timing import EDGE_PS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from .liberty import Cell, Table
    from .netlist import Gate, Netlist

#: The library's.
VOLTS = 0.7
COPIES = 256
#: Cycles until pipelines are full, and those that count.
FILLED, COUNTED = 32, 4
ALL = (1 << COPIES) - 1
#: What decides a result besides netlist and library.
METHOD = ("edges, no glitches", VOLTS, EDGE_PS, COPIES, FILLED, COUNTED)

#: What an input is held at: a bit, or what it is in the first cycle.
Held: TypeAlias = "Mapping[str, int | str]"
KEPT = "kept"


@dataclass(frozen=True)
class _Work:
    """A gate: what it computes of which nets, and what its edges take in fJ."""

    net: str
    function: Callable[..., int]
    sources: Sequence[str]
    moved: float
    unmoved: Sequence[float]


def energy_pj(netlist: Netlist, cells: Mapping[str, Cell], held: Held) -> float:
    """Of one cycle, in pJ of the library's process. `held`: inputs that are not random.

    Raises `ValueError` of a held input that the netlist lacks, or held at anything else.
    """
    load = loads(netlist, cells)
    gates = in_order(netlist, cells)
    clocked = [gate for gate in gates if cells[gate.cell].clock]
    flipflops = [_work(gate, cells[gate.cell], load) for gate in clocked]
    logic = [_work(gate, cells[gate.cell], load) for gate in gates if not cells[gate.cell].clock]
    made = {gate.net for gate in (*flipflops, *logic)}
    outside = sorted({net for gate in (*flipflops, *logic) for net in gate.sources} - made)
    inputs = _Inputs([net for net in outside if net not in _CONSTANTS], held, netlist.inputs)

    values = {gate.net: inputs.random() for gate in flipflops}
    _settle(values, inputs, logic)
    spent = 0.0
    for cycle in range(FILLED + COUNTED):
        before = values
        values = {gate.net: gate.function(*(before[s] for s in gate.sources)) for gate in flipflops}
        _settle(values, inputs, logic)
        if cycle >= FILLED:
            spent += sum(_driven(net, load) * _edges(net, before, values) for net in inputs.nets)
            spent += _spent(before, values, (*flipflops, *logic))
    return (spent / COPIES / COUNTED + _clocked(clocked, cells)) / 1000


_CONSTANTS = {"$true": ALL, "$false": 0, "$undef": 0}


class _Inputs:
    """What comes from outside in each cycle."""

    def __init__(self, nets: Sequence[str], held: Held, ports: Sequence[str]) -> None:
        unknown = sorted(set(held) - {_port(net) for net in ports})
        if unknown:
            known = ", ".join(sorted({_port(net) for net in ports}))
            raise ValueError(f"no input {', '.join(unknown)}; there are {known}")
        for name, value in held.items():
            if value not in (0, 1, KEPT):
                raise ValueError(f"{name} = {value!r}: an input is held at 0, 1 or {KEPT!r}")
        self.nets = nets
        self._source = random.Random(0)
        self._held = {}
        for net in nets:
            value = held.get(_port(net))
            if value is not None:
                self._held[net] = self.random() if value == KEPT else ALL * int(value)

    def random(self) -> int:
        return self._source.getrandbits(COPIES)

    def next(self) -> dict[str, int]:
        drawn = {net: self.random() for net in self.nets if net not in self._held}
        return drawn | self._held | _CONSTANTS


def _port(net: str) -> str:
    return net.split("[", maxsplit=1)[0]


def _settle(values: dict[str, int], inputs: _Inputs, logic: Iterable[_Work]) -> None:
    """Gives every net its value in a cycle, whose flip-flops are known."""
    values |= inputs.next()
    for gate in logic:
        values[gate.net] = gate.function(*(values[source] for source in gate.sources))


def _edges(net: str, before: Mapping[str, int], after: Mapping[str, int]) -> int:
    return (before[net] ^ after[net]).bit_count()


def _spent(before: Mapping[str, int], after: Mapping[str, int], gates: Iterable[_Work]) -> float:
    """What the edges between two cycles take, in fJ over all copies."""
    spent = 0.0
    for gate in gates:
        stays = ALL & ~(before[gate.net] ^ after[gate.net])
        spent += gate.moved * (COPIES - stays.bit_count())
        for source, each in zip(gate.sources, gate.unmoved, strict=True):
            if each:
                spent += each * ((before[source] ^ after[source]) & stays).bit_count()
    return spent


def _work(gate: Gate, cell: Cell, load: Mapping[str, float]) -> _Work:
    (net,) = (net for pin, net in gate.pins.items() if pin in cell.outputs)
    pins = [pin for pin in cell.inputs if pin != cell.clock]
    driven = load.get(net, 0.0)
    return _Work(
        net=net,
        function=_compiled(cell.function, pins),
        sources=[gate.pins[pin] for pin in pins],
        moved=_mean(cell.moved, driven) + _driven(net, load),
        unmoved=[_mean(cell.unmoved[pin], driven) for pin in pins],
    )


def _driven(net: str, load: Mapping[str, float]) -> float:
    """Half of what the charge of a net takes from the supply: an edge's share, in fJ."""
    return load.get(net, 0.0) * VOLTS**2 / 2


def _clocked(flipflops: Iterable[Gate], cells: Mapping[str, Cell]) -> float:
    """Both edges of the clock at every flip-flop, in fJ."""
    used = [cells[gate.cell] for gate in flipflops]
    pins = [(cell.unmoved[cell.clock], cell.inputs[cell.clock]) for cell in used if cell.clock]
    return sum(2 * _mean(tables, 0.0) + load * VOLTS**2 for tables, load in pins)


def _mean(tables: Iterable[tuple[Table, Table]], load: float) -> float:
    """Of the rising and the falling edge, and of all conditions."""
    found = [table.at(EDGE_PS, load) for pair in tables for table in pair]
    return fmean(found) if found else 0.0


def _compiled(function: str, pins: Sequence[str]) -> Callable[..., int]:
    """A function of a library as one of integers. Resets and presets are taken to rest."""
    written = re.sub(r"\s+", "", function).replace("*", "&").replace("+", "|")
    if not re.fullmatch(r"[\w!&|()]+", written):
        raise ValueError(f"no function of a gate: {function!r}")
    python = {"1": str(ALL)}.get(written, written).replace("!", "~")
    compiled: Callable[..., int] = eval(f"lambda {', '.join(pins)}: ({python}) & {ALL}")
    return compiled
