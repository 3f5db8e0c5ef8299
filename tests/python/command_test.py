# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""python -m muster, as a process."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from engine import ROOT, muster, needs_engine

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

    def run_command(self, *words, text=None):
        path = os.pathsep.join(p for p in (str(pathlib.Path(muster.__file__).parents[1]),
                                           os.environ.get("PYTHONPATH")) if p)
        return subprocess.run(
            [sys.executable, "-m", "muster", *words], capture_output=True, text=True,
            cwd=self.folder,
            input=text, env=os.environ | {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        )

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
            ('{"kind": "Pod"', "-: line 1: not valid JSON"),
            ('[{"metadata": {"name": "x"}}]', "-: document 1[0]: the field kind is missing"),
            ('[{"kind": "Pod", "metadata": {}}]', "Pod: metadata.name: missing"),
            ('[{"kind": "Pod", "metadata": {"name": "p", "namespace": "ns"}, "status": {"phase": "Odd"}}]', "Pod ns/p: status.phase: \"Odd\""),
        ):
            done = self.run_command("import", "-", "--profile", "volcano", text=text)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(f"muster import: {words}", done.stderr)

    def test_unknown_commands(self):
        done = self.run_command("imprt")
        self.assertEqual(done.returncode, 2)
        self.assertIn("unknown command 'imprt'", done.stderr)
        self.assertEqual(self.run_command("--help").returncode, 0)

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
        self.assertIn("x", self.run_command("explain", "empty.json", "x").stderr)

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
                2, "", f"muster explain: s.json: {flag} is of dumps; this is a scenario\n"))

    @needs_engine
    def test_what_is_left_out(self):
        pods = dump()
        pods["items"][-1]["spec"]["schedulerName"] = "other"
        (self.folder / "dump.json").write_text(json.dumps(pods))
        done = self.run_command("import", "dump.json", "-o", "s.json")
        self.assertRegex(done.stderr, r"(?m)^left_out: Pod team/train-w-2: ")
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
            self.assertIn(f"unrecognized arguments: {words[2]}", done.stderr)

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
            "assert main(['import', 'x']) == 2\n"
            "try:\n    muster.Cluster\nexcept ImportError as e:\n    print(e)\n"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                              env=os.environ | {"PYTHONPATH": ""})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("muster.Cluster needs the extension module muster._core", done.stdout)
        self.assertIn("not built", done.stderr)


if __name__ == "__main__":
    unittest.main()
