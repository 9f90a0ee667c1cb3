"""Who computes which points: Dask, on this computer or on a cluster.

Points that lie in the study's folder are not computed again. The others are given to workers, a few
for each at a time, and kept as they come. A worker that dies is replaced and its point given to
another; what kills three workers is an error. Stop the driver at any time and start it again.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ringwright import _ringwright as native
from ringwright.errors import MachineError, ParameterError, StorageError
from ringwright.explore.evaluate import Clock, Task, evaluate
from ringwright.explore.space import Space
from ringwright.explore.store import Row, Store, Study, need_packages
from ringwright.explore.where import Where
from ringwright.explore.workload import Workload

#: Points that each worker holds: one that it computes, and the next.
_AHEAD = 2
#: Seconds that a cluster is waited for.
_PATIENCE = 10

#: Whom the local cluster answers: nobody else.
_HERE = "127.0.0.1"

Watch = Callable[[int, int], None]


def run(  # noqa: PLR0913 - a study has these
    space: Space,
    workload: Workload,
    out: str | Path,
    *,
    workers: int = 2,
    cluster: str | None = None,
    clock: Clock = "described",
    process: str | Path | None = None,
    where: Sequence[str] = (),
    watch: Watch | None = None,
) -> Study:
    """Explores a space; `out` is the study's folder, in which a stopped run goes on.

    `cluster`: a Dask scheduler, as "tcp://host:8786"; without, so many `workers` here. `where`:
    conditions as "area_mm2 <= 20"; points outside are kept and marked as skipped. `watch` is called
    with how many points are done, of how many.

    Raises `ParameterError` for what cannot be explored, `StorageError` for a folder that cannot be
    written or a cluster that does not answer, `MismatchError` for a wrong answer.
    """
    need_packages()
    conditions = [Where.parse(each) for each in where]
    text = None if process is None else _read(process)
    store = Store(Path(out), _about(space, workload, clock, text))
    points = _Points(space, workload, clock, text)
    open_points = [p for p in points.all if not p.skipped and store.finished(p.id) is None]
    seconds: dict[str, float] = {}
    done = len(points.all) - len(open_points)
    if watch:
        watch(done, len(points.all))
    if open_points:
        with _client(cluster, workers) as client:
            for point, row, took in _computed(client, points, open_points):
                store.keep(point.id, row)
                seconds[point.id] = round(took, 3)
                done += 1
                if watch:
                    watch(done, len(points.all))
    rows = [_row(point, store, conditions) for point in points.all]
    if not any("skipped" not in row for row in rows):
        reason = rows[0]["skipped"] if rows else "no point"
        raise ParameterError(f"no design of {len(rows)} can be built, the first because: {reason}")
    return store.finish(rows, [axis.name for axis in space.axes], seconds)


@dataclass(frozen=True)
class _Point:
    """A point of the space: its values, the name of its record; or why there is none."""

    values: dict[str, Any]
    id: str
    skipped: str | None = None


class _Points:
    """What is to be computed of a space; a task is made when it is given away."""

    def __init__(self, space: Space, workload: Workload, clock: Clock, process: str | None) -> None:
        self._space, self._asked = space, (workload, clock, process)
        self.all = [self._point(values) for values in space.points()]

    def task(self, values: dict[str, Any]) -> Task:
        """Raises `MachineError` where the design contradicts itself."""
        return Task(self._space.machine(values).to_toml(), *self._asked)

    def _point(self, values: dict[str, Any]) -> _Point:
        try:
            return _Point(values, self.task(values).id)
        except MachineError as error:
            named = hashlib.sha256(repr(sorted(values.items())).encode()).hexdigest()[:16]
            return _Point(values, named, " ".join(str(error).split()))


def _row(point: _Point, store: Store, where: Sequence[Where]) -> Row:
    found = {"skipped": point.skipped} if point.skipped else store.finished(point.id)
    assert found is not None, "every point has been computed"
    outside = [str(each) for each in where if "skipped" not in found and not each.holds(found)]
    if outside:
        found = {**found, "skipped": f"not {outside[0]}"}
    return {"id": point.id, **point.values, **found}


def _computed(
    client: Any, points: _Points, wanted: Sequence[_Point]
) -> Iterator[tuple[_Point, Row, float]]:
    from distributed import as_completed
    from distributed.scheduler import KilledWorker

    waiting = iter(wanted)
    by_key: dict[str, _Point] = {}

    def give() -> Any:
        point = next(waiting, None)
        if point is None:
            return None
        by_key[point.id] = point
        return client.submit(
            timed, points.task(point.values), native.__version__, key=point.id, pure=True
        )

    holds = _AHEAD * max(1, sum(client.nthreads().values()))
    first = [future for future in (give() for _ in range(holds)) if future is not None]
    running = as_completed(first)
    for future in running:
        point = by_key.pop(future.key)
        try:
            row, took = future.result()
        except KilledWorker as error:
            raise MachineError(f"point {point.values}: it ended every worker: {error}") from error
        future.release()
        follows = give()
        if follows is not None:
            running.add(follows)
        yield point, row, took


def timed(task: Task, version: str) -> tuple[Row, float]:
    """A record and the seconds it took, on a worker.

    Raises `MachineError` where the worker is of another version than the driver.
    """
    if native.__version__ != version:
        raise MachineError(
            f"a worker has Ringwright {native.__version__}, the driver {version}: install the same"
        )
    start = time.perf_counter()
    row = evaluate(task)
    return row, time.perf_counter() - start


@contextmanager
def _client(cluster: str | None, workers: int) -> Iterator[Any]:
    from distributed import Client, LocalCluster

    if cluster is None:
        if workers < 1:
            raise ParameterError(f"workers = {workers}: from 1 on")
        made = LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            host=_HERE,
            dashboard_address=f"{_HERE}:0",
        )
        with made, Client(made) as client:
            yield client
        return
    try:
        client = Client(cluster, timeout=_PATIENCE)
    except (OSError, ValueError) as error:
        raise StorageError(f"{cluster}: no scheduler answers: {error}") from error
    with client:
        if not client.nthreads():
            raise StorageError(f"{cluster}: the scheduler has no workers")
        yield client


def _about(space: Space, workload: Workload, clock: str, process: str | None) -> dict[str, Any]:
    hashed = None if process is None else hashlib.sha256(process.encode()).hexdigest()[:16]
    return {
        "version": native.__version__,
        "machine": space.base.name,
        "identity": space.base.identity,
        "axes": [[axis.name, list(axis.values)] for axis in space.axes],
        "workload": str(workload),
        "workload_digest": workload.digest,
        "clock": clock,
        "process": hashed,
    }


def _read(file: str | Path) -> str:
    try:
        return Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise StorageError(f"{file}: not read: {error}") from error
