"""Proofs, for all inputs and all time, at sizes that z3 closes in seconds; 8 bits take minutes."""

from __future__ import annotations

import pytest

from harness import latency
from harness.fault import Fault
from harness.formal import NotProved, prove

# Clocked assertions report one step late, and the reset takes one.
SLACK = 2


@pytest.mark.parametrize("depth", [1, 3, 4])
def test_fifo_never_overflows_never_loses(tmp_path, depth):
    prove("formal_fifo", {"Depth": depth}, SLACK, tmp_path)


@pytest.mark.parametrize("inputs", [2, 3, 4])
def test_arbiter_is_fair_and_steady(tmp_path, inputs):
    prove("formal_rr_arbiter", {"Inputs": inputs}, SLACK, tmp_path)


SLICED = {"Products": "Sliced"}
SHORT = {"Quotient": "WithoutLowHalf"}


# With constants that travel beside the operands and a factor of any word, eight bits are beyond the
# solver's five minutes; six bits of trees take four of them.
@pytest.mark.parametrize(
    "parameters",
    [
        {"Width": 4, "Stages": 3},
        pytest.param({"Width": 5, "Stages": 4}, marks=pytest.mark.slow),
        SLICED | {"Width": 6, "Stages": 4},
        SLICED | SHORT | {"Width": 6, "Stages": 4},
    ],
    ids=str,
)
def test_barrett_mul(tmp_path, parameters):
    depth = latency.barrett_mul(parameters["Stages"]) + SLACK
    prove("formal_barrett_mul", parameters, depth, tmp_path)


@pytest.mark.parametrize(
    "parameters", [{"Width": 4, "Stages": 4}, SLICED | {"Width": 4, "Stages": 7}], ids=str
)
def test_barrett_mul_every_other_cycle(tmp_path, parameters):
    # Two cycles more, for the operation before.
    depth = latency.barrett_mul(parameters["Stages"]) + SLACK + 2
    prove("formal_barrett_mul", parameters | {"Interval": 2}, depth, tmp_path)


@pytest.mark.parametrize("form", ["CooleyTukey", "GentlemanSande"])
def test_butterfly(tmp_path, form):
    depth = latency.butterfly(mul_stages=2) + SLACK
    prove("formal_butterfly", {"Form": form, "Width": 5, "MulStages": 2}, depth, tmp_path)


@pytest.mark.parametrize("rule", ["shared_reads", "one_bit"])
def test_rpu_busyboard_keeps_writers_apart_and_lets_all_through(tmp_path, rule):
    prove("formal_rpu_busyboard", {"Rule": rule}, SLACK, tmp_path)


def test_rpu_dma_bursts_are_the_move_and_cross_no_page(tmp_path):
    prove("formal_rpu_dma_bursts", {}, SLACK, tmp_path)


def test_medha_owners_keep_words_and_ports_apart(tmp_path):
    prove("formal_medha_owners", {}, SLACK, tmp_path)


@pytest.mark.parametrize("cycles", [2, 4])
def test_medha_ring_loses_nothing(tmp_path, cycles):
    prove("formal_medha_ring", {"Cycles": cycles}, cycles + SLACK, tmp_path)


@pytest.mark.parametrize(
    "parameters",
    [{"Spaced": 1, "Depth": 1}, {"Spaced": 0, "Depth": 1}, {"Spaced": 0, "Depth": 3}],
    ids=str,
)
def test_rise_write_buffer_never_overflows_never_loses(tmp_path, parameters):
    prove("formal_rise_write_buffer", parameters, SLACK, tmp_path)


@pytest.mark.parametrize(
    ("top", "parameters", "depth", "fault"),
    [
        ("formal_fifo", {}, SLACK, Fault("fifo", "usage_q != UsageWidth'(Depth)", "1'b1")),
        ("formal_fifo", {}, SLACK, Fault("fifo", "words_q[read_q];", "words_q[write_q];")),
        (
            "formal_rise_write_buffer",
            {"Spaced": 1},
            SLACK,
            Fault("formal_rise_write_buffer", "!(read_i && read_last)", "1'b1"),
        ),
        (
            "formal_rise_write_buffer",
            {"Spaced": 0, "Depth": 3},
            SLACK,
            Fault("rise_write_buffer", "waits ? words_q[0] : incoming", "incoming"),
        ),
        (
            "formal_rise_write_buffer",
            {"Spaced": 0, "Depth": 3},
            SLACK,
            Fault("rise_write_buffer", "write_i & (read_i | waits)", "write_i & read_i"),
        ),
        (
            "formal_rr_arbiter",
            {},
            SLACK,
            Fault("rr_arbiter", "if (ready_i) pointer_d", "pointer_d"),
        ),
        (
            "formal_rr_arbiter",
            {},
            SLACK,
            Fault("rr_arbiter", "pointer_d = winner;", "pointer_d = 0;"),
        ),
        (
            "formal_barrett_mul",
            SLICED | {"Width": 6, "Stages": 1},
            latency.barrett_mul(1) + SLACK,
            Fault("barrett_sliced", "below ? remainder : reduced", "remainder"),
        ),
        (
            "formal_barrett_mul",
            SLICED | {"Width": 4, "Stages": 7, "Interval": 2},
            latency.barrett_mul(7) + SLACK,
            Fault("multiplier", "first_q[0+:SliceWidth]", "SliceWidth'(0)"),
        ),
        # A negative digit lacks its 1; a column too many is left out; the second pass is lost.
        *(
            (
                "formal_barrett_mul",
                {"Width": 4, "Stages": 4, "Interval": interval},
                latency.barrett_mul(4) + SLACK,
                fault,
            )
            for interval, fault in (
                (1, Fault("booth_rows", "? row_t'(negative[", "? row_t'(two[")),
                (1, Fault("barrett_compressed", "= dropped_columns(Width);", "= Width + 4;")),
                (2, Fault("compressed_product", "second_q ? upper_q :", "second_q ? '0 :")),
            )
        ),
        (
            "formal_butterfly",
            {"MulStages": 1},
            latency.butterfly(1) + SLACK,
            Fault("mod_sub", "carries | (halves & modulus_i)", "carries"),
        ),
        # A reader is overtaken by a writer; a second writer; a register that is never given back.
        ("formal_rpu_busyboard", {}, SLACK, Fault("rpu_busyboard", "(|(writes_i & read_q))", "0")),
        (
            "formal_rpu_busyboard",
            {},
            SLACK,
            Fault("rpu_busyboard", "(reads_i | writes_i) & written_q) |", "reads_i & written_q) |"),
        ),
        (
            "formal_rpu_busyboard",
            {},
            SLACK,
            Fault("rpu_busyboard", "(written_q & ~released)", "written_q"),
        ),
        # Who begins in the same cycle is not seen; a slot is read while it is written.
        (
            "formal_medha_owners",
            {},
            SLACK,
            Fault("medha_owners", "new_active[p] ? with_wanted[o][p] : ", ""),
        ),
        (
            "formal_medha_owners",
            {},
            SLACK,
            Fault("medha_owners", "one.reads[i] == other.write", "1'b0"),
        ),
        # A row that arrives late; one that nobody expects; a tower's last row is its first.
        (
            "formal_medha_ring",
            {"Cycles": 3},
            3 + SLACK,
            Fault("medha_link", "assign data    = passed_q ?", "assign data    = own_i ?"),
        ),
        (
            "formal_medha_ring",
            {},
            3 + SLACK,
            Fault("medha_arrivals", "wants_o && !at_hand_i", "1'b0"),
        ),
        (
            "formal_medha_ring",
            {},
            3 + SLACK,
            Fault("medha_arrivals", "row_d    = row_q + 1'b1", "row_d    = row_q"),
        ),
        # A burst runs over the page; a move's last beat is lost.
        (
            "formal_rpu_dma_bursts",
            {},
            SLACK,
            Fault("rpu_dma_bursts", "(32'(page) < BurstBeats) ? page : ", ""),
        ),
        (
            "formal_rpu_dma_bursts",
            {},
            SLACK,
            Fault("rpu_dma_bursts", "+ (WordsWidth'(1) << shift) - WordsWidth'(1)", ""),
        ),
    ],
    ids=lambda value: value.wrong if isinstance(value, Fault) else "",
)
def test_a_fault_is_found(tmp_path, top, parameters, depth, fault):
    with pytest.raises(NotProved):
        prove(top, parameters, depth, tmp_path, fault)
