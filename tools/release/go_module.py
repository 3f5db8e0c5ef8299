#!/usr/bin/env python3
# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Makes the Go module that a release publishes: the package in go/, muster/c.h and one archive of
all that it calls.

    tools/release/go_module.py --build build/release --out DIR

DIR becomes what a Go module proxy serves: upload it, or name it GOPROXY=file://DIR. `go get
muster.example/muster` then needs a C compiler and no CMake, C++ or Abseil.

The archive holds one object: the library, the parts of Abseil and the C++ library that it uses,
linked into each other; of its symbols only those of capi/symbols.txt can be seen. A program may so
hold another Abseil, or another C++ library, beside it. libm and libgcc's unwinder stay outside,
which every C compiler brings.
"""

import argparse
import hashlib
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODULE = "muster.example/muster"
EPOCH = (1980, 1, 1, 0, 0, 0)  # equal inputs, equal bytes


def run(*command):
    return subprocess.run([str(c) for c in command], check=True, capture_output=True,
                          text=True).stdout


def version():
    header = (ROOT / "include/muster/version.h").read_text(encoding="utf-8")
    return re.search(r'MUSTER_VERSION_STRING "([0-9.]+)"', header).group(1)


def cached(build, name):
    """The value of a variable of a CMake build."""
    text = (build / "CMakeCache.txt").read_text(encoding="utf-8")
    return re.search(rf"^{name}:\w+=(.*)$", text, re.MULTILINE).group(1)


def without_unique_symbols(data):
    """An x86-64 object with ordinary weak symbols instead of GNU_UNIQUE ones: objcopy cannot hide
    them otherwise, and the dynamic linker would take two C++ libraries' for one."""
    symbol_table, global_binding, weak, unique = 2, 1, 2, 10
    data = bytearray(data)
    if data[:6] != b"\x7fELF\x02\x01":
        raise ValueError("not an object of 64 bits, lowest byte first")
    (sections,) = struct.unpack_from("<Q", data, 40)
    size, count = struct.unpack_from("<HH", data, 58)
    if count == 0:  # more sections than the field holds: the first one has the number
        (count,) = struct.unpack_from("<Q", data, sections + 32)
    for section in range(sections, sections + size * count, size):
        (kind,) = struct.unpack_from("<I", data, section + 4)
        if kind != symbol_table:
            continue
        offset, length = struct.unpack_from("<QQ", data, section + 24)
        for symbol in range(offset, offset + length, 24):
            info = data[symbol + 4]
            if info >> 4 == unique:
                data[symbol + 4] = weak << 4 | info & 15
            assert info >> 4 in (0, global_binding, weak, unique)
    return bytes(data)


def archive(build, out):
    """Writes the archive of everything to `out`."""
    symbols = ROOT / "capi/symbols.txt"
    abseil = pathlib.Path(cached(build, "absl_DIR")).parents[1]
    compiler = cached(build, "CMAKE_CXX_COMPILER")
    wanted = [word for name in symbols.read_text(encoding="utf-8").split() for word in ("-u", name)]
    with tempfile.TemporaryDirectory() as folder:
        whole, hidden = pathlib.Path(folder) / "whole.o", pathlib.Path(folder) / "muster.o"
        run("ld", "-r", "--force-group-allocation", "--gc-sections", *wanted,
            build / "libmuster_c.a",
            build / "libmuster_import.a", build / "libmuster.a", "--start-group",
            *sorted(abseil.glob("libabsl_*.a")),
            run(compiler, "-print-file-name=libstdc++.a").strip(), "--end-group", "-o", whole)
        whole.write_bytes(without_unique_symbols(whole.read_bytes()))
        run("objcopy", "--strip-debug", f"--keep-global-symbols={symbols}", whole, hidden)
        out.unlink(missing_ok=True)
        run("ar", "rcsD", out, hidden)


def publish(build, out):
    """Fills `out` and returns the version."""
    tag = "v" + version()
    files = {path.name: path.read_bytes() for path in sorted((ROOT / "go").iterdir())}
    files["LICENSE"] = (ROOT / "LICENSE").read_bytes()
    for header in sorted((ROOT / "capi/muster").glob("c*.h")):
        if header.name != "c_experimental.h":
            files[f"include/muster/{header.name}"] = header.read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        library = pathlib.Path(folder) / "libmuster.a"
        archive(build, library)
        files["lib/linux_amd64/libmuster.a"] = library.read_bytes()
    served = out / MODULE / "@v"
    served.mkdir(parents=True, exist_ok=True)
    (served / "list").write_text(tag + "\n", encoding="utf-8")
    (served / f"{tag}.info").write_text(json.dumps({"Version": tag}) + "\n", encoding="utf-8")
    (served / f"{tag}.mod").write_bytes(files["go.mod"])
    with zipfile.ZipFile(served / f"{tag}.zip", "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in sorted(files.items()):
            package.writestr(zipfile.ZipInfo(f"{MODULE}@{tag}/{name}", EPOCH), content,
                             zipfile.ZIP_DEFLATED)
    return served / f"{tag}.zip"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release",
                        help="a finished build tree")
    made_of = parser.add_mutually_exclusive_group(required=True)
    made_of.add_argument("--out", type=pathlib.Path, help="the folder to serve")
    made_of.add_argument("--archive", type=pathlib.Path, help="the archive alone, as this file")
    arguments = parser.parse_args()
    if arguments.archive:
        archive(arguments.build.resolve(), arguments.archive)
        return
    made = publish(arguments.build.resolve(), arguments.out)
    digest = hashlib.sha256(made.read_bytes()).hexdigest()
    print(f"{made}: {made.stat().st_size / 1e6:.1f} MB, sha256 {digest}")


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as failure:
        sys.exit(f"go_module: {' '.join(failure.cmd[:2])} ...: {failure.stderr}")
