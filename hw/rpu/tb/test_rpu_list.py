"""rpu: lists of commands in off-chip memory, begun by a doorbell and ended by one interrupt.

Programs, arguments and vectors are those of the machine's package, moved to other places: words
must be the package's, and every run takes the cycles of its package whatever moves beside it. Then
everything that can be wrong with a list, with memory or with a program: it is told by its code and
its command, and the next list runs.
"""

from __future__ import annotations

import os
import sys
from fractions import Fraction
from pathlib import Path

import cocotb
import pytest
from cocotb.triggers import RisingEdge
from rpu_commands_list import BYTES, ERRORS, command, damaged, unused_bits
from rpu_list_timing import ListTiming
from test_rpu import DONE, REFUSED, SLAVE_ERROR, STATUS, VECTORS, Master, begin, register

from harness.bench import parameters
from harness.machine import small_machine
from harness.offchip import PAGE_BYTES, OffchipMemory
from harness.stream import Stall, flag, random_source

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FOLDER = "RINGWRIGHT_BENCH_PACKAGE"
# Offsets and bits of spec/rpu/regs.toml.
LIST, DOORBELL, ERROR, LIST_CYCLES = 0x18, 0x1C, 0x20, 0x24
ILLEGAL, FAILED, SILENT = 4, 16, 32
# Room for two programs of the small machine side by side.
ROOM = {"VdmWords": 1024, "SdmWords": 64, "ImWords": 1024, "PortBytes": 16}
SIZES = {"Outstanding": 8, "BurstBeats": 16, "Timeout": 300, "QueueDepth": 4}
# Not at stake here: what is quickest to build.
SIZES |= {"Products": "Sliced"}
SLOTS, SLOT_VECTORS, SLOT_SCALARS, SLOT_INSTRUCTIONS = 2, 512, 30, 500
MEMORY_BYTES = 1 << 18
LIST_AT, PROGRAMS_AT = 0x300, 0x4000
WORD_BYTES, INSTRUCTION_BYTES = 4, 8
TIMEOUT = 200_000
# `start_cycles` of the machine, from the end of what a run waits for to its first instruction.
START_CYCLES = 4
# From the end of what a move waits for to its address on the bus.
MOVE_CYCLES = 3
SLOAD_OPCODE, ALOAD_FILE = 3, 2
VECTOR_LENGTH = 16


@pytest.mark.parametrize("port", ["second", "exclusive"])
def test_rpu_list(bench, tmp_path, monkeypatch, port):
    rw = pytest.importorskip("ringwright")
    package = rw.rtl.package(small_machine("rpu-8x8", tmp_path), tmp_path / "out")
    monkeypatch.setenv(FOLDER, str(package))
    machine = tomllib.loads((package / "package.toml").read_text())["parameters"]
    bench("rpu", **machine | ROOM | SIZES | {"VdmPort": port})


class Case:
    """A program of the package."""

    def __init__(self, file: Path) -> None:
        read = lambda what: [  # noqa: E731
            int(word, 16) for word in file.with_suffix(f".{what}.hex").read_text().split()
        ]
        self.name = file.stem
        self.cycles = tomllib.loads(file.read_text())["cycles"]
        self.program, self.scalars = read("instructions"), read("sdm")
        self.vectors, self.result = read("vdm"), read("result")
        # A program may load a vector of which it uses the first words.
        self.vectors += [0] * (-len(self.vectors) % VECTOR_LENGTH)

    def fits(self) -> bool:
        """Also: it loads its address registers; some of the package take them to be 0."""
        loads = (word for word in self.program if word >> 44 & 15 == SLOAD_OPCODE)
        return (
            any(word >> 12 & 63 == ALOAD_FILE for word in loads)
            and len(self.program) < SLOT_INSTRUCTIONS
            and len(self.scalars) <= SLOT_SCALARS
            and len(self.vectors) <= SLOT_VECTORS
        )

    def moved(self, scalars_at: int, vectors_at: int) -> tuple[list[int], list[int]]:
        """Its program and arguments for other places of both."""
        program, scalars, addresses = [], list(self.scalars), set()
        for word in self.program:
            moved = word
            if word >> 44 & 15 == SLOAD_OPCODE:
                moved += scalars_at << 24
                if word >> 12 & 63 == ALOAD_FILE:
                    addresses.add(word >> 24 & 0xFFFFF)
            program.append(moved)
        for address in addresses:
            scalars[address] += vectors_at
        return program, scalars


def cases() -> list[Case]:
    files = sorted((Path(os.environ[FOLDER]) / "vectors").glob("*.toml"))
    found = [case for case in map(Case, files) if case.fits()]
    assert len(found) > 4
    return found


class Job:
    """A run with its moves: where everything lies, on the device and off it."""

    def __init__(self, memory: OffchipMemory, case: Case, number: int, at: int) -> None:
        slot = number % SLOTS
        self.case, self.memory = case, memory
        self.first = slot * SLOT_INSTRUCTIONS + 3
        self.scalars_at = slot * SLOT_SCALARS + 1
        self.vectors_at = slot * SLOT_VECTORS
        program, scalars = case.moved(self.scalars_at, self.vectors_at)
        self.places = {}
        for name, words, width in (
            ("load_instructions", program, INSTRUCTION_BYTES),
            ("load_scalars", scalars, WORD_BYTES),
            ("load_vectors", case.vectors, WORD_BYTES),
        ):
            memory.put(at, words, width)
            self.places[name] = (at, len(words))
            at = -(-(at + len(words) * width) // 64) * 64
        self.result_at = at
        self.end = -(-(at + len(case.result) * WORD_BYTES) // 64) * 64
        memory.bytes[at : self.end] = bytes(self.end - at)

    def load(self, after: int, barrier: bool = False) -> list[int]:
        """One list of moves."""
        at = {
            "load_instructions": self.first,
            "load_scalars": self.scalars_at,
            "load_vectors": self.vectors_at,
        }
        commands = []
        for number, (kind, place) in enumerate(at.items()):
            address, count = self.places[kind]
            more = {"more": int(number < 2), "after": 0 if number else after}
            fields = more | {"barrier": int(barrier and not number)}
            commands.append(command(kind, address=address, place=place, count=count, **fields))
        return commands

    def run(self, after: int) -> int:
        return command("run", after=after, place=self.first, count=len(self.case.program))

    def store(self, after: int) -> int:
        fields = {"address": self.result_at, "place": self.vectors_at, "after": after}
        return command("store_vectors", count=len(self.case.result), **fields)

    def is_right(self) -> bool:
        found = self.memory.get(self.result_at, len(self.case.result), WORD_BYTES)
        return found == self.case.result


def part_of(jobs: list[Job]) -> list[int]:
    """Two programs at a time: the next is brought while one runs."""
    commands: list[int] = []
    lists = 0
    for number, job in enumerate(jobs):
        before = max(0, number - SLOTS + 1)
        if number >= SLOTS:
            commands.append(jobs[number - SLOTS].store(before))
            lists += 1
        commands += job.load(before, barrier=number == 0)
        lists += 1
        commands.append(job.run(lists))
    for number in range(max(0, len(jobs) - SLOTS), len(jobs)):
        commands.append(jobs[number].store(number + 1))
    return commands


def timing_of(jobs: list[Job], timing: ListTiming) -> int:
    """When the simulator has the list of `part_of` end."""
    for number, job in enumerate(jobs):
        before = max(0, number - SLOTS + 1)
        if number >= SLOTS:
            timing.moves([len(jobs[number - SLOTS].case.result) * WORD_BYTES], before)
        sizes = {kind: count * WORD_BYTES for kind, (_, count) in job.places.items()}
        program = 2 * sizes["load_instructions"] + sizes["load_scalars"]
        timing.moves([program, sizes["load_vectors"]], before)
        timing.run(job.case.cycles)
    for number in range(max(0, len(jobs) - SLOTS), len(jobs)):
        timing.moves([len(jobs[number].case.result) * WORD_BYTES], number + 1)
    return timing.end()


class Bench:
    """The device, its memory, and what its runs take."""

    def __init__(self, dut, stall, latency=3, size=MEMORY_BYTES):
        rng = random_source()
        self.dut, self.rng = dut, rng
        self.memory = OffchipMemory(dut, "mem_", size, Stall(stall, rng), latency)
        self.took, self.interrupts, self.beside = [], 0, 0
        self.began, self.ended, self.cycle = [], [], 0

    async def watch(self):
        dut, before = self.dut, False
        while True:
            await RisingEdge(dut.clk_i)
            if flag(dut.run):
                self.began.append(self.cycle)
            if flag(dut.done):
                self.took.append(int(dut.cycles.value))
                self.ended.append(self.cycle)
            self.beside += flag(dut.busy) and flag(dut.line_request)
            self.interrupts += flag(dut.irq_o) and not before
            before = flag(dut.irq_o)
            self.cycle += 1

    def put(self, commands):
        for number, each in enumerate(commands):
            at = LIST_AT + number * BYTES
            self.memory.bytes[at : at + BYTES] = each.to_bytes(BYTES, "little")

    async def doorbell(self, commands):
        self.put(commands)
        self.took.clear()
        await register(self.dut, LIST, LIST_AT // 256)
        await register(self.dut, DOORBELL, len(commands))

    async def interrupt(self):
        for _ in range(TIMEOUT):
            if flag(self.dut.irq_o):
                return await register(self.dut, STATUS)
            await RisingEdge(self.dut.clk_i)
        raise AssertionError("no interrupt")

    def jobs(self, chosen):
        made, at = [], PROGRAMS_AT
        for number, case in enumerate(chosen):
            made.append(Job(self.memory, case, number, at))
            at = made[-1].end
        assert at <= MEMORY_BYTES
        return made


async def prepared(dut, stall=0.0, latency=3):
    await begin(dut)
    bench = Bench(dut, stall, latency)
    cocotb.start_soon(bench.memory.run())
    cocotb.start_soon(bench.watch())
    return bench


@cocotb.test()
@cocotb.parametrize(stall=[0.0, 0.1, 0.5])
async def a_list_is_worked_through(dut, stall):
    bench = await prepared(dut, stall)
    for times in range(2):
        chosen = [bench.rng.choice(cases()) for _ in range(5)]
        jobs = bench.jobs(chosen)
        await bench.doorbell(part_of(jobs[:3]) + part_of(jobs[3:]))
        master = Master(dut, bench.rng, 0.0)
        assert await master.read(VECTORS, 0, 1) == ([0], {SLAVE_ERROR})
        await register(dut, DOORBELL, 1)
        assert await bench.interrupt() == DONE | REFUSED
        assert [job.case.name for job in jobs if not job.is_right()] == []
        assert bench.took == [case.cycles for case in chosen]
        assert await register(dut, ERROR) == 0
        assert bench.interrupts == times + 1
        assert not flag(dut.irq_o)
    exclusive = parameters()["VdmPort"] == "exclusive"
    assert (bench.beside == 0) == exclusive


@cocotb.test()
async def nothing_to_do_is_done_at_once(dut):
    bench = await prepared(dut)
    await bench.doorbell([])
    assert await bench.interrupt() == DONE
    assert await register(dut, LIST_CYCLES) <= 2


def wrong_lists(bench, jobs):
    """Lists with one wrong command: which, and why."""
    sound = part_of(jobs)
    run = next(i for i, each in enumerate(sound) if each & 15 == 1)
    load, scalars, vectors = 0, 1, 2
    cut = [*sound[:1], sound[run]]
    for at, changes, error in (
        (run, {"kind": 0}, "kind"),
        (load, {"kind": 9}, "kind"),
        (run, {"address": 1}, "reserved"),
        (run, {"more": 1}, "reserved"),
        (vectors, {"narrow": 1}, "reserved"),
        (run, {"count": 0}, "place"),
        (load, {"count": 0}, "place"),
        (run, {"place": ROOM["ImWords"] - 1}, "place"),
        (load, {"place": 0xFFFF_FFFF}, "place"),
        (scalars, {"place": ROOM["SdmWords"] - 1}, "place"),
        (vectors, {"place": 1}, "place"),
        (vectors, {"count": ROOM["VdmWords"] + 1}, "place"),
        (load, {"address": 8}, "address"),
        (vectors, {"address": (1 << 40) - ROOM["PortBytes"]}, "address"),
        (run, {"after": 2}, "after"),
        (load, {"after": 1, "barrier": 0}, "after"),
        (scalars, {"barrier": 1}, "list"),
    ):
        yield [*sound[:at], damaged(sound[at], **changes), *sound[at + 1 :]], at, error
    kind = bench.rng.choice(["run", "load_vectors"])
    at = run if kind == "run" else vectors
    bit = bench.rng.choice(unused_bits(kind))
    yield [*sound[:at], sound[at] | 1 << bit, *sound[at + 1 :]], at, "reserved"
    yield [cut[0], damaged(cut[1], after=0)], 1, "list"
    yield sound[:2], 1, "list"


@cocotb.test()
@cocotb.parametrize(stall=[0.0, 0.5])
async def a_damaged_command_is_told_and_the_next_list_runs(dut, stall):
    bench = await prepared(dut, stall)
    jobs = bench.jobs(cases()[:2])
    for commands, at, error in wrong_lists(bench, jobs):
        await bench.doorbell(commands)
        assert await bench.interrupt() == DONE | FAILED
        assert await register(dut, ERROR) == at << 8 | ERRORS[error], error
        await bench.doorbell(part_of(jobs))
        assert await bench.interrupt() == DONE
        assert all(job.is_right() for job in jobs)


@cocotb.test()
async def memory_that_answers_with_an_error_is_told(dut):
    bench = await prepared(dut, 0.1)
    jobs = bench.jobs(cases()[:2])
    sound = part_of(jobs)
    for address, error in (
        (LIST_AT, "read"),
        (jobs[0].places["load_vectors"][0], "read"),
        (jobs[1].result_at, "write"),
    ):
        memory = bench.memory
        wrong = memory.wrong_writes if error == "write" else memory.wrong_reads
        wrong.add(address // PAGE_BYTES)
        await bench.doorbell(sound)
        assert await bench.interrupt() == DONE | FAILED
        assert await register(dut, ERROR) & 15 == ERRORS[error]
        wrong.clear()
        await bench.doorbell(sound)
        assert await bench.interrupt() == DONE
        assert all(job.is_right() for job in jobs)


@cocotb.test()
async def a_program_that_stops_is_told(dut):
    bench = await prepared(dut, 0.1)
    (job,) = bench.jobs(cases()[:1])
    address, count = job.places["load_instructions"]
    bench.memory.put(address + (count - 1) * INSTRUCTION_BYTES, [0], INSTRUCTION_BYTES)
    await bench.doorbell(part_of([job]))
    assert await bench.interrupt() == DONE | FAILED | ILLEGAL
    assert await register(dut, ERROR) & 15 == ERRORS["illegal"]


@cocotb.test()
async def a_program_that_touches_what_moves_is_told(dut):
    """With an exclusive port the run waits for the move."""
    latency = 250
    bench = await prepared(dut, 0.0, latency)
    (job,) = bench.jobs(cases()[:1])
    sound = part_of([job])
    # Brought once more beside the run, which does not wait for it.
    again = damaged(sound[2], after=0, more=0)
    await bench.doorbell([*sound[:3], again, sound[3], sound[4]])
    second = parameters()["VdmPort"] == "second"
    assert await bench.interrupt() == (DONE | FAILED if second else DONE)
    assert await register(dut, ERROR) & 15 == ERRORS["held" if second else "none"]


@cocotb.test()
@cocotb.parametrize(beats=[0, 40])
async def silence_is_told_and_ends_it(dut, beats):
    bench = await prepared(dut)
    jobs = bench.jobs(cases()[:2])
    await bench.doorbell(part_of(jobs))
    while len(bench.memory.beats) < beats:
        await RisingEdge(dut.clk_i)
    bench.memory.silent = True
    assert await bench.interrupt() == DONE | FAILED | SILENT
    assert await register(dut, ERROR) & 15 == ERRORS["timeout"]
    await bench.doorbell(part_of(jobs))
    assert await register(dut, STATUS) & (REFUSED | SILENT) == REFUSED | SILENT


@cocotb.test()
@cocotb.parametrize(latency=[4, 30], rate=[16, 11])
async def cycles_are_those_of_the_timing(dut, latency, rate):
    """One list at a time, as device/steps.rs has it: `dma_latency`, the bytes, the start, the run.

    The latency of a move is its memory's and the port's own cycles.
    """
    bench = await prepared(dut, 0.0, latency)
    bench.memory.rate = Fraction(rate)
    chosen = cases()[:3]
    jobs = bench.jobs(chosen)
    commands = jobs[0].load(0, barrier=True)
    for number, job in enumerate(jobs):
        commands.append(job.run(number + 1))
        if job is not jobs[-1]:
            commands += jobs[number + 1].load(number + 1)
    await bench.doorbell(commands)
    assert await bench.interrupt() == DONE
    for number in range(1, len(jobs)):
        loads = jobs[number].places
        widths = {"load_instructions": INSTRUCTION_BYTES}
        beats = [
            -(-count * widths.get(kind, WORD_BYTES) // bench.memory.port)
            for kind, (_, count) in loads.items()
        ]
        dma_latency = MOVE_CYCLES + latency
        transfer = -(-Fraction(sum(beats) * bench.memory.port) // rate)
        start = bench.ended[number - 1] + dma_latency + transfer
        assert bench.ended[number] == start + START_CYCLES + chosen[number].cycles


@cocotb.test()
async def runs_that_wait_for_nothing_follow_each_other_at_start_cycles(dut):
    bench = await prepared(dut)
    (job,) = bench.jobs(cases()[:1])
    commands = [*job.load(0, barrier=True), *(job.run(1) for _ in range(4))]
    await bench.doorbell(commands)
    assert await bench.interrupt() == DONE
    gaps = [later - earlier for earlier, later in zip(bench.ended, bench.ended[1:], strict=False)]
    assert gaps == [START_CYCLES + job.case.cycles] * 3


@cocotb.test()
@cocotb.parametrize(latency=[10, 100], rate=[16, 11])
async def a_whole_list_takes_about_what_the_simulator_says(dut, latency, rate):
    """Not the same: docs/rpu_rtl.md says what the simulator leaves out.

    With an exclusive port more is left out: no run begins while memory looks for a list.
    """
    bench = await prepared(dut, 0.0, latency - MOVE_CYCLES)
    bench.memory.rate = Fraction(rate)
    exclusive = parameters()["VdmPort"] == "exclusive"
    apart = Fraction(15 if exclusive else 3, 100)
    for _ in range(2):
        jobs = bench.jobs([bench.rng.choice(cases()) for _ in range(6)])
        await bench.doorbell(part_of(jobs))
        assert await bench.interrupt() == DONE
        took = await register(dut, LIST_CYCLES)
        timing = ListTiming(latency, bench.memory.rate, START_CYCLES, 3 * len(jobs), exclusive)
        said = timing_of(jobs, timing)
        dut._log.info("latency %d, rate %d: %d cycles, %d said", latency, rate, took, said)
        assert abs(took - said) <= apart * said
