#!/bin/bash
# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#
# Makes the crate of a release from examples/rust, with the library as an archive inside, and tries
# it as a stranger would: a program in a clean root of Debian 12 that depends on the crate, built by
# Debian's cargo without a network.
#
#   tools/release/crate.sh         # build/dist/muster-sched-VERSION.crate
#
# Exits with 77 where cargo is not installed. The trial is skipped, with a word, where no clean root
# can be made.
set -eu
cd "$(dirname "$0")/../.."
PATH=$PATH:$HOME/.cargo/bin

command -v cargo >/dev/null || { echo "SKIP: cargo is not installed"; exit 77; }
version=$(sed -n 's/^#define MUSTER_VERSION_STRING "\(.*\)"/\1/p' include/muster/version.h)
work=$PWD/build/crate
crate=$work/muster-sched
rm -rf "$work"
mkdir -p "$work" build/dist
cp -r examples/rust "$crate"
cp LICENSE "$crate/"
mkdir -p "$crate/lib/linux_amd64"
cmake --build build/release --target muster_c_static muster_import muster -- --quiet
tools/release/go_module.py --archive "$crate/lib/linux_amd64/libmuster.a"
(cd "$crate" && cargo package --offline --allow-dirty --no-verify --quiet --target-dir ../target)
cp "$work/target/package/muster-sched-$version.crate" build/dist/
file=build/dist/muster-sched-$version.crate
echo "$file: $(du -b "$file" | awk '{ printf "%.1f MB", $1 / 1e6 }')"
# The index of crates takes 10 MB at most.
[ "$(stat -c %s "$file")" -lt 10000000 ] || { echo "crate: above 10 MB" >&2; exit 1; }

trial=$work/trial
mkdir -p "$trial/src"
tar -C "$trial" -xf "$file"
cat >"$trial/Cargo.toml" <<END
[package]
name = "stranger"
version = "0.1.0"
edition = "2021"

[dependencies]
muster = { package = "muster-sched", path = "muster-sched-$version" }
END
cp examples/rust/examples/first_plan.rs "$trial/src/main.rs"
status=0
tools/release/root.sh --install "cargo gcc libc6-dev" "$trial" sh -euc '
  cp -r . /tmp/trial && cd /tmp/trial
  cargo build --offline --quiet >&2
  ldd target/debug/stranger | grep -E "muster|absl|stdc" >&2 && exit 1
  exec target/debug/stranger' >"$work/printed" || status=$?
if [ "$status" -eq 77 ]; then cat "$work/printed"; exit 0; fi
[ "$status" -eq 0 ] || { cat "$work/printed"; echo "crate: the trial failed" >&2; exit 1; }
PYTHONPATH=tests/capi PYTHONDONTWRITEBYTECODE=1 python3 -c \
  'import languages; print(languages.shown("Rust"), end="")' | diff - "$work/printed"
echo "a program that depends on it builds and runs in a clean root, by Debian's cargo"
