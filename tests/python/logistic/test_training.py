"""Training on encrypted rows: the plan, the program in the clear, and small encrypted runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import ringwright as rw
from ringwright import logistic
from ringwright.cli.app import run
from ringwright.logistic import training


@pytest.fixture(scope="module")
def small(small_bootstrapping: Callable[[int], rw.ckks.Parameters]) -> rw.ckks.Parameters:
    """32 rows."""
    return small_bootstrapping(11)


@pytest.fixture(scope="module")
def rows() -> logistic.Rows:
    every = logistic.breast_cancer()
    return logistic.Rows(every.features[::17][:32], every.classes[::17][:32])


@pytest.fixture(scope="module")
def trained(small: rw.ckks.Parameters, rows: logistic.Rows) -> logistic.Trained:
    return logistic.train_encrypted(rows, small, iterations=6, rate=0.1)


def test_the_program_is_nesterovs_descent() -> None:
    signed = training.signed_rows(logistic.breast_cancer())
    for iterations in (1, 2, 3, 10):
        plan = logistic.Plan(len(signed), 32, iterations)
        program = logistic.training_program(plan)
        (slots,) = logistic.packed(signed, 1 << 15)
        weights = program.plain(slots).reshape(-1, 32)
        expected = training.descend(plan, signed, plan.push)
        assert np.abs(weights[:, :31] - expected).max() < 1e-12
        assert not weights[:, 31].any()


def test_iterations_lower_the_loss() -> None:
    signed = training.signed_rows(logistic.breast_cancer())

    def loss(iterations: int) -> float:
        plan = logistic.Plan(len(signed), 32, iterations)
        weights = training.descend(plan, signed, plan.push)
        return float(np.log1p(np.exp(-signed @ weights)).mean())

    losses = [loss(iterations) for iterations in (1, 2, 4, 8, 16)]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < 0.12


@pytest.mark.parametrize(("iterations", "bootstraps"), [(1, 0), (2, 0), (3, 1), (10, 4), (11, 5)])
def test_every_second_iteration_needs_new_levels(
    small: rw.ckks.Parameters, iterations: int, bootstraps: int
) -> None:
    plan = logistic.Plan(32, 32, iterations)
    assert plan.bootstraps == bootstraps
    text = logistic.training_program(plan).trace(small).text
    assert text.count(" = call refreshed") == bootstraps


def test_weights_are_those_in_the_clear(trained: logistic.Trained) -> None:
    assert trained.correct
    assert trained.largest_weight_error < 1e-4 < trained.error_bound <= training.ALLOWED
    assert trained.accuracy > 0.85
    assert trained.weights.shape == (31,)
    assert trained.plan.bootstraps == 2
    assert 0 < trained.approximation < 0.1


def test_another_weight_is_wrong(trained: logistic.Trained) -> None:
    off = trained.weights + np.eye(31)[4] * 2e-3
    assert not replace(trained, weights=off).correct
    assert not replace(trained, weights=-trained.weights).correct


def test_scores_beyond_what_was_said_are_found_in_the_clear(
    small: rw.ckks.Parameters, rows: logistic.Rows
) -> None:
    with pytest.raises(rw.ProgramError, match="said to be within"):
        logistic.train_encrypted(rows, small, iterations=8, rate=3.0)


def test_rows_that_do_not_fit_are_refused(small: rw.ckks.Parameters) -> None:
    rows = logistic.breast_cancer()
    for batch in (0, 100):
        with pytest.raises(rw.ParameterError, match=f"batches of {batch} rows given; a divisor"):
            logistic.train_encrypted(rows, small, batch=batch)
    with pytest.raises(rw.ParameterError, match="rows of 1025 features given; up to 1024 slots"):
        logistic.train_encrypted(logistic.generated(2, 1024), small)
    with pytest.raises(rw.ParameterError, match="0 rows of 4 features given"):
        logistic.generated(0, 4)


def test_batches_take_turns_and_fill_several_ciphertexts(small: rw.ckks.Parameters) -> None:
    rows = logistic.generated(128, 30)
    signed = training.signed_rows(rows)
    plan = logistic.Plan(64, 32, 7, rate=0.2, batches=2, ciphertexts=2)
    program = logistic.training_program(plan)
    assert program.input_names == ("rows0", "rows1", "rows2", "rows3")
    weights = program.plain(*logistic.packed(signed, 1 << 10)).reshape(-1, 32)[:, :31]
    assert np.abs(weights - training.descend(plan, signed, plan.push)).max() < 1e-12
    trained = logistic.train_encrypted(rows, small, iterations=4, rate=0.2, batch=64)
    assert trained.correct
    assert (trained.plan.batches, trained.plan.ciphertexts, trained.plan.bootstraps) == (2, 2, 1)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--iterations", "0"], "1 or more"),
        (["--system", "camera-rise-cpu"], "one of them"),
        (["--batch", "100"], "a divisor of 569"),
        (["--generated", "12by4"], "as 1024x255"),
    ],
)
def test_the_verb_refuses(
    options: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["logistic", "--train", *options]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--iterations=3", "--generated=8x4", "--batch=2"])
def test_what_is_of_training_means_nothing_without_it(
    option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["logistic", option]) == 2
    assert f"{option.partition('=')[0]} given without --train" in capsys.readouterr().err
    assert run(["logistic", "--train", "--degree", "3"]) == 2
    assert "--degree 3 given; one of them" in capsys.readouterr().err


def test_the_verb_prints_what_was_found(
    trained: logistic.Trained,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from ringwright.cli import logistic as verb

    monkeypatch.setattr(verb, "train_encrypted", lambda *_, **__: trained)
    assert run(["logistic", "--train", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["correct"] is True
    assert (printed["iterations"], printed["bootstraps"]) == (6, 2)
    assert printed["largest_weight_error"] == trained.largest_weight_error
    assert printed["seconds"] > 0
    assert run(["logistic", "--train"]) == 0
    assert "correct" in capsys.readouterr().out
    wrong = replace(trained, weights=-trained.weights)
    monkeypatch.setattr(verb, "train_encrypted", lambda *_, **__: wrong)
    assert run(["logistic", "--train", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["correct"] is False


@pytest.mark.slow
@pytest.mark.usefixtures("large")
def test_all_rows_under_the_secure_set() -> None:
    trained = logistic.train_encrypted(logistic.breast_cancer())
    assert trained.correct
    assert trained.plan.bootstraps >= 4
    assert trained.accuracy > 0.95


@pytest.mark.slow
@pytest.mark.usefixtures("large")
def test_the_shape_that_accelerators_are_compared_by_under_the_secure_set() -> None:
    trained = logistic.train_encrypted(logistic.generated(1024, 255))
    assert trained.correct
    assert (trained.plan.width, trained.plan.ciphertexts) == (256, 8)
    assert trained.accuracy > 0.85
