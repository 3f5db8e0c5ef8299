#!/bin/sh
# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#
# Installs what building and testing Muster needs on Debian 12, as root or through sudo, and reports
# what. Reads dpkg's list first: when nothing is missing it neither calls apt nor prints anything.
#
# build/venv holds what the Python package needs and Debian does not have (pybind11 3) or not
# everywhere (NumPy, pandas). Where the Python package index cannot be reached this reports it and
# leaves it out: everything but the Python package still builds.
set -eu
cd "$(dirname "$0")/.."

# The cache of the compiler comes with the first build: one that came later would change each
# command of that build, and the next one would compile everything again.
packages="g++ cmake ninja-build ccache libabsl-dev libeigen3-dev nlohmann-json3-dev zlib1g-dev
  python3"
case "${1:-}" in
  --build) ;;
  "") packages="$packages libgtest-dev libgmock-dev libbenchmark-dev clang-14 libclang-rt-14-dev
    clang-format-14 clang-tidy-14 python3-dev python3-venv python3-markdown-it abigail-tools" ;;
  *) echo "install_deps: unknown argument $1; there is --build" >&2; exit 2 ;;
esac

if ! command -v dpkg-query >/dev/null; then
  echo "install_deps: no dpkg here; please provide the equivalents of:" $packages >&2
  exit 0
fi

missing=""
for package in $packages; do
  case $(dpkg-query -W -f='${Status}' "$package" 2>/dev/null || true) in
    *" installed") ;;
    *) missing="$missing $package" ;;
  esac
done

if [ -n "$missing" ]; then
  as_root=""
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
      echo "install_deps: missing$missing; run as root or with sudo installed" >&2
      exit 1
    fi
    as_root=sudo
  fi

  echo "Installing from Debian:$missing"
  export DEBIAN_FRONTEND=noninteractive
  $as_root apt-get update -qq </dev/null
  # shellcheck disable=SC2086  # one word a package
  $as_root apt-get install -y -qq --no-install-recommends $missing </dev/null >/dev/null
  echo "Installed."
fi

if [ "${1:-}" = --build ]; then exit 0; fi

# --- Python

# Reports which packages of tools/python_optional.txt are not there, and what follows.
tell_what_is_left_out() {
  absent=""
  for package in $(sed -e '/^#/d' -e 's/[<>=].*//' tools/python_optional.txt); do
    build/venv/bin/python -c "import importlib.util, sys; sys.exit(importlib.util.find_spec('$package') is None)" ||
      absent="$absent $package"
  done
  [ -z "$absent" ] ||
    echo "install_deps: build/venv is without$absent: tests that need it are skipped (remove build/venv to try again)" >&2
}

if [ -f build/venv/requirements.txt ] &&
  cat tools/python_requirements.txt tools/python_optional.txt |
  cmp -s - build/venv/requirements.txt; then
  tell_what_is_left_out
  exit 0
fi
python=/usr/bin/python3
[ -x "$python" ] || python=python3
echo "Making build/venv for the Python package"
mkdir -p build
rm -rf build/venv
if "$python" -m venv build/venv &&
  build/venv/bin/python -m pip install -q --disable-pip-version-check \
    -r tools/python_requirements.txt </dev/null; then
  grep -v '^#' tools/python_optional.txt | while read -r package; do
    build/venv/bin/python -m pip install -q --disable-pip-version-check "$package" </dev/null ||
      echo "install_deps: $package cannot be installed here" >&2
  done
  tell_what_is_left_out
  cat tools/python_requirements.txt tools/python_optional.txt >build/venv/requirements.txt
else
  rm -rf build/venv
  echo "install_deps: no build/venv (is the Python package index reachable?); the Python package is left out" >&2
fi
