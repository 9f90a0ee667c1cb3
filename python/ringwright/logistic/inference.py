"""The encrypted answer, beside the plain one.

The program is one multiplication with the weights, a sum over each row by rotations, and a
polynomial in place of the sigmoid. It holds in every slot: a slot between the rows' first ones sums
the end of one row and the beginning of the next, which no more leaves the interval than a row does.
The polynomial is odd about 1/2 like the sigmoid, so that it decides as the plain model does, unless
the noise of the boundary gets in between: rows whose plain answer is nearer to 1/2 than the noise
that is allowed are counted apart.

Who learns what: the server learns nothing of the rows; it sees their number. The key holder learns
the probabilities, and the slots between (sums over parts of two of its own rows); many
probabilities tell the model.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import ringwright as rw
from ringwright import system
from ringwright.comparison import Comparison
from ringwright.logistic.model import Model, sigmoid, train
from ringwright.logistic.rows import Array, Rows, breast_cancer, packed, unpacked, width
from ringwright.spot_checks import VALUES

#: Six levels of 54 bits: one for the weights, five for the polynomial.
PARAMETERS = "16384-7x54"
DEGREE = 31
#: Class 1 above it.
BOUNDARY = 0.5

Decisions = NDArray[np.bool_]


def probability_program(model: Model, degree: int = DEGREE) -> rw.Program:
    """The program over packed rows: the probability of every row in its first slot."""
    weights = packed(model.weights[np.newaxis], width(len(model.weights)))[0]
    bound = model.largest_score

    # Features are standardised; those of a few rows may vary more than all do.
    @rw.program(inputs={"rows": rw.ckks.Input(max=model.clip, rms=1.5)})
    def probability(rows: rw.Vector) -> rw.Vector:
        scores: rw.Vector = (rows * weights).sum(len(weights)) + model.bias
        return scores.apply(sigmoid, degree=degree, interval=(-bound, bound))

    return probability


@dataclass(frozen=True)
class Diagnosis:
    """Both answers for every row, and the time of the encrypted one."""

    rows: Rows
    #: Probabilities of the plain model, by the sigmoid.
    plain: Array
    #: Those of the encrypted program in the clear, by the polynomial.
    circuit: Array
    #: Decrypted.
    encrypted: Array
    #: Decrypted against `circuit`.
    answers: Comparison
    parameters: rw.ckks.Parameters
    runs: tuple[rw.Run, ...]
    encrypt_fs: int
    decrypt_fs: int
    #: The runs on the devices of a system, where there is one.
    dealt: rw.Dealt | None = None

    @property
    def evaluate_fs(self) -> int:
        """From the first ciphertext to the last result, without preparation: on a system over its
        links and devices, else one run after the other.
        """
        if self.dealt is not None:
            return self.dealt.schedule.total_fs - sum(run.prepare_fs for run in self.runs)
        return sum(run.evaluate_fs for run in self.runs)

    @property
    def evaluated(self) -> tuple[rw.Ledger, ...]:
        """Where that time went, preparation included."""
        if self.dealt is not None:
            return (self.dealt.ledger,)
        return tuple(run.ledger for run in self.runs)

    @property
    def approximation(self) -> float:
        """Largest difference of polynomial and sigmoid over the rows."""
        return float(np.abs(self.circuit - self.plain).max())

    @property
    def inside(self) -> int:
        """Rows nearer to the boundary than the noise that is allowed."""
        return int(self._inside.sum())

    @property
    def agreeing(self) -> int:
        """Rows on which the plain and the encrypted model decide the same."""
        return len(self.rows) - int(self._differs.sum())

    @property
    def differing(self) -> int:
        """Rows outside the noise of the boundary on which they do not."""
        return int((self._differs & ~self._inside).sum())

    @property
    def correct(self) -> bool:
        """Whether every value, and every decision outside the boundary, is right."""
        return not self.differing and self.answers.correct

    def accuracy(self, probabilities: Array) -> float:
        """Share of the rows for testing whose class is met."""
        met = (probabilities > BOUNDARY) == (self.rows.classes > BOUNDARY)
        return float(met[self.rows.for_testing].mean())

    @property
    def _inside(self) -> Decisions:
        near: Decisions = np.abs(self.circuit - BOUNDARY) <= self.answers.allowed
        return near

    @property
    def _differs(self) -> Decisions:
        differs: Decisions = (self.plain > BOUNDARY) != (self.encrypted > BOUNDARY)
        return differs


def diagnose(
    parameters: rw.ckks.Parameters | None = None,
    machine: str | rw.Machine = "cpu",
    degree: int = DEGREE,
    described: str | rw.System | None = None,
    values: str = VALUES[0],
) -> Diagnosis:
    """Trains the model, and computes every row's probability in the clear and encrypted.

    `described`: a system whose server computes in place of `machine`; its devices take the
    ciphertexts in turn. The clinic encrypts and decrypts on this computer. `values`: as for
    `Server`; the first call of a kernel is checked once for all rows.

    Raises `DepthError` where the parameters do not carry the degree.
    """
    parameters = parameters or rw.ckks.Parameters.preset(PARAMETERS)
    rows = breast_cancer()
    model = train(rows)
    prepared = model.prepared(rows.features)
    program = probability_program(model, degree)
    predicted = 2.0 ** -program.explain(parameters).rows[-1].precision_bits

    clinic = rw.ckks.Client(parameters)
    slots = packed(prepared, parameters.slots)
    bounds = program.inputs[0]
    sent = system.measure(lambda: [clinic.encrypt(clinic.encode(each, bounds)) for each in slots])
    keys = clinic.keys_for(program)
    dealt: rw.Dealt | None = None
    if described is None:
        server = rw.Server(keys, machine, values=values)
        runs = tuple(server.run(program, ciphertext) for ciphertext in sent.value)
    else:
        devices = rw.SystemServer(keys, described, values)
        dealt = devices.deal(program, [[each] for each in sent.value])
        runs = dealt.runs
    received = system.measure(lambda: np.array([clinic.decrypt(run.value) for run in runs]))

    def first_of_each(values: Array) -> Array:
        return unpacked(values, *prepared.shape)

    circuit = first_of_each(np.array([program.plain(each) for each in slots]))
    encrypted = first_of_each(received.value)
    answers = Comparison(predicted)
    answers.add(encrypted, circuit)
    plain = sigmoid(model.scores(prepared))
    return Diagnosis(
        rows,
        plain,
        circuit,
        encrypted,
        answers,
        parameters,
        runs,
        sent.duration_fs,
        received.duration_fs,
        dealt,
    )
