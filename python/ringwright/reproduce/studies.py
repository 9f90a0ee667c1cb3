"""How ours is computed: one function for each kind of claim, listed in `STUDIES`.

A claim's `ours = { study = "latency", system = "race", direction = "m2c", n = 1024 }` calls the
function of that name with the other entries as arguments. Every function returns the value in the
claim's unit and the provenances that it mixes; what it is computed from, `inputs` writes down.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ringwright.machines import host, link
from ringwright.reproduce import (
    cost_studies,
    gates,
    inputs,
    packing,
    residue_studies,
    silicon,
    systems,
    tile_studies,
)
from ringwright.reproduce.ours import Ours, ours
from ringwright.reproduce.systems import BASELINE, HOST, NTT_ACCEL, NTT_ACCEL_BFUS, Conversion
from ringwright.reproduce.workload import (
    SETS,
    TRANSFORMS,
    Direction,
    ParameterSet,
    conversion,
    parameter_set,
)
from ringwright.soc.kernel import Driven, added_cycles

_OPERATION = {"m2c": "encrypt", "c2m": "decrypt"}
_PRIME_BITS = 30
_WORD_BYTES = 4
_FS_PER_MS = 10**12


def compute(asked: dict[str, Any]) -> Ours:
    """What a claim asks for."""
    arguments = {key: value for key, value in asked.items() if key != "study"}
    return STUDIES[asked["study"]](**arguments)


def latency(system: str, direction: Direction, n: int) -> Ours:
    """Milliseconds of one conversion."""
    made = systems.run(system, direction, parameter_set(n))
    return ours(made.seconds * 1e3, made.provenances)


def speedup(system: str, over: str, direction: Direction, end: str, core: str = HOST) -> Ours:
    """Smallest or largest speed-up over the sets."""
    return _end(end, (_speedup(system, over, direction, chosen, core) for chosen in SETS))


def operation_speedup(
    system: str, direction: Direction, dma: bool, end: str, core: str = HOST
) -> Ours:
    """The same for encryption or decryption alone: transforms, products and sums."""
    return _end(end, (_operation(system, direction, dma, chosen, core) for chosen in SETS))


def sampling_speedup(system: str, end: str, core: str = HOST) -> Ours:
    """Error sampling alone: on the processor, and on the machine's sampling unit by itself."""
    return _end(end, (_sampling(system, chosen, core) for chosen in SETS))


def share(direction: Direction, parts: list[str], end: str, core: str = HOST) -> Ours:
    """Percent of a conversion on the processor alone."""
    return _end(end, (_share(direction, parts, chosen, core) for chosen in SETS))


def accelerated_share(system: str, direction: Direction, end: str) -> Ours:
    """Percent of a conversion that the machine's units and transfers expose."""
    return _end(end, (_accelerated(system, direction, chosen) for chosen in SETS))


def dma_share(system: str) -> Ours:
    """Largest percent of the accelerated operation that transfers take over either direction."""
    directions: tuple[Direction, Direction] = ("m2c", "c2m")
    made = [systems.timing(system, d, chosen) for d in directions for chosen in SETS]
    shares = (100 * (1 - systems.kernel_cycles(one) / one.cycles) for one in made)
    return ours(max(shares), made[0].provenances)


def transform_cycles(machine: str, n: int, bits: int) -> Ours:
    """Cycles of one transform, transfers left out."""
    made = systems.transform_timing(machine, n, bits)
    return ours(systems.kernel_cycles(made), made.provenances)


def transform_gain(machine: str, n: int) -> Ours:
    """One transform on the processor over one on the machine, transfers left out."""
    made = systems.transform_timing(machine, n, min(_PRIME_BITS, parameter_set(n).log_q))
    seconds = systems.kernel_cycles(made) * made.clock_fs / 1e15
    software = software_transform(n)
    return ours(software.value / seconds, software.provenances, made.provenances)


def transform_gain_largest() -> Ours:
    """The largest gain over sets and numbers of butterfly units."""
    gains = (transform_gain(name, chosen.n) for name in _accelerators() for chosen in SETS)
    return _end("high", gains)


def transform_scaling(n: int, few: int, many: int) -> Ours:
    """Transforms a second with many butterfly units over few."""
    cycles = [systems.transform_timing(f"{NTT_ACCEL}{p}", n, _PRIME_BITS) for p in (few, many)]
    slow, fast = (systems.kernel_cycles(one) for one in cycles)
    return ours(slow / fast, *(one.provenances for one in cycles))


def accelerated_m2c_largest(core: str = HOST) -> Ours:
    """The largest speed-up of message to ciphertext by transforms alone."""
    return _end("high", (speedup(name, BASELINE, "m2c", "high", core) for name in _accelerators()))


def amdahl_largest(core: str = HOST) -> Ours:
    """Speed-up of message to ciphertext with transforms that take no time."""
    shares = (_share("m2c", ["transforms"], chosen, core) for chosen in SETS)
    return _end("high", (ours(1 / (1 - s.value / 100), s.provenances) for s in shares))


def m2c_scaling(n: int, few: int, many: int) -> Ours:
    """Message to ciphertext with many butterfly units over few, transforms alone offloaded."""
    return _speedup(f"{NTT_ACCEL}{many}", f"{NTT_ACCEL}{few}", "m2c", parameter_set(n), HOST)


def fps_published_rule(system: str, frame: str, n: int) -> Ours:
    """Frames a second with the papers' packing rule."""
    made = systems.run(system, "m2c", parameter_set(n))
    fps = packing.fps_published_rule(frame, made.chosen, made.seconds)
    return ours(fps, made.provenances)


def fps_gain(frame: str, n: int) -> Ours:
    """Frames a second that one butterfly unit for transforms adds."""
    fast = fps_published_rule(f"{NTT_ACCEL}1", frame, n)
    slow = fps_published_rule(BASELINE, frame, n)
    return ours(fast.value - slow.value, fast.provenances, slow.provenances)


def fps_gain_ratio(system: str, frame: str, n: int) -> Ours:
    """Frames a second over those of the processor alone."""
    fast, slow = (fps_published_rule(name, frame, n) for name in (system, BASELINE))
    return ours(fast.value / slow.value, fast.provenances, slow.provenances)


def link_fps(link_name: str, frame: str, n: int, whole: bool) -> Ours:
    """Frames a second that a link carries."""
    bits = packing.encrypted_bits(frame, parameter_set(n), whole=whole)
    return ours(link(link_name).bits_per_second / bits, "modelled")


def ciphertexts(frame: str, n: int) -> Ours:
    """Whole ciphertexts of a frame by the published rule."""
    return ours(packing.ciphertexts(frame, parameter_set(n)), "modelled")


def frame_size(frame: str, n: int) -> Ours:
    """KiB of an encrypted frame."""
    return ours(packing.encrypted_bits(frame, parameter_set(n)) / 8 / 1024, "modelled")


def driver(end: str, polynomials: int, n: int, core: str) -> Ours:
    """Milliseconds that an operating system adds where polynomials go through a driver, tower by
    tower, and come back.
    """
    chosen = host(core)
    inputs.result(f"driver on {core}: {polynomials} polynomials, N = {n}")
    inputs.own(f"our kernel on {core}")
    calls = polynomials * parameter_set(n).towers
    cycles = added_cycles(chosen, Driven(calls, calls, calls, n * _WORD_BYTES))
    fewest_and_most = dict(zip(("fewest", "most"), cycles, strict=True))
    return ours(fewest_and_most[end] * chosen.clock_fs / _FS_PER_MS, "modelled")


def power(system: str, n: int) -> Ours:
    """Milliwatts, as printed."""
    return ours(silicon.watts(system, parameter_set(n)) * 1e3, "published")


def power_ratio(system: str, over: str, n: int) -> Ours:
    """Percent above another system, from the printed watts."""
    chosen = parameter_set(n)
    ratio = silicon.watts(system, chosen) / silicon.watts(over, chosen)
    return ours(100 * (ratio - 1), "published")


def area(system: str, n: int) -> Ours:
    """Square micrometres, as printed."""
    return ours(silicon.area(system, parameter_set(n)), "published")


def area_ratio(system: str, over: str, n: int) -> Ours:
    """Percent above another system, from the printed areas."""
    chosen = parameter_set(n)
    ratio = silicon.area(system, chosen) / silicon.area(over, chosen)
    return ours(100 * (ratio - 1), "published")


def energy(system: str, direction: Direction, n: int) -> Ours:
    """Millijoules: our time, their watts."""
    made = systems.run(system, direction, parameter_set(n))
    joules = made.seconds * silicon.watts(system, made.chosen)
    return ours(joules * 1e3, made.provenances, "published")


def edp(system: str, direction: Direction, n: int) -> Ours:
    """In mJ · ms: our time squared, their watts."""
    spent = energy(system, direction, n)
    return ours(spent.value * latency(system, direction, n).value, spent.provenances)


def product_gain(product: str, system: str, over: str, direction: Direction, end: str) -> Ours:
    """Area-delay or energy-delay product of `over` divided by that of `system`.

    `end`: the smallest ("low") or the largest ("high") set, whose watts and areas are printed.
    """
    chosen = SETS[0] if end == "low" else SETS[-1]
    fast = systems.run(system, direction, chosen)
    slow = systems.run(over, direction, chosen)
    ratio = slow.seconds / fast.seconds
    weigh = silicon.area if product == "adp" else silicon.watts
    delays = ratio if product == "adp" else ratio**2
    cost = weigh(system, chosen) / weigh(over, chosen)
    return ours(delays / cost, fast.provenances, slow.provenances, "published")


def polynomial_memory(n: int, bits: int) -> Ours:
    """KiB of one polynomial."""
    return ours(n * bits / 8 / 1024, "modelled")


def machine_memory(machine: str) -> Ours:
    """KiB of the banks of a machine: two groups, 4P banks each."""
    values = systems.system_machine(machine).values
    words = 2 * 4 * int(values["bfus"]) * int(values["bank_words"])
    return ours(words * int(values["word_bits"]) / 8 / 1024, "modelled")


def software_transform(n: int) -> Ours:
    """Seconds of one transform of one tower on the processor, a part of its conversions."""
    inputs.result(f"{BASELINE}: m2c, {parameter_set(n).preset}")
    core, chosen = host(HOST), parameter_set(n)
    counts = conversion("m2c", ParameterSet(n, 1, chosen.log_q, chosen.preset))["transforms"]
    one = {name: count // TRANSFORMS for name, count in counts.items()}
    cost = core.cost(one)
    return ours(cost.cycles * core.clock_fs / 1e15, cost.provenances)


STUDIES: dict[str, Callable[..., Ours]] = (
    {
        study.__name__: study
        for study in (
            accelerated_m2c_largest,
            accelerated_share,
            amdahl_largest,
            area,
            area_ratio,
            ciphertexts,
            dma_share,
            edp,
            energy,
            fps_gain,
            fps_gain_ratio,
            fps_published_rule,
            driver,
            frame_size,
            latency,
            link_fps,
            m2c_scaling,
            machine_memory,
            operation_speedup,
            polynomial_memory,
            power,
            power_ratio,
            product_gain,
            sampling_speedup,
            share,
            speedup,
            transform_cycles,
            transform_gain,
            transform_gain_largest,
            transform_scaling,
        )
    }
    | tile_studies.STUDIES
    | cost_studies.STUDIES
    | residue_studies.STUDIES
    | gates.STUDIES
)


def _end(end: str, over_sets: Iterable[Ours]) -> Ours:
    pick = min if end == "low" else max
    return pick(over_sets, key=lambda each: each.value)


def _speedup(system: str, over: str, direction: Direction, chosen: ParameterSet, core: str) -> Ours:
    slow, fast = (systems.run(name, direction, chosen, core) for name in (over, system))
    return ours(slow.seconds / fast.seconds, fast.provenances, slow.provenances)


def _operation(
    system: str, direction: Direction, dma: bool, chosen: ParameterSet, core: str
) -> Ours:
    base = systems.run(BASELINE, direction, chosen, core)
    software = base.exposed("transforms", _OPERATION[direction])
    made = systems.timing(system, direction, chosen)
    cycles = made.cycles if dma else systems.kernel_cycles(made)
    seconds = cycles * made.clock_fs / 1e15
    return ours(software / seconds, base.provenances, made.provenances)


def _sampling(system: str, chosen: ParameterSet, core: str) -> Ours:
    base = systems.run(BASELINE, "m2c", chosen, core)
    made = systems.timing(system, "m2c", chosen)
    drawn = (step for step in made.steps if step.kind != "host" and step.task == "sample")
    cycles = sum(step.cycles for step in drawn)
    seconds = cycles * made.clock_fs / 1e15
    software = base.exposed("error sampling")
    return ours(software / seconds, base.provenances, made.provenances)


def _share(direction: Direction, parts: list[str], chosen: ParameterSet, core: str) -> Ours:
    base = systems.run(BASELINE, direction, chosen, core)
    return ours(100 * base.exposed(*parts) / base.seconds, base.provenances)


def _accelerated(system: str, direction: Direction, chosen: ParameterSet) -> Ours:
    made: Conversion = systems.run(system, direction, chosen)
    exposed = made.exposed(_OPERATION[direction], "DMA")
    return ours(100 * exposed / made.seconds, made.provenances)


def _accelerators() -> list[str]:
    return [f"{NTT_ACCEL}{bfus}" for bfus in NTT_ACCEL_BFUS]
