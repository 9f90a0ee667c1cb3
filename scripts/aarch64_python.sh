#!/usr/bin/env bash
# Unpacks Debian's Python for aarch64 into a folder, installed nowhere, and writes FOLDER/python, which
# runs it under qemu-user. Where that cannot be had it says why and exits with status 3.
# Usage: aarch64_python.sh FOLDER
set -euo pipefail
folder=$(realpath -m "${1:?aarch64_python.sh takes: FOLDER}")
root=$folder/root
# Wheels may rest on the C++ library, which Python itself does without.
packages=(python3 libstdc++6)

cannot() { echo "ringwright: no Python for aarch64: $*" >&2; exit 3; }

command -v qemu-aarch64 >/dev/null || cannot "qemu-aarch64 is missing (Debian: apt-get install qemu-user)"
command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || cannot "this is no Debian, whose packages it is made of"

if [ ! -e "$root/.unpacked" ]; then
  mkdir -p "$folder"/{lists/partial,archives/partial} "$root"
  : >"$folder/status" # nothing is installed, so everything is fetched
  apt=(apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64
    -o Dir::State="$folder" -o Dir::State::status="$folder/status" -o Dir::Cache="$folder"
    -o Debug::NoLocking=1)
  "${apt[@]}" update >&2 || cannot "its list of packages cannot be fetched"
  "${apt[@]}" install --yes --download-only --no-install-recommends "${packages[@]}" >&2 \
    || cannot "its packages cannot be fetched"
  for package in "$folder"/archives/*.deb; do dpkg-deb --extract "$package" "$root"; done
  touch "$root/.unpacked"
fi
interpreter=$(readlink -f "$root/usr/bin/python3") # a link beside it, so it stays in the folder
printf '#!/bin/sh\nexec qemu-aarch64 -L "%s" "%s" "$@"\n' "$root" "$interpreter" >"$folder/python"
chmod +x "$folder/python"
"$folder/python" -c 'pass' || cannot "it does not start under qemu-aarch64"
