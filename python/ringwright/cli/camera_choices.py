"""What `ringwright camera` can be told, by what it is about; `Choices.options` is all of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from ringwright.camera import Alarm, Options, Size, Source
from ringwright.camera.clip import BUNDLED
from ringwright.cli import completion
from ringwright.errors import ParameterError
from ringwright.machines import default_machine


@dataclass(frozen=True)
class Pictures:
    """Where pictures come from."""

    input_: Annotated[
        Path | None,
        typer.Option("--input", metavar="FILE", help="Video file; default: the bundled clip."),
    ] = None
    device: Annotated[
        int | None, typer.Option(metavar="N", help="Camera /dev/videoN instead of a file.")
    ] = None
    resolution: Annotated[
        str, typer.Option(metavar="SIZE", help="qqvga (160x120), qvga (320x240) or WxH.")
    ] = "qvga"

    @property
    def source(self) -> Source:
        """The file or the camera; raises `ParameterError` where both are named."""
        if self.input_ is not None and self.device is not None:
            said = f"input {self.input_} and device {self.device} given; one of them allowed"
            raise ParameterError(said)
        if self.device is not None:
            return Source.device(self.device)
        return Source(BUNDLED if self.input_ is None else self.input_)


@dataclass(frozen=True)
class Encryption:
    """The parameter set: by name, or by degree."""

    params: Annotated[
        str | None,
        completion.option(
            completion.parameter_sets,
            "Parameter set, for instance 4096-2x30 (the default).",
            file=False,
        ),
    ] = None
    n: Annotated[
        int | None,
        typer.Option(metavar="N", help="Ring degree; takes the smallest set that can compute."),
    ] = None


@dataclass(frozen=True)
class Places:
    """Machines, and the links between them."""

    system: Annotated[
        str | None,
        completion.option(
            completion.systems,
            "System that says who does what, in place of machines, links and host.",
        ),
    ] = None
    machine: Annotated[
        list[str] | None,
        completion.option(completion.machines, "Client machine; repeat for a row each."),
    ] = None
    server: Annotated[
        str | None, completion.option(completion.machines, "Machine that computes.")
    ] = None
    link: Annotated[
        str, completion.option(completion.links, "Link between them; see `ringwright machines`.")
    ] = Options.link
    server_link: Annotated[
        str, completion.option(completion.links, "Link between the server and a simulated machine.")
    ] = Options.server_link


@dataclass(frozen=True)
class Work:
    """What is computed, on how many frames."""

    compute: Annotated[
        str,
        typer.Option(
            autocompletion=completion.modes, metavar="MODE", help="motion, alarm, blur or none."
        ),
    ] = Options.compute
    frames: Annotated[int, typer.Option(metavar="N", help="Frames to run.")] = Options.frames
    fit: Annotated[
        str,
        typer.Option(
            autocompletion=completion.fits,
            metavar="HOW",
            help="How pictures of another size go into it: cover (cropped), contain (black bars) "
            "or stretch.",
        ),
    ] = Options.fit
    in_flight: Annotated[
        int,
        typer.Option(
            metavar="N",
            help="Frames under way at once. 1: no overlap; 2: double buffering; 4: client, "
            "uplink, server and downlink each work on their own.",
        ),
    ] = Options.in_flight


@dataclass(frozen=True)
class Simulated:
    """What is beside a simulated machine, and how it is used."""

    host: Annotated[
        str,
        completion.option(
            completion.hosts, "Processor beside a simulated machine; see `machines`."
        ),
    ] = Options.host
    batch: Annotated[
        int,
        typer.Option(
            metavar="K",
            help="Ciphertexts that a simulated client works on at once; 1: it drains after each.",
        ),
    ] = Options.batch
    sampling_overlap: Annotated[
        bool, typer.Option(help="Whether a simulated client samples errors beside other work.")
    ] = Options.sampling_overlap
    values: completion.ValuesOption = Options.values


@dataclass(frozen=True)
class Threshold:
    """When the alarm is raised."""

    tile_threshold: Annotated[
        float, typer.Option(metavar="E", help="Mean squared difference from which a tile moves.")
    ] = Alarm.energy
    alarm_share: Annotated[
        float,
        typer.Option(metavar="S", help="Share of moving tiles that raises the alarm, 0 to 1."),
    ] = Alarm.share


@dataclass(frozen=True)
class Choices:
    """Everything that a run depends on."""

    pictures: Pictures
    encryption: Encryption
    places: Places
    work: Work
    simulated: Simulated
    threshold: Threshold

    def options(self) -> Options:
        """As the library takes them."""
        return Options(
            source=self.pictures.source,
            size=Size.parse(self.pictures.resolution),
            compute=self.work.compute,
            frames=self.work.frames,
            fit=self.work.fit,
            parameters=self.encryption.params,
            n=self.encryption.n,
            machines=self.places.machine or [default_machine()],
            server=self.places.server or default_machine(),
            link=self.places.link,
            server_link=self.places.server_link,
            in_flight=self.work.in_flight,
            host=self.simulated.host,
            batch=self.simulated.batch,
            sampling_overlap=self.simulated.sampling_overlap,
            values=self.simulated.values,
            system=self.places.system,
            alarm=Alarm(self.threshold.tile_threshold, self.threshold.alarm_share),
        )
