# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""The build of a mutated room: copies of its sources, compiled as the build compiles them, and the
tests that the build has, linked once more with these objects before the library's archives."""

import concurrent.futures
import functools
import json
import os
import pathlib
import re
import shlex
import subprocess

import sites

CLANG = os.environ.get("MUSTER_CLANG", "clang++-14")
HERE = pathlib.Path(__file__).resolve().parent
# Flags that speak of precompiled headers, outputs and warnings.
DROPPED = {"-Werror", "-Winvalid-pch", "-Wall", "-Wextra"}
WITH_VALUE = {"-o", "-c", "-include"}
# Bounds are checked: what reads past an end fails, instead of passing by chance.
ADDED = ["-O1", "-w", "-D_GLIBCXX_ASSERTIONS", f"-I{HERE.parents[1]}", "-include",
         str(HERE / "mutant.h")]


@functools.lru_cache(maxsize=None)
def lines_of(path):
    return sites.Lines(path.read_bytes().decode("latin-1"))


def root_of(build):
    cache = build / "CMakeCache.txt"
    if not cache.exists() or not (build / "build.ninja").exists():
        raise SystemExit(f"mutate: {build}: not a build of Ninja; run cmake --preset release")
    return pathlib.Path(re.search(r"^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$", cache.read_text(
        encoding="utf-8"), re.MULTILINE)[1])


def flags(command):
    """The compiler and its flags for a copy, from a line of compile_commands.json."""
    words = shlex.split(command)
    words = words[1:] if words[0].endswith("ccache") else words
    kept, skip = [], False
    for word in words:
        if skip or word in WITH_VALUE:
            skip = not skip and word in WITH_VALUE
        elif word not in DROPPED and not re.match(r"-O\w?$", word):
            kept.append(word)
    return kept


def run(command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          **options)
    return done.returncode, done.stdout + done.stderr


class Room:
    """Sources of a room with all their mutants, below the folder `work`."""

    def __init__(self, root, build, work):
        self.root, self.build, self.work = root, build, work
        self.sites = {}   # source: its sites
        self.units = []   # (file to compile, flags)
        self.spans = {}   # copy: what render() returned
        self.copies = {}  # source: its copy, text

    def find(self, paths):
        """Finds all sites, numbers them from 1, and writes the copies. Returns the sites."""
        entries = json.loads((self.build / "compile_commands.json").read_text(encoding="utf-8"))
        units = self.units_of(paths, entries)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            found = pool.map(lambda path: self.sites_of(path, entries[0]["command"]), paths)
            self.sites = dict(zip(paths, found))
        number = 1
        for site in (site for found in self.sites.values() for site in found):
            site.first = number
            number += len(site.changes)
        self.work.mkdir(parents=True, exist_ok=True)
        for name, (members, command) in enumerate(units):
            copies = [self.copy(member) for member in members]
            unit = self.work / f"unit_{name}.cc"
            unit.write_text("".join(f'#include "{copy}"\n' for copy in copies), encoding="utf-8")
            self.units.append((unit, [*flags(command), *ADDED]))
        return self.sites

    def units_of(self, paths, entries):
        """(sources, command) of all that the library compiles together with a path: where the
        linker finds the copies, it needs no member of the archive that holds the originals."""
        folders = {path.parent for path in paths}
        units, seen = [], set()
        for entry in entries:
            file = pathlib.Path(entry["file"])
            members = [file]
            if "/Unity/" in entry["file"] and file.exists():
                members = [pathlib.Path(name) for name in re.findall(
                    r'^#include "(.*)"$', file.read_text(encoding="utf-8"), re.MULTILINE)]
            inside = [member for member in members if member.parent in folders]
            is_counted = "muster_counted" in entry["command"]
            if inside and not is_counted and not seen & set(members):
                seen |= set(members)
                units.append((members, entry["command"]))
        if set(paths) - seen:
            raise SystemExit(f"mutate: no target compiles {sorted(set(paths) - seen)[0]}")
        return [unit for unit in units if set(unit[0]) & set(paths)]

    def sites_of(self, path, command):
        includes = [word for word in flags(command) if word.startswith("-I")]
        return sites.find(path, sites.tree(CLANG, ["-std=gnu++20", *includes], path))

    def copy(self, source):
        copy = self.work / source.relative_to(self.root)
        copy.parent.mkdir(parents=True, exist_ok=True)
        text = lines_of(source).text
        written, self.spans[copy] = sites.render(text, self.sites.get(source, []))
        copy.write_bytes(written.encode("latin-1"))
        self.copies[source] = copy
        return copy

    # --- what compiles

    def leave_out_what_does_not_compile(self):
        """Compiles, and drops the sites that the compiler names, until it names none: the inner
        ones first, and all of a line that still fails after two rounds."""
        for attempt in range(12):
            with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                results = list(pool.map(self.compile, self.units))
            bad = set().union(*(self.named(output, attempt > 1) for code, output in results
                                if code != 0))
            if all(code == 0 for code, _ in results):
                return
            if not bad:
                raise SystemExit("mutate: " + "\n".join(out for code, out in results if code))
            for source, found in self.sites.items():
                self.sites[source][:] = [site for site in found if site not in bad]
                self.copy(source)
        raise SystemExit(f"mutate: {self.work}: does not compile")

    def compile(self, unit):
        file, words = unit
        return run([*words, "-c", file, "-o", file.with_suffix(".o")], cwd=self.build)

    def named(self, output, whole_lines):
        """Sites at the places that an error message names."""
        bad = set()
        for file, line, column in re.findall(r"^(/\S+?):(\d+):(\d+):", output, re.MULTILINE):
            spans = self.spans.get(pathlib.Path(file), [])
            text = sites.Lines(pathlib.Path(file).read_bytes().decode("latin-1")) if spans else None
            if not spans:
                continue
            at = text.position(int(line), int(column))
            around = [span for span in spans if span[0] <= at <= span[1]]
            if around and not whole_lines:
                bad.add(min(around, key=lambda span: span[1] - span[0])[2])
            else:
                bad |= {span[2] for span in spans if text.line(span[0]) <= int(line)
                        <= text.line(span[1] - 1)}
        return bad

    # --- the tests

    def link(self, tests):
        """Links each test with the copies; returns (program, arguments, environment) of each."""
        count = max(site.first + len(site.changes) for found in self.sites.values()
                    for site in found)
        chosen = self.work / "chosen.o"
        compiler = self.units[0][1][0]
        code, output = run([compiler, "-std=c++20", f"-I{HERE.parents[1]}", "-O1", "-c",
                            f"-DMUSTER_MUTANTS={count}", HERE / "chosen.cc", "-o", chosen])
        if code != 0:
            raise SystemExit(f"mutate: {output}")
        objects = " ".join(str(unit.with_suffix(".o")) for unit, _ in self.units)
        programs = []
        for name, *more in tests:
            program = self.link_one(name, f"{objects} {chosen}")
            arguments = [f"--gtest_filter={more[0]}"] if more else []
            programs.append((program, arguments, more[1] if len(more) > 1 else {}))
        return programs

    def link_one(self, name, objects):
        target = "muster_worlds" if name == "worlds" else f"muster_{name}_test"
        code, output = run(["ninja", "-C", self.build, "-t", "commands", target])
        line = output.strip().splitlines()[-1] if code == 0 else ""
        found = re.search(r"&& (\S+ .*?) -o (\S+) (.*?) &&", line)
        if not found or not (self.build / found[2]).exists():
            raise SystemExit(f"mutate: {target} is not built; build it first")
        program = self.work / target
        code, output = run(["sh", "-c", f"{found[1]} {objects} -o {program} {found[3]}"],
                           cwd=self.build)
        if code != 0:
            raise SystemExit(f"mutate: {target}: {output}")
        return program
