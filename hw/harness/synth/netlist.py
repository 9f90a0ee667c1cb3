"""A mapped netlist as yosys writes it in BLIF: inputs, outputs, gates with their pins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

    from .liberty import Cell


@dataclass(frozen=True)
class Gate:
    """One cell and the net on each of its pins."""

    cell: str
    pins: dict[str, str]


@dataclass(frozen=True)
class Netlist:
    """A flat block."""

    inputs: list[str]
    outputs: list[str]
    gates: list[Gate]


class CombinationalLoop(Exception):
    """Cells that feed each other without a flip-flop between."""


def read(path: Path, macros: Collection[str] = ()) -> Netlist:
    """Reads `write_blif -gates`; constants and aliases are resolved.

    A macro is no gate: what goes into one is an output of the block.
    """
    inputs: list[str] = []
    outputs: list[str] = []
    gates: list[Gate] = []
    aliases: dict[str, str] = {}
    for line in _lines(path):
        word, *rest = line.split()
        if word == ".inputs":
            inputs += rest
        elif word == ".outputs":
            outputs += rest
        elif word == ".gate":
            pins = dict(pin.split("=", 1) for pin in rest[1:])
            if rest[0] in macros:
                outputs += pins.values()
            else:
                gates.append(Gate(rest[0], pins))
        elif word == ".names" and len(rest) == 2:
            aliases[rest[1]] = rest[0]
    gates = [
        Gate(gate.cell, {pin: aliases.get(net, net) for pin, net in gate.pins.items()})
        for gate in gates
    ]
    return Netlist(inputs, [aliases.get(net, net) for net in outputs], gates)


def loads(netlist: Netlist, cells: dict[str, Cell]) -> dict[str, float]:
    """The capacitance of the inputs on each net, in fF."""
    found: dict[str, float] = {}
    for gate in netlist.gates:
        for pin, capacitance in cells[gate.cell].inputs.items():
            net = gate.pins[pin]
            found[net] = found.get(net, 0.0) + capacitance
    return found


def in_order(netlist: Netlist, cells: dict[str, Cell]) -> list[Gate]:
    """Flip-flops first, then every cell after those that drive it."""
    driven = {
        net
        for gate in netlist.gates
        for pin, net in gate.pins.items()
        if pin in cells[gate.cell].outputs
    }
    waiting: dict[str, list[int]] = {}
    missing = [0] * len(netlist.gates)
    ready: list[int] = []
    for index, gate in enumerate(netlist.gates):
        cell = cells[gate.cell]
        if not cell.clock:
            for net in {gate.pins[pin] for pin in cell.inputs} & driven:
                waiting.setdefault(net, []).append(index)
                missing[index] += 1
        if not missing[index]:
            ready.append(index)
    order = []
    while ready:
        gate = netlist.gates[ready.pop()]
        order.append(gate)
        for net in (n for pin, n in gate.pins.items() if pin in cells[gate.cell].outputs):
            for index in waiting.pop(net, ()):
                missing[index] -= 1
                if not missing[index]:
                    ready.append(index)
    if len(order) != len(netlist.gates):
        raise CombinationalLoop(f"{len(netlist.gates) - len(order)} cells wait for each other")
    return order


def _lines(path: Path) -> Iterator[str]:
    """Lines with their continuations joined."""
    joined = ""
    with path.open() as file:
        for line in file:
            joined += line.rstrip("\n")
            if joined.endswith("\\"):
                joined = joined[:-1] + " "
                continue
            if joined.strip():
                yield joined
            joined = ""
