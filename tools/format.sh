#!/bin/sh
# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#
# tools/format.sh           puts every C++ file into the form of .clang-format
# tools/format.sh --check   changes nothing, names the files that differ, fails if there are any
set -eu
cd "$(dirname "$0")/.."

mode=-i
[ "${1:-}" != "--check" ] || mode="--dry-run -Werror"
# shellcheck disable=SC2086  # two words
find include lib tools bench capi examples tests python \
  \( -name '*.cc' -o -name '*.h' -o -name '*.c' \) -print0 2>/dev/null |
  xargs -0 -r -n 16 clang-format-14 $mode
