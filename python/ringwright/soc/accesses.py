"""Which lines of memory the firmware comes to, phase by phase: the loops of `fw/src`.

    cache = Cache(Geometry(64, 8, 64, "tree"))
    client = ClientAccesses(cache, n=1024, instructions=False, addresses=image.addresses)
    client.encode()
    cache.fetched  # lines

Arrays lie where the firmware has them. Code, the stack and what has a few words are left out, and
what is read or written past the cache.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ringwright.soc.cache import Cache, Walk, written
from ringwright.soc.firmware import defined

__all__ = ["Accesses", "ClientAccesses", "ReceiverAccesses"]

_BLOCK_BYTES = 136


class Accesses:
    """Of tables and loops that client and receiver share. `instructions`: the core transforms with
    ours. `addresses`: of the firmware's arrays, by name.
    """

    def __init__(
        self, cache: Cache, n: int, instructions: bool, addresses: Mapping[str, int]
    ) -> None:
        self.cache, self.n, self.instructions = cache, n, instructions
        self.addresses = addresses
        self.factors, self.bit_reversed = addresses["factors"], addresses["bit_reversed"]

    @property
    def _element(self) -> int:
        """Bytes of what a butterfly takes twice: a word, or two."""
        return 8 if self.instructions else 4

    def forward(self, words: int, roots: int) -> None:
        """`ring_forward`."""
        groups, half = 1, 2 * self.n // self._element
        while half:
            self._stage(words, roots + 8 * groups, groups, half)
            groups, half = 2 * groups, half // 2
        if self.instructions:
            self.cache.walk(self.n // 2, written(words, 8), Walk(roots + 8 * groups, 8))

    def inverse(self, words: int, roots: int) -> None:
        """`ring_inverse`."""
        each = 2 if self.instructions else 1
        groups, half = 2 * self.n // self._element, 1
        while groups:
            self._stage(words, roots + 8 * each * groups, groups, half, each=each)
            groups, half = groups // 2, 2 * half
        self.cache.walk(4 * self.n // self._element, written(words, self._element))

    def _stage(self, words: int, roots: int, groups: int, half: int, *, each: int = 1) -> None:
        """`stage`: groups of `half` elements twice, and `each` roots."""
        size, group, root = self._element, 2 * half * self._element, 8 * each
        if half <= defined("src/ring.c", "SHORT"):
            for _ in range(half):
                self.cache.walk(groups, written(words, group), Walk(roots, root))
        elif group <= self.cache.geometry.line_bytes:
            self.cache.walk(groups, written(words, group), Walk(roots, root))
        else:
            for number in range(groups):
                self.cache.touch(roots + number * root)
                low = words + number * group
                self.cache.walk(half, written(low, size), written(low + group // 2, size))

    def ternary(self, out: int, scratch: int) -> None:
        """`sample_ternary`."""
        spare = self.n // 128 + 64
        size = 2 * _BLOCK_BYTES * -(-(self.n + spare) // _BLOCK_BYTES)
        for _ in range(1 + spare.bit_length()):
            self.cache.walk(size // 8, written(scratch, 8))
        self.cache.walk(self.n, Walk(scratch, 2), written(out, 1))
        self.cache.walk(size // 8, written(scratch, 8))

    def embed(self, wide: int, *, back: bool) -> None:
        """`encode_transform`, or `transform` of `decode.c`."""
        factors, stages, half = self.factors, [], self.n // 4
        while half:
            stages.append((factors, half))
            factors, half = factors + 16 * half, half // 2
        if back:
            stages.reverse()
        for factors, half in stages:
            self._numbers(wide, factors, half)

    def _numbers(self, wide: int, factors: int, half: int) -> None:
        """`fixed_stage`."""
        groups = self.n // 4 // half
        if half <= defined("src/fixed.h", "FIXED_SHORT"):
            for i in range(half):
                places = [wide + 8 * i + part for part in (0, 8 * half)]
                self._butterflies(groups, places, 16 * half, Walk(factors + 16 * i, 0))
            return
        for group in range(groups):
            low = wide + 16 * half * group
            self._butterflies(half, [low, low + 8 * half], 8, Walk(factors, 16))

    def _butterflies(self, count: int, places: list[int], step: int, factors: Walk) -> None:
        both = [place + part for place in places for part in (0, 4 * self.n)]
        self.cache.walk(count, *(written(place, step) for place in both), factors)

    def reordered(self) -> Iterator[tuple[int, int]]:
        """Slots as `FIXED_EACH_SLOT` goes over them, and where each lies in bit-reversed order."""
        half, bits = self.n // 2, self.n.bit_length() - 2
        numbers = defined("src/fixed.h", "FIXED_LINE")
        for line in range(0, half // numbers, numbers):
            for first in range(line, half, half // numbers):
                for slot in range(first, first + numbers):
                    self.cache.touch(self.bit_reversed + 2 * slot)
                    yield slot, int(f"{slot:0{bits}b}"[::-1], 2)


class ClientAccesses(Accesses):
    """`client.c`, after its set-up."""

    def __init__(
        self, cache: Cache, n: int, instructions: bool, addresses: Mapping[str, int]
    ) -> None:
        super().__init__(cache, n, instructions, addresses)
        self.towers = sum(name.startswith("roots_") for name in addresses)
        self.roots = [addresses[f"roots_{tower}"] for tower in range(self.towers)]
        self.public_b = [addresses[f"public_b_{tower}"] for tower in range(self.towers)]
        self.public_a = [addresses["public_a"] + 4 * n * tower for tower in range(self.towers)]
        self.work, self.messages = addresses["work"], addresses["messages"]
        self.u_tower = self.work + 4 * n
        self.parts = addresses["parts"], addresses["parts"] + 4 * n
        self.small = [addresses[name] for name in ("u", "e0", "e1")]
        for a in self.public_a:
            cache.walk(n, written(a, 4))

    def encode(self) -> None:
        """`encode_frame`, each time of another message."""
        n, work, message = self.n, self.work, self.messages
        self.messages += 2 * n
        walks = Walk(message, 4), written(work, 8), written(work + 4 * n, 8)
        self.cache.walk(n // 2, *walks)
        self.embed(work, back=False)
        self._reorder()
        self.cache.walk(n, Walk(work, 8), written(work, 4))

    def _reorder(self) -> None:
        """`encode_reorder`."""
        for slot, other in self.reordered():
            if other > slot:
                for part in (self.work, self.work + 4 * self.n):
                    self.cache.touch(part + 8 * slot, writes=True)
                    self.cache.touch(part + 8 * other, writes=True)

    @property
    def shared_u(self) -> tuple[int, int]:
        """Where a tower of u lies that the core drew for an accelerator, and how many bytes."""
        return self.u_tower, 4 * self.n

    @property
    def shared_message(self) -> tuple[int, int]:
        """Likewise, a message's."""
        return self.parts[0], 4 * self.n

    @property
    def ciphertext(self) -> tuple[int, int]:
        """Likewise, a tower of a ciphertext."""
        return self.parts[0], 8 * self.n

    def sample(self) -> None:
        """`draw`."""
        self.ternary(self.small[0], self.parts[0])
        for error in self.small[1:]:
            self.cache.walk(self.n, written(error, 1))

    def encrypt(self, tower: int) -> None:
        """`encrypt_tower`."""
        u, e0, e1 = self.small
        self._residues(self.u_tower, Walk(u, 1))
        self._residues(self.parts[0], Walk(self.work, 4), Walk(e0, 1))
        self._residues(self.parts[1], Walk(e1, 1))
        for words in (self.u_tower, *self.parts):
            self.forward(words, self.roots[tower])
        for words, key in zip(self.parts, self._keys(tower), strict=True):
            walks = Walk(key, 4), Walk(self.u_tower, 4), written(words, 4)
            self.cache.walk(self.n, *walks)

    def _keys(self, tower: int) -> tuple[int, int]:
        return self.public_b[tower], self.public_a[tower]

    def _residues(self, out: int, *sources: Walk) -> None:
        """`ring_residues`, `ring_sums`."""
        runs = 2 if self.instructions else 1
        for run in range(runs):
            count = self.n // runs
            parts = (Walk(of.first + run * count * of.step, of.step) for of in sources)
            self.cache.walk(count, *parts, written(out, 4 * runs))

    def write(self, *, draws: bool, cached: bool) -> None:
        """`write_message`, and `write_small` where the core drew. `cached`: what the accelerator
        gets goes through the core's cache, and out of it.
        """
        if draws:
            self._written(cached, self.u_tower, Walk(self.small[0], 1))
        errors = [Walk(self.small[1], 1)] if draws else []
        self._written(cached, self.parts[0], Walk(self.work, 4), *errors)
        if draws:
            self._written(cached, self.parts[1], Walk(self.small[2], 1))

    def _written(self, cached: bool, out: int, *sources: Walk) -> None:
        self.cache.walk(self.n, *sources, *([written(out, 4)] if cached else []))

    def accelerated(self, tower: int, *, draws: bool, transforms_only: bool, cached: bool) -> None:
        """An accelerator's, and what it wrote is in the core's cache no longer. `cached`: it reads
        through that one.
        """
        words = 4 * self.n
        if cached and not transforms_only:
            for key in self._keys(tower):
                self.cache.share(key, words)
        if cached and not draws:
            take = self.cache.drop if transforms_only else self.cache.share
            take(self.u_tower, words)
        for part in self.parts:
            self.cache.drop(part, words)

    def transmitted(self) -> None:
        """By a modem that reads through the core's cache."""
        for part in self.parts:
            self.cache.share(part, 4 * self.n)

    def multiply(self, tower: int, *, cached: bool) -> None:
        """Products after an accelerator's transforms. `cached`: of words in the core's cache."""
        keys = [Walk(key, 4) for key in self._keys(tower)]
        shared = [Walk(self.u_tower, 4), *(written(part, 4) for part in self.parts)]
        self.cache.walk(self.n, *keys, *(shared if cached else []))

    def wipe(self, *, draws: bool) -> None:
        """`forget`."""
        self.cache.walk(self.n, written(self.work, 8))
        for values in self.small if draws else []:
            self.cache.walk(self.n, written(values, 1))


class ReceiverAccesses(Accesses):
    """`receiver.c`, with its set-up."""

    def __init__(
        self, cache: Cache, n: int, instructions: bool, addresses: Mapping[str, int]
    ) -> None:
        super().__init__(cache, n, instructions, addresses)
        self.secret, self.polynomial = addresses["secret"], addresses["polynomial"]
        self.wide, self.values = addresses["wide"], addresses["values"]
        self.answers = addresses["answers"]
        self.ternary(self.polynomial, self.wide)
        cache.walk(n, Walk(self.polynomial, 1), written(self.secret, 4))
        self.forward(self.secret, addresses["roots_0"])
        cache.walk(n, written(self.secret, 4))
        cache.walk(n // 2, written(self.polynomial, 8))

    @property
    def shared_polynomial(self) -> tuple[int, int]:
        """Where the polynomial lies that an accelerator decrypts to, and how many bytes."""
        return self.polynomial, 4 * self.n

    @property
    def shared_values(self) -> tuple[int, int]:
        """Likewise, its values."""
        return self.values, 2 * self.n

    def multiply(self, *, cached: bool) -> None:
        """`products` of another answer. `cached`: through the core's cache."""
        added, multiplied = (Walk(self.answers + 4 * self.n * part, 4) for part in range(2))
        self.answers += 8 * self.n
        out = [written(self.polynomial, 4)] if cached else []
        self.cache.walk(self.n, multiplied, Walk(self.secret, 4), added, *out)

    def transform(self) -> None:
        """`ring_inverse`."""
        self.inverse(self.polynomial, self.addresses["inverse_roots"])

    def accelerated(self, *, transforms_only: bool, cached: bool) -> None:
        """An accelerator's, as for the client."""
        if cached and not transforms_only:
            self.cache.share(self.secret, 4 * self.n)
        self.cache.drop(self.polynomial, 4 * self.n)

    def transmitted(self) -> None:
        """By a modem that reads through the core's cache."""
        self.cache.share(self.values, 2 * self.n)

    def decode(self, *, cached: bool) -> None:
        """`decode_frame`."""
        n, wide = self.n, self.wide
        for slot, other in self.reordered():
            if cached and self.instructions:
                self.cache.touch(self.polynomial + 8 * slot)
            elif cached:
                self.cache.touch(self.polynomial + 4 * slot)
                self.cache.touch(self.polynomial + 2 * n + 4 * slot)
            for part in (wide, wide + 4 * n):
                self.cache.touch(part + 8 * other, writes=True)
        self.embed(wide, back=True)
        self.cache.walk(n // 2, Walk(wide, 8), written(self.values, 4))

    def wipe(self, *, cached: bool) -> None:
        """What was decrypted."""
        self.cache.walk(self.n // 4, written(self.values, 8))
        self.cache.walk(self.n, written(self.wide, 8))
        if cached:
            self.cache.walk(self.n // 2, written(self.polynomial, 8))

    def end(self) -> None:
        """`receiver_end`."""
        self.cache.walk(self.n // 2, written(self.secret, 8))
