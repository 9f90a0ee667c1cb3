"""`ringwright ntt`: one transform alone on a machine, beside what its paper prints."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import ringwright as rw
from ringwright import _ringwright as native
from ringwright import schedules
from ringwright.cli import completion
from ringwright.cli.output import (
    JSON_HELP,
    duration,
    print_json,
    results,
    share_bar,
    size,
    table,
)
from ringwright.errors import ParameterError
from ringwright.storage import require_file, write_whole

#: Words keep their places, or lie as suits the transform.
IN_ORDER, ANY = "in-order", "any"

#: No DMA hardware moves these operands, and a bound is arithmetic.
MODELLED = "modelled"


def ntt(  # noqa: PLR0913, PLR0917 - every option of the verb is an argument here
    n: Annotated[int, typer.Option(metavar="N", help="Ring degree, a power of two.")] = 1024,
    machine: Annotated[
        str | None, completion.option(completion.machines, "Machine with a transform unit.")
    ] = None,
    prime: Annotated[
        int | None,
        typer.Option(metavar="Q", help="The prime; default the largest that the machine takes."),
    ] = None,
    order: Annotated[
        str,
        typer.Option(
            autocompletion=completion.word_orders,
            metavar=f"{IN_ORDER}|{ANY}",
            help="Order of the words: as in a program, or any for a transform alone.",
        ),
    ] = IN_ORDER,
    listing: Annotated[
        bool,
        typer.Option("--listing", help="Print the program: start cycle, pipe, instruction."),
    ] = False,
    c: Annotated[
        Path | None,
        typer.Option("--c", metavar="FILE.c", help="Write it as portable C instead of running it."),
    ] = None,
    inverse: Annotated[
        bool, typer.Option("--inverse", help="With --c: evaluations to coefficients.")
    ] = False,
    search: Annotated[
        int | None,
        typer.Option(
            metavar="TRIES",
            help="First look for better orders of the instructions, and keep them.",
        ),
    ] = None,
    no_cache: Annotated[
        bool, typer.Option("--no-cache", help="Leave aside what searches have kept.")
    ] = False,
    clear_cache: Annotated[
        bool, typer.Option("--clear-cache", help="Delete what searches have kept, and stop.")
    ] = False,
    json_: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """Run one transform on a simulated machine: cycles, their bound, where the others went.

    With words in their order it is the transform of any program on this machine, with other
    operations before and after it. Papers count a transform alone, whose words lie as suits it:
    --order any is ours beside theirs. Machines that have one order of words take it.

    A machine whose instructions are ordered by a compiler is tuned where a search has found the
    order: one whose result ships, or --search, which keeps what it finds for every machine with the
    same parameters. TRIES counts orders, not seconds; the same number finds the same.

    With --c no machine is asked: the file holds a function of the file's name, for any prime below
    2^127, and says how it is called.

    Operands and result lie in the machine's own memory. With --listing the forward transform's
    program is printed in its order, for machines that have instructions; with --json it is the
    key `listing`. Exit code 1: wrong words.
    """
    if clear_cache:
        _clear()
        return
    if c is not None:
        _write_c(c, n, inverse=inverse)
        return
    if inverse:
        raise typer.BadParameter("goes with --c", param_hint="--inverse")
    if search is not None and no_cache:
        raise typer.BadParameter("keeps what it finds: not with --no-cache", param_hint="--search")
    on = rw.machine(machine or _default_machine(), cached=not no_cache)
    if search is not None:
        on = _search(on, n, search)
    made = native.run_transform(on, n, prime, order=order)
    if made is None:
        _print_skipped(on, n, json_=json_)
        return
    if listing and not made.program:
        said = f"target {on.target} has no instructions"
        raise typer.BadParameter(said, param_hint="--listing")
    _print_made(on, made, listing=listing, json_=json_)
    for each in made.schedules:
        if each.refused:
            typer.echo(f"ringwright: {each.refused}", err=True)
    if not made.correct:
        typer.echo("ringwright: WRONG words: the transform differs from its definition", err=True)
        raise typer.Exit(1)


def _print_skipped(on: rw.Machine, n: int, *, json_: bool) -> None:
    row = _skipped(on, n)
    if json_:
        print_json(row)
    else:
        typer.echo(f"{on.name}: skipped: {row['skipped']}")


def _print_made(on: rw.Machine, made: native.Transform, *, listing: bool, json_: bool) -> None:
    row = _row(on, made)
    if json_:
        print_json(row | (_listing(made) if listing else {}))
    elif listing:
        for start, unit, text in made.program:
            typer.echo(f"{start:6} {unit:10} {text}")
    else:
        _print(made, row)


def _clear() -> None:
    for path in schedules.clear():
        typer.echo(f"deleted {path}", err=True)


def _search(on: rw.Machine, n: int, tries: int) -> rw.Machine:
    """Searches, says what was found, and returns the machine with it."""
    path, found = schedules.search(on, n, tries)
    for each in found:
        what = "inverse" if each.inverse else "forward"
        order = ", words in order" if each.in_order else ""
        before = "untuned" if each.before is None else f"{each.before:,}"
        typer.echo(f"{what}{order}: {before} -> {each.cycles:,} cycles", err=True)
    typer.echo(f"kept in {path}", err=True)
    return schedules.attach(on)


def _write_c(path: Path, n: int, *, inverse: bool) -> None:
    if n < 1 or n & (n - 1):
        raise ParameterError(f"n = {n}, allowed: a power of two")
    require_file(path)
    text = native.transform_in_c(n.bit_length() - 1, path.stem, inverse=inverse)
    write_whole(path, text.encode())
    typer.echo(f"{path}: function {path.stem}, for any prime below 2^127", err=True)


def _default_machine() -> str:
    return next(target.default_machine for target in rw.targets() if target.has_transform)


def _row(on: rw.Machine, made: native.Transform) -> dict[str, Any]:
    """`order` is null for machines with one. `bound_cycles` is never beaten; `drained_cycles`, all
    products one after the other and every stage drained, is by what overlaps, and null where stages
    do not drain. `utilisation` is the share of the cycles in which the busiest unit works;
    `instructions` is null for machines without, and so is `schedule`; `stalls` has every cycle of
    every unit with what it did. `strict` is the same transform with the paper read to the letter,
    null where nothing is left open. `moved_cycles` bring the operand and fetch the result,
    `cold_cycles` bring all.
    """
    return {
        "machine": made.machine,
        "identity": on.identity,
        "n": made.n,
        "prime": made.prime,
        "order": made.order,
        "cycles": made.cycles,
        "bound_cycles": made.bound_cycles,
        "drained_cycles": made.drained_cycles,
        "published_cycles": made.published_cycles,
        "published_source": made.published_source,
        "inverse_cycles": made.inverse_cycles,
        "strict": _strict(made),
        **_who("schedule", made.schedules[:1]),
        **_who("inverse_schedule", made.schedules[1:2]),
        "clock_fs": on.values["clock_fs"],
        "clock_source": on.sources["clock_fs"],
        "resident_bytes": dict(made.resident),
        "moved_cycles": made.moved_cycles,
        "cold_cycles": made.cold_cycles,
        "residency_provenance": MODELLED,
        "instructions": len(made.program) or None,
        "utilisation": max(share for _, share in made.units),
        "units": dict(made.units),
        "stalls": [
            {"unit": unit, "reason": reason, "cycles": cycles}
            for unit, reason, cycles in made.stalls
            if cycles
        ],
        "correct": made.correct,
        "provenance": made.provenance,
    }


def _who(key: str, of: list[native.TransformSchedule]) -> dict[str, str | None]:
    """Who found an order: nobody where a machine orders nothing."""
    schedule, source = (of[0].schedule, of[0].source) if of else (None, None)
    return {key: schedule, f"{key}_source": source}


def _strict(made: native.Transform) -> dict[str, Any] | None:
    if made.strict is None:
        return None
    cycles, bound, schedule, parameters = made.strict
    return {
        "cycles": cycles,
        "bound_cycles": bound,
        "schedule": schedule.schedule,
        "schedule_source": schedule.source,
        "parameters": parameters,
    }


def _listing(made: native.Transform) -> dict[str, Any]:
    rows = [
        {"start": start, "unit": unit, "instruction": text} for start, unit, text in made.program
    ]
    return {"listing": rows}


def _skipped(on: rw.Machine, n: int) -> dict[str, Any]:
    reason = f"target {on.target} has no transform unit of its own, so no cycles to count"
    return {"machine": on.name, "n": n, "skipped": reason}


def _print(made: native.Transform, row: dict[str, Any]) -> None:
    console = results()
    heads = ["", "cycles", "ours against it", "strictly", "provenance"]
    title = f"{made.machine}: N = {made.n}, prime {made.prime}{_ordered(made)}"
    console.print(table(heads, _cycles(made), right=(1, 2, 3), title=title), "")
    units = [[unit, f"{share:.1%}", share_bar(share)] for unit, share in made.units]
    console.print(table(["unit", "works", ""], units, right=(1,)), "")
    waits = [[unit, reason, f"{cycles:,}"] for unit, reason, cycles in made.stalls if cycles]
    if waits:
        console.print(table(["unit", "cycles in which it", "number"], waits, right=(2,)), "")
    for what, said in _facts(made, row):
        console.print(f"{what:9} {said}", soft_wrap=True)


def _cycles(made: native.Transform) -> list[list[str]]:
    """Ours, ours with the paper read strictly, the bound, the paper."""
    strict = made.strict[0] if made.strict else None

    def against(cycles: int) -> list[str]:
        ours = [f"{each / cycles - 1:+.1%}" for each in (made.cycles, strict) if each is not None]
        return [*ours, ""][:2]

    rows = [["forward transform", f"{made.cycles:,}", "", "", made.provenance]]
    if strict is not None:
        rows.append(["the same, paper read strictly", f"{strict:,}", "", "", made.provenance])
    rows.append(["inverse transform", f"{made.inverse_cycles:,}", "", "", made.provenance])
    bound = [f"{made.bound_cycles:,}", against(made.bound_cycles)[0], "", MODELLED]
    rows.append(["bound", *bound])
    if made.drained_cycles is not None:
        drained = [f"{made.drained_cycles:,}", against(made.drained_cycles)[0], "", MODELLED]
        rows.append(["drained stages", *drained])
    if made.published_cycles is not None:
        paper = [f"{made.published_cycles:,}", *against(made.published_cycles), "published"]
        rows.append(["the paper", *paper])
    return rows


def _ordered(made: native.Transform) -> str:
    return {IN_ORDER: ", words in order", ANY: ", words in any order"}.get(made.order or "", "")


def _facts(made: native.Transform, row: dict[str, Any]) -> list[tuple[str, str]]:
    """What the tables do not say, each in one line."""
    facts = []
    if made.program:
        facts.append(("program", f"{len(made.program):,} instructions"))
    if made.schedules:
        facts.append(("schedule", _schedule(made)))
    if made.strict:
        _, _, schedule, parameters = made.strict
        facts.append(
            ("strictly", f"{schedules.said([schedule])}; read otherwise: {', '.join(parameters)}")
        )
    clock_fs = row["clock_fs"]
    facts.append(("clock", f"{1e6 / clock_fs:.3g} GHz; {row['clock_source']}"))
    held = ", ".join(f"{what} {size(count)}" for what, count in made.resident)
    facts.append(("resident", f"{held}, before the first cycle"))
    for what, cycles in (("moved", made.moved_cycles), ("cold", made.cold_cycles)):
        brought = "operand in, result out" if what == "moved" else "all of it in, result out"
        time = duration(cycles * clock_fs)
        facts.append((what, f"{cycles:,} cycles, {time} with {brought} ({MODELLED})"))
    verdict = "equal to the reference interpreter's" if made.correct else "WRONG"
    facts.append(("words", verdict))
    return [*facts, ("paper", row["published_source"] or _no_paper(made))]


def _no_paper(made: native.Transform) -> str:
    if made.order == IN_ORDER:
        return f"counts a transform alone, words in any order: --order {ANY}"
    return "no paper prints this degree of a machine with these parameters"


def _schedule(made: native.Transform) -> str:
    forward, inverse = (schedules.said([each]) for each in made.schedules[:2])
    said = forward if forward == inverse else f"{forward}; inverse: {inverse}"
    hint = "; --search TRIES looks for better ones" if "untuned" in said else ""
    return said + hint
