#!/bin/bash
# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#
# Makes the command line as one file for any Linux on x86-64, and tries it where nothing else is:
#
#   tools/release/static.sh        # build/dist/muster-VERSION-linux-x86_64
#
# The file needs no shared library. In a root that holds this file and the scenarios alone, the
# program schedules each scenario under its own profile, and one of them under each profile: the
# digests must equal those of build/release/muster.
set -eu
cd "$(dirname "$0")/../.."

version=$(sed -n 's/^#define MUSTER_VERSION_STRING "\(.*\)"/\1/p' include/muster/version.h)
mkdir -p build/dist
out=build/dist/muster-$version-linux-x86_64
cmake --build build/release --target muster_cli muster_static -- --quiet
strip -o "$out" build/release/muster_static

if readelf -dlW "$out" | grep -E 'NEEDED|INTERP'; then
  echo "static: $out needs what is printed above" >&2
  exit 1
fi

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
cp "$out" "$root/muster"
cp -r tests/scenarios "$root/"
[ "$(id -u)" -eq 0 ] || { echo "SKIP: an empty root needs root's rights"; exit 77; }

# digests COMMAND...: of each scenario, and of one under each profile.
digests() {
  local file profile
  for file in tests/scenarios/*.json; do
    printf '%s %s\n' "$file" "$("$@" run "${file#tests/}" --digest 2>&1)"
  done
  for profile in $(build/release/muster profiles --json | python3 -c \
    'import json, sys; print(*[row["name"] for row in json.load(sys.stdin)["profiles"]])'); do
    printf '%s %s\n' "$profile" \
      "$("$@" run scenarios/gang_undone.json --digest --profile "$profile" 2>&1)"
  done
}
in_tests() { (cd tests && ../build/release/muster "$@"); }
digests chroot "$root" /muster >build/dist/static.digests
digests in_tests >build/dist/release.digests
diff build/dist/release.digests build/dist/static.digests
if grep -vE ' [0-9a-f]{32}$' build/dist/static.digests; then
  echo "static: no digest" >&2
  exit 1
fi
count=$(wc -l <build/dist/static.digests)
rm build/dist/static.digests build/dist/release.digests

if why=$(chroot "$root" /muster run scenarios/gang_undone.json --load ./x.so 2>&1); then
  echo "static: --load was taken" >&2
  exit 1
fi
case $why in
  *"linked statically"*) ;;
  *) echo "static: --load: $why" >&2; exit 1 ;;
esac
echo "$out: $count equal digests in an empty root"
