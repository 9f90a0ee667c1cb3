"""How deep a program is, and parameters that are found for it."""

from __future__ import annotations

import numpy as np
import pytest

import ringwright as rw

PARAMETERS = rw.ckks.Parameters


@rw.program
def power(x):
    return x**64


@rw.program(inputs={"x": rw.ckks.Input(max=4.0, length=256)})
def average(x):
    return x.apply(np.tanh, degree=15, interval=(-4, 4)).mean()


@rw.program
def energy(now, before):
    difference = now - before
    return (difference * difference).sum(4)


class TestDepth:
    def test_the_depth_needed_is_said_once(self):
        with pytest.raises(rw.DepthError, match="carries multiplicative depth 1, not 6;") as caught:
            power.trace(PARAMETERS.for_depth(1))
        assert "test_choosing.py:" in str(caught.value)
        carried = PARAMETERS.for_depth(6)
        assert power.trace(carried).depth == power.depth(carried) == 6

    @pytest.mark.parametrize("carried", range(6))
    def test_it_follows_from_the_program_not_from_what_is_carried(self, carried):
        assert power.depth(PARAMETERS.for_depth(carried)) == 6

    def test_of_inputs_with_few_levels_left(self, alice):
        spent = alice.encrypt([0.5]).drop_level(2)
        squared = rw.program(lambda x: (x * x) ** 4)
        with pytest.raises(rw.DepthError, match=r"at level 2 of 4 .* carry .* depth 1, not 3;"):
            squared.trace(alice.parameters, [spent])
        assert squared.depth(alice.parameters, [spent]) == 3


class TestForProgram:
    @pytest.mark.parametrize("bits", [8, 24])
    @pytest.mark.parametrize("program", [power, average, energy])
    def test_results_keep_the_precision(self, program, bits):
        found = PARAMETERS.for_program(program, precision_bits=bits)
        assert max(program.trace(found).error_bounds) <= 2.0**-bits
        assert all(security >= 128 for _, security, *_ in found.security.verdicts)
        assert len(found.why) > 1
        assert "right to" in found.why[-1]

    def test_and_they_do_when_it_runs(self):
        found = PARAMETERS.for_program(average, precision_bits=12)
        alice = rw.ckks.Client(found)
        values = np.linspace(-4, 4, 256)
        run = rw.Server(alice.keys_for(average)).run(
            average, alice.encrypt(values, average.inputs[0])
        )
        # What the polynomial is off by is the program's own.
        assert abs(alice.decrypt(run)[0] - average.plain(values)) < 2.0**-12

    def test_results_can_be_shared(self):
        sharing = rw.ckks.Sharing(precision_bits=8)
        found = PARAMETERS.for_program(energy, precision_bits=8, share=sharing)
        energy.trace(found).check_sharing(sharing)
        with pytest.raises(rw.SecurityError, match="no room to share"):
            energy.trace(PARAMETERS.for_program(energy, precision_bits=8)).check_sharing(sharing)

    def test_the_machine_is_asked(self):
        found = PARAMETERS.for_program(average, precision_bits=8, machine="rise-32bfu")
        assert max(prime.bit_length() for prime in found.q) <= 30
        with pytest.raises(rw.MachineError, match="word_bits = 30"):
            PARAMETERS.for_program(average, precision_bits=24, machine="rise-32bfu")

    def test_inputs_are_what_is_given(self):
        low, high = rw.ckks.Input(max=0.25), rw.ckks.Input(max=4.0)
        small = PARAMETERS.for_program(energy, low, low, precision_bits=16)
        large = PARAMETERS.for_program(energy, high, high, precision_bits=16)
        assert small.scale < large.scale

    def test_what_cannot_be_lists_what_was_tried(self):
        with pytest.raises(rw.ParameterError, match=r"tried:\n  depth 0") as caught:
            PARAMETERS.for_program(power, precision_bits=40)
        assert "allowed" in str(caught.value)
        for wrong in (power.function, 3):
            with pytest.raises(rw.ParameterError, match="a program allowed"):
                PARAMETERS.for_program(wrong)
        with pytest.raises(rw.ParameterError, match=r"precision_bits = 1\.5"):
            PARAMETERS.for_program(power, precision_bits=1.5)

    def test_rotations_take_the_slots_they_need(self):
        wide = rw.program(lambda x: x.sum(4096))
        assert PARAMETERS.for_program(wide, precision_bits=8).slots >= 4096

    def test_how_they_were_found_is_no_part_of_them(self):
        found = PARAMETERS.for_program(energy)
        again = PARAMETERS.from_bytes(found.to_bytes())
        assert again == found
        assert again.why == []
