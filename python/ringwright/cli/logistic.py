"""`ringwright logistic`: diagnosis on encrypted rows, or training on them, beside the plain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import typer
from rich.text import Text

import ringwright as rw
from ringwright.cli import completion
from ringwright.cli.output import JSON_HELP, duration, print_json, results, table
from ringwright.cli.stages import Stages
from ringwright.errors import ParameterError
from ringwright.logistic import (
    Diagnosis,
    Rows,
    Trained,
    breast_cancer,
    diagnose,
    generated,
    train_encrypted,
)
from ringwright.logistic.inference import DEGREE, PARAMETERS
from ringwright.logistic.training import ITERATIONS, TRAINING_PARAMETERS
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


@dataclass(frozen=True)
class Training:
    """Whether the server trains, and for how long."""

    train: Annotated[
        bool,
        typer.Option(
            "--train",
            help="Train on all rows, encrypted, with bootstrapping; half a minute, 8 GB of memory.",
        ),
    ] = False
    iterations: Annotated[
        int, typer.Option(metavar="N", help="Of training: steps of Nesterov's descent.")
    ] = ITERATIONS
    generated: Annotated[
        str | None,
        typer.Option(
            metavar="ROWSxFEATURES",
            help="Of training: on generated rows of this shape, not on breast cancer.",
        ),
    ] = None
    batch: Annotated[
        int | None,
        typer.Option(metavar="ROWS", help="Of training: rows of one iteration; default all."),
    ] = None

    def check(self, degree: int) -> None:
        """Raises `ParameterError` for what would mean nothing."""
        of_training = {"--generated": self.generated, "--batch": self.batch}
        if self.iterations != ITERATIONS:
            of_training["--iterations"] = self.iterations
        given = [name for name, value in of_training.items() if value is not None]
        if given and not self.train:
            raise ParameterError(f"{given[0]} given without --train; it is of training")
        if self.train and degree != DEGREE:
            raise ParameterError(f"--train and --degree {degree} given; one of them allowed")

    def rows(self) -> Rows:
        """What is trained on."""
        if self.generated is None:
            return breast_cancer()
        rows, times, features = self.generated.partition("x")
        if not (times and rows.isdecimal() and features.isdecimal()):
            raise ParameterError(
                f"generated {self.generated!r} given; rows and features, as 1024x255, allowed"
            )
        return generated(int(rows), int(features))


def logistic(
    where: Where,
    training: Training,
    params: Annotated[
        str | None,
        completion.option(
            completion.parameter_sets,
            f"Parameter set; default {PARAMETERS}, with --train {TRAINING_PARAMETERS}.",
            file=False,
        ),
    ] = None,
    degree: Annotated[
        int, typer.Option(metavar="D", help="Degree of the polynomial that is the sigmoid.")
    ] = DEGREE,
    json_: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """Diagnose breast cancer by logistic regression on encrypted rows, beside the plain model.

    With --train the server trains the model on encrypted rows, beside the same iterations in the
    clear.

    Exit code 1: a row outside the noise of the boundary is decided otherwise than by the plain
    model, or a probability is off by more than the predicted noise; with --train a row is decided
    otherwise, or a weight is off by more than 0.001.
    """
    training.check(degree)
    if training.train:
        _train(where, training, params or TRAINING_PARAMETERS, json_)
        return
    if not 1 <= degree <= MOST_DEGREE:
        raise ParameterError(f"degree {degree}: 1 to {MOST_DEGREE} allowed")
    machine, system = where.machine, where.system
    if system is not None and machine != default_machine():
        raise ParameterError(f"machine {machine} and system {system} given; one of them allowed")
    parameters = rw.ckks.Parameters.preset(params or PARAMETERS)
    found = diagnose(parameters, machine, degree, system, where.values)
    row = _row(found)
    if json_:
        print_json(row)
    else:
        _print(row, found)
    if not found.correct:
        typer.echo("ringwright: WRONG answer: it differs from the plain model", err=True)
        raise typer.Exit(1)


def _train(where: Where, training: Training, params: str, json_: bool) -> None:
    if where.system is not None:
        raise ParameterError(f"--train and system {where.system} given; one of them allowed")
    if training.iterations < 1:
        raise ParameterError(f"{training.iterations} iterations given; 1 or more allowed")
    with Stages("logistic") as stages:
        found = train_encrypted(
            training.rows(),
            rw.ckks.Parameters.preset(params),
            where.machine,
            iterations=training.iterations,
            batch=training.batch,
            values=where.values,
            progress=stages,
        )
    row = _trained_row(found)
    if json_:
        print_json(row)
    else:
        _print_trained(row, training.generated)
    if not found.correct:
        typer.echo("ringwright: WRONG answer: it differs from the plain model", err=True)
        raise typer.Exit(1)


def _trained_row(found: Trained) -> dict[str, Any]:
    return {
        "correct": found.correct,
        "rows": len(found.signed),
        "features": found.signed.shape[1] - 1,
        "batch": found.plan.rows,
        "iterations": found.plan.iterations,
        "bootstraps": found.plan.bootstraps,
        "largest_weight_error": found.largest_weight_error,
        "error_bound": found.error_bound,
        "differing": found.differing,
        "approximation_error": found.approximation,
        "accuracy_encrypted": found.accuracy,
        "accuracy_exact": found.accuracy_exact,
        "parameters": found.parameters.name,
        "security": str(found.parameters.security),
        "machine": found.run.machine,
        "seconds": found.seconds,
        "keys_fs": found.keys_fs,
        "encrypt_fs": found.encrypt_fs,
        "prepare_fs": found.prepare_fs,
        "evaluate_fs": found.run.evaluate_fs,
        "decrypt_fs": found.decrypt_fs,
    }


def _print_trained(row: dict[str, Any], generated: str | None) -> None:
    console = results()
    verdict = "correct" if row["correct"] else "WRONG"
    heads = [
        "rows",
        "iterations",
        "bootstraps",
        "weights off by",
        "otherwise",
        "accuracy",
        "weights",
    ]
    cells: list[str | Text] = [
        str(row["rows"]),
        str(row["iterations"]),
        str(row["bootstraps"]),
        f"{row['largest_weight_error']:.2g}",
        str(row["differing"]),
        f"{row['accuracy_encrypted']:.1%}",
        Text(verdict, style="green" if row["correct"] else "bold red"),
    ]
    data = "Breast cancer" if generated is None else f"Generated {generated}"
    title = f"{data}, trained under {row['parameters']}, server {row['machine']}"
    console.print(table(heads, [cells], right=range(6), title=title), "")
    console.print(
        f"sigmoid   the polynomial changes a weight by {row['approximation_error']:.2g} at most; "
        f"accuracy with the sigmoid itself {row['accuracy_exact']:.1%}",
        soft_wrap=True,
    )
    named = ("keys_fs", "encrypt_fs", "prepare_fs", "evaluate_fs", "decrypt_fs")
    times = [f"{key.removesuffix('_fs')} {duration(row[key])}" for key in named]
    console.print(f"time      {', '.join(times)} (measured)", soft_wrap=True)
    console.print(f"security  {row['security']}", soft_wrap=True)


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
