"""rise_regs: every register of spec/rise/regs.toml, through its port."""

from __future__ import annotations

import sys

import cocotb
from cocotb.triggers import RisingEdge

from harness.stream import flag, random_source, start
from harness.toolchain import ROOT

sys.path.insert(0, str(ROOT / "scripts"))
import registers

DEVICE = registers.load((ROOT / "spec" / "rise" / "regs.toml").read_text())
INPUTS = ["apb_psel_i", "apb_penable_i", "apb_pwrite_i", "apb_paddr_i", "apb_pwdata_i", "read_i"]


def test_rise_regs(bench):
    bench("rise_regs")


async def access(dut, offset, data=None):
    """One access; returns what was read, and whether it was an error."""
    dut.apb_psel_i.value = 1
    dut.apb_pwrite_i.value = data is not None
    dut.apb_paddr_i.value = offset
    dut.apb_pwdata_i.value = data or 0
    await RisingEdge(dut.clk_i)
    dut.apb_penable_i.value = 1
    await RisingEdge(dut.clk_i)
    result = int(dut.apb_prdata_o.value), flag(dut.apb_pslverr_o)
    dut.apb_psel_i.value = 0
    dut.apb_penable_i.value = 0
    return result


def packed(members):
    """Width and value of a packed structure, its first member highest."""
    value, width = 0, 0
    for bits, part in members:
        value, width = value << bits | part, width + bits
    return value, width


def fields(register, word):
    return [
        (part.width, word >> part.low & ((1 << part.width) - 1))
        for part in sorted(register.field, key=lambda part: -part.low)
    ]


@cocotb.test()
async def what_is_written_stays(dut):
    rng = random_source()
    await start(dut, INPUTS)
    words = {}
    for register in DEVICE.written * 2:
        for i in range(register.count):
            word = rng.getrandbits(32)
            words[register.name, i] = word
            _, error = await access(dut, register.offset + 4 * i, word)
            assert not error
            await RisingEdge(dut.clk_i)
            assert flag(dut.control_notify_o) == (register.name == "control")
    # A row of registers has its last one highest.
    members = [
        member
        for register in DEVICE.written
        for i in reversed(range(register.count))
        for member in fields(register, words[register.name, i])
    ]
    assert int(dut.written_o.value) == packed(members)[0]


@cocotb.test()
async def what_the_hardware_says_is_read(dut):
    rng = random_source()
    await start(dut, INPUTS)
    words = [rng.getrandbits(32) for _ in DEVICE.read]
    members = [m for r, word in zip(DEVICE.read, words, strict=True) for m in fields(r, word)]
    dut.read_i.value = packed(members)[0]
    for register, word in zip(DEVICE.read, words, strict=True):
        mask = sum(((1 << part.width) - 1) << part.low for part in register.field)
        assert await access(dut, register.offset) == (word & mask, False)
        assert flag(dut.status_notify_o) == (register.name == "status")


@cocotb.test()
async def other_addresses_are_errors_and_a_window_is_handed_on(dut):
    await start(dut, INPUTS)
    (window,) = DEVICE.windows
    written = {r.offset + 4 * i for r in DEVICE.written for i in range(r.count)}
    inside = range(window.offset, window.offset + 4 * window.words, 4)
    read = {r.offset for r in DEVICE.read}
    for offset in range(0, 1 << DEVICE.address_bits, 4):
        assert (await access(dut, offset, offset))[1] == (
            offset not in written and offset not in inside
        )
        assert flag(dut.message_write_o) == (offset in inside)
        if offset in inside:
            assert int(dut.message_index_o.value) == (offset - window.offset) // 4
            assert int(dut.message_data_o.value) == offset
        assert (await access(dut, offset))[1] == (offset not in read)
