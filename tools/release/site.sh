#!/bin/bash
# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#
# Builds the documentation site, one folder that works from file://, and tries it: every link leads
# somewhere, every call of C and every name of the Python package is found, and in a headless
# Chromium (where there is one) the search leads to a place on a page.
#
#   tools/release/site.sh          # build/dist/site/index.html, and site-VERSION.tar.gz
#
# Needs markdown-it-py: that of the machine (python3-markdown-it), else from the Python package
# index. Exits with 77 where it cannot be had.
set -eu
cd "$(dirname "$0")/../.."

python=/usr/bin/python3
[ -x "$python" ] || python=python3
if ! "$python" -c "import markdown_it" 2>/dev/null; then
  if [ ! -x build/site-tools/bin/python ] && ! { "$python" -m venv build/site-tools &&
    build/site-tools/bin/python -m pip install -q --disable-pip-version-check \
      "markdown-it-py>=2.1" </dev/null; }; then
    rm -rf build/site-tools
    echo "SKIP: markdown-it-py is not installed, and the Python package index cannot be reached"
    exit 77
  fi
  python=build/site-tools/bin/python
fi

version=$(sed -n 's/^#define MUSTER_VERSION_STRING "\(.*\)"/\1/p' include/muster/version.h)
PYTHONDONTWRITEBYTECODE=1 "$python" tools/release/site/build.py --out build/dist/site
PYTHONDONTWRITEBYTECODE=1 "$python" tests/release/site_test.py
tar -C build/dist --sort=name --owner=0 --group=0 --numeric-owner \
  --mtime="@$(git log -1 --format=%ct 2>/dev/null || date +%s)" -czf \
  "build/dist/site-$version.tar.gz" site
