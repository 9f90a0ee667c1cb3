"""`ringwright rpu`: programs of the Ring Processing Unit in its own instructions, B512."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ringwright import _ringwright as native
from ringwright.cli.output import JSON_HELP, print_json
from ringwright.errors import ProgramError, StorageError
from ringwright.storage import write_whole

TARGET = "rpu"
_INSTRUCTION_BYTES = 8

app = typer.Typer(
    name="rpu",
    help="Programs of the Ring Processing Unit in its own instructions (B512).",
    no_args_is_help=True,
)

_Out = Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write here instead.")]


@app.command("asm")
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


@app.command("disasm")
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
