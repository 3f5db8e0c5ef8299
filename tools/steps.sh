# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#
# The steps that ./test and .ci/run choose from. Sourced by both from the root of the repository.
#
#   . tools/steps.sh
#   step "release build" build release
#   finish
#
# Every step prints a heading and its time. `finish` prints how failed tests ended, then the times
# as a table, and exits; its last line is `N passed, N failed`, counted in steps. A step that cannot
# run here prints SKIP and the reason, and counts as neither.

jobs=$(nproc)
cases=${MUSTER_CONFORMANCE:-../shared/conformance}
# The extension module of the Python package is part of the release build where build/venv is there.
venv=build/venv/bin/python
passed=0
failed=0
step_names=()
step_results=()
step_seconds=()
failed_tests=()  # how each of them ended

# step NAME COMMAND...: runs the command; exit code 77 means that it had a reason not to run.
step() {
  local name=$1 start=$SECONDS code result
  shift
  printf '\n=== %s\n' "$name"
  "$@" </dev/null
  code=$?
  case $code in
    0) passed=$((passed + 1)); result=passed ;;
    77) result=SKIP ;;
    *) failed=$((failed + 1)); result=FAILED ;;
  esac
  step_names+=("$name")
  step_results+=("$result")
  step_seconds+=($((SECONDS - start)))
  printf -- '--- %s: %s in %d s\n' "$name" "$result" $((SECONDS - start))
}

# Prints the table of steps and `N passed, N failed`. Exits with 1 if a step failed.
finish() {
  local i
  printf '%s\n' ${failed_tests[@]+"${failed_tests[@]}"}
  printf '\n%8s  %-7s %s\n' seconds result step
  for i in "${!step_names[@]}"; do
    printf '%8d  %-7s %s\n' "${step_seconds[$i]}" "${step_results[$i]}" "${step_names[$i]}"
  done
  printf '%8d  %-7s %s\n' "$SECONDS" "" "all steps"
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ]
  exit
}

build() {  # PRESET [CMAKE ARGUMENT...]
  local preset=$1 python=()
  shift
  if [ "$preset" = release ] && [ -x "$venv" ]; then
    python=(-DMUSTER_BUILD_PYTHON=ON "-DPython_EXECUTABLE=$PWD/$venv")
  fi
  cmake --preset "$preset" ${python[@]+"${python[@]}"} >"build/$preset.configure.log" 2>&1 ||
    { cat "build/$preset.configure.log"; return 1; }
  cmake --build --preset "$preset" -j "$jobs" "$@" -- --quiet
}

# Installs, builds, and runs what every list begins with. Exits if the release build fails.
build_release() {
  mkdir -p build
  step "dependencies" tools/install_deps.sh
  step "release build" build release
  if [ "$failed" -gt 0 ]; then
    echo "The other steps need the release build."
    finish
  fi
}

run_tests() {  # PRESET [CTEST ARGUMENT...]
  local logs=build/$1/Testing/Temporary name
  ctest --preset "$1" -j "$jobs" --no-tests=error "${@:2}" && return
  while IFS=: read -r _ name; do
    failed_tests+=("$name" "$(sed -n "\,Testing: $name\$,,/^<end of output>/p" "$logs/LastTest.log" |
      tail -n 25)")
  done <"$logs/LastTestsFailed.log"
  return 1
}

python_tests() {
  local python=python3
  if [ -x "$venv" ]; then python=$venv; else echo "SKIP tests of the engine: no build/venv"; fi
  PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=build/release/python "$python" -m unittest discover \
    -s tests/python -p '*_test.py' 2>&1 | tee build/python_tests.log
  [ "${PIPESTATUS[0]}" -eq 0 ] && return
  failed_tests+=("python tests" "$(tail -n 25 build/python_tests.log)")
  return 1
}

own_cases() {
  PYTHONDONTWRITEBYTECODE=1 python3 tests/conformance/run.py tests/conformance/own
}

# Runs the folders that tests/conformance/expected.txt names; it lists how many cases must pass.
peers_cases() {
  if [ ! -d "$cases" ]; then
    echo "SKIP: no cases at $cases; set MUSTER_CONFORMANCE to a folder of them"
    return 77
  fi
  local folders
  mapfile -t folders < <(sed -e 's/#.*//' -e 's/^[[:space:]]*[0-9]*[[:space:]]*//' -e '/^$/d' \
    -e 's|/.*||' -e "s|^|$cases/|" tests/conformance/expected.txt | grep -v '/own$' | sort -u)
  PYTHONDONTWRITEBYTECODE=1 python3 tests/conformance/run.py "${folders[@]}" \
    --expected tests/conformance/expected.txt
}

# The rooms that read input (label quick in tests/CMakeLists.txt).
readers_under_sanitizers() {
  build asan --target muster_quick_tests && run_tests asan -L quick
}

# Whole cycles of 300 random worlds for each slow twin, every answer compared with it. The other
# tests of worlds take a quarter of an hour more.
worlds_under_sanitizers() {
  build asan --target muster_worlds &&
    MUSTER_WORLDS=300 GTEST_FILTER='*Agree*:BatchWorlds.*:FairEvict.*:FairTree.*:LivingCluster.*' \
      run_tests asan -R '^worlds/'
}

# Without the tests that look at sources and at what is installed.
all_under_sanitizers() {
  build asan && MUSTER_WORLDS=300 run_tests asan -E '^(house|install)/'
}

threads_under_tsan() {
  build tsan --target muster_threads_test && run_tests tsan -R '^threads$'
}

tidy() {
  build tidy >build/tidy.log 2>&1 ||
    { grep -E 'error:|warning:' -A4 build/tidy.log || tail -n 40 build/tidy.log; return 1; }
}

# The compiler cache serves the second of them from the first.
parts_of_others() {
  MUSTER_BUILD=$PWD/build/release MUSTER_BUILD_PARTS=1 CMAKE_CXX_COMPILER_LAUNCHER=ccache \
    python3 tests/install/install_test.py Install.test_add_subdirectory Install.test_fetch_content
}

# Work counted on worlds of n, 2n and 4n; docs/growth.md has the exponents.
growth() {
  cmake --preset release -DMUSTER_GROWTH=ON >"build/release.configure.log" 2>&1 &&
    cmake --build --preset release -j "$jobs" --target muster_growth_test -- --quiet &&
    run_tests release -R '^growth$'
}

# Every public header compiles alone; and what else the release build leaves out.
headers_and_benchmarks() {
  build release --target muster_header_check muster_bench capi_bench
}

# Rows of the benchmark against those that bench/rows.tsv records.
bench_guard() {
  build release --target muster_bench && python3 bench/guard.py build/release/muster_bench
}

# The library as WebAssembly: its plans, and its page in a browser where there is one.
playground() {
  tools/playground.sh && python3 tests/playground/playground_check.py
}

# A million events for three profiles on 10,000 nodes; ctest runs 100,000 for each on 150.
long_lives() {
  local profile
  for profile in volcano kube-batch koordinator; do
    build/release/muster_long_life --profile "$profile" --events 1000000 || return 1
  done
}

# Each target of tests/fuzz for ten seconds, from its corpus. Findings are in build/fuzz/findings.
fuzz_targets() {
  local target failed_targets=()
  build fuzz || return 1
  mkdir -p build/fuzz/findings
  for target in tests/fuzz/corpus/*/; do
    target=$(basename "$target")
    MUSTER_FUZZ_TARGET=$target build/fuzz/muster_fuzz -max_total_time=10 -timeout=25 -seed=1 \
      -rss_limit_mb=4096 -dict=tests/fuzz/words.dict -print_final_stats=1 \
      -artifact_prefix="build/fuzz/findings/$target-" \
      "$(mktemp -d -p build/fuzz)" "tests/fuzz/corpus/$target" >"build/fuzz/$target.log" 2>&1 ||
      failed_targets+=("$target")
    echo "$target: $(grep -o 'cov: [0-9]*' "build/fuzz/$target.log" | tail -n 1)," \
      "$(sed -n 's/^stat::number_of_executed_units: */executions: /p' "build/fuzz/$target.log")"
  done
  if [ "${#failed_targets[@]}" -gt 0 ]; then
    for target in "${failed_targets[@]}"; do tail -n 40 "build/fuzz/$target.log"; done
    echo "broken by findings: ${failed_targets[*]}"
    return 1
  fi
}

more_worlds() {
  MUSTER_WORLDS=30000 run_tests release -R '^worlds/'
}
