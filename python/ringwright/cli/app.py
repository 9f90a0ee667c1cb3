"""The application object, `--version`, and how errors end a command."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

import ringwright as rw
from ringwright.cli import (
    bench,
    camera,
    doctor,
    explain,
    logistic,
    machines,
    ntt,
    oracle,
    reproduce,
    rpu,
    rtl,
    synth,
)
from ringwright.errors import MachineError, ParameterError, RingwrightError

FAILED, BAD_USAGE, INTERRUPTED = 1, 2, 130
_STOPPED = "interrupted, nothing was written"

app = typer.Typer(
    name="ringwright",
    help="An open workbench for homomorphic-encryption accelerators.",
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command("camera")(camera.camera)
app.command("logistic")(logistic.logistic)
app.command("machines")(machines.machines)
app.command("explain")(explain.explain)
app.command("ntt")(ntt.ntt)
app.command("oracle")(oracle.oracle)
app.command("reproduce")(reproduce.reproduce_)
app.command("rtl")(rtl.rtl)
app.command("synth")(synth.synth)
app.command("doctor")(doctor.doctor)
app.add_typer(rpu.app, name="rpu")
app.add_typer(bench.app, name="bench")


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command line; ends the process with an exit code."""
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


def run(arguments: Sequence[str]) -> int:
    """Runs the command line; returns the exit code."""
    command = typer.main.get_command(app)
    try:
        code = command.main(list(arguments), prog_name="ringwright", standalone_mode=False) or 0
    except RingwrightError as error:
        bad_usage = isinstance(error, (ParameterError, MachineError))
        return _failed(str(error), BAD_USAGE if bad_usage else FAILED)
    except (KeyboardInterrupt, typer.Abort):
        return _failed(_STOPPED, INTERRUPTED)
    except OSError as error:
        # Files are wrapped where they are written; what is left is stdout on a full disk.
        what = error.filename or "the output"
        return _failed(f"{what}: not written: {error.strerror or error}", FAILED)
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
