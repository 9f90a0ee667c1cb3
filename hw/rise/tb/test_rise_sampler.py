"""rise_sampler: values as hashlib's SHAKE-256 gives them, in the cycles that the header states."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import cocotb
from cocotb.triggers import RisingEdge

from harness import latency
from harness.bench import parameters
from harness.stream import flag, random_source, start

BLOCK_BYTES = 136
BLOCK_LANES = 17
SEED_LANES = 4
HALF = 21
SAMPLES = 8 * BLOCK_BYTES // (2 * HALF)


def test_rise_sampler(bench):
    bench("rise_sampler", LogNMax=8, RoundsPerCycle=2)


def message_tail(stream, blocks):
    """What follows the seed: length, name, tower, padding (FIPS 202, SHAKE-256)."""
    tail = bytearray([len(stream), *stream.encode(), 0, 0, 0x1F])
    tail += bytes(blocks * BLOCK_BYTES - 8 * SEED_LANES - len(tail))
    tail[-1] |= 0x80
    return tail


def samples(seed, stream, count, binomial):
    """Every position of every block that is read: a value, or None for a skipped byte."""
    text = bytes([len(stream), *stream.encode(), 0, 0])
    blocks = -(-count // SAMPLES) if binomial else -(-(count + count // 128 + 64) // BLOCK_BYTES)
    output = hashlib.shake_256(seed + text).digest(blocks * BLOCK_BYTES)
    if not binomial:
        return [None if byte == 255 else byte % 3 - 1 for byte in output]
    values = []
    for block in range(blocks):
        bits = int.from_bytes(output[block * BLOCK_BYTES :][:BLOCK_BYTES], "little")
        for i in range(SAMPLES):
            low = (bits >> (2 * HALF * i)) & ((1 << HALF) - 1)
            high = (bits >> (2 * HALF * i + HALF)) & ((1 << HALF) - 1)
            values.append(low.bit_count() - high.bit_count())
    return values[:count]


async def write_message(dut, tail, first_lane):
    for i in range(0, len(tail), 4):
        dut.message_write_i.value = 1
        dut.message_index_i.value = 2 * first_lane + i // 4
        dut.message_data_i.value = int.from_bytes(tail[i : i + 4], "little")
        await RisingEdge(dut.clk_i)
    dut.message_write_i.value = 0


@dataclass
class Request:
    """What is drawn; an addend's first word comes after `wait` cycles."""

    seed: bytes
    stream: str
    log_n: int
    binomial: bool
    q: int
    addend: list[int] | None
    wait: int


async def draw(dut, request):
    """Draws a polynomial and compares each cycle."""
    seed, stream, q, addend = request.seed, request.stream, request.q, request.addend
    log_n, binomial, wait = request.log_n, request.binomial, request.wait
    blocks = (32 + len(stream) + 3) // BLOCK_BYTES + 1
    first_lane = (64 - blocks * BLOCK_LANES + SEED_LANES) // 2
    await write_message(dut, message_tail(stream, blocks), first_lane)
    dut.seed_i.value = int.from_bytes(seed, "little")
    for name, value in {
        "binomial_i": binomial,
        "add_i": addend is not None,
        "tail_i": first_lane,
        "blocks_i": blocks,
        "log_n_i": log_n,
        "modulus_i": q,
    }.items():
        getattr(dut, name).value = value
    count = 1 << log_n
    permutation = latency.keccak_f1600(parameters()["RoundsPerCycle"])
    begin = blocks * (BLOCK_LANES + permutation)
    begin = max(begin, wait if addend else 0)
    due, index = {}, 0
    positions = samples(seed, stream, count, binomial)
    for position, value in enumerate(positions):
        if value is not None and index < count:
            due[begin + position] = (index, (value + (addend[index] if addend else 0)) % q)
            index += 1
    taken = 0
    for cycle in range(begin + len(positions)):
        dut.start_i.value = cycle == 0
        if addend:
            dut.addend_valid_i.value = cycle >= wait and taken < count
            dut.addend_i.value = addend[min(taken, count - 1)]
        await RisingEdge(dut.clk_i)
        assert flag(dut.write_o) == (cycle in due), cycle
        if cycle in due:
            assert (int(dut.index_o.value), int(dut.word_o.value)) == due[cycle], cycle
            taken += 1
        assert flag(dut.done_o) == (cycle == begin + len(positions) - 1), cycle
    assert taken == count
    dut.addend_valid_i.value = 0


@cocotb.test()
@cocotb.parametrize(binomial=[False, True], name_length=[1, 100, 200])
async def samples_are_right_and_on_time(dut, binomial, name_length):
    rng = random_source()
    await start(dut, ["start_i", "message_write_i", "addend_valid_i", "addend_i"])
    for _ in range(3):
        stream = "".join(rng.choice("abcdef.") for _ in range(name_length))
        q = rng.randrange(1 << 16, 1 << 30) | 1
        log_n = rng.randint(5, parameters()["LogNMax"])
        words = [rng.choice((0, q - 1, rng.randrange(q))) for _ in range(1 << log_n)]
        for addend in (None, words):
            wait = rng.randrange(300)
            request = Request(rng.randbytes(32), stream, log_n, binomial, q, addend, wait)
            await draw(dut, request)
