#!/bin/bash
# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#
# Builds the playground: one page with the library inside, which needs no server.
#
#   tools/playground.sh         # build/playground/index.html
#
# Installs Emscripten from Debian 12, as root or through sudo. Abseil is built from Debian's source
# package. The standard library of Debian's Emscripten is too old for std::ranges, so the headers of
# Debian's libc++ 16 are used with it; they are unpacked below build/playground and not installed.
set -eu
cd "$(dirname "$0")/.."

out=$PWD/build/playground
mkdir -p "$out/lists/partial" "$out/sources" "$out/json"
export DEBIAN_FRONTEND=noninteractive
as_root=""
[ "$(id -u)" -eq 0 ] || as_root=sudo

missing=""
for package in emscripten node-acorn dpkg-dev cmake ninja-build nlohmann-json3-dev python3; do
  case $(dpkg-query -W -f='${Status}' "$package" 2>/dev/null || true) in
    *" installed") ;;
    *) missing="$missing $package" ;;
  esac
done
if [ -n "$missing" ]; then
  echo "Installing from Debian:$missing"
  $as_root apt-get update -qq </dev/null
  # shellcheck disable=SC2086  # one word a package
  $as_root apt-get install -y -qq --no-install-recommends $missing </dev/null >/dev/null
fi

# Sources beside the packages that the machine already knows, in lists of their own.
fetch_sources() {
  local list
  for list in /etc/apt/sources.list.d/debian.sources; do
    [ -f "$list" ] && sed 's/^Types: .*/Types: deb deb-src/' "$list" >"$out/sources/debian.sources"
  done
  if [ -f /etc/apt/sources.list ]; then
    sed -n 's/^deb \(.*\)/deb \1\ndeb-src \1/p' /etc/apt/sources.list >"$out/sources/own.list"
  fi
  local apt=(apt-get -qq -o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$out/sources"
    -o "Dir::State::lists=$out/lists" -o APT::Sandbox::User=root)
  (cd "$out" && "${apt[@]}" update && "${apt[@]}" source --download-only abseil &&
    "${apt[@]}" download libc++-16-dev)
}

headers=$out/libcxx/usr/lib/llvm-16/include/c++/v1
if [ ! -f "$headers/__config_site" ]; then
  fetch_sources >"$out/fetch.log" 2>&1 </dev/null || { cat "$out/fetch.log"; exit 1; }
  tar -C "$out" -xf "$out"/abseil_*.orig.tar.gz  # without Debian's changes, which are for Linux
  dpkg -x "$out"/libc++-16-dev_*.deb "$out/libcxx"
  # As Emscripten's own library was built.
  printf '#define _LIBCPP_%s\n' 'ABI_NAMESPACE __2' HAS_NO_VENDOR_AVAILABILITY_ANNOTATIONS \
    HAS_MUSL_LIBC 'ENABLE_ASSERTIONS_DEFAULT 0' >"$headers/__config_site"
fi
# Only this header: /usr/include is of another machine.
ln -sfn /usr/include/nlohmann "$out/json/nlohmann"
cat >"$out/json/nlohmann_jsonConfig.cmake" <<END
add_library(nlohmann_json::nlohmann_json INTERFACE IMPORTED)
set_target_properties(nlohmann_json::nlohmann_json PROPERTIES
  INTERFACE_INCLUDE_DIRECTORIES $out/json)
END

export NODE_PATH=/usr/share/nodejs
options=(-G Ninja -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG"
  "-DCMAKE_CXX_FLAGS=-nostdinc++ -isystem $headers")
launcher=$(command -v ccache || true)
[ -z "$launcher" ] || options+=("-DCMAKE_CXX_COMPILER_LAUNCHER=$launcher")

build() {
  if [ ! -d "$out/absl/lib" ]; then
    emcmake cmake -S "$out"/abseil-[0-9]* -B "$out/absl-build" "${options[@]}" \
      -DCMAKE_CXX_STANDARD=20 -DABSL_PROPAGATE_CXX_STD=ON -DBUILD_TESTING=OFF \
      -DABSL_ENABLE_INSTALL=ON -DCMAKE_INSTALL_PREFIX="$out/absl" &&
      cmake --build "$out/absl-build" --target install || return
  fi
  emcmake cmake -S . -B "$out/muster" "${options[@]}" -DMUSTER_BUILD_TESTING=OFF \
    -DMUSTER_BUILD_BENCHMARKS=OFF -DMUSTER_BUILD_EXAMPLES=OFF -DMUSTER_BUILD_REPLAY=OFF \
    -DMUSTER_INSTALL=OFF -DMUSTER_PRECOMPILE=OFF -Dabsl_DIR="$out/absl/lib/cmake/absl" \
    -Dnlohmann_json_DIR="$out/json" &&
    cmake --build "$out/muster" --target muster_cli
}
echo "Building the playground (log: build/playground/build.log)"
build >"$out/build.log" 2>&1 </dev/null || { tail -n 40 "$out/build.log" | cut -c1-400; exit 1; }
python3 tools/playground/pack.py "$out/muster" "$out/index.html"
