#!/bin/bash
# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#
# Makes the Maven artifact of a release from examples/java, as a repository that can be uploaded or
# named by a file: URL, and tries it as a stranger would: in a clean root of Debian 12 with a JDK
# and neither Muster nor Abseil, and as a dependency that Maven resolves from the repository.
#
#   tools/release/java.sh          # build/dist/maven/example/muster/muster/VERSION/
#
# The jar holds the classes and, for linux/x86_64, what is loaded: libmuster_jni.so, libmuster_c.so
# and the parts of Abseil that it links, in an order in which each comes after those that it needs.
# Beside the jar are its sources and its documentation. Equal builds give equal jars.
#
# Exits with 77 where no JDK of 17 or later is installed. Trials that cannot be made are skipped,
# with a word.
set -eu
cd "$(dirname "$0")/../.."

javac=$(command -v javac) || { echo "SKIP: no JDK is installed"; exit 77; }
home=$(dirname "$(dirname "$(realpath "$javac")")")
[ -f "$home/include/jni.h" ] || { echo "SKIP: the JDK has no headers of native code"; exit 77; }
release=$("$home/bin/javac" -version 2>&1 | sed 's/javac \([0-9]*\).*/\1/')
[ "$release" -ge 17 ] || { echo "SKIP: the JDK is $release, older than 17"; exit 77; }

version=$(sed -n 's/^#define MUSTER_VERSION_STRING "\(.*\)"/\1/p' include/muster/version.h)
work=$PWD/build/java
source=$PWD/examples/java/src/main
out=$PWD/build/dist/maven/example/muster/muster/$version
rm -rf "$work" "$out"
natives=$work/classes/example/muster/linux-x86_64
mkdir -p "$natives" "$out"
cmake --build build/release --target muster_c -- --quiet

"$home/bin/javac" --release 17 -Xlint:all -Werror -d "$work/classes" \
  $(find "$source/java" -name '*.java' | sort)
cp LICENSE "$work/classes/"
strip --strip-unneeded -o "$natives/libmuster_c.so.1" build/release/libmuster_c.so
cc -std=c99 -Wall -Wextra -Werror -O2 -fPIC -shared -s -Icapi "-I$home/include" \
  "-I$home/include/linux" "$source/c/muster_jni.c" "$natives/libmuster_c.so.1" -Wl,-z,defs \
  -Wl,-soname,libmuster_jni.so -o "$natives/libmuster_jni.so"

# in_order FILE...: names of the parts of Abseil that are linked, each after those that it needs.
needs() { objdump -p "$1" | sed -n 's/^ *NEEDED *//p' | grep '^libabsl' || true; }
declare -A listed=()
in_order() {
  local name path
  for name in $(needs "$1"); do
    [ -z "${listed[$name]:-}" ] || continue
    listed[$name]=1
    path=$(ldd build/release/libmuster_c.so | awk -v name="$name" '$1 == name { print $3 }')
    in_order "$path"
    cp -L "$path" "$natives/$name"
    echo "$name" >>"$natives/list"
  done
}
in_order build/release/libmuster_c.so
printf '%s\n' libmuster_c.so.1 libmuster_jni.so >>"$natives/list"

name=$out/muster-$version
date=$(git log -1 --format=%cI 2>/dev/null || date -Iseconds)
dated() { "$home/bin/jar" --create --date "$(date -u -d "$date" +%FT%TZ)" --file "$@"; }
find "$work/classes" -exec touch -d "$date" {} +
dated "$name.jar" -C "$work/classes" .
dated "$name-sources.jar" -C "$source/java" .
"$home/bin/javadoc" -quiet -notimestamp -Xdoclint:all,-missing -d "$work/javadoc" \
  -sourcepath "$source/java" example.muster
dated "$name-javadoc.jar" -C "$work/javadoc" .
cp examples/java/pom.xml "$name.pom"
for file in "$out"/*; do
  sha1sum "$file" | cut -d' ' -f1 | tr -d '\n' >"$file.sha1"
  sha256sum "$file" | cut -d' ' -f1 | tr -d '\n' >"$file.sha256"
done
du -b "$name.jar" | awk '{ printf "%s: %.1f MB\n", $2, $1 / 1e6 }'

# ---- trials

page() {
  PYTHONPATH=tests/capi PYTHONDONTWRITEBYTECODE=1 python3 -c \
    'import languages; print(languages.shown("Java"), end="")'
}
trial=$work/trial
mkdir -p "$trial"
cp "$name.jar" examples/java/FirstPlan.java "$trial/"
status=0
tools/release/root.sh --install openjdk-17-jdk-headless "$trial" sh -euc '
  java -cp muster-*.jar FirstPlan.java
  test -z "$(ls /tmp | grep muster || true)"' >"$work/printed" || status=$?
case $status in
  0)
    page | diff - "$work/printed"
    echo "the example runs in a clean root with a JDK alone, and leaves no files"
    ;;
  77) cat "$work/printed" ;;
  *) cat "$work/printed"; echo "java: the trial in a clean root failed" >&2; exit 1 ;;
esac

if ! command -v mvn >/dev/null; then
  echo "SKIP: mvn is not installed: the repository is not tried"
  exit 0
fi
# Without what this machine has resolved before.
plugin=org.apache.maven.plugins:maven-dependency-plugin:3.6.0
if ! mvn -q -B "-Dmaven.repo.local=$work/m2" $plugin:help >"$work/mvn.log" 2>&1; then
  echo "SKIP: Maven's plugins cannot be reached: the repository is not tried"
  exit 0
fi
mvn -q -B "-Dmaven.repo.local=$work/m2" -f "$PWD/examples/java/pom.xml" \
  $plugin:get "-Dartifact=example.muster:muster:$version" \
  "-DremoteRepositories=release::default::file://$PWD/build/dist/maven" >"$work/mvn.log" 2>&1 ||
  { tail -n 20 "$work/mvn.log"; exit 1; }
cmp "$work/m2/example/muster/muster/$version/muster-$version.jar" "$name.jar"
echo "Maven resolves example.muster:muster:$version from the repository"
