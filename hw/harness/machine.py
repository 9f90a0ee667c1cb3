"""Shipped machine descriptions, and their parameters by the names that RTL has for them."""

from __future__ import annotations

import sys

from .toolchain import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def described(machine: str) -> dict[str, int | str]:
    """The values of a shipped machine."""
    text = (ROOT / "machines" / f"{machine}.toml").read_text()
    return {key: entry["value"] for key, entry in tomllib.loads(text)["parameters"].items()}


def rtl_name(key: str) -> str:
    """`bank_words` is `BankWords` in RTL."""
    return "".join(word.title() for word in key.split("_"))
