#!/bin/bash
# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#
# Looks for inputs that break the library (tests/fuzz/target.h).
#
#   tools/fuzz.sh TARGET MINUTES   with a corpus of its own, build/fuzz/corpus/TARGET, that grows
#   tools/fuzz.sh minimize TARGET  adds what reaches new branches to tests/fuzz/corpus/TARGET
#   tools/fuzz.sh                  lists the targets
#
# Builds the preset fuzz first. A finding ends the run with 1; its input is in build/fuzz/findings,
# and build/fuzz/muster_fuzz plays it again. The last lines have the executions, and the branches
# that were reached (cov). FUZZ_SMALL is the size in bytes of the largest input that minimize keeps.
set -eu
cd "$(dirname "$0")/.."
. tools/steps.sh

mkdir -p build
build fuzz
program=build/fuzz/muster_fuzz
flags=(-dict=tests/fuzz/words.dict -timeout=25 -rss_limit_mb=4096 -use_value_profile=0)

case $# in
  0) "$program" || exit 0 ;;
  2) ;;
  *) sed -n '3,12p' "$0"; exit 2 ;;
esac

if [ "$1" = minimize ]; then
  export MUSTER_FUZZ_TARGET=$2
  "$program" -merge=1 -max_len="${FUZZ_SMALL:-1024}" "tests/fuzz/corpus/$2" "build/fuzz/corpus/$2"
  exit
fi
export MUSTER_FUZZ_TARGET=$1
mkdir -p "build/fuzz/corpus/$1" build/fuzz/findings
"$program" "${flags[@]}" -max_total_time=$(($2 * 60)) -artifact_prefix="build/fuzz/findings/$1-" \
  -print_final_stats=1 "build/fuzz/corpus/$1" "tests/fuzz/corpus/$1"
