"""The command line's verbs: each option once, unless it may be repeated; help by `-h` as well.

Options that belong together are fields of a dataclass, and a verb takes the dataclass.
"""

from __future__ import annotations

import functools
import inspect
import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import is_dataclass
from inspect import Parameter
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

        def add(function: Callable[..., Any]) -> Callable[..., Any]:
            self.command(name, cls=Verb)(_flat(function))
            return function

        return add


def _flat(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` with the fields of its dataclasses as its own parameters, as Typer reads them."""
    options = [each.replace(kind=Parameter.KEYWORD_ONLY) for each in _leaves(function)]

    @functools.wraps(function)
    def called(**given: Any) -> Any:
        return _filled(function, given)

    vars(called)["__signature__"] = inspect.Signature(options)
    called.__annotations__ = {option.name: option.annotation for option in options}
    return called


def _leaves(taker: Callable[..., Any]) -> Iterator[Parameter]:
    """Parameters of a function or dataclass, those of the dataclasses among them in their place."""
    for parameter in _parameters(taker):
        if _is_group(parameter):
            yield from _leaves(parameter.annotation)
        else:
            yield parameter


def _filled(taker: Callable[..., Any], given: dict[str, Any]) -> Any:
    """What a function or dataclass makes of values by name."""
    values = {}
    for parameter in _parameters(taker):
        name, kind = parameter.name, parameter.annotation
        values[name] = _filled(kind, given) if _is_group(parameter) else given[name]
    return taker(**values)


def _is_group(parameter: Parameter) -> bool:
    return is_dataclass(parameter.annotation)


def _parameters(taker: Callable[..., Any]) -> Iterable[Parameter]:
    return inspect.signature(taker, eval_str=True).parameters.values()
