"""The files of `v1` and `v2`: what Ringwright wrote in earlier versions of its format.

Run as `generate.py v1` by a checkout that writes version 1 (the last one is be8fcc1), before keys
had identities, and as `generate.py v2` by one that writes version 2, before uniform halves were
seeds. Keys are drawn; each folder holds what one such run wrote.
"""

import sys
from pathlib import Path

import numpy as np

import ringwright as rw

HERE = Path(__file__).parent / sys.argv[1]


@rw.program
def turned_square(x):
    """Needs the relinearisation key and one rotation key."""
    return (x * x) << 1


params = rw.ckks.Parameters(
    log_n=4, q_bits=[30, 30], p_bits=[31], log_scale=25, insecure=True, name="tiny"
)
alice = rw.ckks.Client(params)
values = np.linspace(-0.75, 0.75, params.slots)
params.save(HERE / "parameters.rw")
alice.secret_key.save(HERE / "secret_key.rw")
alice.public_key.save(HERE / "public_key.rw")
alice.keys_for(turned_square).save(HERE / "evaluation_keys.rw")
alice.encrypt(values).save(HERE / "ciphertext.rw")
np.savetxt(HERE / "slots.txt", values)
