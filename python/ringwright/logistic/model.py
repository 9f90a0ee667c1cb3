"""The plain model: logistic regression, trained here with numpy.

Newton's method on the logistic loss with an L2 penalty on the weights (Hastie, Tibshirani,
Friedman, "The Elements of Statistical Learning", 2009, section 4.4.1): a convex problem, so the
result does not depend on where it starts. Features are standardised by the training rows and
clipped, which bounds every score: |score| <= clip * sum |weights| + |bias|. The encrypted model
needs such a bound, because a polynomial that stands for the sigmoid holds on an interval only.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ringwright.logistic.rows import Array, Rows

#: Largest absolute value of a standardised feature.
CLIP = 3.0
#: Weight of the penalty: scikit-learn's 1/C.
PENALTY = 10.0
_MOST_STEPS = 100
_CONVERGED = 1e-12


@dataclass(frozen=True)
class Model:
    """Weights of standardised features, and how features are standardised."""

    weights: Array
    bias: float
    centre: Array
    deviation: Array
    clip: float = CLIP

    @property
    def largest_score(self) -> float:
        """No score of any row is larger."""
        return float(self.clip * np.abs(self.weights).sum() + abs(self.bias))

    def prepared(self, features: Array) -> Array:
        """What the key holder encrypts: standardised and clipped."""
        standardised = (features - self.centre) / self.deviation
        clipped: Array = np.clip(standardised, -self.clip, self.clip)
        return clipped

    def scores(self, prepared: Array) -> Array:
        """Above 0: class 1."""
        scores: Array = prepared @ self.weights + self.bias
        return scores


def sigmoid(score: Array) -> Array:
    """The probability of class 1, from the score."""
    probability: Array = 1 / (1 + np.exp(-score))
    return probability


def train(rows: Rows, penalty: float = PENALTY, clip: float = CLIP) -> Model:
    """Fits the model to the rows that are not for testing."""
    features, classes = rows.features[~rows.for_testing], rows.classes[~rows.for_testing]
    untrained = np.zeros(features.shape[1])
    model = Model(untrained, 0.0, features.mean(axis=0), features.std(axis=0), clip)
    inputs = np.column_stack([model.prepared(features), np.ones(len(features))])
    penalties = np.full(inputs.shape[1], penalty)
    penalties[-1] = 0.0
    fitted = np.zeros(inputs.shape[1])
    for _ in range(_MOST_STEPS):
        likely = sigmoid(inputs @ fitted)
        slope = inputs.T @ (likely - classes) + penalties * fitted
        curvature = (inputs.T * (likely * (1 - likely))) @ inputs + np.diag(penalties)
        step = np.linalg.solve(curvature, slope)
        fitted -= step
        if np.abs(step).max() < _CONVERGED:
            break
    return Model(fitted[:-1], float(fitted[-1]), model.centre, model.deviation, clip)
