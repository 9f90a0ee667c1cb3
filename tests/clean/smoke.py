"""Encrypts, computes and decrypts with saved keys and a fixed seed, and prints digests of all of
it, to compare processors by.

Usage: smoke.py FOLDER; keys that are not in the folder are drawn there.
"""

from __future__ import annotations

import hashlib
import json
import platform
import sys
from pathlib import Path
from typing import Any

import numpy as np

import ringwright as rw

#: Where encryption runs: the processor itself, and a machine that it simulates.
MACHINES = ("cpu", "rise-32bfu")
SUMMED = 4
#: One for each input: they make ciphertexts repeatable, which is not how ciphertexts are to be.
SEEDS = [bytes([first] * 32) for first in (1, 2)]


@rw.program
def energy(now: Any, before: Any) -> Any:
    difference = now - before
    return (difference * difference).sum(SUMMED)


def draw(folder: Path) -> None:
    client = rw.ckks.Client(rw.ckks.Parameters.preset("8192-6x30"))
    client.public_key.save(folder / "public_key.rw")
    client.keys_for(energy).save(folder / "evaluation_keys.rw")
    client.secret_key.save(folder / "secret_key.rw")
    client.parameters.save(folder / "parameters.rw")


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def smoke(folder: Path) -> dict[str, Any]:
    parameters = rw.ckks.Parameters.load(folder / "parameters.rw")
    public = rw.ckks.PublicKey.load(parameters, folder / "public_key.rw")
    now = np.linspace(-1, 1, parameters.slots)
    before = now**3 / 2
    found: dict[str, Any] = {}
    for machine in MACHINES:
        sender = rw.ckks.Sender(public, machine)
        given = zip((now, before), SEEDS, strict=True)
        inputs = [sender.encrypt(values, seed=seed, insecure=True) for values, seed in given]
        found[machine] = [digest(each.to_bytes()) for each in inputs]
    keys = rw.ckks.EvaluationKeys.load(parameters, folder / "evaluation_keys.rw")
    result = rw.Server(keys, machine="cpu").run(energy, *inputs).value
    client = rw.ckks.Client.load(parameters, folder / "secret_key.rw")
    slots = client.decrypt(result)
    wanted = ((now - before) ** 2)[:SUMMED].sum()
    return found | {
        "slots": digest(slots.tobytes()),
        "right": bool(abs(slots[0] - wanted) <= result.error_bound),
        "error bound": result.error_bound,
    }


if __name__ == "__main__":
    where = Path(sys.argv[1])
    if not (where / "parameters.rw").exists():
        draw(where)
    print(json.dumps({"processor": platform.machine(), "found": smoke(where)}))
