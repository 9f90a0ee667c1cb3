# make demo    build everything and run the private camera on the bundled clip
# make test    every quick test: Rust, Python, RTL
# make test-rtl    the hardware: benches, lint, proofs, lockstep with models (test-rtl-slow: the long runs)
# make rtl     MACHINE=machines/rise-4bfu.toml OUT=...: its RTL with testbench and vectors; `make -C OUT check`
# make synth   map the blocks of spec/silicon that are missing there or stale (128 bits and host cores take minutes)
# make test-large  workloads that bootstrap under the secure set: six minutes, 22 GB
# make lint    rustfmt, clippy, ruff, the type checker
# make bench   measure ourselves beside the peers, answers checked, ratios recorded
# make docs    the book, as HTML under out/docs
# make generated   what is made from spec, command line and simulators, and committed: registers, reference, notebooks
# make wheel   sdist and manylinux wheel under dist/; TARGET=aarch64-unknown-linux-gnu: that processor's
# make lock    resolve requirements/*.txt again
# make clean   remove what make made
#
# The Python environment is .venv; make creates it. PYTHON chooses the interpreter.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test test-rust test-python test-rtl test-rtl-slow test-slow test-large test-wheels rtl synth lint bench docs generated wheel lock clean

PYTHON ?= python3
VENV := .venv
RECORDS := bench/records
PY := $(VENV)/bin/python
PIP := $(PY) -m pip --disable-pip-version-check --quiet
# A Rust that maturin's bootstrap fetched is known through this file only.
RUST := source $(VENV)/rust.env;
SOURCES := $(shell find crates spec machines systems -type f -not -name '*.md' 2>/dev/null) Cargo.toml Cargo.lock pyproject.toml

help:
	@sed -n 's/^# \{0,1\}//p;/^$$/q' Makefile

$(VENV)/.run: requirements/run.txt scripts/toolchain.sh
	@scripts/toolchain.sh python $(PYTHON)
	@test -x $(PY) || $(PYTHON) -m venv $(VENV)
	@echo "ringwright: installing Python packages into $(VENV)"
	@$(PIP) install -r requirements/run.txt
	@scripts/toolchain.sh compilers $(VENV)
	@touch $@

$(VENV)/.dev: requirements/dev.txt $(VENV)/.run
	@$(PIP) install -r requirements/dev.txt
	@touch $@

# Libraries to compare with and to exchange ciphertexts with; where they do not install, tests say so.
# OpenFHE's wheel wants a CPython 3.10, beside this environment's.
$(VENV)/.peers: requirements/bench.txt requirements/openfhe.txt scripts/openfhe.sh $(VENV)/.dev
	@$(PIP) install -r requirements/bench.txt || echo "ringwright: PEERS DID NOT INSTALL; no test will ask them" >&2
	@scripts/openfhe.sh $(VENV) || echo "ringwright: NO OPENFHE (needs a CPython 3.10); no test will ask it" >&2
	@touch $@

# Where the tools do not install, the RTL tests say so and are skipped; under CI they fail.
$(VENV)/.rtl: requirements/rtl.txt $(VENV)/.dev
	@$(PIP) install -r requirements/rtl.txt || echo "ringwright: RTL TOOLS DID NOT INSTALL; no RTL test will run" >&2
	@touch $@

# zig links against an old glibc, and for other processors.
$(VENV)/.wheel: requirements/wheel.txt $(VENV)/.run
	@$(PIP) install -r requirements/wheel.txt
	@touch $@

$(VENV)/.built: $(VENV)/.run $(SOURCES)
	@echo "ringwright: building (two cores: about two minutes the first time)"
	@$(RUST) PIP_QUIET=1 VIRTUAL_ENV=$(CURDIR)/$(VENV) $(PY) -m maturin develop --release --locked --quiet
	@touch $@

demo: $(VENV)/.built
	$(VENV)/bin/ringwright camera --out out/camera

test: test-rust test-python test-rtl

test-rust: $(VENV)/.run
	$(RUST) cargo test --workspace --tests --locked --quiet

# Among the cores; models of hardware are large, so not among all of a large machine.
SHARED := -rs -n auto --maxprocesses 8 --dist worksteal
test-python: $(VENV)/.built $(VENV)/.dev
	$(RUST) $(PY) -m pytest -m "not slow" $(SHARED)

test-rtl: $(VENV)/.rtl $(VENV)/.built
	$(RUST) $(PY) -m pytest hw -m "not slow" $(SHARED)

# The long runs: more machines in lockstep, more of the synthesis.
test-rtl-slow: $(VENV)/.rtl $(VENV)/.built
	$(RUST) $(PY) -m pytest hw -m slow $(SHARED) --durations 25

# Runs nothing: `make -C $(OUT) check` does, with Verilator alone.
rtl: $(VENV)/.built
	$(VENV)/bin/ringwright rtl $(or $(MACHINE),$(error make rtl MACHINE=machines/rise-4bfu.toml OUT=folder)) --out $(or $(OUT),$(error make rtl MACHINE=$(MACHINE) OUT=folder))

synth: $(VENV)/.rtl $(VENV)/.built
	$(VENV)/bin/ringwright synth --record

# What one file builds all of its tests share. Benches are among them: their answers are checked, their times
# judge nobody. Ten thousand programs against their bounds; wheel into an empty environment, demo from a clean clone,
# constant time under valgrind, SEAL and OpenFHE themselves. With `--workspace` cargo finds what test-rust built;
# alone a crate may have dependencies of other features, and all is built again.
test-slow: $(VENV)/.built $(VENV)/.peers
	$(RUST) cargo test --workspace --test generated --locked --quiet -- --ignored
	$(RUST) $(PY) -m pytest -m slow -ra -n auto --maxprocesses 2 --dist loadfile --no-loadscope-reorder --durations 25

# The workloads under the secure set for bootstrapping: six minutes and 22 GB. Each in a process of its own, which
# gives its memory back.
LARGE := $(addprefix tests/python/,api/test_sorting.py digits/test_digits.py logistic/test_training.py)
test-large: $(VENV)/.built $(VENV)/.dev
	$(RUST) for file in $(LARGE); do RINGWRIGHT_LARGE=1 $(PY) -m pytest $$file -m slow -k under_the_secure_set -ra || exit 1; done

# Those of test-slow that `make wheel` is enough for, on wheels as they ship; there they are unoptimised.
test-wheels: $(VENV)/.built $(VENV)/.dev
	$(RUST) RINGWRIGHT_WHEELS_AS_SHIPPED=1 $(PY) -m pytest -m slow -ra tests/clean/test_wheel.py

lint: $(VENV)/.built $(VENV)/.dev
	$(RUST) cargo fmt --all --check
	$(RUST) cargo clippy --workspace --all-targets --locked --quiet -- -D warnings
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy

bench: $(VENV)/.built $(VENV)/.rtl $(VENV)/.peers
	$(RUST) $(if $(ANSWERS_ONLY),RINGWRIGHT_BENCH_ANSWERS_ONLY=1) $(PY) bench/run.py $(RECORDS)

docs: $(VENV)/.built $(VENV)/.dev
	$(PY) -m sphinx -q -W -b html docs out/docs

# Tests compare; run this after a change of registers, parameters, commands, or simulated cycles.
generated: $(VENV)/.built
	$(PY) scripts/registers.py
	$(PY) scripts/microcode.py
	$(PY) scripts/reference.py
	$(PY) scripts/notebooks.py

# manylinux2014 is glibc 2.17, the oldest that Rust's own library works with. maturin refuses a wheel
# that needs more, and finds zig beside the Python that is first on the search path.
MANYLINUX := --zig --compatibility manylinux2014
TARGET ?= $(subst arm64,aarch64,$(shell uname -m))-unknown-linux-gnu
DIST ?= dist
wheel: $(VENV)/.wheel
	$(RUST) scripts/toolchain.sh target $(TARGET)
	$(RUST) PATH=$(CURDIR)/$(VENV)/bin:$$PATH maturin build --release --locked --quiet $(MANYLINUX) --target $(TARGET) --out $(DIST)
	@$(PY) -m maturin sdist --out $(DIST) >$(VENV)/sdist.log 2>&1 || { cat $(VENV)/sdist.log >&2; exit 1; }
	@ls $(DIST)

# Everything is resolved together first, so that no two files disagree.
COMPILE := $(PY) -m uv pip compile --quiet --universal --python-version 3.10 --no-header --no-annotate
lock: $(VENV)/.run
	$(PIP) install uv
	$(COMPILE) -o requirements/dev.txt pyproject.toml requirements/build.in requirements/dev.in
	$(COMPILE) -o requirements/run.txt -c requirements/dev.txt pyproject.toml requirements/build.in
	$(COMPILE) -o requirements/bench.txt -c requirements/dev.txt pyproject.toml requirements/bench.in
	$(COMPILE) -o requirements/rtl.txt -c requirements/dev.txt requirements/rtl.in
	$(COMPILE) -o requirements/wheel.txt -c requirements/dev.txt requirements/wheel.in

clean:
	rm -rf $(VENV) target out dist
