"""Makes the book's reference pages: the command line, and the keys of machine files.

The first comes from the argument parser itself, the second from `spec/*/params.toml`,
`spec/host/operations.toml` and `spec/units.toml`. The pages are committed, and a test makes them
again and compares.
Usage: python scripts/reference.py            (in the built environment: it asks the parser)
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

import ringwright as rw
from ringwright.cli.app import app

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[1]
MADE = "<!-- Made by scripts/reference.py; edit what it reads. -->"

# What a `measure` of params.toml takes, and one that every such parameter of ours accepts; for a
# capacity that is its default.
MEASURES = {
    "clock": ("a frequency or a period", "1.25 GHz"),
    "time": ("a time", "20 us"),
    "rate": ("data a second", "512 GB/s"),
    "capacity": ("data, so many bits each", ""),
    "width": ("data a second, by the clock a whole number of bytes a cycle", "16 GB/s"),
}
# How the kinds of unit are called where they are listed.
UNITS = {"time": "times", "frequency": "frequencies", "data": "data, and with `/s` rates"}

MACHINE_PREFACE = """\
[Your own machine](machines.md) shows such a file, and how a value is written with a unit. Here is
every key: what it says, what is allowed, and where range and default come from. A key without a
default must be given. `clock_provenance`, beside the parameters, says
[whose the clock is](ledger.md)."""


def cli_page() -> str:
    """The page of the command line: every command, its arguments and options."""
    root = typer.main.get_command(app)
    text = ["# The command line", "", MADE, ""]
    asked = root.context_settings.get("help_option_names", ["--help"])
    helps = " or ".join(f"`{option}`" for option in asked)
    text += [f"Every command says with {helps} what it takes; this page says the same.", ""]
    text += [_escaped(root.epilog or ""), "", "Options of `ringwright` itself:", ""]
    text += [*_parameters(root, "ringwright"), ""]
    for name, command in _commands(root, "ringwright"):
        text += [f"## {name}", "", *_help(command)]
        if not _subcommands(command):
            text += [_usage(name, command), "", *_parameters(command, name), ""]
    return _joined(text)


def _subcommands(command: Any) -> dict[str, Any]:
    return getattr(command, "commands", {})


def _commands(group: Any, name: str) -> Iterator[tuple[str, Any]]:
    for key, command in _subcommands(group).items():
        yield f"{name} {key}", command
        yield from _commands(command, f"{name} {key}")


def _help(command: Any) -> list[str]:
    lines = inspect.cleandoc(command.help or "").splitlines()
    return [*map(_escaped, lines), ""] if lines else []


def _escaped(text: str) -> str:
    """Prose of a docstring as Markdown: stars and angle brackets outside of code are themselves."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(p if p.startswith("`") else re.sub(r"([*<\[])", r"\\\1", p) for p in parts)


def _usage(name: str, command: Any) -> str:
    arguments = [_metavar(parameter) for parameter in command.params if _is_argument(parameter)]
    return "```text\n" + " ".join([name, "[OPTIONS]", *arguments]) + "\n```"


# Typer's classes are not public: a parameter is known by its fields alone.
def _is_argument(parameter: Any) -> bool:
    return not any(option.startswith("-") for option in parameter.opts)


def _metavar(parameter: Any) -> str:
    return str(parameter.metavar or parameter.name.upper())


def _parameters(command: Any, name: str) -> list[str]:
    shown = [p for p in command.params if not getattr(p, "hidden", False) and p.name != "help"]
    return [_parameter(parameter, name) for parameter in shown]


def _parameter(parameter: Any, name: str) -> str:
    if _is_argument(parameter):
        head = f"`{_metavar(parameter)}`"
    else:
        value = "" if parameter.is_flag else f" {_metavar(parameter)}"
        head = ", ".join(f"`{option}{value}`" for option in parameter.opts)
        head += "".join(f", `{option}`" for option in parameter.secondary_opts)
    notes = ["may be repeated"] if getattr(parameter, "multiple", False) else []
    flag = getattr(parameter, "is_flag", False)
    if isinstance(parameter.default, (str, int, float, Path)) and not flag:
        notes.append(f"default: `{parameter.default}`")
    text = _escaped(" ".join((parameter.help or "").split()))
    if not text:
        raise SystemExit(f"{name} {head}: no help is written")
    return f"- {head}: {text}" + (f" ({'; '.join(notes)})" if notes else "")


def machine_page() -> str:
    """The page of machine files: every key that may be given, by target, host and link."""
    text = ["# Keys of machine files", "", MADE, ""]
    text += [*MACHINE_PREFACE.splitlines(), "", *_units()]
    for target in rw.targets():
        text += [f"## Target `{target.name}`", "", _sentence(target.title), ""]
        text += [*_shipped(target.name), "", *_keys(f"spec/{target.name}/params.toml")]
    text += ["## Hosts", "", "A file under `machines/hosts/`, or yours. Under `[parameters]`:", ""]
    text += _keys("spec/host/params.toml")
    text += [
        "Under `[cycles]`, for each operation that is known, `value`, `provenance`, `source`, and"
    ]
    text += ["where a fit leaves it open `low` and `high`, in cycles:", ""]
    text += [*_operations(), "", "## Links", "", "A file under `machines/links/`, or yours.", ""]
    return _joined([*text, *_keys("spec/link/params.toml")])


def _units() -> list[str]:
    kinds = tomllib.loads((ROOT / "spec/units.toml").read_text())
    listed = [
        f"- {UNITS[kind]}: " + ", ".join(f"`{symbol}`" for symbol in units)
        for kind, units in kinds.items()
    ]
    return ["Units are written as here; capitals matter.", "", *listed, ""]


def _shipped(target: str) -> list[str]:
    machines = [machine for machine in rw.machines() if machine.target == target]
    return [f"- `{machine.name}`: {_sentence(machine.title)}" for machine in machines]


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:].rstrip('.')}."


def _declared(path: str) -> list[dict[str, Any]]:
    parameters: list[dict[str, Any]] = tomllib.loads((ROOT / path).read_text())["parameter"]
    return parameters


def _keys(path: str) -> list[str]:
    text, declared = [], _declared(path)
    defaults = {entry["name"]: entry.get("default") for entry in declared}
    for entry in declared:
        text.append(f"`{entry['name']}`: {_escaped(entry['summary'])}")
        text += [
            f"- {_allowed(entry)}",
            *_quantity(entry, defaults),
            f"- {_escaped(entry['source'])}",
        ]
        text += [*_strict(entry), ""]
    return text


def _allowed(entry: dict[str, Any]) -> str:
    unit = "" if entry["unit"] == "none" else f" {entry['unit']}"
    if entry["kind"] in {"int", "float"}:
        number = "whole number" if entry["kind"] == "int" else "number"
        allowed = f"{number} from {entry['min']:,} to {entry['max']:,}{unit}{_domain(entry)}"
    elif entry["kind"] == "choice":
        allowed = "one of " + ", ".join(f'`"{choice}"`' for choice in entry["choices"])
    else:
        allowed = {"bool": "`true` or `false`", "text": "text"}[entry["kind"]]
    default = entry.get("default")
    if default is None:
        return f"{allowed}; must be given"
    shown = f"{default:,}" if isinstance(default, int) else f'`"{default}"`'
    return f"{allowed}; default {shown}"


def _domain(entry: dict[str, Any]) -> str:
    """Which numbers of its range there are."""
    domain = entry.get("domain")
    if domain is None:
        return ""
    if isinstance(domain, str):
        return f", a {domain.replace('_', ' ')}"
    ((name, number),) = domain.items()
    return f", a {name.replace('_', ' ')} {number}"


def _quantity(entry: dict[str, Any], defaults: dict[str, Any]) -> list[str]:
    """How it may be written with a unit."""
    if "quantity" not in entry:
        return []
    quantity = entry["quantity"]
    what, example = MEASURES[quantity["measure"]]
    of = quantity.get("of")
    if quantity["measure"] == "capacity":
        bits = of if isinstance(of, int) else defaults[of]
        size = entry["default"] * bits // 8
        unit, factor = ("GiB", 1 << 30) if size >= 1 << 30 else ("KiB", 1 << 10)
        example = f"{size / factor:g} {unit}"
    what = what.replace("the clock", f"`{of}`").replace("so many", _bits(of))
    return [f'- with a unit, here or as `{quantity["key"]}`: {what}, such as `"{example}"`']


def _strict(entry: dict[str, Any]) -> list[str]:
    """What it is where the papers' words are read the harsher way, if a declaration says so."""
    if "strict" not in entry:
        return []
    return [f"- read strictly: `{entry['strict']}`; {_escaped(entry.get('strict_source', ''))}"]


def _bits(of: int | str | None) -> str:
    return str(of) if isinstance(of, int) else f"`{of}`"


def _operations() -> list[str]:
    return [
        f"- `{entry['name']}`: {_escaped(entry['summary'])}"
        for entry in _declared("spec/host/operations.toml")
    ]


def _joined(lines: list[str]) -> str:
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip() + "\n"


def generated() -> dict[str, str]:
    """Path and text of every page that is made."""
    return {"docs/cli.md": cli_page(), "docs/machine_keys.md": machine_page()}


def main() -> None:
    """Writes the pages."""
    for path, text in generated().items():
        (ROOT / path).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
