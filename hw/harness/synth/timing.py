"""Static timing of a mapped netlist: the longest path through its tables, for one corner.

Every net has, for its rising and its falling edge, a latest arrival and a slowest slew; a cell adds
the delay that its table gives for that slew and the inputs it drives. Paths start at the clock of a
flip-flop or at an input of the block, end at the setup of a flip-flop or at an output. Left out:
wires (unless the library counts them at its inputs), clock skew and uncertainty. Conditions of arcs
are not looked at: a path that no operands take counts (as it does in every tool by default).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .netlist import in_order, loads

if TYPE_CHECKING:
    from .liberty import Cell
    from .netlist import Gate, Netlist

#: Slew of clock and inputs, in ps.
EDGE_PS = 20.0
_START = ((0.0, EDGE_PS), (0.0, EDGE_PS))

#: (latest arrival, slowest slew) of the rising and the falling edge.
Edges = tuple[tuple[float, float], tuple[float, float]]


@dataclass(frozen=True)
class Timing:
    """The longest path in picoseconds, setup included, and the cells on the deepest path."""

    path_ps: float
    depth: int


def timing(netlist: Netlist, cells: dict[str, Cell]) -> Timing:
    """The longest and the deepest path of a netlist."""
    driven = loads(netlist, cells)
    edges: dict[str, Edges] = dict.fromkeys(netlist.inputs, _START)
    depth: dict[str, int] = {}
    for gate in in_order(netlist, cells):
        cell = cells[gate.cell]
        (output, net), *more = [(pin, net) for pin, net in gate.pins.items() if pin in cell.outputs]
        assert not more, f"{gate.cell} has two outputs"
        edges[net] = _through(gate, cell, output, edges, driven.get(net, 0.0))
        before = [depth.get(gate.pins[pin], 0) for pin in cell.inputs if not cell.clock]
        depth[net] = 1 + max(before, default=0)
    ends = [max(at for at, _ in edges.get(net, _START)) for net in netlist.outputs]
    ends += [_captured(gate, cells[gate.cell], edges) for gate in netlist.gates]
    return Timing(max(ends, default=0.0), max(depth.values(), default=0))


def _through(gate: Gate, cell: Cell, output: str, edges: dict[str, Edges], load: float) -> Edges:
    arrival, slew = [0.0, 0.0], [EDGE_PS, EDGE_PS] if not cell.outputs[output] else [0.0, 0.0]
    for arc in cell.outputs[output]:
        source = edges.get(gate.pins[arc.source], _START)
        if arc.source == cell.clock:
            source = _START
        for out in (0, 1):
            for came in (0, 1):
                if not (arc.direct if came == out else arc.inverting):
                    continue
                at, edge = source[came]
                arrival[out] = max(arrival[out], at + arc.delay[out].at(edge, load))
                slew[out] = max(slew[out], arc.slew[out].at(edge, load))
    return (arrival[0], slew[0]), (arrival[1], slew[1])


def _captured(gate: Gate, cell: Cell, edges: dict[str, Edges]) -> float:
    """When the data of a flip-flop must have been ready: its arrival and the setup."""
    latest = 0.0
    for pin, tables in cell.setup.items():
        for (at, edge), table in zip(edges.get(gate.pins[pin], _START), tables, strict=True):
            latest = max(latest, at + table.at(edge, EDGE_PS))
    return latest
