"""medha: whole programs through registers and bus, and what is refused.

Encrypted programs are lowered for a small machine; what lies in memory is their image. The list
runs behind a doorbell and ends with one interrupt, while memory stalls at random: each tower that a
program returns must be the interpreter's, word for word. Then everything that can be wrong with a
list, with memory or with microcode: it is told by its code, and the next list runs.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from harness.machine import small_machine
from harness.offchip import OffchipMemory
from harness.stream import Stall, flag, random_source, start

PROGRAMS = "RINGWRIGHT_BENCH_PROGRAMS"
MACHINE = "medha-8x2"
LOG_N, BITS, LEVELS, SCALE = 6, 29, 2, 20
# Offsets and bits of spec/medha/regs.toml.
LIST, DOORBELL, STATUS, ERROR, CYCLES, MACHINE_REGISTER = 0x00, 0x04, 0x08, 0x0C, 0x10, 0x14
DONE, REFUSED, FAILED = 2, 4, 8
NOT_WRITTEN, IN_USE, PORT, READ, WRITE, COMMAND = 1, 2, 3, 5, 6, 7
BEAT_BYTES = 16
LANES = 2
TIMEOUT = 200_000
#: Cycles from the doorbell to the first beat, and from the last to the interrupt.
LIST_LATENCY = 7


def programs(machine):
    """A product with relinearisation and rescaling; a rotation of one."""
    from ringwright import _ringwright as native
    from ringwright.machines import backend

    rw = pytest.importorskip("ringwright")
    params = rw.ckks.Parameters(
        log_n=LOG_N, q_bits=[BITS] * LEVELS, p_bits=[BITS], log_scale=SCALE, insecure=True
    )
    small = rw.ckks.Input(max=0.5)

    @rw.program(inputs={"x": small, "y": small})
    def product(x, y):
        return x * y

    @rw.program(inputs={"x": small, "y": small})
    def row(x, y):
        return (x * y).rotate(1) + y.rotate(2)

    for each in (product, row):
        yield each.name, native.Module.expanded(each.trace(params), backend(machine))


def images(machine, seed):
    from ringwright import _ringwright as native

    for name, module in programs(machine):
        image = native.image(machine, module, seed, 0)
        ((_, base, data),) = image.memories
        assert base == 0
        yield {
            "name": name,
            "memory": data.hex(),
            "writes": image.writes,
            "results": [(address, data.hex()) for address, data in image.results],
        }


@pytest.mark.slow
def test_medha(bench, tmp_path, monkeypatch, seed):
    rw = pytest.importorskip("ringwright")
    from ringwright import _ringwright as native

    machine = rw.Machine.load(str(small_machine(MACHINE, tmp_path, rpaus=3)))
    listed = tmp_path / "programs.json"
    listed.write_text(json.dumps(list(images(machine, seed))))
    monkeypatch.setenv(PROGRAMS, str(listed))
    parameters = native.rtl_package(machine, seed).parameters
    bench("medha", **parameters, Products="sliced")


async def register(dut, offset, value=None):
    """Writes a register, or reads it."""
    dut.apb_psel_i.value, dut.apb_paddr_i.value = 1, offset
    dut.apb_pwrite_i.value = value is not None
    dut.apb_pwdata_i.value = value or 0
    await RisingEdge(dut.clk_i)
    dut.apb_penable_i.value = 1
    await RisingEdge(dut.clk_i)
    assert not flag(dut.apb_pslverr_o)
    read = int(dut.apb_prdata_o.value)
    dut.apb_psel_i.value = dut.apb_penable_i.value = 0
    return read


class Port:
    """The ports of one lane, or of the list, as those of a design that has no other.

    `medha` has the lanes' side by side in one signal each; what is driven is kept in `driven`,
    since memories write their parts of it in one cycle. Nothing is written where the list is.
    """

    def __init__(self, dut, lane, driven):
        self.dut, self.lane, self.driven = dut, lane, driven
        self.clk_i = dut.clk_i

    def __getattr__(self, name):
        signal = f"lane_{name}" if self.lane is not None else f"list_{name}"
        return Part(self, getattr(self.dut, signal, None), signal)


class Part:
    """A lane's part of a signal; without a signal it is 0."""

    def __init__(self, port, handle, signal):
        self.port, self.handle, self.signal = port, handle, signal

    def __len__(self):
        if self.handle is None:
            return BEAT_BYTES
        return len(self.handle) // (1 if self.port.lane is None else LANES)

    def _at(self):
        return len(self) * (self.port.lane or 0)

    @property
    def value(self):
        if self.handle is None:
            return 0
        return int(self.handle.value) >> self._at() & ((1 << len(self)) - 1)

    @value.setter
    def value(self, word):
        if self.handle is not None:
            others = self.port.driven.get(self.signal, 0) & ~(((1 << len(self)) - 1) << self._at())
            self.port.driven[self.signal] = others | int(word) << self._at()
            self.handle.value = self.port.driven[self.signal]


class Bench:
    """The design with one memory behind its three ports."""

    def __init__(self, dut, program, stall=0.0):
        self.dut, self.program = dut, program
        #: Cycles from the doorbell to the interrupt.
        self.elapsed = 0
        data = bytes.fromhex(program["memory"])
        self.bytes = bytearray(data)
        rng, driven = random_source(), {}
        ports = [Port(dut, lane, driven) for lane in (None, *range(LANES))]
        self.ports = [OffchipMemory(port, "", 0, Stall(stall, rng)) for port in ports]
        for port in self.ports:
            port.bytes = self.bytes
        self.tasks = [cocotb.start_soon(port.run()) for port in self.ports]

    async def run(self):
        """Rings; the status behind the interrupt."""
        for offset, value in self.program["writes"]:
            await register(self.dut, offset, value)
        for self.elapsed in range(1, TIMEOUT):
            await RisingEdge(self.dut.clk_i)
            if flag(self.dut.irq_o):
                break
        status = await register(self.dut, STATUS)
        await RisingEdge(self.dut.clk_i)
        assert not flag(self.dut.irq_o), "reading takes the interrupt"
        return status

    def beats(self):
        """The list, as words."""
        ((_, _), (_, count)) = self.program["writes"]
        words = (self.bytes[i * BEAT_BYTES :][:BEAT_BYTES] for i in range(count))
        return [int.from_bytes(word, "little") for word in words]

    def put(self, at, beat):
        self.bytes[at * BEAT_BYTES : (at + 1) * BEAT_BYTES] = beat.to_bytes(BEAT_BYTES, "little")

    def is_right(self):
        results = self.program["results"]
        return all(
            self.bytes[address : address + len(data) // 2] == bytes.fromhex(data)
            for address, data in results
        )

    def close(self):
        for task in self.tasks:
            task.cancel()


def listed():
    return json.loads(Path(os.environ[PROGRAMS]).read_text())


async def begin(dut):
    names = ["psel", "penable", "pwrite", "paddr", "pwdata"]
    inputs = [f"apb_{name}_i" for name in names]
    channels = ["ar_ready", "r_valid", "r_data", "r_resp"]
    inputs += [f"list_{name}_i" for name in channels]
    channels += ["aw_ready", "w_ready", "b_valid", "b_resp"]
    inputs += [f"lane_{name}_i" for name in channels]
    await start(dut, inputs)


@cocotb.test()
@cocotb.parametrize(stall=[0.0, 0.3])
async def programs_leave_what_they_mean(dut, stall):
    await begin(dut)
    for program in listed():
        bench = Bench(dut, program, stall)
        assert await bench.run() == DONE, f"{await register(dut, ERROR):#x}"
        assert bench.is_right(), program["name"]
        assert await register(dut, ERROR) & 15 == 0
        cycles = await register(dut, CYCLES)
        dut._log.info("%s: kernels ran for %d cycles", program["name"], cycles)
        if not stall:
            # A memory that answers at once: a beat a cycle, and the ways there and back.
            assert bench.elapsed - cycles == len(bench.beats()) + LIST_LATENCY, program["name"]
        bench.close()
    machine = await register(dut, MACHINE_REGISTER)
    assert (machine & 31, machine >> 8 & 7, machine >> 16 & 31) == (3, 0, 6)


@cocotb.test()
async def a_list_that_runs_is_not_begun_again(dut):
    await begin(dut)
    bench = Bench(dut, listed()[0])
    for offset, value in bench.program["writes"]:
        await register(dut, offset, value)
    await register(dut, DOORBELL, 1)
    assert await register(dut, STATUS) & REFUSED
    while not flag(dut.irq_o):
        await RisingEdge(dut.clk_i)
    assert await register(dut, STATUS) == DONE
    assert bench.is_right()
    bench.close()


def commands(beats):
    """Positions of the commands among the beats of a list, by kind."""
    at, found = 0, {1: [], 2: [], 3: []}
    while at < len(beats):
        kind = beats[at] & 15
        found[kind].append(at)
        at += 1 + (beats[at] >> 40 & 0xFFFFFF if kind == 1 else 0)
    return found


@cocotb.test()
async def what_is_wrong_is_told_and_the_next_list_runs(dut):
    await begin(dut)
    program = listed()[0]
    beats = Bench(dut, program).beats()
    found = commands(beats)
    last_run = found[3][-1]

    def no_command(bench):
        bench.put(found[2][0], 9)

    def cut_short(bench):
        bench.put(last_run, beats[last_run] & ~15 | 1 | 5 << 40)

    def no_list(bench):
        bench.ports[0].wrong_reads.add(0)

    def no_reads(bench):
        bench.ports[1].wrong_reads.update(range(64))

    def no_writes(bench):
        bench.ports[1].wrong_writes.update(range(64))
        bench.ports[2].wrong_writes.update(range(64))

    def hasty(bench):
        """A dyadic core that waits for nobody: code of stream 1 of RPAU 1."""
        for at in found[1]:
            beat = beats[at]
            unit, which, address = beat >> 4 & 31, beat >> 9 & 7, beat >> 16 & 0xFFFFFF
            if (unit, which, address >> 20) == (1, 0, 1):
                for i in range(at + 1, at + 1 + (beat >> 40)):
                    bench.put(i, beats[i] >> 64 << 64)

    cases = {
        no_command: {COMMAND},
        cut_short: {COMMAND},
        no_list: {READ},
        no_reads: {READ},
        no_writes: {WRITE},
        hasty: {NOT_WRITTEN, IN_USE, PORT},
    }
    for spoil, codes in cases.items():
        bench = Bench(dut, program)
        spoil(bench)
        status = await bench.run()
        error = await register(dut, ERROR)
        assert status == DONE | FAILED, f"{spoil.__name__}: {status:#x}"
        assert error & 15 in codes, f"{spoil.__name__}: {error:#x}"
        bench.close()
        again = Bench(dut, program)
        assert await again.run() == DONE, spoil.__name__
        assert again.is_right(), spoil.__name__
        again.close()
