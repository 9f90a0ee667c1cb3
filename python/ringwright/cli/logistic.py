"""`ringwright logistic`: diagnosis on encrypted rows, beside the plain model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import typer
from rich.text import Text

import ringwright as rw
from ringwright.cli import completion
from ringwright.cli.output import JSON_HELP, duration, print_json, results, table
from ringwright.errors import ParameterError
from ringwright.logistic import Diagnosis, diagnose
from ringwright.logistic.inference import DEGREE, PARAMETERS
from ringwright.machines import default_machine
from ringwright.numpy_face import MOST_DEGREE
from ringwright.spot_checks import VALUES, checked_text, together


@dataclass(frozen=True)
class Where:
    """What computes."""

    machine: Annotated[str, completion.option(completion.machines, "Machine of the server.")] = (
        default_machine()
    )
    system: Annotated[
        str | None,
        completion.option(
            completion.systems, "System whose server computes, in place of a machine."
        ),
    ] = None
    values: completion.ValuesOption = VALUES[0]


def logistic(
    where: Where,
    params: Annotated[
        str, completion.option(completion.parameter_sets, "Parameter set.", file=False)
    ] = PARAMETERS,
    degree: Annotated[
        int, typer.Option(metavar="D", help="Degree of the polynomial that is the sigmoid.")
    ] = DEGREE,
    json_: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """Diagnose breast cancer by logistic regression on encrypted rows, beside the plain model.

    Exit code 1: a row outside the noise of the boundary is decided otherwise than by the plain
    model, or a probability is off by more than the predicted noise.
    """
    if not 1 <= degree <= MOST_DEGREE:
        raise ParameterError(f"degree {degree}: 1 to {MOST_DEGREE} allowed")
    machine, system = where.machine, where.system
    if system is not None and machine != default_machine():
        raise ParameterError(f"machine {machine} and system {system} given; one of them allowed")
    found = diagnose(rw.ckks.Parameters.preset(params), machine, degree, system, where.values)
    row = _row(found)
    if json_:
        print_json(row)
    else:
        _print(row, found)
    if not found.correct:
        typer.echo("ringwright: WRONG answer: it differs from the plain model", err=True)
        raise typer.Exit(1)


def _row(found: Diagnosis) -> dict[str, Any]:
    return {
        "verdict": "correct" if found.correct else "WRONG",
        "rows": len(found.rows),
        "agreeing": found.agreeing,
        "inside_boundary": found.inside,
        "differing_outside": found.differing,
        "boundary_margin": found.answers.allowed,
        "largest_error": found.answers.largest,
        "predicted_rms_error": found.answers.predicted,
        "rms_error": found.answers.mse**0.5,
        "approximation_error": found.approximation,
        "accuracy_plain": found.accuracy(found.plain),
        "accuracy_encrypted": found.accuracy(found.encrypted),
        "parameters": found.parameters.name,
        "security_bits": found.parameters.security.bits,
        "security": str(found.parameters.security),
        "machine": found.runs[0].machine,
        "ciphertexts": len(found.runs),
        "checks": together([run.checks for run in found.runs]),
        "encrypt_fs": found.encrypt_fs,
        "prepare_fs": sum(run.prepare_fs for run in found.runs),
        "evaluate_fs": found.evaluate_fs,
        "decrypt_fs": found.decrypt_fs,
        "provenance": {
            "encrypt_fs": ["measured"],
            "prepare_fs": ["measured"],
            "evaluate_fs": _evaluated(found),
            "decrypt_fs": ["measured"],
        },
    }


def _print(row: dict[str, Any], found: Diagnosis) -> None:
    console = results()
    verdict = Text(row["verdict"], style="green" if found.correct else "bold red")
    heads = [
        "rows",
        "decided alike",
        "inside the noise",
        "otherwise",
        "accuracy",
        "plain",
        "answers",
    ]
    cells: list[str | Text] = [
        str(row["rows"]),
        str(row["agreeing"]),
        str(row["inside_boundary"]),
        str(row["differing_outside"]),
        f"{row['accuracy_encrypted']:.1%}",
        f"{row['accuracy_plain']:.1%}",
        verdict,
    ]
    title = f"Breast cancer, encrypted under {row['parameters']}, server {row['machine']}"
    console.print(table(heads, [cells], right=range(6), title=title), "")
    console.print(
        f"boundary  a probability within {row['boundary_margin']:.2g} of 1/2 (noise; off by "
        f"{row['largest_error']:.2g} at most); the polynomial is off by "
        f"{row['approximation_error']:.2g}",
        soft_wrap=True,
    )
    times = [
        f"{key.removesuffix('_fs')} {duration(row[key])} ({' + '.join(provenance)})"
        for key, provenance in row["provenance"].items()
    ]
    console.print(f"time      {', '.join(times)}, {row['ciphertexts']} ciphertexts", soft_wrap=True)
    if row["checks"]:
        simulated = next(run.machine for run in found.runs if run.checks)
        text = checked_text(row["checks"], simulated)
        console.print(f"values    {text}", soft_wrap=True)
    console.print(f"security  {row['security']}", soft_wrap=True)


def _evaluated(found: Diagnosis) -> list[str]:
    """Where the time of the runs is from; their preparation is measured on this computer."""
    prepare = f"prepare {found.runs[0].program}"
    entries = (entry for ledger in found.evaluated for entry in ledger if entry.stage != prepare)
    return list(dict.fromkeys(entry.provenance for entry in entries))
