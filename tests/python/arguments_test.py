# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Arguments of the commands that need Python: candidates for shells, and what is wrong."""

import contextlib
import io
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from engine import muster, needs_engine, run_muster

from muster import fetch, program
from muster.__main__ import _ABOUT, _COMMANDS, _complete, main


def candidates(*words):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        code = _complete(words)
    assert code == 0, words
    return [line.split("\t")[0] for line in out.getvalue().splitlines()]


class Traces(unittest.TestCase):
    """These need no engine."""

    def test_candidates(self):
        self.assertEqual(candidates("traces", ""), ["list", "fetch"])
        self.assertEqual(candidates("traces", "fetch", "ph"), list(fetch.SOURCES))
        self.assertEqual(candidates("traces", "fetch", "philly", ""), list(fetch.SOURCES))
        self.assertEqual(candidates("traces", "fetch", "--to", ""), [":files"])
        self.assertEqual(candidates("traces", "list", ""), [])
        self.assertEqual(candidates("traces", "list", "x", ""), [])
        self.assertEqual(candidates("traces", "fetsh", ""), [])
        self.assertIn("--to", candidates("traces", "list", "--"))

    def test_flags_of_a_command_below(self):
        done = run_muster("traces", "list", "--too", "x")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr.splitlines()[0],
                         "muster traces list: unknown flag --too, did you mean --to?")

    def test_a_packed_file_is_there(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("philly_jobs.csv.gz", "vc_nodes.csv"):
                path = pathlib.Path(folder, "philly", name)
                path.parent.mkdir(exist_ok=True)
                path.touch()
            told = dict(line.split(None, 2)[:2] for line in fetch.listing(pathlib.Path(folder)))
        self.assertEqual((told["philly"], told["openb"]), ("there", "-"))


@needs_engine
class Studies(unittest.TestCase):
    def test_commands(self):
        self.assertEqual(list(_ABOUT), list(_COMMANDS))
        told = run_muster("complete", "--", "st").stdout
        known = [line.split("\t")[0] for line in told.splitlines()]
        self.assertLessEqual({"run", "completion", *_COMMANDS}, set(known))
        self.assertEqual(len(known), len(set(known)))
        self.assertEqual(run_muster("complete", "--", "run", "s.json", "--format", "").stdout,
                         "table\njson\ncsv\n")

    def test_the_program_of_cpp_names_the_package(self):
        for name in _COMMANDS:
            done = subprocess.run([program.path(), name, "mix"], capture_output=True, text=True,
                                  check=False)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(f'"{name}" is a command of the Python package', done.stderr)

    def test_flags_and_values(self):
        flags = candidates("study", "mix", "--pro")
        self.assertLessEqual({"--profile", "--replicates", "--policies", "--option"}, set(flags))
        self.assertIn("--vary", candidates("sweep", "-"))
        self.assertIn("--output", candidates("report", "-"))
        self.assertIn("volcano", candidates("study", "mix", "--profile", "vol"))
        self.assertIn("--profile=volcano", candidates("study", "mix", "--profile=vol"))
        self.assertIn("volcano:+preempt", candidates("sweep", "mix", "--profile", "volcano:"))
        self.assertIn("latency=", candidates("study", "mix", "--option", "lat"))
        self.assertEqual(candidates("study", "mix", "--option", "latency="), [])
        self.assertIn("seed=", candidates("sweep", "mix", "--vary", ""))
        self.assertEqual(candidates("study", "--executor", ""), ["processes", "ray", "here"])
        self.assertIn("goodput", candidates("study", "--rank-by", ""))
        for words in (("study", "--save"), ("study", "--policies"), ("report", "-o"),
                      ("reproduce",)):
            self.assertEqual(candidates(*words, ""), [":files"], words)
        self.assertEqual(candidates("reproduce", "study.json", ""), [])
        self.assertEqual(candidates("study", "--replicates", ""), [])

    def test_traces(self):
        self.assertLessEqual({"philly", "mix", ":files"}, set(candidates("study", "")))
        self.assertIn("mix", candidates("study", "philly", "m"))
        self.assertIn("mix:hpc", candidates("study", "--json", "mix:"))
        self.assertIn("openb:recorded", candidates("study", "openb:"))

    def test_errors(self):
        for words, line in (
            (("study", "mix", "--profle", "easy"),
             "muster study: unknown flag --profle, did you mean --profile?"),
            (("sweep", "mix", "--profile=easy", "--vari=x=1"),
             "muster sweep: unknown flag --vari, did you mean --vary?"),
            (("reproduce", "--zzz"), "muster reproduce: unknown flag --zzz"),
            (("study", "mix"), "muster study: the following arguments are required: --profile"),
            (("study", "mxi", "--profile", "easy"),
             "muster study: trace 'mxi' is not understood, did you mean \"mix\"?"),
            (("study", "mix", "--profile", "easy", "--policies", "absent.py"),
             "muster study: policies: there is no file absent.py"),
        ):
            with contextlib.redirect_stderr(io.StringIO()) as told:
                try:
                    code = main(words)
                except SystemExit as end:
                    code = end.code
            self.assertEqual(code, 2, words)
            self.assertEqual(told.getvalue().splitlines()[0], line)
        done = run_muster("study", "mix")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("\nusage: muster study TRACE... --profile SPEC [flags]    "
                      "(more: muster study --help)\n", done.stderr)

    @unittest.skipUnless(shutil.which("bash"), "bash is not installed")
    def test_bash_completes(self):
        script = ('eval "$(muster completion bash)"\n'
                  'ask() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _muster; '
                  'echo "${COMPREPLY[*]}"; }\n'
                  "ask muster stu\nask muster study mix --repli\n"
                  "ask muster study mix --profile yarn\nask muster study mix : ph\n")
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "muster")
            file.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m muster "$@"\n')
            file.chmod(0o755)
            package = str(pathlib.Path(muster.__file__).parents[1])
            done = subprocess.run(
                ["bash", "-c", script], capture_output=True, text=True, timeout=120, check=False,
                env=os.environ | {"PATH": f"{folder}:{os.environ['PATH']}",
                                  "PYTHONPATH": package, "PYTHONDONTWRITEBYTECODE": "1"})
        self.assertEqual(done.stderr, "")
        self.assertEqual(done.stdout.splitlines(),
                         ["study", "--replicates", "yarn-capacity yarn-fair", "philly"])


if __name__ == "__main__":
    unittest.main()
