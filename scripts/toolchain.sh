#!/usr/bin/env bash
# Checks what a build needs and prints one clear line for the first thing missing or too old.
# Usage: toolchain.sh python PYTHON | toolchain.sh compilers VENV | toolchain.sh target TRIPLE
# `compilers` writes VENV/rust.env, which make sources: empty where a good Rust is installed,
# else the environment of a toolchain that puccinialin (maturin's bootstrap) fetched.
# `target` fetches Rust's library for another processor where it is missing.
set -euo pipefail
readonly rust_needed=1.89.0 python_needed=3.10

fail() { echo "ringwright: $*" >&2; exit 1; }

older() { # is version $1 older than $2?
  [ "$1" != "$2" ] && [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]
}

check_python() {
  local found
  command -v "$1" >/dev/null || fail "no Python found as '$1'; install Python $python_needed or newer, or run make PYTHON=/path/to/python3"
  found=$("$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  older "$found" "$python_needed" && fail "'$1' is Python $found; $python_needed or newer is needed (make PYTHON=/path/to/python3)"
  "$1" -c 'import venv, ensurepip' 2>/dev/null || fail "'$1' has no venv module; install it (Debian: apt-get install python3-venv)"
}

check_compilers() {
  local venv=$1 found
  command -v cc >/dev/null || fail "no C compiler found as 'cc'; install one (Debian: apt-get install gcc libc6-dev)"
  : >"$venv/rust.env"
  if command -v cargo >/dev/null && command -v rustc >/dev/null; then
    found=$(rustc --version | awk '{print $2}')
    older "$found" "$rust_needed" && fail "rustc is $found; $rust_needed or newer is needed (rustup update stable)"
    return 0
  fi
  echo "ringwright: no Rust found, fetching a toolchain" >&2
  "$venv/bin/python" -m puccinialin --info-json "$venv/rust.json" >/dev/null \
    || fail "no Rust found and none could be fetched; install Rust $rust_needed or newer from your system or rustup"
  "$venv/bin/python" - "$venv/rust.json" >"$venv/rust.env" <<'PY'
import json, shlex, sys
for name, value in json.load(open(sys.argv[1])).items():
    print(f"export {name}={shlex.quote(value)}")
PY
}

check_target() {
  local have="Rust's library for $1 is missing"
  [ -d "$(rustc --print sysroot)/lib/rustlib/$1/lib" ] && return 0
  command -v rustup >/dev/null || fail "$have, and there is no rustup to fetch it"
  rustup target add "$1" >&2 || fail "$have, and rustup could not fetch it"
}

case "${1:-}" in
  python) check_python "$2" ;;
  compilers) check_compilers "$2" ;;
  target) check_target "$2" ;;
  *) fail "toolchain.sh takes: python PYTHON | compilers VENV | target TRIPLE" ;;
esac
