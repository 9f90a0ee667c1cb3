"""The command line: exit codes, one-line errors, JSON that equals the files."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from datetime import datetime, timezone
from pathlib import Path

import pytest

import ringwright as rw
from ringwright import checkout
from ringwright import origin as rw_origin
from ringwright.camera import programs
from ringwright.cli import app as application
from ringwright.cli import camera as command
from ringwright.cli.app import run

SMALL = {"--resolution": "48x32", "--frames": "2"}


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


def camera(out: Path, *options: str) -> int:
    small = [word for pair in SMALL.items() if pair[0] not in options for word in pair]
    return run(["camera", "--out", str(out), *small, *options])


def only_line(text: str) -> str:
    (line,) = text.splitlines()
    return line


def test_camera_prints_a_table_and_writes_its_files(
    out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert camera(out) == 0
    printed = capsys.readouterr().out
    for word in ("client", "frames/s", "PSNR", "correct", "report.html"):
        assert word in printed
    assert (out / "report.html").exists()
    assert (out / "timeline.perfetto-trace").exists()


def test_json_on_stdout_is_the_file(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert camera(out, "--json") == 0
    assert capsys.readouterr().out == (out / "results.json").read_text()


def test_results_say_where_they_come_from(
    out: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    head = subprocess.run(
        ["git", "-C", str(checkout.ROOT), "rev-parse", "HEAD"], capture_output=True, text=True
    )
    before = datetime.now(timezone.utc).replace(microsecond=0)
    assert camera(out, "--compute", "none", "--machine", "cpu") == 0
    capsys.readouterr()
    origin = json.loads((out / "results.json").read_text())["origin"]
    assert origin["version"] == rw.__version__
    assert origin["commit"] == (head.stdout.strip() or None)
    assert before <= datetime.fromisoformat(origin["date"]) <= datetime.now(timezone.utc)
    processor = next(fact.value for fact in rw.doctor() if fact.name == "processor")
    assert origin["processor"] == processor
    page = (out / "report.html").read_text(encoding="utf-8")
    assert rw.__version__ in page
    assert origin["date"] in page
    # The command gives the same run again.
    program, *arguments = shlex.split(origin["command"])
    assert program == "ringwright"
    (out / "results.json").unlink()
    assert run(arguments) == 0
    assert json.loads((out / "results.json").read_text())["origin"]["command"] == origin["command"]
    assert run(["explain", str(out / "results.json")]) == 0
    assert rw.__version__ in capsys.readouterr().out


def test_outside_a_checkout_the_commit_is_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkout, "ROOT", tmp_path)
    found = rw_origin.origin()
    assert (found.commit, found.modified, found.command) == (None, None, None)
    assert "commit" not in str(found)


def test_a_machine_option_each_gives_a_row_each(
    out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Servers' machines draw no random words, so they cannot be clients.
    names = [machine.name for machine in rw.machines() if machine.target not in ("medha", "rpu")]
    options = [word for name in names for word in ("--machine", name)]
    assert camera(out, *options, "--json") == 0
    rows = json.loads(capsys.readouterr().out)["machines"]
    assert [row["name"] for row in rows] == names


def test_a_wrong_answer_is_loud_and_fails(
    out: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "blurred", lambda picture: 1 - picture)
    assert camera(out, "--compute", "blur") == 1
    printed = capsys.readouterr()
    assert "WRONG" in printed.out
    assert "WRONG" in printed.err
    assert "WRONG" in (out / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        (["--resolution", "big"], ["'big'", "qqvga", "WIDTHxHEIGHT"]),
        (["--compute", "dance"], ["'dance'", "motion, alarm, blur, none"]),
        (["--params", "none-such"], ["none-such", "4096-2x30"]),
        (["--params", "2048-30"], ["4096"]),
        (["--n", "3000"], ["3000", "power of two", "4096"]),
        (["--machine", "none-such"], ["none-such", "cpu"]),
        (["--link", "none-such"], ["none-such", "5g-max"]),
        (["--frames", "0"], ["0", "10000"]),
        (["--frames", "many"], ["--frames", "integer"]),
        (["--no-such-option"], ["--no-such-option"]),
        (["--input", "a.mp4", "--device", "0"], ["a.mp4", "one of them"]),
    ],
)
def test_bad_usage_is_one_line_and_two(
    options: list[str], parts: list[str], out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert camera(out, *options) == 2
    printed = capsys.readouterr()
    line = only_line(printed.err)
    assert line.startswith("ringwright: ")
    assert all(part in line for part in parts), line
    assert printed.out == ""
    assert not out.exists()


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["none-such"], ["none-such", "Known: camera, logistic"]),
        (["bench", "none-such"], ["none-such", "Known: peers"]),
        (["logistic", "--degree", "0"], ["degree 0", "1 to 4095"]),
    ],
)
def test_unknown_words_list_the_known_ones(
    arguments: list[str], parts: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == 2
    line = only_line(capsys.readouterr().err)
    assert all(part in line for part in parts), line


@pytest.mark.parametrize(
    "arguments",
    [
        ["ntt", "--machine", "rise-32bfu", "--n", "256", "--machine", "race"],
        ["camera", "--frames", "2", "--frames", "3"],
        ["rpu", "run", "p.b512", "--machine", "rpu-128x128", "--machine", "rpu-64x64"],
    ],
)
def test_an_option_given_twice_is_refused_where_one_counts(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == 2
    line = only_line(capsys.readouterr().err)
    assert "given 2 times; once allowed" in line
    option = next(word for word in arguments if arguments.count(word) == 2)
    assert option in line


@pytest.mark.parametrize("group", ["bench", "rpu"])
def test_a_group_without_a_command_prints_its_help(
    group: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([group]) == 2
    printed = capsys.readouterr()
    assert "Commands" in printed.out
    assert printed.err == ""


def test_a_video_that_is_none_is_one_line_and_two(
    out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "notes.txt"
    other.write_text("no video")
    assert camera(out, "--input", str(other)) == 2
    assert "notes.txt: not a video file" in only_line(capsys.readouterr().err)
    assert camera(out, "--input", str(tmp_path / "nowhere.mp4")) == 3
    assert "nowhere.mp4: no such file" in only_line(capsys.readouterr().err)
    assert not out.exists()


def test_a_folder_that_cannot_be_one_is_refused_before_the_run(
    out: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "_film", lambda *given: pytest.fail("the run was started"))
    out.write_text("a file")
    for folder in (out, out / "below"):
        assert camera(folder) == 3
        assert f"{out} is a file" in only_line(capsys.readouterr().err)
    out.unlink()
    (out / "results.json").mkdir(parents=True)
    assert camera(out) == 3
    assert "results.json is a folder" in only_line(capsys.readouterr().err)


@pytest.mark.parametrize(
    ("module", "work", "arguments"),
    [
        ("reproduce", "reproduce", ["reproduce", "race", "--out", "{file}"]),
        ("rpu.native", "run_instructions", ["rpu", "run", "{file}", "--out", "{file}/a.hex"]),
        ("rpu.native", "run_instructions", ["rpu", "run", "{file}", "--out", "{file}.png"]),
        ("rpu.native", "run_instructions", ["rpu", "run", "{file}", "--trace", "{file}"]),
        ("rpu.native", "rtl_package", ["rtl", "rise-1bfu", "--out", "{file}"]),
        ("rpu.native", "transform_in_c", ["ntt", "--c", "{file}/a.c"]),
    ],
)
def test_every_output_is_looked_at_before_the_work(  # noqa: PLR0913, PLR0917 - a case and its fixtures
    module: str,
    work: str,
    arguments: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        f"ringwright.cli.{module}.{work}", lambda *given, **named: pytest.fail("the work began")
    )
    file = tmp_path / "a_file"
    file.write_text("")
    assert run([word.format(file=file) for word in arguments]) in {2, 3}
    assert str(file) in only_line(capsys.readouterr().err)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
@pytest.mark.parametrize("options", [["machines"], ["machines", "--json"], ["doctor"]])
def test_a_full_disk_under_stdout_is_one_line(options: list[str]) -> None:
    command = [sys.executable, "-m", "ringwright", *options]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 3
    assert only_line(done.stderr) == "ringwright: the output: not written: No space left on device"


@pytest.mark.parametrize("options", [["machines"], ["machines", "--json"]])
def test_a_reader_that_goes_away_is_no_wrong_answer(options: list[str]) -> None:
    command = [sys.executable, "-m", "ringwright", *options]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.close()
        assert running.stderr.read() == ""
    assert running.returncode == application.READER_GONE


def test_a_defect_of_ours_is_no_wrong_answer(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(arguments: list[str]) -> int:
        raise AssertionError("a defect")

    monkeypatch.setattr(application, "run", broken)
    with pytest.raises(SystemExit) as ended:
        application.main(["machines"])
    assert ended.value.code == application.DEFECT
    assert "AssertionError: a defect" in capsys.readouterr().err


def test_an_interrupt_leaves_nothing(
    out: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(now, before, tiles):
        raise KeyboardInterrupt

    monkeypatch.setattr(programs, "tile_energies", interrupted)
    assert camera(out) == 130
    assert "interrupted" in capsys.readouterr().err
    assert not out.exists()


def test_a_machine_file_that_is_wrong_names_the_key(
    out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = tmp_path / "my.toml"
    mine.write_text('name = "mine"\ntarget = "cpu"\ntitle = "mine"\n[parameters]\nthreds = 1\n')
    assert camera(out, "--machine", str(mine)) == 2
    line = only_line(capsys.readouterr().err)
    assert "my.toml" in line
    assert "threds" in line


def test_a_machine_file_of_ones_own_runs(
    out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = tmp_path / "my.toml"
    mine.write_text(
        'name = "mine"\ntarget = "cpu"\ntitle = "one thread"\n'
        '[parameters]\nthreads = { value = 1, source = "my choice" }\n'
    )
    assert camera(out, "--machine", str(mine), "--json") == 0
    assert json.loads(capsys.readouterr().out)["machines"][0]["name"] == "mine"


def test_explain_reads_what_camera_wrote(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert camera(out) == 0
    capsys.readouterr()
    assert run(["explain", str(out / "results.json")]) == 0
    printed = capsys.readouterr().out
    for word in ("set by the", "evaluate", "uplink", "predicted noise", "rotate"):
        assert word in printed
    assert run(["explain", str(out / "results.json"), "--json"]) == 0
    (machine,) = json.loads(capsys.readouterr().out)["machines"]
    exposed = [stage["exposed_fs"] for stage in machine["stages"]]
    assert exposed == sorted(exposed, reverse=True)
    assert sum(exposed) == machine["total_fs"]


@pytest.mark.parametrize(
    "content",
    ["", "{}", "[]", '{"machines": []}', '{"machines": [1]}', '{"machines": [{"name": "x"}]}'],
)
def test_explain_refuses_other_files(
    content: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "results.json"
    path.write_text(content)
    assert run(["explain", str(path)]) == 2
    assert "results.json" in only_line(capsys.readouterr().err)


def test_explain_refuses_a_ledger_that_does_not_add_up(
    out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert camera(out) == 0
    path = out / "results.json"
    found = json.loads(path.read_text())
    found["machines"][0]["total_fs"] += 1
    path.write_text(json.dumps(found))
    capsys.readouterr()
    assert run(["explain", str(path)]) == 2
    assert "add up" in only_line(capsys.readouterr().err)


def test_machines_lists_all_and_shows_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["machines", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [m["name"] for m in listed["machines"]] == [m.name for m in rw.machines()]
    assert {k["name"] for k in listed["links"]} == {k.name for k in rw.links()}
    for machine in rw.machines():
        assert run(["machines", "--show", machine.name, "--json"]) == 0
        shown = json.loads(capsys.readouterr().out)
        assert {p["name"] for p in shown["parameters"]} == set(machine.values)
        assert all(p["source"] for p in shown["parameters"])
    for link in rw.links():
        assert run(["machines", "--show", link.name, "--json"]) == 0
        shown = json.loads(capsys.readouterr().out)["parameters"]
        assert {p["name"]: p["source"] for p in shown} == link.sources
    assert run(["machines"]) == 0
    assert all(machine.name in capsys.readouterr().out for machine in rw.machines()[:1])
    assert run(["machines", "--show", "none-such"]) == 2


def test_doctor_says_what_is_skipped(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert any(fact["name"].startswith("isa ") for fact in facts)
    assert all(bool(fact["consequence"]) != fact["found"] for fact in facts)
    assert run(["doctor"]) == 0


def test_every_verb_has_help(capsys: pytest.CaptureFixture[str]) -> None:
    for verb in ("camera", "machines", "explain", "doctor"):
        for asked in ("--help", "-h"):
            assert run([verb, asked]) == 0
            assert "--json" in capsys.readouterr().out
    for words in (["-h"], ["rpu", "-h"], ["rpu", "run", "-h"]):
        assert run(words) == 0
        assert "Usage" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        ("ringwright rep", ["reproduce"]),
        ("ringwright camera --machine ri", [m.name for m in rw.machines() if m.target == "rise"]),
        ("ringwright camera --link 5g-", [k.name for k in rw.links()]),
        ("ringwright oracle --params 4096", rw.ckks.Parameters.presets()),
        ("ringwright camera --fit c", ["cover", "contain"]),
        ("ringwright camera --fr", ["--frames"]),
        ("ringwright reproduce r", ["race", "rise", "rpu"]),
    ],
)
def test_a_shell_completes_names(
    typed: str,
    names: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = typed.split()
    monkeypatch.setenv("_RINGWRIGHT_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", typed)
    monkeypatch.setenv("COMP_CWORD", str(len(words) - 1))
    with pytest.raises(SystemExit) as ended:
        application.main([])
    assert ended.value.code == 0
    wanted = {name for name in names if name.startswith(words[-1])}
    assert wanted
    assert set(capsys.readouterr().out.split()) == wanted


def test_the_module_is_the_command() -> None:
    command = [sys.executable, "-m", "ringwright", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"ringwright {rw.__version__}\n"
