# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""The program of the package, as a process: muster, or python -m muster."""

import difflib
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from engine import ROOT, needs_engine, run_muster

from muster.__main__ import _COMMANDS
from muster import program
from muster.program import _READ_DUMPS, _SWITCHES, _limits

API = "scheduling.volcano.sh/v1beta1"


def dump(tasks=3, **node):
    """One node, one queue, a gang of three of which two fit."""
    pods = [
        {
            "kind": "Pod",
            "metadata": {
                "name": f"train-w-{i}",
                "namespace": "team",
                "annotations": {"scheduling.k8s.io/group-name": "train"},
            },
            "spec": {
                "schedulerName": "volcano",
                "containers": [{"name": "c", "resources": {"requests": {"cpu": "2"}}}],
            },
            "status": {"phase": "Pending"},
        }
        for i in range(tasks)
    ]
    group = {"minMember": 3, "queue": "default"}
    return {
        "kind": "List",
        "apiVersion": "v1",
        "items": [
            {"kind": "Node", "metadata": {"name": "n1"},
             "status": {"allocatable": {"cpu": "4", "pods": "10"} | node}},
            {"apiVersion": API, "kind": "Queue", "metadata": {"name": "default"},
             "spec": {"weight": 1}, "status": {"state": "Open"}},
            {"apiVersion": API, "kind": "PodGroup",
             "metadata": {"name": "train", "namespace": "team"}, "spec": group,
             "status": {"phase": "Inqueue"}},
            *pods,
        ],
    }


class Command(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "dump.json").write_text(json.dumps(dump()))
        (self.folder / "conf").write_text(
            'actions: "enqueue, allocate"\ntiers:\n- plugins:\n  - name: gang\n- plugins:\n  - name: predicates\n'
        )

    def run_command(self, *words, text=None, **more):
        return run_muster(*words, text=text, cwd=self.folder, **more)

    @needs_engine
    def test_import(self):
        done = self.run_command("import", "dump.json", "--configuration", "conf", "-o", "scenario.json")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        scenario = json.loads((self.folder / "scenario.json").read_text())
        self.assertEqual(scenario["profile"],
                         "volcano:actions=admit+allocate,tiers=gang/predicates")
        self.assertEqual([t["name"] for t in scenario["tasks"]],
                         [f"team/train-w-{i}" for i in range(3)])
        piped = self.run_command("import", "-", "--configuration", "conf", text=json.dumps(dump()))
        self.assertEqual(json.loads(piped.stdout), scenario)

    @needs_engine
    def test_bad_dumps_are_refused_by_object_and_field(self):
        for text, words in (
            (json.dumps(dump(cpu="1e3k")),
             "Node n1: status.allocatable.cpu: \"1e3k\" is not a quantity"),
            ('{"kind": "Pod"', "dump: byte 14: unexpected end of input"),
            ('[{"metadata": {"name": "x"}}]', 'dump: document 1[0]: key "kind" is missing'),
            ('[{"kind": "Pod", "metadata": {}}]', "Pod: metadata.name: "),
            ('[{"kind": "Pod", "metadata": {"name": "p", "namespace": "ns"}, "status": {"phase": "Odd"}}]', "Pod ns/p: status.phase: \"Odd\""),
        ):
            done = self.run_command("import", "-", "--profile", "volcano", text=text)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(f"muster: -: {words}", done.stderr)

    def test_unknown_commands(self):
        done = self.run_command("imprt")
        self.assertEqual(done.returncode, 2)
        self.assertIn('unknown command "imprt", did you mean "import"?', done.stderr)
        done = self.run_command("studdy", "mix")
        self.assertEqual((done.returncode, done.stderr),
                         (2, 'muster: unknown command "studdy", did you mean "study"?\n'))
        done = self.run_command("--help")
        self.assertEqual(done.returncode, 0)
        commands = re.findall(r"(?m)^  ([a-z-]+)  ", done.stdout)
        self.assertIn("remedies", commands)
        for command in set(commands) - set(_COMMANDS):
            self.assertEqual(difflib.get_close_matches(command, _COMMANDS, 1, 0.8), [])
        for command in ("explain", "remedies", "study", "traces"):
            self.assertRegex(done.stdout, f"(?m)^  {command} ")
        done = self.run_command("compare", "philly", "--profile", "muster")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("muster study plays traces", done.stderr)

    @needs_engine
    def test_flags_without_a_value_are_those_of_the_program(self):
        """Else the word behind one would be taken for its value, and not for a file."""
        switches = set()
        for command in _READ_DUMPS:
            shown = self.run_command(command, "--help").stdout
            switches |= set(re.findall(r"(?m)^  (-\S+) {2,}", shown))
        self.assertEqual(switches, _SWITCHES)

    @needs_engine
    def test_a_yaml_dump_behind_a_switch(self):
        if importlib.util.find_spec("yaml") is None:
            self.skipTest("PyYAML is not installed")
        import yaml
        (self.folder / "dump.yaml").write_text(yaml.safe_dump(dump()))
        done = self.run_command("what-if", "--plan", "dump.yaml", "--remove-node", "n1", "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("stops", json.loads(done.stdout))

    @needs_engine
    def test_pipes(self):
        """Such as <(kubectl get ...) of a shell: they can be read once alone."""
        if importlib.util.find_spec("yaml") is None:
            self.skipTest("PyYAML is not installed")
        import yaml
        told = self.run_command("import", "dump.json", "--configuration", "conf")

        def piped(data, words):
            out, into = os.pipe()
            os.write(into, data)
            os.close(into)
            try:
                return self.run_command(*(w.replace("PIPE", f"/dev/fd/{out}") for w in words),
                                        pass_fds=[out])
            finally:
                os.close(out)

        as_json, as_yaml = json.dumps(dump()).encode(), yaml.safe_dump(dump()).encode()
        for data, words in (
            (as_yaml, ("import", "PIPE", "--configuration", "conf")),
            (as_json, ("import", "PIPE", "--configuration", "conf")),
            (as_json, ("import", "PIPE", "--configuration=conf")),
            ((self.folder / "conf").read_bytes(),
             ("import", "dump.json", "--configuration", "PIPE")),
        ):
            done = piped(data, words)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, told.stdout, ""))
        # The command reads this one itself, beside a translation of another.
        done = piped(as_json, ("explain", "PIPE", "--configuration", "conf", "team/train"))
        self.assertIn("2 of 3 placed, undone", done.stdout, done.stderr)
        done = piped(as_yaml, ("import", "PIPE", "--max-bytes", "9"))
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr,
                         r"^muster: /dev/fd/\d+: \d+ bytes or more; at most 9 are read")
        done = piped(b"kind: [", ("import", "PIPE"))
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"^muster: /dev/fd/\d+: ")

    @needs_engine
    def test_limits_of_translations_are_those_of_the_flags(self):
        """A raised limit is in force as it is in the command; what is wrong the command refuses."""
        for words, rows, size, depth in (
            (["--max-rows", "10000000"], 10_000_000, 4 << 30, 256),
            (["--max-rows=5", f"--max-bytes={1 << 40}"], 5, 1 << 40, 256),
            (["--max-depth", "1000", "--max-bytes", "9" * 19], 4_000_000, (1 << 63) - 1, 256),
            (["--max-rows", "9" * 5000], 4_000_000, 4 << 30, 256),
        ):
            limits = _limits(["import", "dump.yaml", *words])
            self.assertEqual((limits.rows, limits.bytes, limits.depth), (rows, size, depth))
        done = self.run_command("import", "-", "--max-rows", "9" * 5000, text=json.dumps(dump()))
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, "^muster: import: --max-rows: expected an integer")
        self.assertNotIn("Traceback", done.stderr)

    def test_a_program_that_cannot_run(self):
        """As where a copy of the package lost the permission to execute."""
        code = (
            "import pathlib, sys\n"
            "from muster import program\n"
            "from muster.__main__ import main\n"
            f"program.path = lambda: pathlib.Path({str(self.folder / 'dump.json')!r})\n"
            "sys.argv[1:] = ['profiles']\n"
            "assert main(['profiles']) == 2\n"
            "sys.exit(main())\n"
        )
        package = str(pathlib.Path(program.__file__).parents[1])
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                              check=False, env=os.environ | {"PYTHONPATH": package})
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 2, done.stderr)
        for line in lines:
            self.assertRegex(line, "^muster: .*Permission denied.*dump.json")

    @needs_engine
    def test_explain(self):
        done = self.run_command("explain", "dump.json", "--configuration", "conf", "team/train")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("2 of 3 placed, undone", done.stdout)
        done = self.run_command("explain", "dump.json", "team/train-w-2", "--profile",
                                "kube-batch")
        self.assertIn("1 node: cpu", done.stdout)
        done = self.run_command("explain", "dump.json", "team/nobody")
        self.assertEqual(done.returncode, 2)
        self.assertIn("nobody", done.stderr)
        (self.folder / "empty.json").write_text('{"kind": "List", "items": []}')
        done = self.run_command("explain", "empty.json", "x")
        self.assertEqual((done.returncode, done.stderr),
                         (2, "muster: empty.json: dump: there are no objects in it\n"))

    @needs_engine
    def test_explain_of_everything_pending(self):
        done = self.run_command("explain", "dump.json", "--configuration", "conf")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(done.stdout.startswith("team/train: "), done.stdout)
        self.assertEqual(done.stdout.count("placed, undone"), 1)
        (self.folder / "small.json").write_text(json.dumps(dump(tasks=0)))
        self.assertIn("nothing is pending",
                      self.run_command("explain", "small.json").stdout)

    @needs_engine
    def test_explain_of_a_scenario(self):
        self.run_command("import", "dump.json", "--configuration", "conf", "-o", "s.json")
        told = self.run_command("explain", "dump.json", "team/train", "--configuration", "conf")
        done = self.run_command("explain", "s.json", "team/train")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, told.stdout, ""))
        piped = self.run_command("explain", "-", "team/train", "--now", "7",
                                 text=(self.folder / "s.json").read_text())
        self.assertEqual(piped.stdout, told.stdout)
        for flag in ("--configuration", "--default-queue"):
            done = self.run_command("explain", "s.json", flag, "conf")
            self.assertEqual((done.returncode, done.stdout, done.stderr), (
                2, "", f"muster: s.json: {flag} is of dumps; this is a scenario\n"))

    @needs_engine
    def test_what_is_left_out(self):
        pods = dump()
        pods["items"][-1]["spec"]["schedulerName"] = "other"
        (self.folder / "dump.json").write_text(json.dumps(pods))
        done = self.run_command("import", "dump.json", "-o", "s.json")
        self.assertRegex(done.stderr, r"(?m)^muster: left_out: Pod team/train-w-2: ")
        done = self.run_command("explain", "s.json")
        self.assertIn("1 object was left out by the import; explain FILE NAME tells why",
                      done.stdout)
        done = self.run_command("explain", "s.json", "team/train-w-2")
        self.assertTrue(done.stdout.startswith("team/train-w-2 was left out by the import: "))

    def test_flags_are_those_of_the_program(self):
        for words in (("import", "dump.json", "--peer", "volcano"),
                      ("import", "dump.json", "--conf", "conf"),
                      ("explain", "dump.json", "--job", "team/train"),
                      ("explain", "dump.json", "--conf", "conf")):
            done = self.run_command(*words)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(f"unknown flag {words[2]}", done.stderr)

    @needs_engine
    def test_profiles(self):
        self.assertIn("volcano", self.run_command("profiles").stdout)

    def test_what_needs_the_engine_says_so(self):
        code = (
            "import sys, importlib.machinery\n"
            f"sys.path.insert(0, {str(ROOT / 'python')!r})\n"
            "import muster, muster.interop\n"
            "from muster.__main__ import main\n"
            "assert not muster.HAVE_ENGINE\n"
            "assert main(['explain', 'x', 'y']) == 2\n"
            "assert main(['study', 'x']) == 2\n"
            "try:\n    muster.Cluster\nexcept ImportError as e:\n    print(e)\n"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                              env=os.environ | {"PYTHONPATH": ""})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("muster.Cluster needs the extension module muster._core", done.stdout)
        self.assertIn("not built", done.stderr)


if __name__ == "__main__":
    unittest.main()
