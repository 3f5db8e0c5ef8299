# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Every command over hostile files: each ends with a result or with one line that says what is
wrong, in little memory and time.

Commands, kinds of traces, importers and flags that name files are read from --help, so that one
that is added later is covered, or fails the test for want of a row in `shapes`.

Files are made here, and taken from a folder of inputs that once broke something: MUSTER_HOSTILE, or
../shared/hostile where it is there. Those named slow_* are for tests of growth. A third of the
commands reads a file, in turn, and each one with MUSTER_EVERY_COMMAND set (./test --full).
"""

import functools
import gzip
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import tempfile
import unittest

from cli_test import MUSTER, ROOT

FOLDER = pathlib.Path(os.environ.get("MUSTER_HOSTILE", ROOT.parent / "shared/hostile"))
MEMORY = 4 << 30
SECONDS = 60
SANITIZED = bool(os.environ.get("MUSTER_SANITIZED"))
EACH = 1 if os.environ.get("MUSTER_EVERY_COMMAND") else 9 if SANITIZED else 3
# Flags that name what is written, and one that is JSON itself.
NOT_READ = {"-o", "--decisions", "--trace", "--turn", "--write-memory"}


@functools.cache
def help_of(*words):
    return subprocess.run([MUSTER, *words, "--help"], capture_output=True, text=True, check=True,
                          timeout=SECONDS).stdout


def commands():
    return re.findall(r"^  ([a-z-]+) ", help_of().split("example:")[0], re.M)


def kinds():
    listed = help_of("replay").split("one of:\n")[1].split("\n\n")[0]
    return [line.split()[0] for line in listed.splitlines()]


def importers():
    listed = help_of("import").split("objects are of:")[1].split("; default")[0]
    return re.sub(r"\s", "", listed).split(",")


def file_flags(*words):
    """Flags of a command that name a file to be read."""
    told = re.findall(r"^  (--?[a-z0-9-]+) ([A-Z]+)", help_of(*words), re.M)
    numbers = {flag for flag, value in told if value == "X"}  # --load of a mix is one, too
    return [flag for flag, value in told if value in ("FILE", "JSON", "DIR")
            and flag not in NOT_READ | numbers]


def scenario(**more):
    return json.dumps({
        "muster": 1,
        "nodes": [{"name": "n", "count": 2, "capacity": {"cpu": 4}}],
        "jobs": [{"name": "j", "groups": [{"name": "w", "count": 3,
                                           "shape": {"request": {"cpu": 3}}}]}],
        **more,
    }).encode()


def made_files():
    """Contents by name."""
    many = {"name": "n", "count": 1_000_000_000, "capacity": {"cpu": 1}}
    uncounted = {"name": "w", "by_count": {"count": 10 ** 12}, "shape": {"request": {"cpu": 1}}}
    return {
        "empty": b"",
        "nul": b"\0" * 4096,
        "utf16.json": '{"muster": 1}'.encode("utf-16"),
        "deep_list.json": b"[" * 100_000,
        "deep_object.json": b'{"a":' * 100_000,
        "deep_memory.json": b'{"muster": 1, "memory": ' + b"[" * 100_000,
        "infinite.json": b'{"muster": 1, "options": {"now": 1e400}}',
        "long_number.json": b'{"muster": 1, "options": {"now": ' + b"9" * 100_000 + b"}}",
        "list.json": b"[1, 2, 3]",
        "null.json": b"null",
        "nodes.json": scenario(nodes=[many]),
        "tasks.json": scenario(jobs=[{"name": "j", "groups": [uncounted]}]),
        "names.json": scenario(queues=[{"name": "q" * 100_000, "parent": "p" * 100_000}]),
        "control.json": scenario(nodes=[{"name": "\x1b[2J\n\0", "capacity": {"cpu": 1}}]),
        "bomb.json.gz": gzip.compress(b"[" * 10_000_000),
        "bomb.csv.gz": gzip.compress(b"0" * 10_000_000),
        "half.csv.gz": gzip.compress(b"submit,run\n0,1\n" * 1000)[:40],
        "columns.csv": b",".join(b"c%d" % i for i in range(50_000)) + b"\n",
        "same_columns.csv": b"submit," * 5000 + b"run\n" + b"0," * 5000 + b"1\n",
        "quotes.csv": b'submit,run\n"0,1\n' * 1000,
        "long_cell.csv": b"submit,run\n" + b"1" * 1_000_000 + b",1\n",
        "wide.swf": b"; MaxProcs: 1000000000000\n1 0 0 1 999999999999" + b" -1" * 13 + b"\n",
        "log.jsonl": b'{"call": "open"}\n{"call": "schedule"}\n',
        "state": b"muster-state 1 " + b"0" * 64 + b"\n",
    }


class Hostile(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.files = 0
        self.good = self.folder / "good.json"
        self.good.write_bytes(scenario())
        self.jobs = self.folder / "jobs.csv"
        self.jobs.write_text("submit,run,request.cpu\n0,1,1\n", encoding="utf-8")

    def shapes(self):
        """What stands behind a command to make it read a file, by command; none: it reads none."""
        alone = lambda path: [[path]]
        shapes = {name: alone for name in
                  ("run", "check", "compare", "page", "capacity", "replay-log", "forecast")}
        shapes["explain"] = lambda path: [[path], [path, "j"]]
        shapes["remedies"] = lambda path: [[path, "j"]]
        shapes["drain"] = lambda path: [[path, "n"]]
        shapes["what-if"] = lambda path: [[path], [path, "--plan", "--remove-job", "j"]]
        shapes["diff"] = lambda path: [[path, self.good], [self.good, path]]
        shapes["import"] = lambda path: [[path, "--profile", name] for name in importers()]
        shapes["generate"] = lambda path: [["--trace", self.folder / "out", "--mix", path]]
        shapes["replay"] = self.replays
        return shapes | {"profiles": None, "completion": None}

    def replays(self, path):
        for kind in kinds():
            flags = file_flags("replay", kind) + ["--mix"] * (kind == "mix")
            for flag in flags:
                reads_jobs = "--file" in flags and flag != "--file"
                others = ["--file", self.jobs] if reads_jobs else []
                yield [kind, *others, flag, path, "--policy", "muster"]

    def lines(self, path):
        """Commands that read the file, as a whole or by a flag."""
        self.files += 1
        return list(self.all_lines(path))[self.files % EACH::EACH]

    def all_lines(self, path):
        for name, shape in self.shapes().items():
            for rest in shape(path) if shape else ():
                yield [name, *rest]
        for name in ("run", "what-if", "import", "forecast"):
            for flag in file_flags(name):
                more = ["--history", self.jobs] if flag == "--history-nodes" else []
                more += ["--plan"] if name == "what-if" else []
                yield [name, self.good, *more, flag, path]

    def ends_well(self, command):
        def bounded():
            if not SANITIZED:
                resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))

        words = [str(word) for word in command]
        with self.subTest(command=" ".join(words)):
            done = subprocess.run([MUSTER, *words], capture_output=True, text=True,
                                  errors="replace", timeout=SECONDS, preexec_fn=bounded,
                                  stdin=subprocess.DEVNULL)
            if done.returncode == 0:
                return
            # `check` reports on standard output, a file at a time.
            said = done.stdout if words[0] == "check" else done.stderr
            self.assertIn(done.returncode, (1, 2) if words[0] == "check" else (2,), said[-500:])
            self.assertLess(len(said), 2000)
            if words[0] != "check":
                # Of a dump, notes on how it was read may stand above.
                errors = [line for line in said.splitlines() if line[:14] != "muster: note: "]
                self.assertEqual(len(errors), 1, said[-500:])
                self.assertTrue(errors[0].startswith("muster: "), said[-500:])

    def test_each_command_has_a_shape(self):
        self.assertEqual(set(commands()), set(self.shapes()))

    def test_files_that_are_made(self):
        paths = [self.folder / "absent", self.folder / "folder", pathlib.Path("/dev/null")]
        paths[1].mkdir()
        for name, content in made_files().items():
            paths.append(self.folder / name)
            paths[-1].write_bytes(content)
        for path in paths:
            self.each_ends_well(path, self.lines(path))

    @unittest.skipUnless(FOLDER.is_dir(), f"no folder of hostile inputs: {FOLDER} (MUSTER_HOSTILE)")
    def test_files_of_the_folder(self):
        found = [path for path in sorted(FOLDER.iterdir())
                 if path.suffix not in (".md", ".py") and not path.name.startswith("slow_")]
        self.assertGreater(len(found), 0)
        # Copies: a command that writes what it should read must not reach the folder itself.
        copies = self.folder / "hostile"
        shutil.copytree(FOLDER, copies)
        copies.chmod(0o755)
        for path in found:
            self.each_ends_well(copies / path.name, [*self.lines(copies / path.name),
                                                     *self.beside(copies / path.name)])

    def each_ends_well(self, path, commands):
        """Runs them, and checks that none of them has changed the file."""
        content = path.read_bytes() if path.is_file() else None
        for command in commands:
            self.ends_well(command)
            if content is not None:
                self.assertEqual(path.read_bytes(), content, f"{command} has changed its input")

    def beside(self, path):
        """Tables are read beside the jobs that they belong to, scenarios under every profile."""
        if path.name.startswith(("csv_nodes", "csv_dup")):
            jobs = next(path.parent.glob("csv_jobs_*.csv"))
            yield "replay", "csv", "--file", jobs, "--nodes", path, "--policy", "muster"
        elif path.name.startswith("philly_vc"):
            jobs = next(path.parent.glob("philly_jobs_*.csv"))
            yield "replay", "philly", "--file", jobs, "--vcs", path, "--policy", "muster"
        elif path.suffix == ".json" and b'"muster"' in path.read_bytes():
            for profile in json.loads(self.output("profiles", "--json"))["profiles"]:
                yield "run", path, "--profile", profile["name"]

    def output(self, *words):
        return subprocess.run([MUSTER, *words], capture_output=True, text=True, check=True,
                              timeout=SECONDS).stdout


if __name__ == "__main__":
    unittest.main()
