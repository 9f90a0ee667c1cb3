"""Servers that are simulated machines: their time, and values checked word for word."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import ringwright as rw
from ringwright import camera
from ringwright.camera.edge import Offloading, edge
from ringwright.camera.evaluation import SERVER_LINK, Attachment, evaluation
from ringwright.camera.report_time import clock_texts, time_text, unbuilt_texts, values_texts
from ringwright.camera.stages import SERVER, Stages
from ringwright.errors import MachineError
from ringwright.machines import backend as made_ready

RPU = "rpu-128x128"
HOST = camera.Options.host
SMALL = camera.Options(size=camera.Size(48, 32), frames=3, server=RPU)
SET = rw.ckks.Parameters.preset("4096-2x30")


@pytest.fixture(scope="module")
def film() -> camera.Film:
    return camera.film(SMALL)


def test_a_program_is_lowered_once_for_camera_server_and_oracle() -> None:
    server, client = (rw.machine(name).with_values(f"own-{name}") for name in (RPU, "rise-32bfu"))
    parameters = rw.ckks.Parameters.preset("4096-2x30")

    @rw.program(inputs={"x": rw.ckks.Input(max=0.5)})
    def difference(x, y):  # type: ignore[no-untyped-def]
        return x - y

    backend = made_ready(server)
    before = backend.lowered
    assessed = evaluation(
        parameters, difference, server, Attachment(rw.link("pcie3-x16"), rw.host(HOST))
    )
    assert backend.lowered == before + 1
    alice = rw.ckks.Client(parameters)
    holder = rw.Server(alice.keys_for(difference), server)
    assessed.prepare(Stages(), holder)
    half = difference.inputs[0]
    run = holder.run(difference, alice.encrypt([0.5], half), alice.encrypt([0.25], half))
    assert rw.oracle(difference, server, parameters).timing is not None
    assert holder.timing(difference) is not None
    assert run.ledger.total_fs
    assert backend.lowered == before + 1
    own = made_ready(client)
    conversions = edge(parameters, client, Offloading(rw.host(HOST)))
    assert own.lowered == 2
    camera_client = conversions.client(Stages())
    conversions.decrypt(
        Stages(),
        camera_client,
        conversions.encrypt(Stages(), camera_client, [[0.5]], half),  # type: ignore[arg-type]
    )
    assert own.lowered == 2


def test_answers_are_right_and_the_ledger_adds_up(film: camera.Film) -> None:
    (run,) = film.runs
    assert run.correct
    entries = run.row["ledger"]
    assert sum(entry["exposed_fs"] for entry in entries) == run.row["total_fs"]
    kinds = {entry["stage"]: entry["kind"] for entry in entries}
    assert kinds["evaluate: ntt"] == kinds["evaluate: automorphism"] == "kernel"
    for tax in (
        "operands to the machine",
        "evaluate: load tables",
        "evaluate by the controller: write registers",
        "serialise result",
    ):
        assert kinds[tax] == "tax"


def test_each_kernel_is_checked_once_a_film_and_a_share_of_the_rest(film: camera.Film) -> None:
    row = film.runs[0].row
    checks = row["checks"]
    assert checks["values"] == "cpu"
    assert checks["kernels"] <= checks["checked"] < checks["calls"]
    (text,) = values_texts(row)
    assert (
        f"{checks['checked']} of {checks['calls']} calls of kernels computed on {RPU} too" in text
    )
    (full,) = camera.film(replace(SMALL, frames=2, values="device")).runs
    assert full.correct
    assert full.row["checks"] is None
    assert values_texts(full.row) == []
    assert full.row["instructions"]
    with pytest.raises(rw.ParameterError, match="values='x' given; 'cpu', 'device'"):
        camera.film(replace(SMALL, values="x"))


def test_what_no_rtl_does_is_modelled_and_stands_beside_what_the_rtl_would_take(
    film: camera.Film,
) -> None:
    row = film.runs[0].row
    (moves,) = row["unbuilt"]
    rows = {each["name"]: each for each in row["resources"]}
    moving = [rows[f"{SERVER} {unit}"] for unit in ("memory", "dma")]
    assert all(each["provenance"] == ["modelled"] for each in moving)
    assert rows[f"{SERVER} core"]["provenance"] == ["simulated"]
    assert moves["fs_per_frame"] == sum(each["busy_fs_per_frame"] for each in moving)
    assert moves["through_rtl_fs_per_frame"] > moves["fs_per_frame"]
    (text,) = unbuilt_texts(row)
    assert RPU in text
    assert time_text(moves["through_rtl_fs_per_frame"]) in text
    (on_cpu,) = camera.film(replace(SMALL, server="cpu", frames=2)).runs
    assert on_cpu.row["unbuilt"] == []
    assert on_cpu.row["clocks"] == []


def test_the_clock_of_every_simulated_machine_is_somebodys(film: camera.Film) -> None:
    row = film.runs[0].row
    machine = rw.machine(RPU)
    (clock,) = row["clocks"]
    assert clock["machine"] == RPU
    assert clock["clock_fs"] == machine.values["clock_fs"]
    assert clock["clock_provenance"] == machine.clock_provenance
    (text,) = clock_texts(row)
    assert f"({machine.clock_provenance})" in text


def test_results_say_which_instructions_ran(film: camera.Film) -> None:
    row = film.runs[0].row
    assert row["server"] == RPU
    assert {"vload", "vstore", "bfly", "vmul", "vmuls", "aload", "mload"} <= set(
        row["instructions"]
    )
    evaluated = (SMALL.frames - 1) * row["ciphertexts_per_frame"]
    assert all(count % evaluated == 0 for count in row["instructions"].values())
    on_cpu = camera.film(replace(SMALL, server="cpu")).runs[0].row
    assert on_cpu["instructions"] == {}


def test_no_time_of_this_computer_is_the_machines(film: camera.Film) -> None:
    rows = {row["name"]: row for row in film.runs[0].row["resources"]}
    units = [f"{SERVER} core", f"{SERVER} dma", f"{SERVER} controller", SERVER_LINK]
    assert all("measured" not in rows[unit]["provenance"] for unit in units)
    again = {row["name"]: row for row in camera.film(SMALL).runs[0].row["resources"]}
    assert all(rows[unit] == again[unit] for unit in units)


def test_it_computes_what_the_processor_computes() -> None:
    @rw.program
    def program(a: rw.Vector, b: rw.Vector) -> rw.Vector:
        return ((a - b) * a).rotate(3)

    alice = rw.ckks.Client(SET)
    keys = alice.keys_for(program)
    values = np.linspace(-1, 1, SET.slots)
    inputs = [alice.encrypt(values), alice.encrypt(values[::-1].copy())]
    runs = [rw.Server(keys, machine).run(program, *inputs) for machine in ("cpu", RPU)]
    assert runs[0].value.to_bytes() == runs[1].value.to_bytes()
    ledger = runs[1].ledger
    assert {"ntt", "intt", "load towers"} <= {entry.stage for entry in ledger}
    assert sum(entry.exposed_fs for entry in ledger) == runs[1].schedule.total_fs


def test_too_small_a_memory_is_refused_before_anything_runs() -> None:
    with pytest.raises(MachineError, match=r"rpu-8x8.*4096.*holds"):
        camera.film(replace(SMALL, server="rpu-8x8"))


def test_it_has_no_random_words_to_encrypt_with() -> None:
    with pytest.raises(MachineError, match="random words"):
        camera.film(replace(SMALL, machines=[RPU]))


def test_two_rpus_share_a_frame() -> None:
    options = camera.Options(size=camera.Size(96, 64), frames=3, system="camera-5g-2rpu")
    (run,) = camera.film(options).runs
    assert run.correct
    row = run.row
    assert (row["name"], row["server"]) == ("rise-32bfu", RPU)
    assert row["ciphertexts_per_frame"] == 3
    assert sum(entry["exposed_fs"] for entry in row["ledger"]) == row["total_fs"]
    rows = {each["name"]: each for each in row["resources"]}
    cores = [rows[f"{SERVER} rpu-{index} core"] for index in (0, 1)]
    assert all(core["part_of"] == SERVER for core in cores)
    # Of three ciphertexts the first device takes two.
    assert cores[0]["busy_fs_per_frame"] == 2 * cores[1]["busy_fs_per_frame"]
    spans = [
        [(s.start_fs, s.end_fs) for s in run.timeline if s.track == f"{SERVER} rpu-{index} core"]
        for index in (0, 1)
    ]
    assert any(a[0] < b[1] and b[0] < a[1] for a in spans[0] for b in spans[1])


def test_a_system_says_all_of_who_does_what(tmp_path) -> None:  # type: ignore[no-untyped-def]
    (run,) = camera.film(replace(SMALL, server="cpu", system="camera-rise-cpu")).runs
    assert run.correct
    assert (run.row["name"], run.row["server"]) == ("rise-32bfu", "cpu")
    assert run.row["link"]["name"] == "5g-max"
    with pytest.raises(rw.ParameterError, match="not allowed beside it: link"):
        camera.film(replace(SMALL, server="cpu", system="camera-rise-cpu", link="5g-min"))
    text = Path(__file__).parents[3] / "systems" / "camera-5g-2rpu.toml"
    different = tmp_path / "different.toml"
    first = 'machine = "rpu-128x128"'
    different.write_text(text.read_text().replace(first, 'machine = "rpu-8x8"', 1))
    with pytest.raises(MachineError, match="rpu-0 and rpu-1 differ"):
        camera.film(replace(SMALL, server="cpu", system=str(different)))
