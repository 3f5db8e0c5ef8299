# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Memory, events and turns through files: what one process remembered, another continues with."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
MUSTER = os.environ.get("MUSTER_CLI", str(ROOT / "build/release/muster"))
PROFILE = ("volcano:actions=allocate,tiers=gang/predicates+"
           "sampling(percent=1,least_nodes=2,remember=on)")


def scenario(**more):
    return {
        "muster": 1,
        "nodes": [{"name": "n", "count": 5, "capacity": {"cpu": 4, "pods": 10}}],
        "jobs": [{"name": name, "min_available": 1, "phase": "admitted",
                  "groups": [{"count": 1, "shape": {"request": {"cpu": 1}}}]}
                 for name in ("a", "b")],
        **more,
    }


class Memory(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, content, name):
        path = self.folder / name
        path.write_text(json.dumps(content), encoding="utf-8")
        return path

    def run_(self, content, *arguments, code=0):
        path = self.write(content, "s.json")
        done = subprocess.run([MUSTER, "run", path, "--profile", PROFILE, *map(str, arguments)],
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return json.loads(done.stdout) if code == 0 else done.stderr

    def test_a_cycle_goes_on_in_another_process(self):
        saved = self.folder / "memory.json"
        first = self.run_(scenario(), "--json", "--write-memory", saved)
        memory = json.loads(saved.read_text(encoding="utf-8"))
        self.assertEqual(first["memory"], memory)
        second = self.run_(scenario(), "--json", "--memory", saved)
        self.assertNotEqual([d.get("node") for d in first["decisions"]],
                            [d.get("node") for d in second["decisions"]])
        # The memory as a part of the scenario is the same input.
        inside = self.run_(scenario(memory=memory, events=[]), "--json")
        self.assertEqual(inside["digest"], second["digest"])
        self.assertEqual(inside["memory"]["slots"]["sampling"]["rows"],
                         second["memory"]["slots"]["sampling"]["rows"])
        again = self.run_(scenario(), "--json", "--memory", saved)
        self.assertEqual(again, second)

    def test_the_next_decisions(self):
        plan = self.run_(scenario(), "--json", "--turn", '{"decisions": 1}')
        self.assertEqual([d["kind"] for d in plan["decisions"] if d["kind"] != "phase"], ["bind"])
        self.assertTrue(plan["complete"])
        inside = self.run_(scenario(options={"turn": {"decisions": 1}}), "--json")
        self.assertEqual(inside["digest"], plan["digest"])

    def test_what_cannot_be_read_is_refused(self):
        newer = {"version": 1, "slots": {"sampling": {"version": 9, "generation": 1, "rows": {}}}}
        self.assertIn("m.json: memory: slots.sampling.version: 9 is not known; this reads 1",
                      self.run_(scenario(), "--memory", self.write(newer, "m.json"), code=2))
        self.assertIn("m.json: memory: version: 2 is not known; this reads 1",
                      self.run_(scenario(), "--memory",
                                self.write({"version": 2, "slots": {}}, "m.json"), code=2))
        self.assertIn("action \"allocate\" of profile \"volcano:actions=allocate,",
                      self.run_(scenario(), "--turn", '{"heartbeats": ["n0"]}', code=2))
        self.assertIn("turn: unknown key \"decision\", did you mean \"decisions\"?",
                      self.run_(scenario(), "--turn", '{"decision": 1}', code=2))


if __name__ == "__main__":
    unittest.main()
