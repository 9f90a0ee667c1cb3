"""What a verb that takes its time is doing."""

from __future__ import annotations

from contextlib import ExitStack

from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from ringwright.cli.output import progress
from ringwright.watching import watching


class Stages:
    """Bars of a verb's stages, one below the other, on a terminal; elsewhere a line for each, if
    there are to be `lines`.

    with Stages("bench") as stages:
        stages("keys")
    """

    def __init__(self, verb: str, *, lines: bool = True) -> None:
        self.verb, self.lines = verb, lines
        columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
        self._bars = Progress(*columns, console=progress())
        self._stage: TaskID | None = None
        self._watching = ExitStack()

    def __enter__(self) -> Stages:
        if self._bars.console.is_terminal:
            self._bars.start()
            self._watching.enter_context(watching(self._done))
        return self

    def __call__(self, stage: str) -> None:
        """A stage begins; the one before has ended."""
        self._end()
        if self._bars.live.is_started:
            self._stage = self._bars.add_task(stage, total=None)
        elif self.lines:
            self._bars.console.print(f"{self.verb}: {stage}")

    def __exit__(self, *_: object) -> None:
        self._end()
        self._watching.close()
        if self._bars.live.is_started:
            self._bars.stop()

    def share(self, done: float) -> None:
        """How much of the stage is done."""
        self._done(done)

    def _done(self, share: float | None) -> None:
        if self._stage is not None and share is not None:
            self._bars.update(self._stage, total=1.0, completed=share)

    def _end(self) -> None:
        if self._stage is not None:
            self._bars.update(self._stage, total=1.0, completed=1.0)
