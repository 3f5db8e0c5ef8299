#!/bin/bash
# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#
# A plan is a pure function of its inputs: the command line is built by two compilers at two levels,
# one of the builds for this machine's own instruction set, and every build, run twice, must
# generate the same scenarios byte for byte and give them the same digests. Two processes differ in
# the seeds of their hash tables and in their addresses.
#
#   tests/house/digest_matrix.sh            builds build/matrix-*; closes with `N passed, N failed`
#   tests/house/digest_matrix.sh asan       of the builds below, these alone
#
# gcc at -O3 is the release build, which ./test has made before. The build asan is that of the
# preset asan: clang at -O0, with sanitizers.
set -u
cd "$(dirname "$0")/../.."

builds=(
  "gcc-O0    g++         -O0"
  "clang-O3  clang++-14  -O3 -march=native"
  "asan      (preset)"
)
if [ $# -gt 0 ]; then
  chosen=()
  for name in "$@"; do
    found=false
    for build in "${builds[@]}"; do
      if [ "${build%% *}" = "$name" ]; then chosen+=("$build"); found=true; fi
    done
    $found || { echo "there is no build $name; the builds are: ${builds[*]%% *}"; exit 2; }
  done
  builds=("${chosen[@]}")
fi
profiles=(volcano "volcano:+preempt,+reclaim" kube-batch muster)
# Clusters to generate: small ones have ties, large ones have trees, each rule of fit and score is
# in some.
clusters=(
  "--nodes 3 --seed 1 --occupancy 0.5 --priorities 3"
  "--nodes 20 --seed 2 --occupancy 0.4 --priorities 3 --queues 4 --depth 2 --selectors 0.3 --taints 0.3"
  "--nodes 40 --seed 3 --affinity 0.3 --spread 0.3 --classes 12"
  "--nodes 150 --seed 4 --load 1.5 --occupancy 0.6 --priorities 4 --queues 6 --gpu 0.5 --gpu-share 0.5"
  "--nodes 200 --seed 5 --mix openb"
  "--nodes 60 --seed 6 --mix philly"
  "--nodes 60 --seed 7 --mix hpc"
)

out=build/matrix
if [ ! -x build/release/muster ]; then
  echo "build/release/muster is not there: build the preset release first"
  exit 1
fi
mkdir -p build
rm -rf "$out-release" && mkdir "$out-release" && cp build/release/muster "$out-release/muster"
names=(release)
# build_one NAME [COMPILER FLAG...]: leaves the command line in $out-NAME/muster.
build_one() {
  local name=$1 compiler=${2:-} flags=${*:3}
  if [ "$name" = asan ]; then
    cmake --preset asan && cmake --build --preset asan --target muster_cli &&
      rm -rf "$out-asan" && mkdir "$out-asan" && cp build/asan/muster "$out-asan/muster"
    return
  fi
  cmake -S . -B "$out-$name" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER="$compiler" \
    -DCMAKE_CXX_FLAGS_RELEASE="$flags" -DMUSTER_WERROR=ON -DMUSTER_BUILD_TESTING=OFF \
    -DMUSTER_BUILD_BENCHMARKS=OFF && cmake --build "$out-$name" --target muster_cli
}
for build in "${builds[@]}"; do
  read -ra words <<<"$build"
  name=${words[0]}
  if ! build_one "${words[@]}" >"$out-$name.log" 2>&1 </dev/null; then
    tail -n 40 "$out-$name.log"
    echo "$name does not build"
    exit 1
  fi
  names+=("$name")
done

passed=0
failed=0
# same WHAT FILE...: the files are equal, or the first that differs is named.
same() {
  local what=$1 first=$2 file
  shift
  for file in "$@"; do
    if [ ! -s "$file" ] || ! cmp -s "$first" "$file"; then
      echo "$what: $(basename "$file") differs from $(basename "$first")"
      failed=$((failed + 1))
      return
    fi
  done
  passed=$((passed + 1))
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
scenarios=()
for index in "${!clusters[@]}"; do
  read -ra flags <<<"${clusters[$index]}"
  made=()
  for name in "${names[@]}"; do
    made+=("$work/$name.json")
    "$out-$name/muster" generate "${flags[@]}" -o "$work/$name.json" </dev/null >/dev/null
  done
  same "generate ${clusters[$index]}" "${made[@]}"
  cp "${made[0]}" "$work/cluster-$index.json"
  scenarios+=("$work/cluster-$index.json")
done

for scenario in "${scenarios[@]}" tests/scenarios/*.json; do
  [ -e "$scenario" ] || continue
  for profile in "${profiles[@]}"; do
    digests=()
    for name in "${names[@]}"; do
      for process in first second; do
        file="$work/$name.$process"
        "$out-$name/muster" run "$scenario" --profile "$profile" --digest </dev/null >"$file"
        digests+=("$file")
      done
    done
    same "$(basename "$scenario") $profile" "${digests[@]}"
  done
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
