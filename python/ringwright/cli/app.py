"""The application object, `--version`, and how errors end a command."""

from __future__ import annotations

import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer

import ringwright as rw
from ringwright.cli import (
    bench,
    camera,
    compare,
    cost,
    doctor,
    explain,
    explore,
    logistic,
    machines,
    ntt,
    oracle,
    reproduce,
    rpu,
    rtl,
    sensitivity,
    soc,
    synth,
)
from ringwright.cli.verbs import Verbs
from ringwright.errors import MissingToolError, RingwrightError, StorageError
from ringwright.schedules import ScheduleWarning

#: Of the command line; 1 is a wrong answer, by the verb that found it.
BAD_USAGE, ENVIRONMENT, DEFECT, INTERRUPTED, READER_GONE = 2, 3, 70, 130, 141
_STOPPED = "interrupted, nothing was written"

app = Verbs(
    name="ringwright",
    help="An open workbench for homomorphic-encryption accelerators.",
    epilog="Exit codes: 1 a wrong answer, 2 what was given is wrong, 3 a file, tool or device that "
    "this computer lacks or refuses, 70 a defect of Ringwright, 130 interrupted.",
    pretty_exceptions_enable=False,
)
app.verb("camera")(camera.camera)
app.verb("logistic")(logistic.logistic)
app.verb("machines")(machines.machines)
app.verb("compare")(compare.compare)
app.verb("cost")(cost.cost)
app.verb("explain")(explain.explain)
app.verb("explore")(explore.explore)
app.verb("ntt")(ntt.ntt)
app.verb("oracle")(oracle.oracle)
app.verb("pareto")(explore.pareto)
app.verb("sensitivity")(sensitivity.sensitivity)
app.verb("reproduce")(reproduce.reproduce_)
app.verb("rtl")(rtl.rtl)
app.verb("synth")(synth.synth)
app.verb("doctor")(doctor.doctor)
app.add_typer(rpu.app, name="rpu")
app.add_typer(bench.app, name="bench")
app.add_typer(soc.app, name="soc")


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command line; ends the process with an exit code."""
    try:
        code: int | str | None = run(sys.argv[1:] if arguments is None else arguments)
    except SystemExit as ended:  # a shell that asks for completions, a reader that went away
        code = READER_GONE if ended.code == 1 else ended.code
    except BaseException:  # a panic of the native module is no Exception
        # Python's own exit code would be 1, which says "wrong answer".
        traceback.print_exc()
        code = DEFECT
    sys.exit(code)


def run(arguments: Sequence[str]) -> int:
    """Runs the command line; returns the exit code."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", ScheduleWarning)
        show: Callable[..., None] = warnings.showwarning

        def line(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
            if category is ScheduleWarning:
                _failed(str(message), 0)
            else:
                show(message, category, *where, **more)

        warnings.showwarning = line
        return _run(arguments)


def _run(arguments: Sequence[str]) -> int:
    command = typer.main.get_command(app)
    try:
        code = command.main(list(arguments), prog_name="ringwright", standalone_mode=False) or 0
    except RingwrightError as error:
        return _failed(str(error), _code(error))
    except (KeyboardInterrupt, typer.Abort):
        return _failed(_STOPPED, INTERRUPTED)
    except OSError as error:
        # Files are wrapped where they are written; what is left is stdout on a full disk.
        what = error.filename or "the output"
        return _failed(f"{what}: not written: {error.strerror or error}", ENVIRONMENT)
    except Exception as error:
        # Typer's own usage errors share no public base class across its versions.
        describe = getattr(error, "format_message", None)
        if describe is None:
            raise
        return _misused(describe(), error)
    # Some versions of Typer turn an interrupt into this exit code, silently.
    return _failed(_STOPPED, INTERRUPTED) if code == INTERRUPTED else code


@app.callback(invoke_without_command=True)
def _start(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
) -> None:
    if version:
        typer.echo(f"ringwright {rw.__version__}")
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit(BAD_USAGE)


def _code(error: RingwrightError) -> int:
    if type(error) is RingwrightError:  # what no class of ours foresees
        return DEFECT
    here = isinstance(error, (StorageError, MissingToolError))
    return ENVIRONMENT if here else BAD_USAGE


def _misused(message: str, error: Exception) -> int:
    """A usage error of Typer's; of a group it is about the command."""
    if not message:  # a group was given no command, and has printed its help
        return BAD_USAGE
    group = getattr(getattr(error, "ctx", None), "command", None)
    known = ", ".join(getattr(group, "commands", ()))
    return _failed(f"{message} Known: {known}" if known else message, BAD_USAGE)


def _failed(message: str, code: int) -> int:
    typer.echo(f"ringwright: {' '.join(message.split())}", err=True)
    return code
