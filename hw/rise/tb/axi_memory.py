"""A memory behind an AXI4 port: bursts in order, a fixed latency, or stalls in every handshake."""

from __future__ import annotations

from collections import deque
from typing import Any

from cocotb.triggers import RisingEdge

from harness.stream import Stall, flag

PAGE_BYTES = 4096
LONGEST_BURST = 256


class AxiMemory:
    """Answers a read `latency` cycles after its address, the last word of a write after as many."""

    def __init__(self, dut: Any, beat_bytes: int, latency: int, stall: Stall) -> None:
        self.dut = dut
        self.beat_bytes = beat_bytes
        self.latency = latency
        self.stall = stall
        self.beats: dict[int, int] = {}
        self.bursts: list[int] = []
        self.cycle = 0
        self.reads: deque[tuple[int, int]] = deque()
        self.writes: deque[tuple[int, bool]] = deque()
        self.responses: deque[int] = deque()

    def _burst(self, address: int, length: int) -> list[int]:
        beats = length + 1
        last = address + beats * self.beat_bytes - 1
        assert beats <= LONGEST_BURST
        assert address // PAGE_BYTES == last // PAGE_BYTES, "a burst crosses a page"
        self.bursts.append(beats)
        return [address + i * self.beat_bytes for i in range(beats)]

    def _offer(self) -> None:
        """Drives the coming cycle; what is offered rests until it is taken."""
        dut = self.dut
        dut.ar_ready_i.value = not self.stall()
        dut.aw_ready_i.value = not self.stall()
        dut.w_ready_i.value = not self.stall()
        if not self.offering_read:
            self.offering_read = bool(self.reads) and self.reads[0][0] <= self.cycle
            self.offering_read &= not self.stall()
        dut.r_valid_i.value = self.offering_read
        if self.offering_read:
            dut.r_data_i.value = self.beats.get(self.reads[0][1], 0)
        if not self.offering_response:
            self.offering_response = bool(self.responses) and self.responses[0] <= self.cycle
            self.offering_response &= not self.stall()
        dut.b_valid_i.value = self.offering_response

    def _take(self) -> None:
        dut = self.dut
        if flag(dut.ar_valid_o) and flag(dut.ar_ready_i):
            for address in self._burst(int(dut.ar_addr_o.value), int(dut.ar_len_o.value)):
                self.reads.append((self.cycle + self.latency, address))
        if flag(dut.aw_valid_o) and flag(dut.aw_ready_i):
            burst = self._burst(int(dut.aw_addr_o.value), int(dut.aw_len_o.value))
            self.writes.extend((a, a == burst[-1]) for a in burst)
        if flag(dut.w_valid_o) and flag(dut.w_ready_i):
            address, last = self.writes.popleft()
            assert flag(dut.w_last_o) == last
            self.beats[address] = int(dut.w_data_o.value)
            if last:
                self.responses.append(self.cycle + self.latency)
        if flag(dut.r_valid_i) and flag(dut.r_ready_o):
            self.reads.popleft()
            self.offering_read = False
        if flag(dut.b_valid_i) and flag(dut.b_ready_o):
            self.responses.popleft()
            self.offering_response = False

    offering_read = False
    offering_response = False

    async def run(self) -> None:
        """For ever."""
        while True:
            self._offer()
            await RisingEdge(self.dut.clk_i)
            self._take()
            self.cycle += 1
