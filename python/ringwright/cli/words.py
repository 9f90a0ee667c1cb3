"""Words of a device's memory in files: text, or numpy arrays.

Text (`*.hex`) has a word in hexadecimal on each line, as Verilog's `$readmemh` reads it; what
follows `//` or `#` is a comment. An array (`*.npy`) of `uint64` has a word in each entry, or with
two columns its low and its high half. Inside, words are 16 bytes, little-endian.
"""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np

from ringwright.errors import FormatError, ParameterError, StorageError
from ringwright.storage import require_file, write_whole

WORD_BYTES = 16
_KINDS = "allowed are .hex (text) and .npy (numpy)"


def read(path: Path) -> bytes:
    """The words of a file.

    Raises `StorageError` where it cannot be read, `FormatError` where it holds something else, and
    `ParameterError` for a name of another kind.
    """
    try:
        held = path.read_bytes()
    except OSError as error:
        raise StorageError(f"{path}: not read: {error.strerror or error}") from error
    if path.suffix == ".hex":
        return _of_text(path, held)
    if path.suffix == ".npy":
        return _of_array(path, held)
    raise ParameterError(f"{path}: {_KINDS}")


def require_writable(path: Path) -> None:
    """For a file that a run will write, before it starts.

    Raises `ParameterError` for a name of another kind, `StorageError` where it cannot be written.
    """
    if path.suffix not in {".hex", ".npy"}:
        raise ParameterError(f"{path}: {_KINDS}")
    require_file(path)


def write(path: Path, words: bytes) -> None:
    """The words in a file of either kind."""
    if path.suffix == ".hex":
        rows = (words[i : i + WORD_BYTES] for i in range(0, len(words), WORD_BYTES))
        text = "".join(f"{int.from_bytes(row, 'little'):032x}\n" for row in rows)
        write_whole(path, text.encode())
    elif path.suffix == ".npy":
        held = io.BytesIO()
        np.save(held, np.frombuffer(words, "<u8").reshape(-1, 2))
        write_whole(path, held.getvalue())
    else:
        raise ParameterError(f"{path}: {_KINDS}")


def _of_text(path: Path, held: bytes) -> bytes:
    words = []
    for number, line in enumerate(held.decode(errors="replace").splitlines(), 1):
        word = line.split("//")[0].split("#")[0].strip()
        if not word:
            continue
        try:
            words.append(int(word, 16).to_bytes(WORD_BYTES, "little"))
        except (ValueError, OverflowError):
            raise FormatError(
                f"{path}:{number}: {word[:40]!r} is no word of up to 32 hexadecimal digits"
            ) from None
    return b"".join(words)


def _of_array(path: Path, held: bytes) -> bytes:
    try:
        array = np.load(io.BytesIO(held), allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise FormatError(f"{path}: no numpy array: {error}") from error
    columns = array.shape[1:] if isinstance(array, np.ndarray) else None
    if columns not in ((), (2,)) or array.dtype != np.uint64:
        raise FormatError(f"{path}: allowed are arrays of uint64 with one or two columns")
    whole = array.reshape(len(array), -1)
    if whole.shape[1] == 1:
        whole = np.hstack([whole, np.zeros_like(whole)])
    return bytes(whole.astype("<u8").tobytes())
