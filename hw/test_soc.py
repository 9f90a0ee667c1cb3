"""Firmware on a core with an accelerator, in RTL: words, cycles, memory, and what goes wrong."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ringwright as rw
from harness.soc import blackparrot, build
from harness.sources import include_options
from harness.toolchain import ROOT, ToolError, run
from ringwright import _ringwright as native
from ringwright.soc import (
    MEMORY_BYTES,
    WORD_BITS,
    Simulation,
    firmware,
    preset_of,
    profile,
    simulation,
)
from ringwright.soc.client import Client

# The publication of RISE is about a client that has little memory.
MOST_RAM = 128 * 1024


def simulated(n: int, use: simulation.Use = "accelerated") -> Simulation:
    machine = rw.Machine.load("rise-4bfu")
    return Simulation("blackparrot", machine, preset_of(n, WORD_BITS), use=use)


def sound(done: simulation.Run) -> None:
    assert done.wrong is None
    assert done.correct
    assert done.provenance == "rtl"
    assert done.ram_bytes <= MOST_RAM


@pytest.mark.parametrize("n", [1024, 2048, 4096])
def test_the_firmware_encrypts_as_our_client_does(n):
    """The same C on this computer: words are our client's, encodings within their bound."""
    client = Client(preset_of(n, WORD_BITS), 2, seed=5)
    tables = client.tables([], WORD_BITS)
    _, sent = firmware.run_here(tables)
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
    assert all(abs(done.deviation[phase]) <= 0.05 for phase in ("encode", "encrypt"))
    assert abs(done.deviation["whole"]) <= 0.03


@pytest.mark.parametrize("use", ["accelerated", pytest.param("alone", marks=pytest.mark.slow)])
def test_nothing_secret_is_left_in_memory(use, tmp_path):
    chosen = simulated(1024, use)
    client = Client(chosen.parameters, 1, seed=1)
    image = firmware.compiled(
        chosen.tables(client),
        chosen.isa,
        memory_bytes=MEMORY_BYTES,
        accelerator=use == "accelerated",
    )
    outcome = simulation.simulate(chosen.program, image, tmp_path)

    def left(name: str) -> bool:
        address, size = image.symbols[name]
        begin = address - firmware.address_map()["MEMORY_BASE"]
        return any(outcome.memory[begin : begin + size])

    assert outcome.code == 0
    assert left("parts")
    assert not any(left(name) for name in ("work", "u", "e0", "e1"))


@pytest.mark.slow
def test_what_is_left_with_an_infinitely_fast_accelerator():
    """The tax: all phases but the accelerator's take what they take."""
    tax, real = simulated(1024, "tax").run(), simulated(1024).run()
    assert tax.wrong is None
    assert not tax.correct
    assert tax.phases["encrypt"] < real.phases["encrypt"] / 10
    for phase in ("encode", "write", "transmit", "wipe"):
        assert tax.phases[phase] == real.phases[phase]


@pytest.mark.slow
@pytest.mark.parametrize(("n", "use"), [(1024, "alone"), (4096, "accelerated")])
def test_larger_rings_and_the_core_alone(n, use):
    done = simulated(n, use).run()
    sound(done)
    assert abs(done.deviation["whole"]) <= 0.05


@pytest.mark.slow
@pytest.mark.parametrize("name", ["race", "ntt-accel-8"])
def test_machines_that_leave_more_to_the_core(name):
    machine = rw.Machine.load(name)
    sound(Simulation("blackparrot", machine, preset_of(1024, WORD_BITS)).run())


@pytest.mark.slow
def test_operations_take_what_the_host_s_description_says():
    shipped = rw.host("blackparrot-measured").operations
    found = profile.measured(simulated(1024, "tax"))
    assert found.keys() == shipped.keys()
    for name, cycles in found.items():
        assert cycles == pytest.approx(shipped[name]["cycles"], rel=1e-3), name


def test_faults_are_reported(tmp_path):
    """`fw/test/faults.c` says which."""
    chosen = simulated(1024)
    client = Client(chosen.parameters, 1, seed=1)
    tables = chosen.tables(client)
    image = firmware.compiled(
        tables,
        blackparrot.ISA,
        memory_bytes=MEMORY_BYTES,
        accelerator=True,
        main=ROOT / "fw" / "test" / "faults.c",
    )
    outcome = simulation.simulate(chosen.program, image, tmp_path)
    assert outcome.code == 0


def test_a_firmware_that_does_not_fit_is_refused():
    chosen = simulated(4096)
    client = Client(chosen.parameters, 1, seed=1)
    tables = chosen.tables(client)
    with pytest.raises(rw.ParameterError, match="do not fit the memory"):
        firmware.compiled(tables, blackparrot.ISA, memory_bytes=MEMORY_BYTES // 2, accelerator=True)


@pytest.mark.parametrize(
    ("preset", "said"), [("16384-7x54", "up to 30 bits"), ("8192-6x30", "do not fit the memory")]
)
def test_parameters_that_the_firmware_lacks_are_refused(preset, said):
    parameters = rw.ckks.Parameters.preset(preset)
    chosen = Simulation("blackparrot", rw.Machine.load("rise-4bfu"), parameters, use="alone")
    with pytest.raises(rw.ParameterError, match=said):
        chosen.run()


def test_what_there_is_not_is_refused():
    parameters, machine = preset_of(1024, WORD_BITS), rw.Machine.load
    with pytest.raises(rw.ParameterError, match="no host 'rocket': allowed are blackparrot"):
        Simulation("rocket", machine("rise-4bfu"), parameters)
    with pytest.raises(rw.MachineError, match="machines of the target rise, not rpu"):
        Simulation("blackparrot", machine("rpu-8x8"), parameters)
    with pytest.raises(rw.ParameterError, match="no parameter set of degree 512"):
        preset_of(512, WORD_BITS)


def test_another_version_of_the_core_is_refused(tmp_path):
    file = tmp_path / "bp_softcore.v"
    file.write_text("module bp_softcore; endmodule\n")
    with pytest.raises(ToolError, match="is not as expected"):
        blackparrot.derived(file, tmp_path)


@pytest.mark.parametrize("top", ["soc_memory_port", "soc_devices", "soc_apb"])
def test_modules_are_clean(top):
    files = [build.RTL / "soc_pkg.sv", build.RTL / f"{top}.sv"]
    command = ["verilator", "--lint-only", "-Wall", "--top-module", top, *include_options()]
    run([*command, *map(str, files)], cwd=ROOT)


@pytest.mark.parametrize("top", build.SOCKETS)
def test_sockets_are_clean(top):
    package = native.rtl_package(rw.Machine.load("rise-4bfu"), 1)
    model = build.Model("blackparrot", top, tuple(package.parameters.items()), 8, 48)
    files, _ = build.accelerator(model)
    machine = build.passed_on(model)
    # A socket's file is named after what is in it.
    command = ["verilator", "--lint-only", "-Wall", "-Wno-DECLFILENAME", machine]
    command += ["--top-module", "soc_accelerator"]
    run([*command, *include_options(), *(str(Path(file)) for file in files)], cwd=ROOT)
