"""Firmware on a core with an accelerator, in RTL: words, cycles, memory, and what goes wrong."""

from __future__ import annotations

import json
import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import ringwright as rw
from harness.soc import blackparrot, build
from harness.sources import closure, include_options
from harness.toolchain import ROOT, ToolError, run
from ringwright import _ringwright as native
from ringwright.machines import backend
from ringwright.reproduce.gates import recorded
from ringwright.soc import (
    HOSTS,
    MEMORY_BYTES,
    WORD_BITS,
    Simulation,
    firmware,
    preset_of,
    profile,
    run_list,
    simulation,
)
from ringwright.soc.chip import Attachment, Chip
from ringwright.soc.client import Client
from ringwright.soc.kernel import added_cycles, of_encryption
from ringwright.soc.receiver import Receiver

# The publication of RISE is about a client that has little memory.
MOST_RAM = 128 * 1024
#: Of a core, and how an accelerator reaches its memory.
PAIRS = [("blackparrot", "streaming"), ("rocket", "coherent"), ("rocket", "streaming")]
SLOW_BUT_ONE = [PAIRS[0], *(pytest.param(*pair, marks=pytest.mark.slow) for pair in PAIRS[1:])]


def simulated(
    n: int,
    use: simulation.Use = "accelerated",
    host: str = "blackparrot",
    attachment: Attachment | None = None,
) -> Simulation:
    machine, parameters = rw.Machine.load("rise-4bfu"), preset_of(n, WORD_BITS)
    return Simulation(host, machine, parameters, use=use, attachment=attachment)


def sound(done: simulation.Run) -> None:
    assert done.wrong is None
    assert done.correct
    assert done.provenance == "rtl"
    assert done.ram_bytes <= MOST_RAM


def as_recorded(host: str, system: str, n: int) -> simulation.Run:
    """A frame of repro/gates.toml, run again. No cycle of BlackParrot depends on a secret: the core
    alone gets others. What RISE draws may take longer, and Rocket's multiplier ends early.
    """
    frame = recorded(host, system, n)
    is_constant = host == "blackparrot" and frame.use != "accelerated"
    done = frame.simulation().run(seed=2 if is_constant else 1)
    sound(done)
    assert done.phases == pytest.approx(frame.phases, rel=0 if is_constant else 1e-3)
    return done


@pytest.mark.parametrize(
    ("n", "instructions"), [(1024, False), (1024, True), (2048, True), (4096, False)]
)
def test_the_firmware_encrypts_as_our_client_does(n, instructions):
    """The same C on this computer: words are our client's, encodings within their bound."""
    client = Client(preset_of(n, WORD_BITS), 2, seed=5)
    tables = client.tables([], WORD_BITS)
    _, sent = firmware.run_here(tables, instructions=instructions)
    correct, error, bound = client.check(tables, sent)
    assert correct
    assert 0 < error <= bound


@pytest.mark.parametrize("n", [1024, 2048])
def test_an_encoding_is_within_its_bound(n):
    """Beside the embedding as it is defined: coefficient k is 2/N times the sum of slot j times the
    conjugate of zeta^(5^j k).
    """
    client = Client(preset_of(n, WORD_BITS), 1, seed=5)
    tables = client.tables([], WORD_BITS)
    [coefficients], _ = firmware.run_here(tables)
    powers = np.array([pow(5, j, 2 * n) for j in range(n // 2)])
    angles = np.pi / n * (np.outer(powers, np.arange(n)) % (2 * n))
    exact = client.parameters.scale * 2 / n * (tables.messages[0] @ np.cos(angles))
    # fw/src/encode.h: half a unit, and what fourteen bits behind the point lose.
    bound = 0.5 + 3 * client.parameters.log_n / 2**14
    assert 0.4 < np.max(np.abs(coefficients - exact)) <= bound


def test_a_wrong_word_is_wrong():
    client = Client(preset_of(1024, WORD_BITS), 1, seed=5)
    tables = client.tables([], WORD_BITS)
    _, sent = firmware.run_here(tables)
    damaged = bytearray(sent)
    damaged[4 * 77] ^= 1
    assert not client.check(tables, bytes(damaged))[0]
    assert not client.check(tables, sent[:-8])[0]


def test_a_core_with_rise_encrypts():
    done = simulated(1024).run(frames=2)
    sound(done)
    assert list(done.phases) == ["encode", "write", "encrypt", "transmit", "wipe"]
    # What simulator and profile say, which know neither these messages nor these seeds.
    phases = ("encode", "encrypt", "transmit")
    assert all(abs(done.deviation[phase]) <= 0.05 for phase in phases)
    assert abs(done.deviation["write"]) <= 0.05
    assert abs(done.deviation["whole"]) <= 0.03
    # Encoding takes most of it, and so most of the energy is the core's.
    spending = done.spending
    assert spending.accelerator_uj.expected < 0.2 * spending.core_uj.expected
    assert spending.frame_uj.low < spending.frame_uj.expected < spending.frame_uj.high
    cycles = done.total_cycles / done.frames
    assert spending.core_uj.expected == pytest.approx(cycles * 30e-6, rel=0.01)
    said = json.loads(json.dumps(done.to_dict()))
    assert said["spending"]["core_area_mm2"]["expected"] == spending.core_area_mm2.expected
    assert said["kernel_cycles"] == list(done.kernel_cycles)


def test_a_driver_adds_what_its_steps_take():
    host = rw.host("rocket-measured")
    each = {name: cost["cycles"] for name, cost in host.operations.items()}
    driven = of_encryption(rw.machine("rise-4bfu"), 4096, 3)
    assert (driven.calls, driven.brought, driven.fetched, driven.pages) == (6, 3, 6, 36)
    fewest, most = added_cycles(host, driven)
    assert fewest == pytest.approx(12 * each["system_call"] + 36 * each["page_copy"], abs=1)
    steps = 39 * each["system_call"] + 6 * each["machine_call"]
    pages = 36 * each["page_copy_cold"] + 12 * each["cache_flush"]
    assert most == pytest.approx(steps + pages, abs=1)
    with pytest.raises(rw.RingwrightError, match="system_call"):
        added_cycles(rw.host("blackparrot-published"), driven)


@pytest.mark.parametrize(("n", "instructions"), [(1024, True), (4096, False)])
def test_the_receiver_decrypts_as_our_client_does(n, instructions):
    receiver = Receiver(preset_of(n, WORD_BITS), 2, seed=5)
    answers = receiver.tables([], WORD_BITS)
    sent = firmware.receive_here(answers, instructions=instructions)
    correct, error, bound = receiver.check(sent)
    assert correct
    assert 0 < error <= bound
    # Under another key the values are anything.
    with pytest.raises(AssertionError, match="ended here with: range"):
        firmware.receive_here(replace(answers, secret_seed=bytes(32)))


def test_a_wrong_value_is_wrong():
    receiver = Receiver(preset_of(1024, WORD_BITS), 1, seed=5)
    sent = bytearray(firmware.receive_here(receiver.tables([], WORD_BITS)))
    sent[4 * 77] ^= 64
    assert not receiver.check(bytes(sent))[0]
    assert not receiver.check(bytes(sent[:-8]))[0]


def test_a_core_with_rise_decrypts():
    done = simulated(1024).decrypt(frames=2, seed=3)
    sound(done)
    assert list(done.phases) == ["decrypt", "decode", "transmit", "wipe"]
    assert all(abs(done.deviation[phase]) <= 0.05 for phase in ("decrypt", "decode", "whole"))


def test_a_core_with_instructions_encrypts():
    done = as_recorded("blackparrot", "instructions", 1024)
    alone = recorded("blackparrot", "alone", 1024)
    assert 2 * done.phases["encrypt"] < alone.phases["encrypt"]
    phases = ("encode", "sample", "encrypt")
    assert all(abs(done.deviation[phase]) <= 0.05 for phase in phases)
    assert abs(done.deviation["wipe"]) <= 0.05
    assert abs(done.deviation["whole"]) <= 0.03


def test_instructions_among_others(tmp_path):
    """`fw/test/instructions.c` compares them with C, and ends with one that there is not."""
    chosen = simulated(1024, "instructions")
    tables = chosen.tables(Client(chosen.parameters, 1, seed=1))
    image = firmware.compiled(
        tables,
        chosen.chip.core,
        accelerator=False,
        main=ROOT / "fw" / "test" / "instructions.c",
    )
    outcome = chosen.chip.run(image, tmp_path)
    illegal_instruction = 2
    assert outcome.code == 256 + illegal_instruction


@pytest.mark.slow
@pytest.mark.parametrize(
    ("machine", "use"),
    [
        *(("race", "accelerated"), ("ntt-accel-8", "accelerated")),
        *(("rise-4bfu", "alone"), ("rise-4bfu", "instructions")),
    ],
)
def test_more_ways_to_decrypt(machine, use):
    described = rw.Machine.load(machine)
    chosen = Simulation("blackparrot", described, preset_of(1024, WORD_BITS), use=use)
    done, other = chosen.decrypt(seed=1), chosen.decrypt(seed=2)
    sound(done)
    sound(other)
    # Nor does a cycle depend on the key or on what was decrypted.
    assert (done.set_up_cycles, done.phases) == (other.set_up_cycles, other.phases)
    assert all(abs(done.deviation[phase]) <= 0.05 for phase in ("decrypt", "decode", "whole"))


def left(chosen, image, outcome, name: str) -> bool:
    """Whether memory holds anything where a variable was."""
    address, size = image.symbols[name]
    begin = address - firmware.address_map(chosen.chip.host)["MEMORY_BASE"]
    return any(outcome.memory[begin : begin + size])


@pytest.mark.parametrize("use", ["accelerated", pytest.param("alone", marks=pytest.mark.slow)])
def test_nothing_secret_is_left_in_memory(use, tmp_path):
    chosen = simulated(1024, use)
    client = Client(chosen.parameters, 1, seed=1)
    image = firmware.compiled(
        chosen.tables(client), chosen.chip.core, accelerator=use == "accelerated"
    )
    outcome = chosen.chip.run(image, tmp_path)
    assert outcome.code == 0
    assert left(chosen, image, outcome, "parts")
    assert not any(left(chosen, image, outcome, name) for name in ("work", "u", "e0", "e1"))


def test_the_receiver_leaves_neither_key_nor_values(tmp_path):
    chosen = simulated(1024)
    answers = chosen.answers(Receiver(chosen.parameters, 1, seed=1))
    image = firmware.of_receiver(answers, chosen.chip.core, accelerator=True)
    outcome = chosen.chip.run(image, tmp_path)
    assert outcome.code == 0
    kept = ("secret", "polynomial", "wide", "values")
    assert not any(left(chosen, image, outcome, name) for name in kept)


@pytest.mark.slow
def test_what_is_left_with_an_infinitely_fast_accelerator():
    """The tax: the phases before it take what they take, those after it too, but for what a wait
    left in the caches.
    """
    tax, real = simulated(1024, "tax").run(), simulated(1024).run()
    assert tax.wrong is None
    assert not tax.correct
    assert json.dumps(tax.to_dict(), allow_nan=False)
    assert tax.phases["encrypt"] < real.phases["encrypt"] / 10
    for phase in ("encode", "write"):
        assert tax.phases[phase] == real.phases[phase]
    for phase in ("transmit", "wipe"):
        assert tax.phases[phase] == pytest.approx(real.phases[phase], rel=0.02)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("system", "n"), [("alone", 1024), ("ntt-accel-8", 1024), ("race", 1024), ("rise-4bfu", 4096)]
)
def test_a_frame_takes_what_is_recorded(system, n):
    done = as_recorded("blackparrot", system, n)
    phases = {"encode", "sample", "write", "encrypt", "multiply"} & set(done.deviation)
    assert all(abs(done.deviation[phase]) <= 0.05 for phase in phases)
    assert abs(done.deviation["whole"]) <= 0.03


@pytest.mark.slow
@pytest.mark.parametrize(("host", "attachment"), PAIRS)
def test_memory_that_answers_later_than_any_profile_knows(host, attachment):
    machine = rw.Machine.load("rise-4bfu").with_values("later", source="test", dma_latency=122)
    parameters = preset_of(1024, WORD_BITS)
    done = Simulation(host, machine, parameters, attachment=attachment).run(seed=3)
    sound(done)
    assert done.memory_latency == 120
    assert all(abs(done.deviation[phase]) <= 0.05 for phase in ("encode", "encrypt", "write"))
    assert abs(done.deviation["whole"]) <= 0.03


@pytest.mark.slow
@pytest.mark.parametrize("n", [1024, 4096])
def test_another_core_whose_caches_the_accelerator_reaches_through(n):
    """The modem too: nothing was written back."""
    done = as_recorded("rocket", "rise-4bfu", n)
    assert done.coherent
    phases = ("encode", "write", "encrypt", "transmit")
    assert all(abs(done.deviation[phase]) <= 0.05 for phase in phases)
    assert abs(done.deviation["whole"]) <= 0.03


@pytest.mark.slow
def test_accelerators_past_the_caches_of_a_core_that_gives_lines_up():
    """A frame whose words the core shares in both directions, and answers: those of the first one
    are wiped through the cache before the accelerator writes the second one.
    """
    named = (rw.Machine.load(name) for name in ("rise-4bfu", "ntt-accel-8"))
    rise, ntt = (
        Simulation("rocket", machine, preset_of(1024, WORD_BITS), attachment="streaming")
        for machine in named
    )
    frames = rise.run(), ntt.run()
    for done in (*frames, rise.decrypt(frames=2)):
        sound(done)
        assert not done.coherent
        assert abs(done.deviation["whole"]) <= 0.03
    for done in frames:
        assert all(abs(done.deviation[name]) <= 0.05 for name in ("encode", "write", "encrypt"))


@pytest.mark.slow
def test_wider_beats_go_through_a_core_s_coherent_port():
    """Bursts that are longer there than AXI4 has any: each beat is two."""
    machine = rw.Machine.load("rise-4bfu").with_values("x", source="test", dma_bytes_per_cycle=16)
    sound(Simulation("rocket", machine, preset_of(1024, WORD_BITS)).run())


@pytest.mark.slow
@pytest.mark.parametrize("attachment", ["coherent", "streaming"])
def test_an_rpu_behind_another_core(attachment):
    """At its narrow port, which takes each of the RPU's beats in parts, or at one of its own."""
    transforms = native.Module.transform(10, 30, towers=8)
    done = run_list("rocket", rw.Machine.load("rpu-8x8"), transforms, attachment=attachment)
    assert done.wrong is None
    assert done.words == 8 * 1024
    assert abs(done.deviation) <= 0.03


@pytest.mark.slow
def test_a_core_starts_lists_on_the_rpu():
    """Eight transforms, and a product of ciphertexts."""
    machine = rw.Machine.load("rpu-8x8")
    done = run_list("blackparrot", machine, native.Module.transform(10, 30, towers=8))
    assert done.wrong is None
    assert done.words == 8 * 1024
    assert abs(done.deviation) <= 0.03
    params = rw.ckks.Parameters(log_n=8, q_bits=[29] * 3, p_bits=[29], log_scale=20, insecure=True)

    @rw.program(inputs={"x": rw.ckks.Input(max=0.5), "y": rw.ckks.Input(max=0.5)})
    def product(x, y):
        return x * y

    module = native.Module.expanded(product.trace(params), backend(machine))
    done = run_list("blackparrot", machine, module)
    assert done.wrong is None
    assert abs(done.deviation) <= 0.05


@pytest.mark.slow
def test_operations_take_what_the_host_s_description_says():
    shipped = rw.host("blackparrot-measured").operations
    found = profile.measured(simulated(1024, "tax"))
    assert found.keys() == shipped.keys()
    for name, cycles in found.items():
        assert cycles == pytest.approx(shipped[name]["cycles"], rel=1e-3), name


@pytest.mark.parametrize(("host", "attachment"), SLOW_BUT_ONE)
def test_faults_are_reported(tmp_path, host, attachment):
    """`fw/test/faults.c` says which."""
    chosen = simulated(1024, host=host, attachment=attachment)
    client = Client(chosen.parameters, 1, seed=1)
    tables = chosen.tables(client)
    image = firmware.compiled(
        tables,
        chosen.chip.core,
        accelerator=True,
        main=ROOT / "fw" / "test" / "faults.c",
    )
    outcome = chosen.chip.run(image, tmp_path)
    assert outcome.code == 0


@pytest.mark.parametrize(("host", "attachment"), SLOW_BUT_ONE)
def test_a_line_takes_what_models_know(host, attachment):
    """By the core from memory, where none goes back and where each does; by the modem, which asks
    the core only where it reads through its cache: then the core asks once more before it writes;
    by the flusher, where there is one.
    """
    chosen = simulated(1024, "tax", host, attachment)
    model = chosen.chip.model()
    each = profile.lines(chosen)
    assert each["miss"] - each["hit"] == pytest.approx(model.miss_cycles, abs=1)
    assert each["written_miss"] - each["miss"] == pytest.approx(model.write_back, abs=1.1)
    given = each["transmitted_written"] - each["transmitted"]
    asked = model.miss_cycles if model.is_shared else 0
    assert each["written_hit"] - each["hit"] == pytest.approx(asked, abs=2)
    handed_over = each["handed_over"], each["handed_over_written"]
    if model.is_shared:
        assert each["transmitted"] == pytest.approx(model.port_cycles(1, 0), abs=1)
        assert given == pytest.approx(model.port_cycles(0, 1), abs=1)
        assert max(handed_over) < 1
        return
    assert given == pytest.approx(0, abs=1)
    if model.is_cached:
        both = model.port_cycles(1, 0), model.port_cycles(1, 1)
        assert handed_over == pytest.approx(both, abs=2)


@pytest.mark.parametrize("host", HOSTS)
def test_no_compiler_left_out_what_is_counted(host):
    """A core that issues one instruction a cycle loads and stores each of a page's 512 words."""
    operations = rw.host(f"{host}-measured").operations
    assert operations["page_copy"]["cycles"] > 2 * 512
    assert operations["word_move"]["cycles"] > 2


def test_a_firmware_that_does_not_fit_is_refused():
    chosen = simulated(4096)
    client = Client(chosen.parameters, 1, seed=1)
    tables = chosen.tables(client)
    core = replace(chosen.chip.core, memory_bytes=MEMORY_BYTES // 2)
    with pytest.raises(rw.ParameterError, match="do not fit the memory"):
        firmware.compiled(tables, core, accelerator=True)


def test_parameters_that_the_firmware_lacks_are_refused():
    parameters = rw.ckks.Parameters.preset("16384-7x54")
    chosen = Simulation("blackparrot", rw.Machine.load("rise-4bfu"), parameters, use="alone")
    with pytest.raises(rw.ParameterError, match="up to 30 bits"):
        chosen.run()


@pytest.mark.slow
def test_a_tower_stands_for_the_others():
    whole = recorded("blackparrot", "rise-4bfu", 4096)
    one = whole.simulation()
    one.towers = 1
    done = one.run()
    assert done.is_composed
    assert done.wrong is None
    # What is overwritten takes as long as where a short loop lies lets it.
    phases = {name: cycles for name, cycles in done.phases.items() if name != "wipe"}
    expected = {name: whole.phases[name] for name in phases}
    assert phases == pytest.approx(expected, rel=0.03)


@pytest.mark.slow
def test_a_larger_ring_is_composed():
    parameters = rw.ckks.Parameters.preset("8192-6x30")
    done = Simulation("blackparrot", rw.Machine.load("rise-4bfu"), parameters).run()
    assert done.wrong is None
    assert (done.towers_run, done.level) == (1, 6)
    assert json.loads(json.dumps(done.to_dict()))["composed"]
    assert abs(done.deviation["whole"]) <= 0.03


@pytest.mark.slow
def test_waves_have_every_cycle(tmp_path):
    """Of a program that does nothing. An FST begins with a block of 329 bytes: of type 0, its
    length, first and last time, then how many scopes and variables there are.
    """
    if missing := build.missing_for_waves():
        pytest.skip(f"waves need {', '.join(missing)}")
    chip = Chip("blackparrot", rw.Machine.load("rise-4bfu"), registers_only=True, waves=True)
    program, wave = tmp_path / "nothing.c", tmp_path / "waves.fst"
    program.write_text(
        '#include "platform.h"\nint main(void) { platform_mark(PHASE_RUN); return 0; }\n'
    )
    outcome = chip.run(firmware.of_program([program], chip.core, {}), tmp_path, wave=wave)
    assert outcome.code == 0
    kind, length, first, last = struct.unpack_from(">BQQQ", wave.read_bytes())
    assert (kind, length, first) == (0, 329, 1)
    ((_, marked),) = outcome.marks
    # Two edges a cycle.
    assert 2 * marked < last
    scopes, variables = struct.unpack_from(">QQ", wave.read_bytes(), 41)
    assert scopes > 1000
    assert variables > 10_000


def test_what_there_is_not_is_refused():
    parameters, machine = preset_of(1024, WORD_BITS), rw.Machine.load
    with pytest.raises(rw.ParameterError, match="no host 'ariane': allowed are blackparrot"):
        Simulation("ariane", machine("rise-4bfu"), parameters)
    with pytest.raises(rw.ParameterError, match="has no instructions of ours; allowed are black"):
        Simulation("rocket", machine("rise-4bfu"), parameters, use="instructions")
    with pytest.raises(rw.MachineError, match="machines of the target rise, not rpu"):
        Simulation("blackparrot", machine("rpu-8x8"), parameters)
    with pytest.raises(rw.ParameterError, match="attachment 'coherent' given, allowed"):
        Simulation("blackparrot", machine("rise-4bfu"), parameters, attachment="coherent")
    narrow = machine("rise-4bfu").with_values("x", source="test", dma_bytes_per_cycle=4)
    with pytest.raises(rw.MachineError, match="has 4 bytes; that of the host rocket, where"):
        Simulation("rocket", narrow, parameters)
    with pytest.raises(rw.MachineError, match="machines of the target rpu, not rise"):
        run_list("blackparrot", machine("rise-4bfu"), native.Module.transform(10, 30))
    with pytest.raises(rw.MachineError, match="at one start, not a list"):
        run_list("blackparrot", machine("rpu-8x8"), native.Module.transform(10, 30))
    with pytest.raises(rw.ParameterError, match="no parameter set of degree 512"):
        preset_of(512, WORD_BITS)


def test_another_version_of_the_core_is_refused(tmp_path):
    file = tmp_path / "bp_softcore.v"
    file.write_text("module bp_softcore; endmodule\n")
    with pytest.raises(ToolError, match="is not as expected"):
        blackparrot.derived(file, tmp_path)


@pytest.mark.parametrize("module", ["soc_coherent_mux", "soc_interleaver", "soc_narrower"])
def test_everyone_gets_what_was_asked_for(tmp_path, seed, module):
    """The firmware never uses accelerator and modem at once, here both ask all the time; lines are
    answered in any order; wide beats are written and read back.
    """
    ours = [build.RTL / "soc_pkg.sv", build.RTL / f"{module}.sv"]
    bench = build.RTL.parent / "tb" / f"{module}_tb.sv"
    files = [*closure("fifo"), *ours, bench]
    files += ["-y", str(build.RTL)]
    command = ["verilator", "--binary", "--assert", "-Wno-fatal", "--top-module", bench.stem]
    run([*command, *include_options(), "-Mdir", str(tmp_path), *map(str, files)], cwd=ROOT)
    said = run([str(tmp_path / f"V{bench.stem}"), f"+verilator+seed+{seed}"], cwd=tmp_path)
    assert "PASSED" in said


@pytest.mark.parametrize("top", build.MODULES)
def test_modules_are_clean(top):
    files = [build.RTL / "soc_pkg.sv", *closure("fifo"), build.RTL / f"{top}.sv"]
    command = ["verilator", "--lint-only", "-Wall", "--top-module", top, *include_options()]
    run([*command, "-y", str(build.RTL), *map(str, files)], cwd=ROOT)


@pytest.mark.parametrize("top", build.SOCKETS)
def test_sockets_are_clean(top):
    name = "rpu-8x8" if top == "rpu" else "rise-4bfu"
    chip = Chip("blackparrot", rw.Machine.load(name))
    parameters = tuple(chip.package.parameters.items())
    model = build.Model("blackparrot", top, parameters, chip.port_bytes, 48, coherent=False)
    files, _ = build.accelerator(model)
    files = [build.RTL / "soc_pkg.sv", *files]
    machine = build.passed_on(model)
    # A socket's file is named after what is in it.
    command = ["verilator", "--lint-only", "-Wall", "-Wno-DECLFILENAME", machine]
    command += ["--top-module", "soc_accelerator", f"-GPortBytes={chip.port_bytes}"]
    run([*command, *include_options(), *(str(Path(file)) for file in files)], cwd=ROOT)
