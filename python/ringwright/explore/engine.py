"""Who computes which points: Dask, on this computer or on a cluster.

Points that lie in the study's folder are not computed again. The others are given to workers, a few
for each at a time, and kept as they come. A worker that dies is replaced and its point given to
another; what kills three workers is an error. Stop the driver at any time and start it again.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ringwright import _ringwright as native
from ringwright.errors import MachineError, ParameterError, StorageError
from ringwright.explore.designs import Plan, grid
from ringwright.explore.evaluate import Clock, Task, code, evaluate
from ringwright.explore.space import Space
from ringwright.explore.store import Row, Store, Study, need_packages
from ringwright.explore.where import Where
from ringwright.explore.workload import Workload
from ringwright.schedules import MOST_TRIES

#: Points that each worker holds: one that it computes, and the next.
_AHEAD = 2
#: Seconds that a cluster is waited for.
_PATIENCE = 10

#: Whom the local cluster answers: nobody else.
_HERE = "127.0.0.1"

Watch = Callable[[int, int], None]


def run(  # noqa: PLR0913 - a study has these
    designs: Space | Plan,
    workload: Workload,
    out: str | Path,
    *,
    workers: int = 2,
    cluster: str | None = None,
    clock: Clock = "described",
    process: str | Path | None = None,
    search: int = 0,
    where: Sequence[str] = (),
    watch: Watch | None = None,
) -> Study:
    """Explores a space, or what a plan asks for.

    `out` is the study's folder, in which a stopped run goes on. `cluster`: a Dask scheduler, as
    "tcp://host:8786"; without, so many `workers` here (0: this process). `search`: how many orders
    of each transform's instructions are tried for each design. `where`: conditions as
    "area_mm2 <= 20"; points outside are kept and marked as skipped. `watch` is called with how many
    points are done, of how many.

    Raises `ParameterError` for what cannot be explored, `StorageError` for a folder that cannot be
    written or a cluster that does not answer, `MismatchError` for a wrong answer.
    """
    need_packages()
    if not 0 <= search <= MOST_TRIES:
        raise ParameterError(f"search {search}: 0 to {MOST_TRIES} orders")
    plan = grid(designs) if isinstance(designs, Space) else designs
    conditions = [Where.parse(each) for each in where]
    text = None if process is None else _read(process)
    about = _about(plan, workload, clock, text, search)
    store = Store(Path(out), about)
    points = _Points(plan, workload, clock, text, search)
    seconds: dict[str, float] = {}
    rows: dict[str, Row] = {}
    done = 0

    def finished(count: int = 1) -> None:
        nonlocal done
        done += count
        if watch:
            watch(done, plan.total)

    plan.begin(_digest(about))
    with _Workers(cluster, workers) as given:
        while batch := [points.point(values) for values in plan.ask()]:
            missing = _missing(batch, store)
            finished(len(batch) - len(missing))
            for point, row, took in given.computed(points, missing):
                store.keep(point.id, row)
                seconds[point.id] = round(took, 3)
                finished()
            found = [_row(point, store, conditions) for point in batch]
            plan.tell(found)
            # A sampler may ask for a point twice.
            rows |= {row["id"]: row for row in found if row["id"] not in rows}
    kept = list(rows.values())
    if not any("skipped" not in row for row in kept):
        reason = kept[0]["skipped"] if kept else "no point"
        raise ParameterError(f"no design of {len(kept)} can be built, the first because: {reason}")
    return store.finish(kept, plan.names, seconds)


@dataclass(frozen=True)
class _Point:
    """A point of the space: its values, the name of its record; or why there is none."""

    values: dict[str, Any]
    id: str
    skipped: str | None = None


class _Points:
    """The points of a plan; a task is made when it is given away."""

    def __init__(self, plan: Plan, *asked: Any) -> None:
        self._plan, self._asked = plan, asked

    def task(self, values: dict[str, Any]) -> Task:
        """Raises `MachineError` where the design contradicts itself."""
        return Task(self._plan.machine(values).to_toml(), *self._asked)

    def point(self, values: dict[str, Any]) -> _Point:
        """The point with these values, or why there is none."""
        try:
            return _Point(values, self.task(values).id)
        except MachineError as error:
            named = hashlib.sha256(repr(sorted(values.items())).encode()).hexdigest()[:16]
            return _Point(values, named, " ".join(str(error).split()))


def _missing(batch: Sequence[_Point], store: Store) -> list[_Point]:
    """What of a batch must be computed, each point once."""
    unknown = (p for p in batch if not p.skipped and store.finished(p.id) is None)
    return list({point.id: point for point in unknown}.values())


def _row(point: _Point, store: Store, where: Sequence[Where]) -> Row:
    found = {"skipped": point.skipped} if point.skipped else store.finished(point.id)
    assert found is not None, "every point has been computed"
    outside = [str(each) for each in where if "skipped" not in found and not each.holds(found)]
    if outside:
        found = {**found, "skipped": f"not {outside[0]}"}
    return {"id": point.id, **point.values, **found}


class _Workers:
    """Who computes; nobody is started before the first point."""

    def __init__(self, cluster: str | None, workers: int) -> None:
        self._asked = (cluster, workers)
        self._open = ExitStack()
        self._client: Any = None

    def __enter__(self) -> _Workers:
        return self

    def __exit__(self, *raised: Any) -> None:
        self._open.__exit__(*raised)

    def computed(
        self, points: _Points, wanted: Sequence[_Point]
    ) -> Iterator[tuple[_Point, Row, float]]:
        """Each point with its record and the seconds that it took, as they come."""
        if not wanted:
            return
        if self._asked == (None, 0):
            for point in wanted:
                yield point, *timed(points.task(point.values), code())
            return
        if self._client is None:
            self._client = self._open.enter_context(_client(*self._asked))
        yield from _computed(self._client, points, wanted)


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
        return client.submit(timed, points.task(point.values), code(), key=point.id, pure=True)

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


def timed(task: Task, of_driver: str) -> tuple[Row, float]:
    """A record and the seconds it took, on a worker.

    Raises `MachineError` where the worker's code is not the driver's.
    """
    if code() != of_driver:
        raise MachineError(
            f"a worker has Ringwright {native.__version__} of code {code()}, the driver's code is "
            f"{of_driver}: install the same"
        )
    start = time.perf_counter()
    row = evaluate(task)
    return row, time.perf_counter() - start


@contextmanager
def _client(cluster: str | None, workers: int) -> Iterator[Any]:
    from distributed import Client, LocalCluster

    if cluster is None:
        if workers < 1:
            raise ParameterError(f"workers = {workers}: from 0 on")
        made = LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            host=_HERE,
            dashboard_address=f"{_HERE}:0",
        )
        with made, Client(made) as client:
            try:
                yield client
            except BaseException:
                _kill(made)
                raise
        return
    try:
        client = Client(cluster, timeout=_PATIENCE)
    except (OSError, ValueError) as error:
        raise StorageError(f"{cluster}: no scheduler answers: {error}") from error
    with client:
        if not client.nthreads():
            raise StorageError(f"{cluster}: the scheduler has no workers")
        yield client


def _kill(cluster: Any) -> None:
    """Ends a local cluster's workers, who would else be waited for until they have a point."""
    from distributed import Status

    for nanny in cluster.workers.values():
        # Else it begins another.
        nanny.status = Status.closing_gracefully
        if nanny.pid is not None:
            with suppress(ProcessLookupError):
                os.kill(nanny.pid, signal.SIGKILL)


def _about(
    plan: Plan, workload: Workload, clock: str, process: str | None, search: int
) -> dict[str, Any]:
    hashed = None if process is None else hashlib.sha256(process.encode()).hexdigest()[:16]
    return {
        "version": native.__version__,
        "code": code(),
        **plan.about,
        "workload": str(workload),
        "workload_digest": workload.digest,
        "clock": clock,
        "process": hashed,
        "search": search,
    }


def _digest(about: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()[:16]


def _read(file: str | Path) -> str:
    try:
        return Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise StorageError(f"{file}: not read: {error}") from error
