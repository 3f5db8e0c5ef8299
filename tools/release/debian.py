#!/usr/bin/env python3
# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Makes the Debian packages of a release and tries them in a clean root of Debian 12.

    tools/release/debian.py --build build/release --out build/dist

| package | holds |
|---|---|
| libmuster-c1 | libmuster_c.so.1: the C interface |
| libmuster-replay-cX.Y | libmuster_replay_c.so.X.Y: the same with replays |
| libmuster-dev | headers, archives, pkg-config and CMake files for C and C++ |
| muster | the command line, its man page and completions |

A library's package has the name of its soname, as Debian's policy demands. What is linked is found
by dpkg-shlibdeps. Equal builds give equal packages: times are those of the last commit.

Exits with 77 where dpkg-dev is not installed. --only-make leaves out the trial, which needs root's
rights, debootstrap and Debian's archive, and is skipped, with a word, where one of them is missing.
"""

import argparse
import gzip
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/capi"))
TARGETS = ("muster", "muster_import", "muster_c", "muster_c_static", "muster_replay",
           "muster_replay_c", "muster_replay_c_static", "muster_cli", "muster_sbom")
MAINTAINER = "The Muster Authors <authors@muster.example>"
COPYRIGHT = """Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Muster

Files: *
Copyright: 2026 The Muster Authors
License: Apache-2.0
 The text is in /usr/share/common-licenses/Apache-2.0.
"""
LONG = """ Muster decides which task runs on which node of a cluster, as the schedulers
 of Kubernetes, YARN, HTCondor, Ray and others do, and explains what waits.
"""


def run(*command, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False,
                          **options)
    if done.returncode != 0:
        sys.exit(f"debian: {' '.join(str(c) for c in command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def version():
    header = (ROOT / "include/muster/version.h").read_text(encoding="utf-8")
    return re.search(r'MUSTER_VERSION_STRING "([0-9.]+)"', header).group(1)


def packages():
    """Name -> section, description, files by pattern, relations. The first pattern that matches a
    file decides; libmuster-dev takes what is left of the libraries' folder."""
    series = version().rpartition(".")[0]
    replay = f"libmuster-replay-c{series}"
    return {
        "libmuster-c1": {
            "section": "libs", "short": "scheduling algorithms of clusters, C interface",
            "files": ["usr/lib/libmuster_c.so.*"]},
        replay: {
            "section": "libs", "short": "scheduling algorithms of clusters, replays in C",
            "files": ["usr/lib/libmuster_replay_c.so.*"]},
        "muster": {
            "section": "utils", "short": "schedules a described cluster and explains the plan",
            "files": ["usr/bin/*", "usr/share/man/man1/*", "usr/share/bash-completion/**/*",
                      "usr/share/zsh/**/*", "usr/share/fish/**/*"]},
        "libmuster-dev": {
            "section": "libdevel", "short": "scheduling algorithms of clusters, for programs",
            "files": ["usr/include/**/*", "usr/lib/**/*", "usr/share/doc/muster/*.json"],
            "depends": [f"libmuster-c1 (= {version()})", f"{replay} (= {version()})",
                        "libabsl-dev", "libstdc++-12-dev | libstdc++-dev"],
            "recommends": "pkg-config, zlib1g-dev"},
    }


def stamp(folder, epoch):
    for path in [folder, *folder.rglob("*")]:
        os.utime(path, (epoch, epoch), follow_symlinks=False)


def split(stage, package, rules, folder):
    """Moves the files of a package from `stage` to `folder`."""
    for pattern in rules["files"]:
        for path in sorted(stage.glob(pattern)):
            if path.is_dir() and not path.is_symlink():
                continue
            to = folder / path.relative_to(stage)
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(path, to)
    documents = folder / "usr/share/doc" / package
    documents.mkdir(parents=True, exist_ok=True)
    (documents / "copyright").write_text(COPYRIGHT, encoding="utf-8")
    (documents / "changelog.gz").write_bytes(
        gzip.compress((ROOT / "CHANGELOG.md").read_bytes(), 9, mtime=0))
    for page in folder.glob("usr/share/man/man1/*.1"):
        page.with_suffix(".1.gz").write_bytes(gzip.compress(page.read_bytes(), 9, mtime=0))
        page.unlink()


def objects(folder):
    """Programs and shared objects."""
    return [path for path in sorted(folder.rglob("*"))
            if path.is_file() and not path.is_symlink()
            and (path.parent.name == "bin" or ".so." in path.name)]


def needed(folder, package, work):
    """Dependencies on the packages of what is linked, by dpkg-shlibdeps."""
    found = objects(folder)
    if not found:
        return []
    (work / "debian").mkdir(exist_ok=True)
    (work / "debian/control").write_text(f"Source: muster\n\nPackage: {package}\n"
                                         "Architecture: any\n", encoding="utf-8")
    out = run("dpkg-shlibdeps", "-O", *[word for path in found for word in ("-e", path)], cwd=work)
    return re.search(r"^shlibs:Depends=(.*)$", out, re.MULTILINE).group(1).split(", ")


def control(folder, package, rules, work):
    out = folder / "DEBIAN"
    depends = ", ".join([*rules.get("depends", []), *needed(folder, package, work)])
    out.mkdir()
    size = sum(path.lstat().st_size for path in folder.rglob("*") if not path.is_dir()) // 1024 + 1
    architecture = run("dpkg", "--print-architecture").strip()
    fields = [("Package", package), ("Version", version()), ("Architecture", architecture),
              ("Maintainer", MAINTAINER), ("Installed-Size", size), ("Depends", depends),
              ("Recommends", rules.get("recommends", "")), ("Section", rules["section"]),
              ("Priority", "optional"), ("Description", rules["short"])]
    text = "".join(f"{key}: {value}\n" for key, value in fields if value)
    (out / "control").write_text(text + LONG, encoding="utf-8")
    library = next((path for path in objects(folder) if ".so." in path.name), None)
    if library:
        soname = re.search(r"SONAME +(\S+)", run("objdump", "-p", library)).group(1)
        name, number = soname.split(".so.")
        (out / "shlibs").write_text(f"{name} {number} {package} (>= {version()})\n",
                                    encoding="utf-8")
        (out / "triggers").write_text("activate-noawait ldconfig\n", encoding="utf-8")


def make(build, out, compression="xz"):
    """Writes the packages and returns their paths."""
    epoch = int(run("git", "-C", ROOT, "log", "-1", "--format=%ct") or 0)
    made = []
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        run("cmake", "--install", build, "--prefix", work / "stage/usr")
        (work / "stage/usr/share/doc/muster/LICENSE").unlink()
        for package, rules in packages().items():
            folder = work / package
            split(work / "stage", package, rules, folder)
            for path in objects(folder):
                run("strip", "--strip-unneeded", path)
            for path in folder.glob("usr/lib/*.a"):
                run("strip", "--strip-debug", "--enable-deterministic-archives", path)
            control(folder, package, rules, work)
            run("chmod", "-R", "u=rwX,go=rX", folder)
            stamp(folder, epoch)
            run("dpkg-deb", f"-Z{compression}", "--build", "--root-owner-group", folder, out,
                env={**os.environ, "SOURCE_DATE_EPOCH": str(epoch)})
            made += out.glob(f"{package}_{version()}_*.deb")
        left = [path for path in (work / "stage").rglob("*") if not path.is_dir()]
        if left:
            sys.exit(f"debian: in no package: {', '.join(str(path) for path in left)}")
    return made


TRIAL = r"""
apt-get update -qq
apt-get install -y -qq --no-install-recommends ./*.deb gcc g++ pkg-config >/tmp/apt.log 2>&1 ||
  { cat /tmp/apt.log >&2; exit 1; }
cc first_plan.c -o /tmp/c $(pkg-config --cflags --libs muster-c)
c++ -std=c++20 event_loop.cc -o /tmp/cc $(pkg-config --cflags --libs muster)
muster run gang_undone.json --digest
man -V >/dev/null 2>&1 || test -f /usr/share/man/man1/muster.1.gz
/tmp/c
echo ----
/tmp/cc
apt-get purge -y -qq libmuster-dev muster 'libmuster-*' >/dev/null 2>&1
test -z "$(find /usr -name '*muster*' ! -path '/usr/share/doc*')"
"""


def trial(build, made):
    """Installs the packages in a clean root, compiles the C and the C++ example against them, runs
    them and the program, and removes all of it."""
    import languages  # pylint: disable=import-outside-toplevel

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for path in [*made, ROOT / "examples/c/first_plan.c", ROOT / "examples/event_loop.cc",
                     ROOT / "tests/scenarios/gang_undone.json"]:
            shutil.copy(path, folder)
        done = subprocess.run([ROOT / "tools/release/root.sh", folder, "sh", "-eu", "-c", TRIAL],
                              capture_output=True, text=True, check=False)
    if done.returncode == 77:
        print(done.stdout.strip().splitlines()[-1])
        return
    if done.returncode != 0:
        sys.exit(f"debian: the trial failed\n{done.stdout}{done.stderr}")
    digest = run(build / "muster", "run", ROOT / "tests/scenarios/gang_undone.json", "--digest")
    wanted = digest + languages.shown("C") + "----\n" + languages.shown("C++")
    if done.stdout != wanted:
        sys.exit(f"debian: the trial printed\n{done.stdout}\nand not\n{wanted}")
    print("installed in a clean root; C, C++ and the program work; nothing is left afterwards")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release",
                        help="a build tree")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build/dist")
    parser.add_argument("--only-make", action="store_true", help="no trial")
    arguments = parser.parse_args()
    if not shutil.which("dpkg-shlibdeps"):
        print("SKIP: dpkg-dev is not installed")
        sys.exit(77)
    build, out = arguments.build.resolve(), arguments.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    run("cmake", "--build", build, "--target", *TARGETS, "--", "--quiet")
    made = make(build, out)
    for path in made:
        print(f"{path.relative_to(out)}: {path.stat().st_size / 1e6:.1f} MB")
    if not arguments.only_make:
        trial(build, made)


if __name__ == "__main__":
    main()
