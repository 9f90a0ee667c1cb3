"""Logistic regression: data, packing, the plain model, and the encrypted one beside it."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import ringwright as rw
from ringwright import logistic
from ringwright.cli.app import run
from ringwright.logistic import inference, model
from ringwright.logistic.rows import BREAST_CANCER


@pytest.fixture(scope="module")
def rows() -> logistic.Rows:
    return logistic.breast_cancer()


@pytest.fixture(scope="module")
def trained(rows: logistic.Rows) -> logistic.Model:
    return logistic.train(rows)


@pytest.fixture(scope="module")
def diagnosis() -> logistic.Diagnosis:
    return logistic.diagnose()


def test_the_data_are_those_whose_source_is_named(rows: logistic.Rows) -> None:
    count, features = map(int, BREAST_CANCER.read_text().split(",")[:2])
    assert rows.features.shape == (count, features)
    assert len(rows) == count
    assert set(rows.classes) == {0, 1}
    provenance = (BREAST_CANCER.parent / "README.md").read_text()
    assert hashlib.sha256(BREAST_CANCER.read_bytes()).hexdigest() in provenance


@pytest.mark.parametrize("count", [1, 4, 5])
def test_rows_come_back_from_their_slots(count: int) -> None:
    features, slots = 3, 16
    given = np.arange(1.0, 1 + count * features).reshape(count, features)
    packed = logistic.packed(given, slots)
    assert packed.shape == (-(-count // 4), slots)
    assert packed.reshape(-1, 4)[:count, :features].tolist() == given.tolist()
    assert packed.sum() == given.sum()
    assert logistic.unpacked(packed, count, features).tolist() == given[:, 0].tolist()


def test_rows_that_do_not_fit_are_refused() -> None:
    with pytest.raises(rw.ParameterError, match="17 features given; up to 16"):
        logistic.packed(np.ones((1, 17)), 16)


def test_training_is_at_the_minimum(rows: logistic.Rows, trained: logistic.Model) -> None:
    seen = ~rows.for_testing
    inputs, classes = trained.prepared(rows.features[seen]), rows.classes[seen]
    off = model.sigmoid(trained.scores(inputs)) - classes
    slope = inputs.T @ off + model.PENALTY * trained.weights
    assert np.abs(slope).max() < 1e-8
    assert abs(off.sum()) < 1e-8


def test_no_score_leaves_its_bound(rows: logistic.Rows, trained: logistic.Model) -> None:
    furthest = trained.clip * np.sign(trained.weights) * np.sign(trained.bias)
    wild = np.vstack([rows.features, 1e6 * rows.features, furthest])
    assert np.abs(trained.scores(trained.prepared(wild))).max() <= trained.largest_score
    assert abs(trained.scores(furthest)) == pytest.approx(trained.largest_score)


def test_the_polynomial_decides_as_the_sigmoid_does(trained: logistic.Model) -> None:
    """It crosses 1/2 at the score 0 only, and keeps a distance that grows from there."""
    program = logistic.probability_program(trained)
    bound = trained.largest_score
    scores = np.linspace(-bound, bound, 100_001)
    series = np.polynomial.Chebyshev.interpolate(
        model.sigmoid, inference.DEGREE, domain=[-bound, bound]
    )
    away = series(scores) - inference.BOUNDARY
    off_zero = np.abs(scores) > 1e-3
    assert np.all(np.sign(away[off_zero]) == np.sign(scores[off_zero]))
    assert np.all(np.abs(away[off_zero]) > np.abs(scores[off_zero]) / (4 * bound))
    assert program.input_names == ("rows",)


def test_every_row_outside_the_noise_is_decided_alike(diagnosis: logistic.Diagnosis) -> None:
    assert diagnosis.correct
    assert diagnosis.differing == 0
    assert diagnosis.agreeing >= len(diagnosis.rows) - diagnosis.inside
    assert diagnosis.answers.values == len(diagnosis.rows)
    assert diagnosis.accuracy(diagnosis.encrypted) == diagnosis.accuracy(diagnosis.plain) > 0.95


def test_a_systems_devices_decide_the_same(
    diagnosis: logistic.Diagnosis, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Two processors share the rows.
    text = (Path(__file__).parents[3] / "systems" / "camera-rise-cpu.toml").read_text()
    path = tmp_path / "two.toml"
    more = '[devices.second]\nmachine = "cpu-1"\n\n[work]'
    text = text.replace("[work]", more).replace('["processor"]', '["processor", "second"]')
    path.write_text(text)
    on_system = logistic.diagnose(described=str(path))
    assert on_system.correct
    assert np.array_equal(on_system.circuit, diagnosis.circuit)
    assert on_system.dealt is not None
    devices = [request.device.name for request in on_system.dealt.requests]
    assert set(devices) == {"processor", "second"}
    schedule = on_system.dealt.schedule
    assert sum(entry.exposed_fs for entry in schedule.ledger) == schedule.total_fs
    assert 0 < on_system.evaluate_fs < schedule.total_fs
    assert run(["logistic", "--machine", "cpu-1", "--system", str(path)]) != 0
    assert "one of them allowed" in capsys.readouterr().err


def test_a_simulated_server_takes_values_that_are_checked(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["logistic", "--machine", "rpu-128x128", "--degree", "3"]) == 0
    printed = capsys.readouterr().out
    (line,) = (line for line in printed.splitlines() if line.startswith("values"))
    said = re.match(r"values +cpu's; (\d+) of (\d+) calls of kernels computed on rpu-128x128", line)
    assert said is not None
    assert 0 < int(said[1]) < int(said[2])
    assert run(["logistic", "--values", "x", "--machine", "rpu-128x128"]) == 2
    assert "'cpu', 'device'" in capsys.readouterr().err


def test_another_answer_is_wrong(diagnosis: logistic.Diagnosis) -> None:
    turned = replace(diagnosis, encrypted=1 - diagnosis.encrypted)
    assert turned.differing == len(diagnosis.rows) - diagnosis.inside
    assert not turned.correct
    assert turned.agreeing == 0


def test_the_verb_prints_what_was_found(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["logistic", "--params", "8192-6x30", "--degree", "7", "--json"]
    assert run(options) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["verdict"] == "correct"
    assert printed["differing_outside"] == 0
    assert printed["provenance"]["evaluate_fs"] == ["measured"]
    assert printed["rms_error"] < 4 * printed["predicted_rms_error"]


def test_a_set_that_is_too_shallow_names_what_carries_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["logistic", "--params", "8192-6x30"]) != 0
    assert "smallest N" in capsys.readouterr().err
