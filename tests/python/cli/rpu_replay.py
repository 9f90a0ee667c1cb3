"""The RPU's timing told again from docs/rpu-machine.md, cycle by cycle, for one listing.

It shares no code with the simulator, which goes from event to event: here every cycle is looked at.
Programs have loads, stores, butterflies, products and shuffles; address registers are 0.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

#: Vector registers share memories by their number (vrf_map = "modulo").
MEMORIES = 16
UNITS = {"vload": "load_store", "vstore": "load_store", "mload": "load_store"} | dict.fromkeys(
    ("unpklo", "unpkhi", "pklo", "pkhi"), "shuffle"
)
WRITTEN = {"bfly": 2, "vstore": 0}


@dataclass
class Instruction:
    """One line: `reads` and `writes` are registers, vector ones and the modulus."""

    text: str
    unit: str = ""
    reads: list[str] = field(default_factory=list)
    writes: list[str] = field(default_factory=list)
    #: First address and mode of a vector access.
    access: tuple[int, str, int] | None = None
    start: int | None = None
    #: Where it has started: its sources have been read, its results written, before this cycle; of
    #: loads and stores the same in steps.
    read: int | None = None
    end: int | None = None

    def __post_init__(self) -> None:
        operation, rest = self.text.split(maxsplit=1)
        registers = re.findall(r"\b[vm]\d+", rest)
        written = WRITTEN.get(operation, 1)
        self.writes, self.reads = registers[:written], registers[written:]
        self.unit = UNITS.get(operation, "compute")
        if operation in {"vload", "vstore"}:
            said = re.fullmatch(r"v\d+, a0, (\d+)(?:, (\w+) (\d+))?", rest)
            assert said, self.text
            self.access = int(said[1]), said[2] or "linear", int(said[3] or 0)

    def memories(self, registers: Iterable[str]) -> set[int]:
        """Memories of the vector registers among these."""
        return {int(name[1:]) % MEMORIES for name in registers if name[0] == "v"}

    def addresses(self, length: int) -> list[int]:
        """Where the words of a vector lie."""
        assert self.access is not None
        base, mode, k = self.access
        part = (1 << k) - 1
        offset = {
            "linear": lambda i: i,
            "strided": lambda i: i << k,
            "strided_skip": lambda i: (i & ~part) << 1 | i & part,
            "repeated": lambda i: i & part,
        }[mode]
        return [base + offset(i) for i in range(length)]


class Replay:
    """A program on a machine with these parameters; `run` fills in the starts."""

    def __init__(self, texts: Iterable[str], values: Mapping[str, object]) -> None:
        whole = ("vector_length", "hples", "banks", "ii", "gap", "queue_depth", "compute_latency")
        latencies = ("load_store_latency", "shuffle_latency")
        self.of = {key: int(str(values[key])) for key in (*whole, *latencies)}
        said = ("vrf_ports", "vrf_map", "vrf_clash", "load_store_pipes")
        assert [values[key] for key in said] == ["single", "modulo", "stall", "shared"]
        self.one_bit = values["busy_rule"] == "one_bit"
        self.until_end = values["source_release"] == "completion"
        self.skewed = values["vdm_map"] == "skewed"
        self.program = [Instruction(text) for text in texts]
        self.queues: dict[str, deque[tuple[Instruction, int]]] = {
            unit: deque() for unit in ("load_store", "compute", "shuffle")
        }
        self.users: dict[str, list[Instruction]] = defaultdict(list)
        self.reserved: dict[int, set[int]] = defaultdict(set)
        self.free = dict.fromkeys(self.queues, 0)
        # Of loads and stores: the step of this cycle, and the memories of the rows due in steps.
        self.step = 0
        self.row_reads: dict[int, set[int]] = defaultdict(set)
        self.row_writes: dict[int, set[int]] = defaultdict(set)
        #: Steps after which an address has been written.
        self.stored: dict[int, int] = {}

    def run(self) -> int:
        """Cycles until the last write."""
        now, pc = 0, 0
        while pc < len(self.program) or not all(self.done(each, now) for each in self.program):
            if pc < len(self.program) and self.issues(self.program[pc], now):
                pc += 1
            self.start_beats("compute", now)
            self.start_beats("shuffle", now)
            self.step_accesses(now)
            now += 1
        return now

    def passed(self, cycle_or_step: int | None, each: Instruction, now: int) -> bool:
        """Whether something of an instruction lies before this cycle."""
        if cycle_or_step is None:
            return False
        return cycle_or_step <= (self.step if each.unit == "load_store" else now)

    def done(self, each: Instruction, now: int) -> bool:
        """Whether it has ended."""
        return self.passed(each.end, each, now)

    def issues(self, next_: Instruction, now: int) -> bool:
        """The front end: no register busy, and room in the queue."""
        queue = self.queues[next_.unit]
        if self.busy(next_, now) or len(queue) == self.of["queue_depth"]:
            return False
        queue.append((next_, now))
        for name in {*next_.reads, *next_.writes}:
            self.users[name].append(next_)
        return True

    def busy(self, next_: Instruction, now: int) -> bool:
        """Whether an instruction in flight uses a register in a way that stops this one."""
        for name in {*next_.reads, *next_.writes}:
            self.users[name] = [each for each in self.users[name] if not self.done(each, now)]
            for each in self.users[name]:
                if name in each.writes:
                    return True
                released = not self.until_end and self.passed(each.read, each, now)
                shared = not self.one_bit and name not in next_.writes
                # Moduli are read when an instruction issues.
                if name[0] == "v" and not released and not shared:
                    return True
        return False

    def start_beats(self, unit: str, now: int) -> None:
        """Compute and shuffle: an instruction starts where it finds every port free."""
        queue, interval = self.queues[unit], self.of["ii"] if unit == "compute" else 1
        if not queue or queue[0][1] >= now or self.free[unit] > now:
            return
        each, latency = queue[0][0], self.of[f"{unit}_latency"]
        beats = [now + b * interval for b in range(self.of["vector_length"] // self.of["hples"])]
        needs = [(beat, each.memories(each.reads)) for beat in beats]
        needs += [(beat + latency, each.memories(each.writes)) for beat in beats]
        if any(self.reserved[cycle] & memories for cycle, memories in needs):
            return
        for cycle, memories in needs:
            self.reserved[cycle] |= memories
        queue.popleft()
        each.start, each.read, each.end = now, beats[-1] + interval, beats[-1] + latency + 1
        self.free[unit] = beats[-1] + interval + self.of["gap"]

    def step_accesses(self, now: int) -> None:
        """Loads and stores: the pipeline makes a step, or holds while a port is taken."""
        queue = self.queues["load_store"]
        head = queue[0][0] if queue and queue[0][1] < now else None
        if head and self.free["load_store"] > self.step:
            head = None
        reads = head.memories(head.reads) if head else set()
        if reads & self.row_writes[self.step]:
            head, reads = None, set()
        due = self.row_reads[self.step] | self.row_writes[self.step] | reads
        if due & self.reserved[now]:
            return
        if head:
            queue.popleft()
            head.start = now
            self.access(head)
        self.step += 1

    def access(self, each: Instruction) -> None:
        """The steps of a load or store that starts in this one."""
        step, latency = self.step, self.of["load_store_latency"]
        memories = each.memories(each.reads or each.writes)
        for row in self.rows(each):
            if each.reads:
                while memories & self.row_writes[step]:
                    step += 1
                self.row_reads[step] |= memories
            else:
                assert all(self.stored.get(address, 0) <= step for address in row), each.text
            step += self.cost(row)
            if each.reads:
                self.stored |= dict.fromkeys(row, step + latency)
            else:
                self.row_writes[step - 1 + latency] |= memories
        each.read, each.end = step, step + latency
        self.free["load_store"] = step + self.of["gap"]

    def rows(self, each: Instruction) -> Iterator[list[int]]:
        """The addresses of each register row; a scalar load has one step and no row."""
        if each.access is None:
            yield []
            return
        addresses, lanes = each.addresses(self.of["vector_length"]), self.of["hples"]
        for first in range(0, len(addresses), lanes):
            yield addresses[first : first + lanes]

    def cost(self, row: list[int]) -> int:
        """Steps of a row: the different addresses of its fullest bank."""
        banks: dict[int, int] = defaultdict(int)
        for address in set(row):
            banks[self.bank(address)] += 1
        return max(banks.values(), default=1)

    def bank(self, address: int) -> int:
        """Skewed banks add the digits of an address."""
        total, banks = address, self.of["banks"]
        while self.skewed and (address := address // banks):
            total += address
        return total % banks
