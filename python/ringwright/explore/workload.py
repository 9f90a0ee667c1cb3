"""What every design of a study does: a transform, or a program on encrypted data.

ntt:65536                    one forward transform, words in order
work.py:score@4096-2x30      a function under `rw.program`, for a parameter set
kernel.ring                  a ring module
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ringwright.errors import FormatError, ParameterError, StorageError

_TRANSFORM = "ntt:"
_RING = ".ring"
_SHAPE = f"ntt:N, FILE.py:PROGRAM@PRESET or FILE{_RING}"


@dataclass(frozen=True)
class Workload:
    """A workload that can be sent elsewhere: a file's text goes with it.

    `text`: of the file, `""` for a transform. `name`: the degree, or the name of
    the program or file.
    """

    kind: Literal["transform", "program", "module"]
    name: str
    text: str = ""
    preset: str = ""

    @classmethod
    def parse(cls, given: str) -> Workload:
        """Reads `--workload`.

        Raises `ParameterError` for what is none, `StorageError` for a file that cannot be read.
        """
        if given.startswith(_TRANSFORM):
            degree = given.removeprefix(_TRANSFORM)
            n = int(degree) if degree.isdecimal() else 0
            if n < 2 or n & (n - 1):
                raise ParameterError(f"workload {given!r}: a degree is a power of two from 2 on")
            return cls("transform", degree)
        if given.endswith(_RING):
            return cls("module", Path(given).name, _read(given))
        named, mark, preset = given.rpartition("@")
        file, _, name = named.rpartition(":")
        if not mark or not file.endswith(".py") or not name or not preset:
            raise ParameterError(f"workload {given!r}: allowed are {_SHAPE}")
        return cls("program", name, _read(file), preset)

    @property
    def digest(self) -> str:
        """Hash of all that it is."""
        parts = "\0".join((self.kind, self.name, self.text, self.preset))
        return hashlib.sha256(parts.encode()).hexdigest()[:16]

    def __str__(self) -> str:
        if self.kind == "transform":
            return f"{_TRANSFORM}{self.name}"
        return f"{self.name}@{self.preset}" if self.preset else self.name


def _read(file: str) -> str:
    try:
        return Path(file).read_text(encoding="utf-8")
    except OSError as error:
        raise StorageError(f"{file}: not read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise FormatError(f"{file}: byte {error.start} is not text (UTF-8)") from error
