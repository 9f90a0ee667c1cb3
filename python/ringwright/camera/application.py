"""The private camera as a whole: options in, runs on every machine, files out."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import ringwright as rw
from ringwright.camera.circuit import Alarm
from ringwright.camera.clip import BUNDLED, CREDIT
from ringwright.camera.edge import Offloading, is_measured
from ringwright.camera.evaluation import Attachment
from ringwright.camera.fit import Fit, check_mode
from ringwright.camera.parameters import choose_parameters
from ringwright.camera.pipeline import Plan
from ringwright.camera.places import Places, described
from ringwright.camera.programs import MODES, Computation, Mode, computation
from ringwright.camera.report import report
from ringwright.camera.run import Run, run_camera
from ringwright.camera.video import Frame, Size, Source, VideoError, read_frames
from ringwright.errors import ParameterError
from ringwright.machines import default_machine
from ringwright.origin import Origin, origin
from ringwright.report.files import write_together
from ringwright.spot_checks import VALUES, check_values

#: What every run writes; further machines add a timeline each.
REPORT, RESULTS, TIMELINE = FILES = ("report.html", "results.json", "timeline.perfetto-trace")

MOST_FRAMES = 10_000
MOST_BATCH = 10_000


@dataclass(frozen=True)
class Options:
    """What a user can choose; checked by `film`."""

    source: Source = field(default_factory=lambda: Source(BUNDLED))
    size: Size = field(default_factory=lambda: Size.parse("qvga"))
    compute: str = "motion"
    frames: int = 30
    #: How pictures of another size go into `size`: `cover`, `contain` or `stretch`.
    fit: str = "cover"
    parameters: str | None = None
    n: int | None = None
    machines: Sequence[str] = field(default_factory=lambda: [default_machine()])
    server: str = field(default_factory=default_machine)
    link: str = "5g-max"
    #: For a server that is a simulated machine: `Attachment`.
    server_link: str = "pcie3-x16"
    in_flight: int = 4
    #: Beside clients and servers that are simulated machines.
    host: str = "blackparrot-published"
    #: For clients that are simulated machines: `Offloading`.
    batch: int = 1
    sampling_overlap: bool = True
    alarm: Alarm = field(default_factory=Alarm)
    #: Of a server that is a simulated machine: whose values, as for `rw.Server`.
    values: str = VALUES[0]
    #: A system's name or file, in place of `machines`, `server`, `link`, `server_link` and `host`.
    system: str | None = None


@dataclass(frozen=True)
class Film:
    """One run per machine over the same frames."""

    options: Options
    runs: Sequence[Run]
    #: Frames that ran; fewer than `options.frames` where the video is shorter.
    frames: int
    #: Which Ringwright, when, by which command, on which processor.
    origin: Origin
    #: How the pictures went into the frames.
    fit: Fit
    #: Plain sentences that a user should read: fewer frames than asked, cropped pictures.
    remarks: Sequence[str]

    @property
    def correct(self) -> bool:
        """Whether every answer of every machine equals the plain circuit."""
        return all(run.correct for run in self.runs)

    def results_json(self) -> str:
        """The text of results.json: `{"origin": {...}, "video": {...}, "machines": [{...}]}`."""
        rows = {
            "origin": self.origin.to_dict(),
            "video": self._video(),
            "machines": [run.row for run in self.runs],
        }
        return json.dumps(rows, indent=2, allow_nan=False) + "\n"

    def _video(self) -> dict[str, Any]:
        return {
            "source": str(self.options.source),
            "frames": self.frames,
            "frames_asked": self.options.frames,
            **self.fit.to_dict(),
        }


def film(
    options: Options,
    *,
    started: Callable[[int], None] = lambda frames: None,
    progress: Callable[[], None] = lambda: None,
    command: str | None = None,
) -> Film:
    """Reads the frames, then runs them on every machine.

    `started` is called with the number of frames that will run, over all machines, `progress`
    after each. `command`: what the user typed, for `Film.origin`. Everything is checked and the
    video is read before anything is encrypted.
    Raises `ParameterError`, `DepthError`, `MachineError` or `VideoError`.
    """
    begun = origin(command)
    plans = _plans(options)
    frames = _frames(options, needed=plans[0].computation.pictures)
    started(len(frames) * len(plans))
    runs = [run_camera(plan, frames, options.in_flight, progress) for plan in plans]
    fit = frames[0].fit
    return Film(options, runs, len(frames), begun, fit, _remarks(options, len(frames), fit))


def save(result: Film, directory: Path) -> Sequence[Path]:
    """Writes report.html, results.json and the timelines, all of them or none.

    The first machine's timeline is `timeline.perfetto-trace`; further ones carry their name.
    Raises `StorageError`.
    """
    options = result.options
    conditions = {
        "video": str(options.source),
        "frames": counted(result),
        "pictures": str(result.fit),
    }
    if options.source.path == BUNDLED:
        conditions["credit"] = CREDIT
    contents = {
        REPORT: report(str(options.source), conditions, result.runs, result.origin).encode(),
        RESULTS: result.results_json().encode(),
    }
    for index, run in enumerate(result.runs):
        suffix = f"-{index}-{run.row['name']}" if index else ""
        contents[TIMELINE.replace(".", f"{suffix}.", 1)] = run.timeline.to_bytes()
    return write_together(directory, contents)


def _plans(options: Options) -> list[Plan]:
    mode = _mode(options.compute)
    _within("frames", options.frames, 1, MOST_FRAMES)
    check_mode(options.fit)
    check_values(options.values)
    _within("in-flight", options.in_flight, 1, MOST_FRAMES)
    _within("batch", options.batch, 1, MOST_BATCH)
    parameters = choose_parameters(options.parameters, options.n, mode)
    places = _places(options) if options.system is None else places_of(options)

    def made(symmetric: bool) -> Computation:
        return computation(mode, options.size, parameters, options.alarm, symmetric=symmetric)

    computations = {
        symmetric: made(symmetric) for symmetric in {is_measured(c) for c in places.clients}
    }
    plans = [
        Plan(
            parameters,
            computations[is_measured(client)],
            client,
            places.server,
            places.network,
            options.alarm,
            Offloading(places.client_host, options.batch, options.sampling_overlap),
            places.attachment,
            options.values,
        )
        for client in places.clients
    ]
    for plan in plans:
        plan.check()
    return plans


def _places(options: Options) -> Places:
    host = rw.host(options.host)
    return Places(
        [rw.machine(name) for name in options.machines],
        host,
        rw.link(options.link),
        rw.machine(options.server),
        Attachment(rw.link(options.server_link), host),
    )


def places_of(options: Options) -> Places:
    """Those of the system that the options name. Raises `ParameterError` where they name other
    machines, links or hosts beside it, and `MachineError` where the camera cannot use the system.
    """
    default = Options()
    given = [name for name in _PLACED if getattr(options, name) != getattr(default, name)]
    if given or options.system is None:
        raise ParameterError(
            f"system {options.system} says who does what; not allowed beside it: {', '.join(given)}"
        )
    return described(rw.System.load(options.system), rw.host(options.host))


#: Options that a system decides.
_PLACED = ("machines", "server", "link", "server_link", "host")


def _frames(options: Options, needed: int) -> list[Frame]:
    _within("frames", options.frames, needed, MOST_FRAMES)
    frames = list(read_frames(options.source, options.size, options.frames, options.fit))
    if len(frames) < needed:
        raise VideoError(
            f"{options.source}: {len(frames)} frame given; {options.compute} needs {needed} or more"
        )
    return frames


def counted(result: Film) -> str:
    """How many frames ran: "30", or "37 of 300" asked for."""
    asked = result.options.frames
    return f"{result.frames}" if result.frames == asked else f"{result.frames} of {asked}"


def _remarks(options: Options, count: int, fit: Fit) -> list[str]:
    remarks = []
    if count < options.frames:
        remarks.append(f"{options.source} has {count} frames; {options.frames} were asked for")
    if fit.remarks:
        remarks.append(f"pictures are {'; '.join(fit.remarks)} (--fit {fit.mode})")
    return remarks


def _mode(text: str) -> Mode:
    for mode in MODES:
        if text == mode:
            return mode
    raise ParameterError(f"compute {text!r}: expected one of {', '.join(MODES)}")


def _within(name: str, value: int, low: int, high: int) -> None:
    if not low <= value <= high:
        raise ParameterError(f"{name} {value}: {low} to {high} allowed")
