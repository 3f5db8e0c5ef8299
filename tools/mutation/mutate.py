#!/usr/bin/env python3
# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Mutation testing of one room: how many small mistakes in its sources do its tests notice?

    tools/mutate.sh ROOM N [SEED]     e.g. tools/mutate.sh ledger 100

Samples N mutants by SEED (1) and prints those that survive. All mutants of the room are compiled
into one build (tools/mutation/sites.py), and the environment selects one at start. A mutant is

    killed      a test failed, crashed, or used more than 30 s of CPU together with those before
    survived    all tests passed, or no test reaches it
    equivalent  survived, and tools/mutation/equivalent.txt says why no test can notice it

Places that do not compile when they are mutated are left out. MUSTER_BUILD names a finished build
of Ninja (build/release); what is made goes to `mutation/ROOM` in it, or below MUSTER_MUTATION.
"""

import concurrent.futures
import os
import pathlib
import random
import resource
import subprocess
import sys
import time

import builder
import rooms
import sites

ROOT = pathlib.Path(__file__).resolve().parents[2]
SECONDS = 30
EQUIVALENT = pathlib.Path(__file__).resolve().parent / "equivalent.txt"


class Mutant:
    """Change number `change` of a site of the file."""

    def __init__(self, source, site, change, root):
        self.number = site.first + change
        lines = builder.lines_of(source)
        self.file = str(source.relative_to(root))
        self.line = lines.line(site.begin)
        self.code = lines.at(self.line)
        self.change = f"{site.rule}: {site.changes[change]}"
        column = site.begin - lines.starts[self.line - 1]
        self.text = lines.text[site.begin:site.end].split("\n")[0]
        self.where = f"{self.file}:{self.line}:{column + 1}"

    def __str__(self):
        return f"{self.where}: {self.change}: {self.text}"


def read_equivalent(path=EQUIVALENT):
    """What cannot be noticed: rows `file | line of code | change | reason`; the change may be `*`.
    A row names code, not numbers of lines: it goes stale when the code changes."""
    rows = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            file, code, change, reason = line.split(" | ")
            rows[file, code, change] = reason
    return rows


def is_equivalent(mutant, rows):
    return any((mutant.file, mutant.code, change) in rows for change in (mutant.change, "*"))


def limits(seconds):
    def set_limits():
        os.nice(19)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    return set_limits


def run(test, root, number, seconds, **more):
    """Runs one test of the room with a mutant: whether it passed, and its seconds of CPU."""
    program, arguments, environment = test
    child = subprocess.Popen(
        [str(program), "--gtest_fail_fast", "--gtest_brief=1", *arguments], cwd=root,
        env={**os.environ, **environment, "MUSTER_MUTANT": str(number), **more},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=limits(seconds))
    # A busy machine may leave a child without CPU for minutes; one that sleeps has to end.
    idle, wait = 0.0, 0.002
    while True:
        done, status, usage = os.wait4(child.pid, os.WNOHANG)
        if done:
            child.returncode = os.waitstatus_to_exitcode(status)
            return child.returncode == 0, usage.ru_utime + usage.ru_stime
        idle = idle + wait if state(child.pid) == "S" else 0.0
        if idle > SECONDS:
            child.kill()
        time.sleep(wait)
        wait = min(2 * wait, 0.1)


def state(process):
    """Linux's letter for what the process does: R runs or waits for a CPU, S sleeps."""
    text = pathlib.Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    return text.rpartition(")")[2].split()[0]


def baseline(tests, root, work, count):
    """Runs the tests without a mutant; returns which mutants each reaches."""
    reached, total = [], 0.0
    for number, test in enumerate(tests):
        file = work / f"reached_{number}"
        file.unlink(missing_ok=True)
        passed, seconds = run(test, root, 0, 4 * SECONDS, MUSTER_REACHED=str(file))
        if not passed:
            raise SystemExit(f"mutate: {test[0].name} fails without a mutant")
        reached.append(file.read_bytes()[:count + 2])
        total += seconds
        print(f"  {test[0].name}: {seconds:.1f} s, reaches {sum(reached[-1])} of {count}")
    if total > SECONDS:
        raise SystemExit(f"mutate: the tests take {total:.0f} s of {SECONDS} without a mutant")
    return reached


def judge(mutant, tests, reached, root):
    """How the mutant ended: "killed", "survived" or "unreached"."""
    left, ran = float(SECONDS), False
    for test, marks in zip(tests, reached):
        if not marks[mutant.number]:
            continue
        ran = True
        passed, used = run(test, root, mutant.number, max(1, round(left)))
        if not passed:
            return "killed"
        left -= used
    return "survived" if ran else "unreached"


def sample(sources, root, count, seed):
    """All mutants in the order of the sources, and `count` of them."""
    everything = [Mutant(source, site, change, root)
                  for source, found in sources.items() for site in found
                  for change in range(len(site.changes))]
    chosen = random.Random(seed).sample(everything, min(count, len(everything)))
    return everything, sorted(chosen, key=lambda mutant: mutant.number)


def report(name, everything, ends, rows):
    survivors = [(mutant, end) for mutant, end in ends if end != "killed"]
    left = 0
    for mutant, end in survivors:
        argued = is_equivalent(mutant, rows)
        left += not argued
        print(f"{'equivalent' if argued else end}: {mutant}")
    argued = len(survivors) - left
    died = len(ends) - len(survivors)
    print(f"{name}: {len(everything)} mutants, {len(ends)} sampled, {died} killed"
          f" ({100.0 * died / max(1, len(ends)):.1f} %), {argued} equivalent, {left} survived")
    return left


def main(arguments):
    if len(arguments) not in (2, 3) or not all(word.isdigit() for word in arguments[1:]):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    name, count, seed = arguments[0], int(arguments[1]), int([*arguments, "1"][2])
    build = pathlib.Path(os.environ.get("MUSTER_BUILD", ROOT / "build/release")).resolve()
    root = builder.root_of(build)
    paths, tests = rooms.room(name, root)
    place = pathlib.Path(os.environ.get("MUSTER_MUTATION", build / "mutation"))
    room = builder.Room(root, build, (place / name.replace("/", "_")).resolve())
    sources = room.find(paths)
    room.leave_out_what_does_not_compile()
    everything, chosen = sample(sources, root, count, seed)
    programs = room.link(tests)
    total = max(mutant.number for mutant in everything)
    reached = baseline(programs, root, room.work, total)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        ends = list(pool.map(lambda m: (m, judge(m, programs, reached, root)), chosen))
    return 1 if report(name, everything, ends, read_equivalent()) else 0


if __name__ == "__main__":
    sys.setrecursionlimit(100_000)
    sys.exit(main(sys.argv[1:]))
