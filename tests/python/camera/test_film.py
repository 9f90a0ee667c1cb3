"""Encrypted video end to end: answers, ledger, figures, refusals."""

from __future__ import annotations

import json
from dataclasses import replace
from math import isclose, isfinite

import numpy as np
import pytest

import ringwright as rw
from ringwright import camera
from ringwright.camera import application, programs
from ringwright.camera.clip import COUNT, HEIGHT, WIDTH
from ringwright.camera.stages import RESOURCES
from ringwright.comparison import PREDICTION
from ringwright.errors import DepthError, MachineError, ParameterError

SMALL = camera.Options(size=camera.Size(48, 32), frames=2)


def test_every_mode_is_correct_and_sharp() -> None:
    for mode in programs.MODES:
        result = camera.film(replace(SMALL, compute=mode))
        (row,) = [run.row for run in result.runs]
        assert result.correct, mode
        assert row["answers"]["compared"] > 0
        assert row["psnr_db"] >= 50
        assert isfinite(row["psnr_db"])


def test_the_measured_noise_is_the_predicted_one() -> None:
    for mode in programs.MODES:
        answers = camera.film(replace(SMALL, compute=mode, frames=3)).runs[0].row["answers"]
        ratio = answers["rms_error"] / answers["predicted_rms_error"]
        assert ratio < PREDICTION, mode
        # Motion is predicted for its noisiest tile; the others are exact to sampling.
        assert ratio > 1 / PREDICTION, mode


def test_the_ledger_adds_up_exactly(motion_film: camera.Film) -> None:
    for run in motion_film.runs:
        assert sum(entry["exposed_fs"] for entry in run.row["ledger"]) == run.row["total_fs"]
        assert all(e["exposed_fs"] >= 0 for e in run.row["ledger"])


def test_the_ledger_has_every_stage(motion_film: camera.Film) -> None:
    entries = {entry["stage"]: entry for entry in motion_film.runs[0].row["ledger"]}
    expected = "capture,pack,encode,encrypt,serialise frame,uplink,deserialise frame,evaluate"
    expected += ",serialise result,downlink,deserialise result,decrypt,decode,threshold"
    assert set(expected.split(",")) <= set(entries)
    kernels = {name for name, entry in entries.items() if entry["kind"] == "kernel"}
    assert {"encrypt", "evaluate", "decrypt"} <= kernels
    assert not kernels & {"uplink", "downlink", "capture", "encode"}
    assert entries["uplink"]["provenance"] == "modelled"
    assert entries["evaluate"]["provenance"] == "measured"


def test_throughput_is_that_of_the_slowest_resource() -> None:
    options = replace(SMALL, frames=3, in_flight=100)
    row = camera.film(options).runs[0].row
    assert {r["name"] for r in row["resources"]} == set(RESOURCES)
    slowest = min(row["resources"], key=lambda resource: resource["fps"])
    assert row["slowest"] == slowest["name"]
    assert isclose(row["fps"], slowest["fps"], rel_tol=1e-9)


def test_one_frame_at_a_time_is_no_faster_than_its_latency() -> None:
    row = camera.film(replace(SMALL, frames=2, in_flight=1)).runs[0].row
    assert row["fps"] == pytest.approx(1 / row["latency_s"])


def test_link_time_follows_from_the_real_bytes(motion_film: camera.Film) -> None:
    row = motion_film.runs[0].row
    (uplink,) = [r for r in row["resources"] if r["name"] == "uplink"]
    seconds = uplink["busy_fs_per_frame"] / 1e15
    bits = 8 * row["bytes"]["uplink_per_frame"]
    assert seconds == pytest.approx(bits / row["link"]["bits_per_second"])
    # At least the ciphertext itself: a polynomial under two primes of 30 bits; the other is a seed.
    parameters = rw.ckks.Parameters.preset("4096-2x30")
    payload = row["ciphertexts_per_frame"] * 2 * 30 * parameters.n
    assert payload <= bits <= 1.01 * payload


def test_results_are_plain_json_with_the_promised_keys(motion_film: camera.Film) -> None:
    (row,) = json.loads(motion_film.results_json())["machines"]
    promised = "name server fps latency_s psnr_db security_bits ciphertexts_per_frame packing"
    assert set(promised.split()) | {"ledger", "total_fs"} <= set(row)
    assert row["security_bits"] == 128
    assert len(row["motion"]["frames"]) == row["frames"] - 1


def test_no_key_is_in_the_results(motion_film: camera.Film) -> None:
    # The shortest key, a ternary polynomial at two bits a coefficient, in the densest text.
    shortest = 2 * motion_film.runs[0].row["parameters"]["n"] // 8
    assert all(len(word) < shortest // 2 for word in motion_film.results_json().split('"'))


def test_a_wrong_plain_circuit_makes_the_answer_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    def everything_moves(now, before, tiles):
        return np.ones((tiles.tile_rows, tiles.tile_columns))

    monkeypatch.setattr(programs, "tile_energies", everything_moves)
    result = camera.film(SMALL)
    assert not result.correct
    assert result.runs[0].row["answers"]["verdict"] == "WRONG"


def test_an_encrypted_threshold_decides_as_one_in_the_clear() -> None:
    # No tile of these frames is as near to the threshold as the noise of this set reaches.
    options = replace(SMALL, size=camera.Size(96, 64), frames=4, parameters="16384-7x54")
    plain, hidden = (
        camera.film(replace(options, compute=mode)).runs[0] for mode in ("motion", "alarm")
    )
    assert hidden.row["motion"]["frames"] == plain.row["motion"]["frames"]
    assert len({frame["score"] for frame in plain.row["motion"]["frames"]}) > 1
    assert {"transfer threshold", "deserialise threshold"} <= set(hidden.row["once"])


def test_a_threshold_that_does_not_fit_encrypted_is_refused() -> None:
    high = camera.Alarm(energy=0.6)
    with pytest.raises(ParameterError, match=r"threshold 0\.6: 0 to 0\.5"):
        camera.film(replace(SMALL, compute="alarm", alarm=high))


def test_each_machine_gets_a_row() -> None:
    # Servers' machines draw no random words, so they cannot be clients.
    clients = [target for target in rw.targets() if target.name not in ("medha", "rpu")]
    names = [target.default_machine for target in clients]
    result = camera.film(replace(SMALL, machines=[*names, *names]))
    assert [run.row["name"] for run in result.runs] == [*names, *names]


def test_a_shorter_video_is_said() -> None:
    result = camera.film(replace(SMALL, frames=1000, compute="none", size=camera.Size(8, 8)))
    assert f"has {COUNT} frames; 1000 were asked for" in result.remarks[0]
    video = json.loads(result.results_json())["video"]
    assert (video["frames"], video["frames_asked"]) == (COUNT, 1000)
    assert application.counted(result) == f"{COUNT} of 1000"


def test_what_was_done_to_the_pictures_is_said() -> None:
    stretched = camera.Size(2 * WIDTH, HEIGHT)
    for change, words in [
        ({"size": camera.Size(WIDTH, HEIGHT)}, []),
        ({"size": camera.Size(HEIGHT // 2, HEIGHT // 2)}, ["cropped, 75%"]),
        (
            {"size": camera.Size(WIDTH // 4, WIDTH // 4), "fit": "contain"},
            ["black, which takes 25%"],
        ),
        ({"size": stretched, "fit": "stretch"}, ["2 times as wide", "scaled up 2 times"]),
    ]:
        result = camera.film(replace(SMALL, compute="none", frames=1, **change))
        said = " ".join(result.remarks)
        assert all(word in said for word in words), said
        assert bool(said) == bool(words)
        assert result.correct


def test_the_cheapest_set_of_a_degree_is_taken() -> None:
    row = camera.film(replace(SMALL, n=4096)).runs[0].row
    assert row["parameters"]["name"] == "4096-2x30"


@pytest.mark.parametrize("parameters", ["2048-30", "4096-3x30"])
def test_a_set_without_depth_is_refused_with_the_smallest_n(parameters: str) -> None:
    with pytest.raises(DepthError, match=r"smallest N that carries it is 4096"):
        camera.film(replace(SMALL, parameters=parameters))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"compute": "dance"}, "compute 'dance': expected one of motion, alarm, blur, none"),
        ({"frames": 0}, "frames 0: 1 to"),
        ({"frames": 1}, "frames 1: 2 to"),
        ({"in_flight": 0}, "in-flight 0"),
        ({"fit": "squeeze"}, "fit 'squeeze': expected one of cover, contain, stretch"),
        ({"n": 5000}, "n 5000 is no power of two"),
        ({"n": 1 << 20}, "n 1048576: expected one of"),
        ({"n": 4096, "parameters": "4096-2x30"}, "one of them allowed"),
        ({"parameters": "none-such"}, "none-such"),
    ],
)
def test_bad_options_are_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        camera.film(replace(SMALL, **change))


@pytest.mark.parametrize("change", [{"machines": ["none-such"]}, {"server": "x"}, {"link": "x"}])
def test_unknown_machines_and_links_are_refused(change: dict[str, object]) -> None:
    with pytest.raises(MachineError):
        camera.film(replace(SMALL, **change))
