#!/bin/bash
# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#
# Makes and tries all artefacts of a release, in build/dist, and prints a table of sizes and times.
# The release build is made before (cmake --preset release; its time is not counted).
#
#   tools/release/all.sh             # or the names of some: tools/release/all.sh crate static
set -u
cd "$(dirname "$0")/../.." || exit

steps=("$@")
[ "${#steps[@]}" -gt 0 ] || steps=(debian static crate java go site wheel)
mkdir -p build/dist
rows=()
failed=0
for name in "${steps[@]}"; do
  case $name in
    debian) command=(tools/release/debian.py) files="*.deb" ;;
    static) command=(tools/release/static.sh) files="muster-*-linux-x86_64" ;;
    crate) command=(tools/release/crate.sh) files="*.crate" ;;
    java) command=(tools/release/java.sh) files="maven/*/*/*/*/*.jar" ;;
    go) command=(tools/release/go_module.py --out build/dist/go) files="go/*/*/@v/*.zip" ;;
    site) command=(tools/release/site.sh) files="site-*.tar.gz" ;;
    wheel) command=(tools/release/wheel.sh) files="muster_sched-*" ;;
    *) echo "all: unknown artefact \"$name\"; known are debian static crate java go site wheel" >&2
      exit 2 ;;
  esac
  printf '\n=== %s\n' "$name"
  start=$SECONDS
  "${command[@]}" </dev/null
  code=$?
  seconds=$((SECONDS - start))
  case $code in
    0) ;;
    77) rows+=("$(printf '%9s %5d s  %s' skipped "$seconds" "$name")"); continue ;;
    *) failed=1; rows+=("$(printf '%9s %5d s  %s' FAILED "$seconds" "$name")"); continue ;;
  esac
  # shellcheck disable=SC2086  # a pattern
  for file in build/dist/$files; do
    size=$(du -bs "$file" | awk '{ printf "%.1f MB", $1 / 1e6 }')
    rows+=("$(printf '%9s %5d s  %s' "$size" "$seconds" "$(basename "$file")")")
  done
done

printf '\n%9s %7s  %s\n' size time artefact
printf '%s\n' "${rows[@]}"
exit "$failed"
