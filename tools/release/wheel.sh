#!/bin/sh
# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#
# Builds the wheel from the source distribution, and tries it as a stranger would: in a fresh venv
# with nothing but NumPy, and, where one can be made, in a clean root of Debian 12.
#
#   tools/release/wheel.sh         # build/dist/muster_sched-VERSION-...manylinux...whl
#
# Debian's Abseil comes as shared objects (its archives cannot be linked into one), so auditwheel
# copies those that are needed into the wheel. It also names the wheel after the oldest glibc that
# it runs with: manylinux_2_34 is glibc 2.34. Needs the Python package index; where it cannot be
# reached this is skipped.
set -eu
cd "$(dirname "$0")/../.."

python=${PYTHON:-/usr/bin/python3}
work=build/wheel
tools/release/sdist.sh
rm -rf "$work/raw" "$work/try" "$work/source"
rm -f build/dist/*.whl
tools=$(pwd)/$work/tools/bin
# At one place always, and compiled as the release build is: the compiler cache then has most of it.
mkdir -p "$work/source"
tar -xzf build/dist/muster_sched-*.tar.gz -C "$work/source" --strip-components=1

CXX=${CXX:-c++} "$tools/python" -m build --wheel --outdir "$work/raw" \
  -Ccmake.define.MUSTER_WERROR=ON "$work/source" >"$work/build.log" 2>&1 ||
  { tail -n 60 "$work/build.log"; exit 1; }
PATH="$tools:$PATH" "$tools/auditwheel" repair --wheel-dir build/dist "$work"/raw/*.whl \
  >"$work/repair.log" 2>&1 ||
  { cat "$work/repair.log"; exit 1; }
wheel=$(echo build/dist/*.whl)
du -b "$wheel" | awk '{ printf "%s: %.1f MB\n", $2, $1 / 1e6 }'

# No symbol of a glibc that is newer than the name of the wheel promises.
promised=$(echo "$wheel" | sed -n 's/.*manylinux_2_\([0-9]*\)_x86_64.*/\1/p')
[ -n "$promised" ] || { echo "wheel: $wheel is no manylinux wheel" >&2; exit 1; }
rm -rf "$work/unpacked"
mkdir "$work/unpacked"
"$python" -m zipfile -e "$wheel" "$work/unpacked"
newest=$(find "$work/unpacked" \( -name '*.so*' -o -path '*/bin/muster' \) -exec objdump -T {} + |
  grep -o 'GLIBC_2\.[0-9]*' | cut -d. -f2 | sort -n | tail -n 1)
echo "newest symbols: glibc 2.$newest; promised: 2.$promised"
[ "$newest" -le "$promised" ] || exit 1

"$python" -m venv "$work/try"
"$work/try/bin/python" -m pip install -q --disable-pip-version-check "$wheel" </dev/null
"$work/try/bin/python" -m pip list --disable-pip-version-check
# Whatever this machine has of Abseil, the module finds the one that came along.
module=$("$work/try/bin/python" -c 'import muster._core; print(muster._core.__file__)')
for file in "$module" "$(dirname "$module")/bin/muster"; do
  if ldd "$file" | grep libabsl | grep -v "muster_sched.libs/"; then
    echo "wheel: Abseil is not taken from the wheel" >&2
    exit 1
  fi
done
env -u PYTHONPATH PYTHONDONTWRITEBYTECODE=1 \
  "$work/try/bin/python" -m unittest discover -s tests/python -p '*_test.py'

# Debian's NumPy, no Abseil, no network.
mkdir -p "$work/root"
cp "$wheel" tests/scenarios/gang_undone.json "$work/root/"
status=0
tools/release/root.sh --install "python3-pip python3-numpy" "$work/root" sh -euc '
  pip install -q --no-index --break-system-packages --root-user-action=ignore ./*.whl
  python3 -c "
import muster
text = open(\"gang_undone.json\").read()
print(muster.Cluster.from_scenario(text).schedule().digest)"
  muster run gang_undone.json --digest' >"$work/printed" || status=$?
case $status in
  0)
    for run in module program; do
      build/release/muster run tests/scenarios/gang_undone.json --digest
    done | diff - "$work/printed"
    echo "installed in a clean root without a network; the digest is that of the build"
    ;;
  77) cat "$work/printed" ;;
  *) cat "$work/printed"; echo "wheel: the trial in a clean root failed" >&2; exit 1 ;;
esac
rm -rf "$work/root"
