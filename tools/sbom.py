#!/usr/bin/env python3
# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Writes the bill of materials of a build: CycloneDX 1.5 in JSON.

    tools/sbom.py BUILD OUTPUT      the target muster_sbom runs it; `cmake --install` installs it

Lists what CMake found (BUILD/CMakeCache.txt), what the compiler links by itself, and the modules of
Python that the interpreter of the build has. Versions are those of Debian's packages where the
files are a package's, else those that the library states. A component's scope is

    required    the library or the Python package cannot be built or run without it
    optional    a part of the Python package needs it
    excluded    only tests and benchmarks link it

The output depends on nothing but the build: the same build gives the same bytes. Fails with one
line if BUILD was not configured, or if a required component cannot be found.
"""

import json
import pathlib
import re
import subprocess
import sys
import uuid

ROOT = pathlib.Path(__file__).resolve().parents[1]

# What find_package looks for: its name in CMake, where the cache has it, license, scope, how its
# libraries' files begin (none: headers alone).
FOUND = {
    "abseil-cpp": ("absl", "absl_DIR", "Apache-2.0", "required", ["libabsl_"]),
    "nlohmann-json": ("nlohmann_json", "nlohmann_json_DIR", "MIT", "required", []),
    "eigen": ("Eigen3", "Eigen3_DIR", "MPL-2.0", "required", []),
    "zlib": ("ZLIB", "ZLIB_INCLUDE_DIR", "Zlib", "required", ["libz."]),
    "googletest": ("GTest", "GTest_DIR", "BSD-3-Clause", "excluded", ["libgtest", "libgmock"]),
    "google-benchmark": ("benchmark", "benchmark_DIR", "Apache-2.0", "excluded", ["libbenchmark"]),
    "pybind11": ("pybind11", "pybind11_DIR", "BSD-3-Clause", "required", []),
}
# What the compiler links by itself.
RUNTIME = {
    "libstdc++": ("libstdc++.so.6", "GPL-3.0-or-later WITH GCC-exception-3.1",
                  ["libstdc++.", "libsupc++."]),
    "libgcc": ("libgcc_s.so.1", "GPL-3.0-or-later WITH GCC-exception-3.1",
               ["libgcc", "libatomic."]),
    "glibc": ("libc.so.6", "LGPL-2.1-or-later",
              ["libc.", "libm.", "libmvec.", "libpthread.", "libdl.", "librt.", "ld-linux"]),
}
# Modules of Python, as pyproject.toml names them. PyYAML reads dumps of other schedulers.
MODULES = {
    "numpy": ("BSD-3-Clause", "required"),
    "pandas": ("BSD-3-Clause", "optional"),
    "pyarrow": ("Apache-2.0", "optional"),
    "pyyaml": ("MIT", "optional"),
    "matplotlib": ("PSF-2.0", "optional"),
    "ray": ("Apache-2.0", "optional"),
    "gymnasium": ("MIT", "optional"),
}
SPACE = uuid.UUID("6f1c0a56-6a0a-5b0e-9a6e-2f6d1f6c7d10")


def output(*command):
    """What the command prints, or "" if it cannot be run or fails."""
    try:
        return subprocess.run([str(word) for word in command], capture_output=True, text=True,
                              check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def cache(build):
    """Entries of CMakeCache.txt that have a value."""
    text = (build / "CMakeCache.txt").read_text(encoding="utf-8")
    entries = re.findall(r"^([\w-]+):\w+=(.+)$", text, re.MULTILINE)
    return {key: value for key, value in entries if not value.endswith("-NOTFOUND")}


def debian(path):
    """Name, version and architecture of Debian's package that has the file, or None."""
    real = pathlib.Path(path).resolve()
    names = [path, real, str(real).removeprefix("/usr")]  # /lib is a link to /usr/lib
    for name in names:
        package = output("dpkg", "-S", name).partition(": ")[0]
        if package and "," not in package and "diversion" not in package:
            line = output("dpkg-query", "-W", "-f=${Package} ${Version} ${Architecture}", package)
            return tuple(line.split()) if line else None
    return None


def stated(place, name):
    """The version that the library itself states in the folder that CMake found, or None."""
    place = pathlib.Path(place)
    if name == "ZLIB":
        return re.search(r'ZLIB_VERSION "([^"]+)"', (place / "zlib.h").read_text(
            encoding="utf-8", errors="replace"))[1]
    for file in sorted(place.glob("*[vV]ersion.cmake")):
        found = re.search(r'set\(PACKAGE_VERSION "([^"$]+)"\)', file.read_text(encoding="utf-8"))
        if found:
            return found[1]
    return None


def component(name, version, license_id, scope, kind, libraries, purl):
    is_expression = " WITH " in license_id
    return {
        "type": "library",
        "bom-ref": purl,
        "name": name,
        "version": version,
        "scope": scope,
        "licenses": [{"expression": license_id} if is_expression
                     else {"license": {"id": license_id}}],
        "purl": purl,
        "properties": [{"name": "muster:kind", "value": kind},
                       *({"name": "muster:library", "value": start} for start in libraries)],
    }


def of_file(name, file, version, license_id, scope, kind, libraries):
    """A component that a package of Debian or a folder of its own provides."""
    package = debian(file)
    if package:
        purl = f"pkg:deb/debian/{package[0]}@{package[1]}?arch={package[2]}"
        return component(name, package[1], license_id, scope, kind, libraries,
                         purl.replace("+", "%2B"))
    if not version:
        raise SystemExit(f"sbom: {name}: no version in {file}")
    return component(name, version, license_id, scope, kind, libraries,
                     f"pkg:generic/{name}@{version}")


def found_by_cmake(entries):
    for name, (package, key, license_id, scope, libraries) in FOUND.items():
        if key not in entries:
            continue
        place = pathlib.Path(entries[key])
        # The folder of headers has files of all packages.
        files = [place / "zlib.h"] if package == "ZLIB" else sorted(place.glob("*[vV]ersion.cmake"))
        if not files:
            raise SystemExit(f"sbom: {name}: nothing in {place}")
        yield of_file(name, files[0], stated(place, package), license_id, scope,
                      "linked" if libraries else "headers", libraries)


def linked_by_compiler(entries):
    compiler = entries["CMAKE_CXX_COMPILER"]
    for name, (file, license_id, libraries) in RUNTIME.items():
        path = output(compiler, f"-print-file-name={file}")
        if path.startswith("/"):
            version = output(compiler, "-dumpfullversion") or output(compiler, "-dumpversion")
            yield of_file(name, path, version, license_id, "required", "linked", libraries)


def python_modules(entries):
    """What the interpreter that the extension module is built for has; nothing without one."""
    python = entries.get("Python_EXECUTABLE") or entries.get("_Python_EXECUTABLE")
    if not python or entries.get("MUSTER_BUILD_PYTHON") != "ON":
        return
    program = ("import importlib.metadata as m, sys\n"
               "for name in sys.argv[1:]:\n"
               "  try: print(name, m.version(name))\n"
               "  except m.PackageNotFoundError: pass\n")
    for line in output(python, "-c", program, *MODULES).splitlines():
        name, version = line.split()
        license_id, scope = MODULES[name]
        yield component(name, version, license_id, scope, "python", [],
                        f"pkg:pypi/{name}@{version}")


def document(build):
    entries = cache(build)
    version = re.search(r'MUSTER_VERSION_STRING "([0-9.]+)"',
                        (ROOT / "include/muster/version.h").read_text(encoding="utf-8"))[1]
    parts = sorted([*found_by_cmake(entries), *linked_by_compiler(entries),
                    *python_modules(entries)], key=lambda part: part["name"])
    purl = f"pkg:generic/muster@{version}"
    content = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": {
            "type": "library", "bom-ref": purl, "name": "muster", "version": version, "purl": purl,
            "licenses": [{"license": {"id": "Apache-2.0"}}]}},
        "components": parts,
        "dependencies": [{"ref": purl, "dependsOn": [
            part["bom-ref"] for part in parts if part["scope"] != "excluded"]}],
    }
    serial = uuid.uuid5(SPACE, json.dumps(content, sort_keys=True))
    return {"bomFormat": content.pop("bomFormat"), "specVersion": content.pop("specVersion"),
            "serialNumber": f"urn:uuid:{serial}", **content}


def main(arguments):
    if len(arguments) != 2:
        raise SystemExit(__doc__.strip())
    build, target = map(pathlib.Path, arguments)
    if not (build / "CMakeCache.txt").exists():
        raise SystemExit(f"sbom: {build}: not a configured build; run cmake first")
    text = json.dumps(document(build), indent=2) + "\n"
    target.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
