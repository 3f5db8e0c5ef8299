#!/bin/bash
# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#
# Looks for inputs that break the library (tests/fuzz/target.h).
#
#   tools/fuzz.sh                  lists the targets
#   tools/fuzz.sh TARGET MINUTES   one target, with a corpus of its own, build/fuzz/corpus/TARGET
#   tools/fuzz.sh all MINUTES      each target for that long, one after another
#   tools/fuzz.sh sums             what all recorded runs together took and reached
#   tools/fuzz.sh minimize TARGET  adds what reaches new branches to tests/fuzz/corpus/TARGET
#
# Builds the preset fuzz first; FUZZ_PROGRAM names a program to run instead. A finding ends the run
# of its target, and in the end this script fails. Its input is in build/fuzz/findings, and
# build/fuzz/muster_fuzz plays it again. Each run adds a row to tests/fuzz/runs.txt. FUZZ_SMALL is
# the size in bytes of the largest input that minimize keeps, 1024 by default.
set -eu
cd "$(dirname "$0")/.."
. tools/steps.sh

runs=tests/fuzz/runs.txt
program=${FUZZ_PROGRAM:-build/fuzz/muster_fuzz}
flags=(-dict=tests/fuzz/words.dict -timeout=25 -rss_limit_mb=4096 -print_final_stats=1)

build_program() {
  mkdir -p build
  [ -n "${FUZZ_PROGRAM:-}" ] || build fuzz
}

# One row a target: CPU seconds, executions and findings are added up, of the edges the most count.
sums() {
  awk '
    /^#/ { next }
    { cpu[$1] += $2; runs[$1] += $3; found[$1] += $5; all += $2; times += $3; broken += $5 }
    $4 > edges[$1] { edges[$1] = $4 }
    END {
      printf "| target | CPU seconds | executions | edges | findings |\n|---|---|---|---|---|\n"
      for (name in cpu) {
        row = "| %s | %d | %d | %d | %d |\n"
        printf row, name, cpu[name], runs[name], edges[name], found[name] | "sort"
      }
      close("sort")
      printf "| all | %d (%.2f h) | %d | | %d |\n", all, all / 3600, times, broken
    }' "$runs"
}

# Returns 1 for a finding. A process that was stopped for a while looks slow: an input that took
# long is judged once more, by CPU time.
is_finding() {  # INPUT
  case "$1" in
    */*-timeout-*) ! (ulimit -t 60 && "$program" "$1" >/dev/null 2>&1) ;;
    *) true ;;
  esac
}

run_target() {  # TARGET MINUTES
  local log=build/fuzz/$1.log before edges executions cpu=0 findings=0 input
  mkdir -p "build/fuzz/corpus/$1" build/fuzz/findings
  export MUSTER_FUZZ_TARGET=$1
  before=$(mktemp -p build/fuzz)
  local TIMEFORMAT='%U %S'
  cpu=$({ time "$program" "${flags[@]}" -max_total_time=$(($2 * 60)) \
    -artifact_prefix="build/fuzz/findings/$1-" "build/fuzz/corpus/$1" "tests/fuzz/corpus/$1" \
    >"$log" 2>&1 || true; } 2>&1 | awk '{ printf "%.0f", $1 + $2 }')
  for input in build/fuzz/findings/"$1"-*; do
    [ "$input" -nt "$before" ] || continue
    if is_finding "$input"; then
      findings=$((findings + 1))
      echo "$1: broken by $input"
    else
      rm "$input"
    fi
  done
  rm "$before"
  edges=$(grep -o 'cov: [0-9]*' "$log" | tail -n 1 | grep -o '[0-9]*' || echo 0)
  executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  # A run that a finding ends may print no statistics: the last report counts.
  executions=${executions:-$(grep -o '^#[0-9]*' "$log" | tail -n 1 | tr -d '#')}
  echo "$1 $cpu ${executions:-0} $edges $findings" >>"$runs"
  echo "$1: $cpu s of CPU, ${executions:-0} executions, $edges edges, $findings findings"
  [ "$findings" -eq 0 ]
}

case "$#:${1:-}" in
  0:) build_program && { "$program" || exit 0; } ;;
  1:sums) sums ;;
  2:minimize)
    build_program
    export MUSTER_FUZZ_TARGET=$2
    "$program" -merge=1 -max_len="${FUZZ_SMALL:-1024}" "tests/fuzz/corpus/$2" "build/fuzz/corpus/$2"
    ;;
  2:all)
    build_program
    failed_targets=0
    for folder in tests/fuzz/corpus/*/; do
      run_target "$(basename "$folder")" "$2" || failed_targets=$((failed_targets + 1))
    done
    sums
    [ "$failed_targets" -eq 0 ]
    ;;
  2:*)
    build_program
    run_target "$1" "$2" || { tail -n 60 "build/fuzz/$1.log"; exit 1; }
    ;;
  *) sed -n '3,16s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
