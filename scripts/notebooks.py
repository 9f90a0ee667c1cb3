"""Runs the book's notebooks and writes what their cells print into them.

Cells are plain Python: no magics, so neither Jupyter nor its kernels are needed here. They print
nothing that differs from run to run (no measured times, no noise), so the outputs are committed,
and a test runs every notebook again and compares.
Usage: python scripts/notebooks.py            (in the built environment)
"""

from __future__ import annotations

import ast
import io
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "notebooks"

Cell = dict[str, Any]


def executed(path: Path) -> str:
    """The text of the notebook with the outputs of a fresh run, in an empty folder."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    namespace: dict[str, Any] = {"__name__": "__main__"}
    count = 0
    with _empty_folder():
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                count += 1
                cell["execution_count"] = count
                cell["outputs"] = _outputs(cell, f"cell-{count}", namespace)
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


@contextmanager
def _empty_folder() -> Iterator[None]:
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def _outputs(cell: Cell, name: str, namespace: dict[str, Any]) -> list[Cell]:
    """What the cell prints, then the value of its last line where that is an expression."""
    tree = ast.parse("".join(cell["source"]), name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with redirect_stdout(printed):
        exec(compile(tree, name, "exec"), namespace)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), name, "eval"), namespace)
    outputs: list[Cell] = []
    if printed.getvalue():
        text = printed.getvalue().splitlines(keepends=True)
        outputs.append({"name": "stdout", "output_type": "stream", "text": text})
    if value is not None:
        shown = {"text/plain": repr(value).splitlines(keepends=True)}
        result = {"data": shown, "metadata": {}, "output_type": "execute_result"}
        outputs.append({**result, "execution_count": cell["execution_count"]})
    return outputs


def main() -> None:
    """Runs all of them."""
    for path in sorted(FOLDER.glob("*.ipynb")):
        path.write_text(executed(path), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
