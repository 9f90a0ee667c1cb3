"""The command line's verbs: each option once, unless it may be repeated; help by `-h` as well."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable
from typing import Any

import typer
from typer.core import TyperCommand

_COMMAND = "ringwright.command"


class Verb(TyperCommand):
    """A command that refuses a repeated option, where others would take the last in silence."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Raises a usage error that names the option."""
        _, _, order = self.make_parser(ctx).parse_args(list(args))
        for parameter, times in Counter(order).items():
            if times > 1 and parameter.param_type_name == "option" and not parameter.multiple:
                said, option = f"given {times} times; once allowed", f"'{parameter.opts[0]}'"
                raise typer.BadParameter(said, param_hint=option)
        ctx.meta[_COMMAND] = shlex.join([*ctx.command_path.split(), *args])
        return super().parse_args(ctx, args)


def command_of(context: typer.Context) -> str | None:
    """What the user typed, as a shell takes it."""
    said = context.meta.get(_COMMAND)
    return None if said is None else str(said)


class Verbs(typer.Typer):
    """A group of verbs."""

    def __init__(self, **settings: Any) -> None:
        names = {"help_option_names": ["-h", "--help"]}
        super().__init__(context_settings=names, **settings)

    def verb(self, name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Adds a function under this name."""
        return self.command(name, cls=Verb)
