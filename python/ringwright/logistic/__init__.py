"""Diagnosis on encrypted data: logistic regression over rows that the server cannot read.

    from ringwright import logistic
    result = logistic.diagnose()
    print(result.agreeing, result.inside, result.differing)

A clinic encrypts rows of measurements; the server, which owns the model, computes the probability
of every row; the clinic decrypts it. Or the server trains the model on encrypted rows. Reading
order: `rows` (the data and its packing), `model` (training and the plain answer), `inference` (the
encrypted one, and the comparison), `training` (on encrypted rows, with bootstrapping).
"""

from ringwright.logistic.inference import Diagnosis, diagnose, probability_program
from ringwright.logistic.model import Model, train
from ringwright.logistic.rows import Rows, breast_cancer, generated, packed, unpacked
from ringwright.logistic.training import Plan, Trained, train_encrypted, training_program

__all__ = [
    "Diagnosis",
    "Model",
    "Plan",
    "Rows",
    "Trained",
    "breast_cancer",
    "diagnose",
    "generated",
    "packed",
    "probability_program",
    "train",
    "train_encrypted",
    "training_program",
    "unpacked",
]
