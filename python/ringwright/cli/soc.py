"""`ringwright soc`: a core, its firmware and an accelerator in RTL."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

import ringwright as rw
from ringwright import _ringwright as native
from ringwright.cli import completion
from ringwright.cli.output import JSON_HELP, print_json, progress, results, table
from ringwright.cli.verbs import Verbs
from ringwright.soc import (
    HOSTS,
    WORD_BITS,
    Attachment,
    Run,
    Simulation,
    Use,
    preset_of,
    profile,
    run_list,
)
from ringwright.storage import write_whole

app = Verbs(help="A RISC-V core that runs the firmware, with an accelerator, in RTL simulation.")
_DEGREE = 1024


@dataclass(frozen=True)
class Host:
    """A core, and how accelerators reach its memory."""

    host: Annotated[str, typer.Option(metavar="NAME", help=f"The core: {', '.join(HOSTS)}.")] = (
        HOSTS[0]
    )
    attachment: Annotated[
        Attachment | None,
        typer.Option(
            metavar="NAME",
            help="How accelerator and modem reach memory: coherent, through the core's caches, "
            "where it has a port for that (then the default), or streaming, past them.",
        ),
    ] = None


@dataclass(frozen=True)
class Core(Host):
    """Beside it, what is in its socket, and the parameters of its client."""

    machine: Annotated[
        str, completion.option(completion.machines, "The accelerator, of the target rise.")
    ] = "rise-4bfu"
    n: Annotated[
        int | None, typer.Option("--n", metavar="N", help=f"Ring degree (default: {_DEGREE}).")
    ] = None
    params: Annotated[
        str | None,
        completion.option(
            completion.parameter_sets, "A parameter set instead of a degree.", file=False
        ),
    ] = None

    def simulation(self, use: Use, *, waves: bool = False) -> Simulation:
        """Raises `ParameterError` for two of what excludes each other."""
        if self.n is not None and self.params is not None:
            raise rw.ParameterError("--n and --params given; one of them allowed")
        if self.params is None:
            parameters = preset_of(_DEGREE if self.n is None else self.n, WORD_BITS)
        else:
            parameters = rw.ckks.Parameters.preset(self.params)
        machine = rw.Machine.load(self.machine)
        return Simulation(
            self.host, machine, parameters, use=use, attachment=self.attachment, waves=waves
        )


@dataclass(frozen=True)
class Uses:
    """What the accelerator does, and the firmware."""

    no_accelerator: Annotated[
        bool, typer.Option("--no-accelerator", help="The core does everything itself.")
    ] = False
    tax: Annotated[
        bool, typer.Option("--tax", help="An accelerator that takes no time: the rest is tax.")
    ] = False

    instructions: Annotated[
        bool,
        typer.Option(
            "--instructions", help="No accelerator; the core has instructions modulo a prime."
        ),
    ] = False

    decrypt: Annotated[
        bool, typer.Option("--decrypt", help="Decrypt and decode answers instead.")
    ] = False

    @property
    def use(self) -> Use:
        """Raises `ParameterError` for more than one."""
        given: dict[str, tuple[bool, Use]] = {
            "--no-accelerator": (self.no_accelerator, "alone"),
            "--tax": (self.tax, "tax"),
            "--instructions": (self.instructions, "instructions"),
        }
        names = [name for name, (is_given, _) in given.items() if is_given]
        if len(names) > 1:
            raise rw.ParameterError(f"{' and '.join(names)} given; one of them allowed")
        return given[names[0]][1] if names else "accelerated"


@app.verb("run")
def run(
    core: Core,
    uses: Uses,
    frames: Annotated[int, typer.Option(metavar="COUNT", min=1, help="Messages, or answers.")] = 1,
    wave: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the waves of the run, as FST.")
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """Encrypt random messages with the firmware on a core, and count the cycles of each phase.

    The model is built once (a minute or two). Every word that the firmware sends is compared with
    our client's, and decrypted; with --decrypt every value with what our client decrypts. Exit
    code 1: the firmware failed, or a word is wrong.
    """
    simulation = core.simulation(uses.use, waves=wave is not None)
    with progress().status("building the model") as status:
        _ = simulation.chip.program
        status.update("running")
        work = simulation.decrypt if uses.decrypt else simulation.run
        done = work(
            frames,
            wave=wave,
            progress=lambda cycles, seconds: status.update(
                f"{cycles:,} cycles, {cycles / seconds:,.0f} a second"
            ),
        )
    if json_:
        print_json(done.to_dict())
    else:
        _show(done)
    if wrong := done.wrong:
        typer.echo(f"ringwright: WRONG: {wrong}", err=True)
        raise typer.Exit(1)


@app.verb("list")
def list_(
    host: Host,
    machine: Annotated[
        str, completion.option(completion.machines, "The accelerator, of the target rpu.")
    ] = "rpu-8x8",
    n: Annotated[int, typer.Option("--n", metavar="N", min=2, help="Ring degree.")] = _DEGREE,
    towers: Annotated[
        int, typer.Option(metavar="COUNT", min=1, help="Transforms, each modulo its own prime.")
    ] = 8,
    json_: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """Let the firmware bring a list of transforms to an RPU, start it, and take the results.

    Exit code 1: the firmware failed, or a word is wrong.
    """
    log_n = n.bit_length() - 1
    if n != 1 << log_n:
        raise rw.ParameterError(f"--n: {n} given, powers of two allowed")
    module = native.Module.transform(log_n, WORD_BITS, towers=towers)
    with progress().status("building the model") as status:
        done = run_list(
            host.host,
            rw.Machine.load(machine),
            module,
            attachment=host.attachment,
            progress=lambda cycles, seconds: status.update(
                f"{cycles:,} cycles, {cycles / seconds:,.0f} a second"
            ),
        )
    if json_:
        print_json(done.to_dict())
    else:
        console = results()
        console.print(f"{done.host}, {done.machine}, N = {n}, towers: {towers} ({done.provenance})")
        rows = [[name, f"{cycles:,}"] for name, cycles in done.phases.items()]
        console.print(table(["phase", "cycles"], rows, right=[1]))
        if done.correct and done.deviation is not None:
            console.print(
                f"{done.words:,} words are right; the simulator is {100 * done.deviation:+.1f} % "
                "off the run"
            )
    if wrong := done.wrong:
        typer.echo(f"ringwright: WRONG: {wrong}", err=True)
        raise typer.Exit(1)


@app.verb("profile")
def profile_(
    core: Core,
    name: Annotated[str, typer.Option(metavar="NAME", help="Of the description.")],
    instructions: Annotated[
        bool, typer.Option("--instructions", help="With the core's instructions modulo a prime.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where the description goes, if anywhere.")
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """Count the operations of a host's description on the core, each alone.

    With `--out` they are written as a description that camera and ledger take (`--host FILE`).
    """
    simulation = core.simulation("instructions" if instructions else "tax")
    with progress().status("building the model") as status:
        _ = simulation.chip.program
        status.update("counting")
        cycles = profile.measured(simulation)
    if out is not None:
        write_whole(out, profile.description(simulation, cycles, name).encode())
    if json_:
        print_json({"host": simulation.chip.title, "cycles": cycles, "provenance": "rtl"})
        return
    rows = [[operation, f"{value:,.1f}"] for operation, value in cycles.items()]
    results().print(table(["operation", "cycles"], rows, right=[1]))


def _show(done: Run) -> None:
    console = results()
    beside = (
        "no accelerator" if done.accelerator is None else f"{done.accelerator} of {done.machine}"
    )
    composed = f", composed: {done.towers_run} of {done.level} towers ran"
    console.print(
        f"{done.host}, {beside}, {done.parameters}, frames: {done.frames} ({done.provenance}"
        f"{composed if done.is_composed else ''})"
    )
    off = {name: f"{100 * share:+.1f} %" for name, share in done.deviation.items()}
    rows = [
        [name, f"{cycles:,}", f"{100 * cycles / done.total_cycles:.1f} %", off.get(name, "")]
        for name, cycles in done.phases.items()
    ]
    rows.append(["all", f"{done.total_cycles:,}", "", off.get("whole", "")])
    console.print(table(["phase", "cycles", "share", "simulators"], rows, right=[1, 2, 3]))
    console.print(
        f"set-up, once: {done.set_up_cycles:,} cycles; memory answers after {done.memory_latency}; "
        f"others reach it {'through' if done.coherent else 'past'} the core's caches"
    )
    console.print(
        f"memory: {done.ram_bytes:,} of {done.memory_bytes:,} bytes, {done.stack_bytes:,} of them "
        f"stack; read only {done.read_only_bytes:,}"
    )
    spending = done.spending
    console.print(
        f"a frame takes {spending.frame_uj} µJ ({spending.provenance}); the core "
        f"{spending.core_area_mm2} mm², caches included"
    )
    if done.kernel_cycles is not None:
        fewest, most = done.kernel_cycles
        console.print(
            f"a driver of an operating system would add {fewest:,} to {most:,} cycles (modelled)"
        )
    if done.correct:
        console.print(
            f"right beside our client; slots are off by {done.error:.1e} at most, "
            f"bound {done.error_bound:.1e}"
        )
    elif done.wrong is None:
        console.print("what was sent means nothing: the accelerator does not compute")
