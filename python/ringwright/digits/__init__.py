"""Handwritten digits read on encrypted images: convolutions, a bootstrapping, a dense layer.

    from ringwright import digits
    found = digits.read()
    print(found.correct, found.accuracy)

It takes two minutes and 22 GB with the secure parameters. Reading order: `images` (the data and its
packing), `network` (training and the plain answer), `inference` (the encrypted one).
"""

from ringwright.digits.images import Images, handwritten
from ringwright.digits.inference import Read, network_program, read
from ringwright.digits.network import Network, train

__all__ = ["Images", "Network", "Read", "handwritten", "network_program", "read", "train"]
