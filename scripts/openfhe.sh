#!/usr/bin/env bash
# Makes VENV/openfhe, a CPython 3.10 with OpenFHE: there is no wheel of it for others. Where this computer has no
# CPython 3.10, uv fetches one.
# Usage: openfhe.sh VENV
set -euo pipefail
readonly python=$1/bin/python made=$1/openfhe
quiet_pip() { "$1" -m pip --disable-pip-version-check --quiet "${@:2}"; }

# Where python3.10 is a shim of pyenv, it answers for any version once told which; other interpreters do not care.
export PYENV_VERSION=3.10
if python3.10 -c 'import ensurepip, venv' 2>/dev/null; then
  python3.10 -m venv --clear "$made"
else
  echo "ringwright: no CPython 3.10 found, fetching one" >&2
  unset PYENV_VERSION
  quiet_pip "$python" install uv
  "$python" -m uv venv --quiet --clear --seed --managed-python --python 3.10 "$made"
fi
quiet_pip "$made/bin/python" install -r requirements/openfhe.txt
