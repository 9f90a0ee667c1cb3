"""Off-chip memory behind an AXI4 port of a device: bursts in order, at a latency and a rate.

It stalls in every handshake as it is told, answers pages with errors, or falls silent; and it holds
the device to the rules: what is offered rests until it is taken, no burst crosses a page.
"""

from __future__ import annotations

from collections import deque
from fractions import Fraction
from typing import Any

from cocotb.triggers import RisingEdge

from harness.stream import Stall, flag

PAGE_BYTES = 4096
LONGEST_BURST = 256
OKAY, SLAVE_ERROR = 0, 2


class OffchipMemory:
    """`latency`: cycles from an address to its first beat, from a write's last beat to its answer.

    `rate`: bytes that leave in a cycle, the port's where nobody sets less; beats that follow each
    other without a pause take their bytes at that rate.
    """

    def __init__(self, dut: Any, prefix: str, size: int, stall: Stall, latency: int = 3) -> None:
        self.dut, self.prefix, self.stall, self.latency = dut, prefix, stall, latency
        self.port = len(self._of("w_strb_o"))
        self.rate = Fraction(self.port)
        self.bytes = bytearray(size)
        # Pages that answer with an error.
        self.wrong_reads: set[int] = set()
        self.wrong_writes: set[int] = set()
        self.silent = False
        self.cycle = 0
        self.reads: deque[tuple[int, int, bool]] = deque()
        self.writes: deque[tuple[int, bool]] = deque()
        self.early: deque[tuple[int, int, bool]] = deque()
        self.responses: deque[tuple[int, int]] = deque()
        self.offered: dict[str, tuple[int, ...]] = {}
        self.reading = self.responding = False
        self.paid = Fraction(0)
        self.beats: list[int] = []

    def _of(self, name: str) -> Any:
        return getattr(self.dut, f"{self.prefix}{name}")

    def put(self, address: int, words: list[int], width: int) -> None:
        """Words of `width` bytes from an address on."""
        for i, word in enumerate(words):
            self.bytes[address + i * width : address + (i + 1) * width] = word.to_bytes(
                width, "little"
            )

    def get(self, address: int, count: int, width: int) -> list[int]:
        """The words of `width` bytes from an address on."""
        parts = (self.bytes[address + i * width :][:width] for i in range(count))
        return [int.from_bytes(part, "little") for part in parts]

    def _burst(self, address: int, length: int) -> list[int]:
        beats = length + 1
        last = address + beats * self.port - 1
        assert beats <= LONGEST_BURST
        assert address % self.port == 0
        assert address // PAGE_BYTES == last // PAGE_BYTES, "a burst crosses a page"
        return [address + i * self.port for i in range(beats)]

    def _offer(self) -> None:
        for channel in ("ar", "aw", "w"):
            self._of(f"{channel}_ready_i").value = not self.silent and not self.stall()
        if not self.reading:
            due = bool(self.reads) and self.reads[0][0] <= self.cycle
            if not due:
                self.paid = Fraction(self.cycle + 1)
            self.reading = due and self._paid() and not self.silent and not self.stall()
        self._of("r_valid_i").value = self.reading
        if self.reading:
            _, address, last = self.reads[0]
            data = self.bytes[address : address + self.port]
            self._of("r_data_i").value = int.from_bytes(data, "little")
            wrong = address // PAGE_BYTES in self.wrong_reads
            self._of("r_resp_i").value = SLAVE_ERROR if wrong else OKAY
            self._of("r_last_i").value = last
        if not self.responding:
            due = bool(self.responses) and self.responses[0][0] <= self.cycle
            self.responding = due and not self.silent and not self.stall()
        self._of("b_valid_i").value = self.responding
        if self.responding:
            self._of("b_resp_i").value = self.responses[0][1]

    def _paid(self) -> bool:
        """Whether the next beat's bytes have come by the end of this cycle."""
        return self.paid + Fraction(self.port) / self.rate <= self.cycle + 1

    def _rests(self, channel: str, names: tuple[str, ...]) -> tuple[int, ...] | None:
        """What a channel hands over now; it must be what it has offered before."""
        if not flag(self._of(f"{channel}_valid_o")):
            assert channel not in self.offered, f"{channel} was taken back"
            return None
        values = tuple(int(self._of(f"{channel}_{name}_o").value) for name in names)
        assert self.offered.get(channel, values) == values, f"{channel} changed"
        self.offered[channel] = values
        if not flag(self._of(f"{channel}_ready_i")):
            return None
        return self.offered.pop(channel)

    def _take(self) -> None:
        if read := self._rests("ar", ("addr", "len")):
            burst = self._burst(*read)
            self.reads.extend((self.cycle + self.latency, a, a == burst[-1]) for a in burst)
        if write := self._rests("aw", ("addr", "len")):
            burst = self._burst(*write)
            self.writes.extend((a, a == burst[-1]) for a in burst)
        if beat := self._rests("w", ("data", "strb", "last")):
            self.early.append(beat)
        while self.early and self.writes:
            self._write(self.writes.popleft(), self.early.popleft())
        if self.reading and flag(self._of("r_ready_o")):
            self.paid += Fraction(self.port) / self.rate
            self.reads.popleft()
            self.reading = False
            self.beats.append(self.cycle)
        if self.responding and flag(self._of("b_ready_o")):
            self.responses.popleft()
            self.responding = False

    def _write(self, where: tuple[int, bool], beat: tuple[int, int, bool]) -> None:
        (address, ends), (data, strobe, last) = where, beat
        assert bool(last) == ends
        for i in range(self.port):
            if strobe >> i & 1:
                self.bytes[address + i] = data >> (8 * i) & 255
        if ends:
            wrong = address // PAGE_BYTES in self.wrong_writes
            self.responses.append((self.cycle + self.latency, SLAVE_ERROR if wrong else OKAY))

    async def run(self) -> None:
        """For ever."""
        while True:
            self._offer()
            await RisingEdge(self.dut.clk_i)
            self._take()
            self.cycle += 1
