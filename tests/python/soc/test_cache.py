"""The model of a core's cache against what can be counted by hand."""

from __future__ import annotations

import pytest

from ringwright.soc.accesses import ClientAccesses, ReceiverAccesses
from ringwright.soc.cache import Cache, Geometry, Walk, written

LINE = 64
SMALL = Geometry(sets=8, ways=4, line_bytes=LINE, replaces="tree")
HUGE = Geometry(sets=4096, ways=8, line_bytes=LINE, replaces="tree")


def laid_out(**sizes: int) -> dict[str, int]:
    """Addresses of arrays of so many bytes, one behind the other."""
    found, end = {}, 0
    for name, size in sizes.items():
        found[name], end = end, end + size
    return found


def of_client(n: int) -> dict[str, int]:
    """Of one tower and one frame."""
    tables = laid_out(
        factors=8 * n, bit_reversed=n, roots_0=8 * n, public_b_0=4 * n, messages=2 * n
    )
    written = laid_out(work=8 * n, public_a=4 * n, parts=8 * n, u=n, e0=n, e1=n)
    return tables | {name: 23 * n + place for name, place in written.items()}


def of_receiver(n: int, frames: int) -> dict[str, int]:
    tables = laid_out(
        factors=8 * n, bit_reversed=n, roots_0=8 * n, inverse_roots=8 * n, answers=8 * n * frames
    )
    written = laid_out(secret=4 * n, polynomial=4 * n, wide=8 * n, values=2 * n)
    return tables | {name: (25 + 8 * frames) * n + place for name, place in written.items()}


def fetched(geometry: Geometry, *lines: int) -> int:
    cache = Cache(geometry)
    for line in lines:
        cache.touch(line * LINE)
    return cache.fetched


@pytest.mark.parametrize("replaces", ["tree", "random"])
def test_a_line_is_fetched_once(replaces: str) -> None:
    cache = Cache(Geometry(8, 4, LINE, replaces))  # type: ignore[arg-type]
    cache.walk(16, Walk(0, 4))
    cache.walk(16, Walk(0, 4))
    assert cache.fetched == 1


def test_what_fits_stays_and_twice_as_much_never_does() -> None:
    fits, twice = range(32), range(64)
    assert fetched(SMALL, *fits, *fits) == 32
    assert fetched(SMALL, *twice, *twice) == 128


def test_the_tree_points_away_from_what_was_used() -> None:
    """Lines of a set of four ways. After 0 1 2 3 0 the root points at the other half, and there at
    what came before the last: 2, though 1 was used longest ago.
    """
    one_set = Geometry(sets=1, ways=4, line_bytes=LINE, replaces="tree")
    assert fetched(one_set, 0, 1, 2, 3, 0, 4, 1) == 5
    assert fetched(one_set, 0, 1, 2, 3, 0, 4, 2) == 6


def test_any_way_keeps_some_of_twice_as_much() -> None:
    """In a set, a line is kept by each of the fetches between two uses with probability 3/4; that
    is p = (3/4)^(7 (1 - p)), 0.18.
    """
    cache = Cache(Geometry(sets=64, ways=4, line_bytes=LINE, replaces="random"))
    rounds, lines = 50, 512
    for _ in range(rounds):
        cache.walk(lines, Walk(0, LINE))
    assert cache.fetched / rounds / lines == pytest.approx(1 - 0.18, abs=0.02)


def test_what_another_writes_is_fetched_again() -> None:
    cache = Cache(SMALL)
    cache.walk(4 * LINE, Walk(0, 1))
    cache.drop(0, 2 * LINE)
    cache.walk(4 * LINE, Walk(0, 1))
    assert cache.fetched == 4 + 2


def test_what_was_written_goes_back_once() -> None:
    cache, size = Cache(SMALL), SMALL.size
    cache.walk(size // 8, written(0, 8))
    cache.walk(size // 8, Walk(size, 8))
    assert (cache.fetched, cache.written_back) == (2 * size // LINE, size // LINE)
    cache.walk(size // 8, Walk(0, 8))
    assert (cache.fetched, cache.written_back) == (3 * size // LINE, size // LINE)


def test_what_another_reads_is_given_back_and_asked_for_before_a_write() -> None:
    cache = Cache(SMALL)
    cache.walk(LINE, written(0, 8))
    cache.share(0, 16 * LINE)
    assert (cache.given_back, cache.fetched) == (8, 8)
    cache.walk(LINE, Walk(0, 8))
    assert cache.fetched == 8
    for _ in range(2):
        cache.walk(LINE, written(0, 8))
        assert cache.fetched == 2 * 8
    cache.drop(0, 16 * LINE)
    assert (cache.given_back, cache.written_back) == (2 * 8, 0)


def test_more_arrays_than_ways_push_each_other_out() -> None:
    """Each of five words at the same place in five arrays: none is there when its turn comes. The
    same words of four arrays stay.
    """
    one_set = Geometry(sets=1, ways=4, line_bytes=LINE, replaces="tree")
    four, five = Cache(one_set), Cache(one_set)
    four.walk(8, *(Walk(LINE * array, 8) for array in range(4)))
    five.walk(8, *(Walk(LINE * array, 8) for array in range(5)))
    assert four.fetched == 4
    assert five.fetched > 2 * 5


@pytest.mark.parametrize("instructions", [False, True])
def test_where_all_fits_every_line_is_fetched_once(instructions: bool) -> None:
    """Of a frame: message, factors, their order, roots, half a key, and what is written."""
    n = 256
    cache = Cache(HUGE)
    client = ClientAccesses(cache, n, instructions, of_client(n))
    assert cache.fetched == 4 * n // LINE
    client.encode()
    assert cache.fetched * LINE == (4 + 8 + 8 + 1 + 2) * n
    client.sample()
    client.encrypt(0)
    # The root of no group, and of the last stage of a transform with pairs, is next to others.
    scratch = 4 * n + 4 * n
    assert cache.fetched * LINE == (4 + 8 + 8 + 1 + 2) * n + 3 * n + scratch + (8 + 4) * n
    before = cache.fetched
    client.sample()
    client.encrypt(0)
    client.wipe(draws=True)
    assert cache.fetched == before


@pytest.mark.parametrize("instructions", [False, True])
def test_a_receiver_fetches_each_answer(instructions: bool) -> None:
    n = 256
    cache = Cache(HUGE)
    receiver = ReceiverAccesses(cache, n, instructions, of_receiver(n, frames=3))
    for _ in range(2):
        receiver.multiply(cached=True)
        receiver.transform()
        receiver.decode(cached=True)
    before = cache.fetched
    receiver.multiply(cached=True)
    receiver.transform()
    receiver.decode(cached=True)
    receiver.wipe(cached=True)
    assert (cache.fetched - before) * LINE == 8 * n


def test_a_small_cache_fetches_words_and_roots_in_every_stage() -> None:
    """Groups of two halves that do not fit: a stage fetches all words, and its roots' lines."""
    n = 1024
    cache = Cache(Geometry(sets=4, ways=8, line_bytes=LINE, replaces="tree"))
    client = ClientAccesses(cache, n, instructions=False, addresses=of_client(n))
    before = cache.fetched
    client.forward(client.u_tower, client.roots[0])
    stages = n.bit_length() - 1
    words, roots = 4 * n // LINE, sum(max(1, 8 * 2**stage // LINE) for stage in range(stages))
    # The stage before the last goes over its groups twice.
    twice = words + 2 * n // LINE
    assert cache.fetched - before == pytest.approx(stages * words + roots + twice, rel=0.01)
