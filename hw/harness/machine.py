"""Shipped machine descriptions, and their parameters by the names that RTL has for them."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any

from .toolchain import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from pathlib import Path

# What is changed in a shipped machine, for models that build in seconds.
SMALL = {
    # Both degrees of the package shrink to one.
    "rise-4bfu": {"bfus": 2, "bank_words": 32, "queued_calls": 1},
    # Degrees of up to 64 words.
    "medha-8x2": {
        **{"rpaus": 2, "butterflies": 1, "dyadic_lanes": 2, "ring_words": 2},
        **{"word_bits": 30, "wide_bits": 36, "max_degree": 64, "bank_words": 256},
        **{"code_words": 128, "constants": 16, "arguments": 64, "dma_lanes": 2},
        **{"dma_bytes_per_cycle": 16},
    },
    # A register file of flip-flops is the quickest to build.
    "rpu-8x8": {
        **{"hples": 2, "banks": 4, "vector_length": 16, "word_bits": 30, "vrf_ports": "unlimited"},
        **{"vdm_words": 512, "sdm_words": 16, "im_words": 256},
    },
}


def described(machine: str) -> dict[str, int | str]:
    """The values of a shipped machine."""
    return {key: entry["value"] for key, entry in _shipped(machine)["parameters"].items()}


def read_target(machine: str) -> str:
    """The target of a shipped machine."""
    return _shipped(machine)["target"]


def _shipped(machine: str) -> dict[str, Any]:
    return tomllib.loads((ROOT / "machines" / f"{machine}.toml").read_text())


def rtl_name(key: str) -> str:
    """`bank_words` is `BankWords` in RTL."""
    return "".join(word.title() for word in key.split("_"))


def spec_name(parameter: str) -> str:
    """`BankWords` of RTL is `bank_words`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", parameter).lower()


def port_bytes(word_bits: int) -> int:
    """The narrowest port to off-chip memory: beats of two words, at least of an instruction."""
    return 8 if word_bits <= 32 else 16 if word_bits <= 64 else 32


def small_machine(base: str, folder: Path, **more: int | str) -> Path:
    """A description of a shipped machine made `SMALL`, with `more` changes, in that folder."""
    changes = SMALL[base] | more
    lines = (ROOT / "machines" / f"{base}.toml").read_text().splitlines()
    keys = [line.split(" ")[0] for line in lines]
    for key in changes:
        lines[keys.index(key)] = f'{key} = {{ value = {changes[key]!r}, source = "a test" }}'
    file = folder / "small.toml"
    file.write_text("\n".join(lines))
    return file
