"""Long work that says how far it is::

    with rw.watching(lambda share: print(share)):
        server.run(program, *vectors)

It is for bars: the work may wait until it has been told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ringwright import _ringwright as native

__all__ = ["watching"]


@contextmanager
def watching(watcher: Callable[[float | None], object]) -> Iterator[None]:
    """Has long native work of this thread tell a function which share of it is done, 0 to 1.

    It is told up to forty times a second: by runs on the CPU, in operations on towers, by key
    generation, in keys; anything else says `None`. What it raises stops the work.
    """
    before = native.watch(watcher)
    try:
        yield
    finally:
        native.watch(before)
