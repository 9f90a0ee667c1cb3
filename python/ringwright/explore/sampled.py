"""Designs that Optuna asks for: some of a space that is too large for all.

Batches have a fixed length; a batch is told in its order before the next one is asked for, and
every trial draws from a generator of its own. So trials follow from the space, the seed and the
results alone: whoever computes them, and however often a run is stopped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ringwright import checkout
from ringwright.errors import ParameterError, StorageError
from ringwright.explore.designs import Plan, Values
from ringwright.explore.front import columns, columns_of
from ringwright.explore.space import MOST, Axis, Space, Value
from ringwright.explore.where import Where
from ringwright.silicon import cost_of

#: Trials that are asked for together: as many workers can be busy.
BATCH = 8
#: Where the choices start.
SEED = 1
#: In a URL of a database.
_PASSWORD = re.compile(r"(://[^:/@\s]*:)[^@\s]+@")


class Sampled(Plan):
    """So many trials of a space, each nearer to the front as far as Optuna can tell."""

    def __init__(  # noqa: PLR0913 - what a sampled study is given
        self,
        space: Space,
        trials: int,
        objectives: Sequence[str],
        *,
        seed: int = SEED,
        batch: int = BATCH,
        storage: str | None = None,
        where: Sequence[str] = (),
    ) -> None:
        """`objectives`: of those of `OBJECTIVES` that the machine has. `where`: conditions to keep.

        `batch`: how many trials are asked for together; another number makes other choices.
        `storage`: where Optuna keeps its own record of the trials, as "sqlite:///trials.db" or
        "postgresql://host/name"; without one, in memory. The study does not need it.

        Raises `ParameterError`, and `MissingToolError` without Optuna.
        """
        checkout.need({"optuna": "optuna"}, "sampling", "python -m pip install optuna")
        for name, count in (("trials", trials), ("batch", batch)):
            if not 1 <= count <= MOST:
                raise ParameterError(f"{name} = {count}: from 1 to {MOST:,}")
        self._space, self._seed, self._size, self._storage = space, seed, batch, storage
        there = columns_of(cost_of(space.base))
        self._columns = columns(objectives, there)
        self._where = [Where.parse(each) for each in where]
        for each in self._where:
            each.need(there)
        self._study: Any = None
        self._told = 0
        self._batch: list[Any] = []
        about = {
            "sampler": "optuna",
            "trials": trials,
            "batch": batch,
            "seed": seed,
            "objectives": list(objectives),
            "where": [str(each) for each in self._where],
            **space.about(),
        }
        super().__init__((), trials, about, space.machine)

    def begin(self, name: str) -> None:
        """Opens the record of a study of this name. Raises `StorageError` where that fails."""
        import optuna

        optuna.logging.set_verbosity(optuna.logging.WARNING)
        self._told, self._batch = 0, []
        with self._stored():
            self._study = optuna.create_study(
                study_name=name,
                storage=self._storage,
                directions=["minimize"] * len(self._columns),
                load_if_exists=True,
            )

    def ask(self) -> list[Values]:
        """The next batch. Raises `StorageError` where the storage does not answer."""
        last = min(self._told + self._size, self.total)
        with self._stored():
            self._batch = [self._trial(number) for number in range(self._told, last)]
            return [
                {axis.name: _suggested(trial, axis) for axis in self._space.axes}
                for trial in self._batch
            ]

    def tell(self, rows: Sequence[dict[str, Any]]) -> None:
        """Raises `StorageError` where the storage does not answer."""
        with self._stored():
            for trial, row in zip(self._batch, rows, strict=True):
                if not _is_finished(trial):
                    self._tell(trial, row)
        self._told += len(self._batch)

    def _trial(self, number: int) -> Any:
        """A trial, or the one of that number that an earlier run has asked for."""
        import optuna

        self._study.sampler = optuna.samplers.TPESampler(seed=self._seed + number)
        known = self._study.get_trials(deepcopy=False)
        if number >= len(known):
            return self._study.ask()
        found = known[number]
        return found if _is_finished(found) else optuna.trial.Trial(self._study, found._trial_id)

    def _tell(self, trial: Any, row: dict[str, Any]) -> None:
        from optuna.trial import TrialState

        if self._columns[0] not in row:
            self._study.tell(trial, state=TrialState.FAIL)
            return
        for each in self._where:
            if str(each) not in trial.constraints:
                trial.set_constraint(str(each), each.over(row))
        self._study.tell(trial, [float(row[name]) for name in self._columns])

    @contextmanager
    def _stored(self) -> Iterator[None]:
        import optuna
        from sqlalchemy.exc import SQLAlchemyError

        # What another hand has written there fails in ways of its own.
        foreign = (KeyError, IndexError, TypeError, ValueError)
        try:
            yield
        except (optuna.exceptions.OptunaError, SQLAlchemyError, ImportError, *foreign) as error:
            where = _PASSWORD.sub(r"\1***@", self._storage or "in memory")
            reason = _PASSWORD.sub(r"\1***@", " ".join(str(error).split()))
            raise StorageError(f"{where}: Optuna's record is not kept: {reason}") from error


def _is_finished(trial: Any) -> bool:
    state = getattr(trial, "state", None)
    return state is not None and bool(state.is_finished())


def _suggested(trial: Any, axis: Axis) -> Value:
    """The value of an axis; of one whose values are numbers in order, neighbours are alike."""
    numbers = all(isinstance(value, int) for value in axis.values)
    if _is_finished(trial):
        chosen: int = trial.params[axis.name]
    elif numbers:
        chosen = trial.suggest_int(axis.name, 0, len(axis.values) - 1)
    else:
        chosen = trial.suggest_categorical(axis.name, range(len(axis.values)))
    return axis.values[chosen]
