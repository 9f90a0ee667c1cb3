"""Training on encrypted rows: Nesterov's descent, with a bootstrapping every few iterations.

    from ringwright import logistic
    trained = logistic.train_encrypted(logistic.breast_cancer())
    print(trained.largest_weight_error, trained.correct)

It takes half a minute and 8 GB with the secure parameters.

The clinic encrypts its rows, each times its class's sign, side by side in as many ciphertexts as
they need; the server computes the weights and never sees a row, a class or a weight. In every
iteration, over all rows or over one batch after the other (Kim,
Song, Kim, Lee, Cheon, "Logistic regression model training based on the approximate homomorphic
encryption", 2018, section 3):

| step | levels |
|---|--:|
| every row times what goes ahead of the weights, summed, into all slots of the row | 2 |
| a polynomial for the sigmoid; rate, momentum and number of rows in its coefficients | 3 |
| times the row, summed over all rows: the step, in all rows alike | 1 |

What goes ahead of the weights are these and a share µ, the momentum, of their last change: v = w +
µ(w - w'). No level goes into that: with (1 + µ)w = (1 + µ)v' + (1 + µ)step, which the polynomial
has as its coefficients, v = (1 + µ)w - µw', and what is older has levels to spare. So (1 + µ)w is
*held*. Both are real vectors that repeat in every row: one bootstrapping takes the two of them, and
of their few numbers only.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import reduce
from math import sqrt
from operator import add

import numpy as np
from numpy.polynomial import Chebyshev
from numpy.typing import NDArray

import ringwright as rw
from ringwright import system
from ringwright.errors import ParameterError
from ringwright.logistic.model import CLIP, sigmoid
from ringwright.logistic.rows import Array, Rows, packed, width
from ringwright.spot_checks import VALUES

#: Its levels are for two iterations.
TRAINING_PARAMETERS = "65536-boot"
ITERATIONS = 10
#: No score is larger in size while the weights are on their way; checked in the clear.
LARGEST_SCORE = 16.0
#: No weight, and nothing held, is larger meanwhile; checked in the clear.
LARGEST = 2.0
#: Of a ciphertext's numbers; 1 of all standardised rows, somewhat more of some of them.
ROOT_MEAN_SQUARE = 1.25
#: Of the polynomial, as Kim and others have it.
DEGREE = 7
#: Step for each unit of the mean slope.
RATE = 0.25
#: Weights are few, so their coefficients are large, and the sine must be straight.
MADE_OF = rw.ckks.Bootstrapping(log_ratio=7, arcsine=3)
#: Fewer slots have fewer levels of butterflies than there are matrices.
LEAST_PERIOD = 1 << max(MADE_OF.to_coefficients, MADE_OF.to_slots)
#: Levels of one iteration.
DEPTH = 6
#: A weight may be off by so much.
ALLOWED = 1e-3


@dataclass(frozen=True)
class Plan:
    """What is done how often; the same in the clear and encrypted."""

    #: Of one iteration.
    rows: int
    width: int
    iterations: int = ITERATIONS
    #: Iterations from one bootstrapping to the next.
    every: int = 2
    rate: float = RATE
    #: Iterations take one after the other, and the first again.
    batches: int = 1
    #: Of every batch.
    ciphertexts: int = 1

    @property
    def made_of(self) -> rw.ckks.Bootstrapping:
        """Of the weights, which repeat."""
        return replace(MADE_OF, period=max(self.width, LEAST_PERIOD))

    @property
    def bootstraps(self) -> int:
        """How many there are."""
        return (self.iterations - 1) // self.every

    @property
    def level(self) -> int:
        """Of the rows: what an iteration takes, as often as they follow one another, and one more.

        The first has weights of 0 and takes one.
        """
        stretch = self.every * DEPTH if self.bootstraps else (self.iterations - 1) * DEPTH + 1
        return stretch + 1

    def momenta(self) -> list[float]:
        """Nesterov's, of every iteration; of the last nothing goes ahead."""
        momenta, now = [], 1.0
        for _ in range(self.iterations - 1):
            after = (1 + sqrt(1 + 4 * now * now)) / 2
            momenta.append((now - 1) / after)
            now = after
        return [*momenta, 0.0]

    @property
    def push(self) -> Chebyshev:
        """What a row is weighed with, by its score over `LARGEST_SCORE`: least squares."""
        points = np.cos(np.pi * (np.arange(1000) + 0.5) / 1000)
        fitted = Chebyshev.fit(points, self.exact_push(points), DEGREE, domain=(-1, 1))
        # A constant and an odd part: even terms are rounding.
        odd = [index % 2 or index == 0 for index in range(DEGREE + 1)]
        return Chebyshev(fitted.coef * odd, domain=(-1, 1))

    def exact_push(self, share: Array) -> Array:
        """The same exactly: the slope of a row's loss, turned round, times its part of a step."""
        return sigmoid(-LARGEST_SCORE * share) * (self.rate / self.rows)


@dataclass(frozen=True)
class Trained:
    """The weights, encrypted and in the clear, and what they decide."""

    plan: Plan
    #: Decrypted, and of the same iterations in the clear; the last is the bias.
    weights: Array
    plain: Array
    #: Of the same iterations with the sigmoid itself.
    exact: Array
    #: Rows with their classes' signs.
    signed: Array
    error_bound: float
    parameters: rw.ckks.Parameters
    run: rw.Run
    keys_fs: int
    encrypt_fs: int
    #: Lowering, and encoding of constants.
    prepare_fs: int
    decrypt_fs: int

    @property
    def largest_weight_error(self) -> float:
        """Of the encrypted weights against those in the clear."""
        return float(np.abs(self.weights - self.plain).max())

    @property
    def approximation(self) -> float:
        """Largest difference of a weight that the polynomial makes."""
        return float(np.abs(self.plain - self.exact).max())

    @property
    def differing(self) -> int:
        """Rows that the encrypted weights decide otherwise than those in the clear."""
        return int((self._right(self.weights) != self._right(self.plain)).sum())

    @property
    def accuracy(self) -> float:
        """Share of the rows that the encrypted weights get right."""
        return float(self._right(self.weights).mean())

    @property
    def accuracy_exact(self) -> float:
        """The same with the sigmoid itself in the clear."""
        return float(self._right(self.exact).mean())

    @property
    def correct(self) -> bool:
        """Whether weights and decisions are those in the clear."""
        return self.largest_weight_error <= ALLOWED and not self.differing

    @property
    def seconds(self) -> float:
        """Everything but the keys."""
        parts = (self.encrypt_fs, self.prepare_fs, self.run.evaluate_fs, self.decrypt_fs)
        return sum(parts) / 1e15

    def _right(self, weights: Array) -> NDArray[np.bool_]:
        right: NDArray[np.bool_] = self.signed @ weights > 0
        return right


def signed_rows(rows: Rows, clip: float = CLIP) -> Array:
    """What is encrypted: standardised, clipped, with a 1 for the bias, times the class's sign."""
    standardised = (rows.features - rows.features.mean(axis=0)) / rows.features.std(axis=0)
    inputs = np.column_stack([np.clip(standardised, -clip, clip), np.ones(len(rows))])
    signed: Array = inputs * np.where(rows.classes > 0, 1.0, -1.0)[:, np.newaxis]
    return signed


def training_program(plan: Plan, clip: float = CLIP) -> rw.Program:
    """The program over packed rows, batch after batch: the weights, in every row."""
    into_first = np.eye(1, plan.width)[0] / LARGEST_SCORE
    push, momenta = plan.push, plan.momenta()

    @rw.program
    def refreshed(ahead: rw.Vector, held: rw.Vector) -> tuple[rw.Vector, rw.Vector]:
        new = ahead.bootstrap_with(held, plan.made_of)
        return new[0].within(LARGEST), new[1].within(LARGEST)

    def scored(rows: rw.Vector, ahead: rw.Vector, push: Chebyshev) -> rw.Vector:
        """Every row times what it is weighed with."""
        first = (rows * ahead).sum(plan.width) * into_first
        shares = first.rotate(1 - plan.width).sum(plan.width).within(1.0)
        weighed: rw.Vector = rows * shares.apply(push)
        return weighed

    def training(*ciphertexts: rw.Vector) -> rw.Vector:
        count = plan.ciphertexts
        batches = [ciphertexts[at : at + count] for at in range(0, len(ciphertexts), count)]
        # From weights of 0 every row is weighed alike, and nothing has changed before.
        terms = [rows * float(push(0.0)) for rows in batches[0]]
        held = reduce(add, terms).sum(stride=plan.width).within(LARGEST)
        ahead, before = held, 0.0
        for iteration, momentum in enumerate(momenta[1:], 1):
            if iteration % plan.every == 0:
                ahead, held = refreshed.call(ahead, held)
            pushed = (1 + momentum) * push
            terms = [scored(rows, ahead, pushed) for rows in batches[iteration % plan.batches]]
            step = reduce(add, terms).sum(stride=plan.width)
            older, held = held, (ahead * (1 + momentum) + step).within(LARGEST, ALLOWED)
            if momentum:
                ahead = (held - older * (momentum / (1 + before))).within(LARGEST, ALLOWED)
            before = momentum
        return held

    names = [f"rows{at}" for at in range(plan.batches * plan.ciphertexts)]
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    training.__signature__ = inspect.Signature([inspect.Parameter(name, kind) for name in names])  # type: ignore[attr-defined]
    declared = rw.ckks.Input(max=clip, rms=ROOT_MEAN_SQUARE, level=plan.level)
    return rw.program(inputs=dict.fromkeys(names, declared))(training)


def descend(plan: Plan, signed: Array, push: Callable[[Array], Array]) -> Array:
    """The same iterations on rows in the clear, as Nesterov has them."""
    weights = ahead = np.zeros(signed.shape[1])
    batches = np.split(signed, plan.batches)
    for iteration, momentum in enumerate(plan.momenta()):
        rows = batches[iteration % plan.batches]
        older, weights = weights, ahead + push(rows @ ahead / LARGEST_SCORE) @ rows
        ahead = weights + momentum * (weights - older)
    return weights


def train_encrypted(  # noqa: PLR0913 - the data, where, how far, and who is told
    rows: Rows,
    parameters: rw.ckks.Parameters | None = None,
    machine: str | rw.Machine = "cpu",
    *,
    iterations: int = ITERATIONS,
    rate: float = RATE,
    batch: int | None = None,
    values: str = VALUES[0],
    progress: Callable[[str], None] = lambda _: None,
) -> Trained:
    """Trains on encrypted rows, and in the clear beside it.

    `batch`: rows of one iteration, which divide all of them; `None`: all. `values`: as for
    `rw.Server`. `progress` is told what begins. The server sees ciphertexts and the numbers of rows
    and of columns.

    Raises `ParameterError` for a batch that does not divide the rows, or a row that does not fit a
    ciphertext, `DepthError` where a bootstrapping leaves too few levels for two iterations.
    """
    parameters = parameters or rw.ckks.Parameters.preset(TRAINING_PARAMETERS)
    signed = signed_rows(rows)
    count, columns = signed.shape
    batch = count if batch is None else batch
    if batch < 1 or count % batch:
        raise ParameterError(f"batches of {batch} rows given; a divisor of {count} allowed")
    batches = [packed(part, parameters.slots) for part in np.split(signed, count // batch)]
    plan = Plan(
        batch,
        width(columns),
        iterations,
        rate=rate,
        batches=len(batches),
        ciphertexts=len(batches[0]),
    )
    slots = np.concatenate(batches)
    program = training_program(plan)
    # Whatever is said of scores and weights is checked here.
    program.plain(*slots)

    clinic = rw.ckks.Client(parameters)
    progress("keys")
    keys = system.measure(lambda: clinic.keys_for(program, limited=True))
    declared = program.inputs[0]
    sent = system.measure(lambda: [clinic.encrypt(each, declared) for each in slots])
    server = rw.Server(keys.value, machine, values=values)
    progress("constants")
    prepared = system.measure(lambda: server.prepare(program, *sent.value))
    progress(f"{iterations} iterations, {plan.bootstraps} bootstrappings")
    run = server.run(program, *sent.value)
    received = system.measure(lambda: clinic.decrypt(run.value)[:columns])
    return Trained(
        plan,
        received.value,
        descend(plan, signed, plan.push),
        descend(plan, signed, plan.exact_push),
        signed,
        run.value.error_bound,
        parameters,
        run,
        keys.duration_fs,
        sent.duration_fs,
        prepared.duration_fs,
        received.duration_fs,
    )
