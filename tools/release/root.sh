#!/bin/bash
# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#
# A root of Debian 12 with nothing but its base system, to try artefacts in as a stranger would.
#
#   tools/release/root.sh [--install PACKAGES] FOLDER COMMAND...
#
# Runs COMMAND in it, in FOLDER, which is there as /artefacts and cannot be written to; nothing else
# of this machine is. PACKAGES (words in one argument) are installed from Debian before. What is
# changed is gone afterwards.
#
# The base system is made once, by debootstrap (a minute, 200 MB), in build/root. Exits with 77
# where it cannot be made: without debootstrap, without root's rights, or without Debian's archive.
set -eu
cd "$(dirname "$0")/../.."

packages=""
if [ "${1:-}" = --install ]; then
  packages=$2
  shift 2
fi
folder=$(realpath "$1")
shift

base=$PWD/build/root
if [ ! -e "$base.made" ]; then
  command -v debootstrap >/dev/null || { echo "SKIP: debootstrap is not installed"; exit 77; }
  [ "$(id -u)" -eq 0 ] || { echo "SKIP: a clean root needs root's rights"; exit 77; }
  rm -rf "$base"
  debootstrap --variant=minbase bookworm "$base" >"$base.log" 2>&1 ||
    { tail -n 3 "$base.log"; echo "SKIP: Debian's archive cannot be reached"; exit 77; }
  touch "$base.made"
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/changes"
# The mounts end with the process that made them.
PACKAGES=$packages FOLDER=$folder BASE=$base WORK=$work unshare --mount --propagation private \
  bash -eu -c '
    mount -t tmpfs none "$WORK/changes"
    mkdir "$WORK/changes/upper" "$WORK/changes/work" "$WORK/changes/root"
    root=$WORK/changes/root
    mount -t overlay -o "lowerdir=$BASE,upperdir=$WORK/changes/upper,workdir=$WORK/changes/work" \
      none "$root"
    mkdir "$root/artefacts"
    mount --bind -o ro "$FOLDER" "$root/artefacts"
    mount -t proc none "$root/proc"
    mount --bind /dev "$root/dev"
    cp -L /etc/resolv.conf "$root/etc/resolv.conf"
    in_root() {
      env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
        DEBIAN_FRONTEND=noninteractive chroot "$root" "$@"
    }
    if [ -n "$PACKAGES" ]; then
      # shellcheck disable=SC2086  # one word a package
      { in_root apt-get update -qq && in_root apt-get install -y -qq --no-install-recommends \
        $PACKAGES; } >"$WORK/apt.log" 2>&1 </dev/null || { tail -n 20 "$WORK/apt.log"; exit 1; }
    fi
    in_root sh -c "cd /artefacts && exec \"\$@\"" sh "$@"
  ' bash "$@"
