"""`ringwright rpu`: programs of the Ring Processing Unit in its own instructions, B512."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ringwright import _ringwright as native
from ringwright.cli import completion, words
from ringwright.cli.output import JSON_HELP, duration, print_json, results, table
from ringwright.cli.verbs import Verbs
from ringwright.errors import ProgramError, StorageError
from ringwright.storage import require_folder, write_whole
from ringwright.timeline import Timeline

TARGET = "rpu"
_INSTRUCTION_BYTES = 8

app = Verbs(
    name="rpu",
    help="Programs of the Ring Processing Unit in its own instructions (B512).",
    no_args_is_help=True,
)

_Out = Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write here instead.")]


@app.verb("asm")
def asm(
    program: Annotated[Path, typer.Argument(metavar="PROGRAM", help="Text, *.b512.")],
    out: _Out = None,
    json_: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """Assemble a program: a listing, or with --out the image of its instruction memory.

    An image is the instructions, eight bytes each, little-endian; data stated by `.vdm` and `.sdm`
    is not in it.
    """
    instructions, data_words = native.assemble(TARGET, str(program), _text(program))
    if out is not None:
        words = (word.to_bytes(_INSTRUCTION_BYTES, "little") for _, word, _ in instructions)
        write_whole(out, b"".join(words))
        left = f"; {data_words} words of data are not part of it" if data_words else ""
        typer.echo(f"{out}: {len(instructions)} instructions{left}", err=True)
    if json_:
        rows = [{"line": line, "word": word, "text": text} for line, word, text in instructions]
        print_json({"instructions": rows, "data_words": data_words})
    elif out is None:
        for index, (_, word, text) in enumerate(instructions):
            typer.echo(f"{index:5}  {word:016x}  {text}")


@app.verb("run")
def run(  # noqa: PLR0913, PLR0917 - every option of the verb is an argument here
    program: Annotated[Path, typer.Argument(metavar="PROGRAM", help="Text, *.b512.")],
    machine: Annotated[
        str,
        typer.Option(
            "--machine",
            autocompletion=completion.machines,
            metavar="NAME|FILE",
            help="Machine to run on.",
        ),
    ] = "rpu-128x128",
    vdm: Annotated[
        Path | None, typer.Option("--vdm", metavar="FILE", help="Vector memory before: .hex, .npy.")
    ] = None,
    sdm: Annotated[
        Path | None, typer.Option("--sdm", metavar="FILE", help="Scalar memory before: .hex, .npy.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Vector memory after: .hex, .npy.")
    ] = None,
    trace: Annotated[
        Path | None,
        typer.Option("--trace", metavar="FOLDER", help="Write a timeline and a pipeline log here."),
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """Run a program on a simulated machine: its cycles, and where they went.

    Memories hold zeros but for the words of --vdm and --sdm, over which the program's own `.vdm`
    and `.sdm` are written. With --trace come a timeline for https://ui.perfetto.dev and a log for
    the pipeline viewer Konata.
    """
    if out is not None:
        words.require_writable(out)
    if trace is not None:
        require_folder(trace)
    held = [b"" if path is None else words.read(path) for path in (vdm, sdm)]
    described = native.Machine.load(machine)
    execution = native.run_instructions(described, str(program), _text(program), held)
    if out is not None:
        words.write(out, execution.memory("vdm"))
    if trace is not None:
        trace.mkdir(parents=True, exist_ok=True)
        Timeline.of(execution).save(trace / f"{program.stem}.perfetto-trace")
        write_whole(trace / f"{program.stem}.kanata", execution.pipeline_log.encode())
    stalls = [row for row in execution.stalls if row[2]]
    if json_:
        print_json(
            {
                "machine": described.name,
                "cycles": execution.cycles,
                "clock_fs": execution.clock_fs,
                "clock_provenance": execution.clock_provenance,
                "counters": dict(execution.counters),
                "stalls": [{"unit": u, "reason": r, "cycles": c} for u, r, c in stalls],
                "provenance": execution.provenance,
            }
        )
        return
    time = duration(execution.cycles * execution.clock_fs)
    console = results()
    said = f"{execution.provenance}; the clock is {execution.clock_provenance}"
    console.print(f"{described.name}: {execution.cycles} cycles, {time} ({said})")
    counted = [(name, str(count)) for name, count in execution.counters if count]
    console.print(table(["counter", "number"], counted, right=[1]))
    rows = [(unit, reason, str(cycles)) for unit, reason, cycles in stalls]
    console.print(table(["unit", "cycles in which it", "number"], rows, right=[2]))


@app.verb("disasm")
def disasm(
    image: Annotated[Path, typer.Argument(metavar="IMAGE", help="Image of an instruction memory.")],
    out: _Out = None,
) -> None:
    """Disassemble an image of the instruction memory."""
    try:
        text = native.disassemble(TARGET, _bytes(image))
    except ProgramError as error:
        raise ProgramError(f"{image}: {error}") from None
    if out is None:
        typer.echo(text, nl=False)
    else:
        write_whole(out, text.encode())


def _text(path: Path) -> str:
    try:
        return _bytes(path).decode()
    except UnicodeDecodeError as error:
        raise ProgramError(f"{path}: byte {error.start} is not text (UTF-8)") from None


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise StorageError(f"{path}: not read: {error.strerror or error}") from error
