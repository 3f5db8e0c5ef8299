# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""What ./run shows at its end, where no recorded trace is at hand."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from engine import ROOT, muster, needs_engine


@needs_engine
class Show(unittest.TestCase):
    def test_without_recorded_traces_mixes_are_played(self):
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder, "replays.html")
            path = os.pathsep.join(p for p in (str(pathlib.Path(muster.__file__).parents[1]),
                                               os.environ.get("PYTHONPATH")) if p)
            environment = {"MUSTER_TRACES": "/nonexistent", "MUSTER_CACHE": folder,
                           "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
            done = subprocess.run(
                [sys.executable, ROOT / "tools/show_replays.py", report], capture_output=True,
                text=True, env=os.environ | environment
            )
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("No recorded traces in /nonexistent", done.stdout)
            for name in ("openb, made up", "Philly, made up"):
                self.assertIn(name, done.stdout)
            self.assertGreater(report.stat().st_size, 10000)
            manifest = json.loads(report.with_suffix(".json").read_text())
            self.assertTrue(manifest["complete"])
            self.assertEqual(len(manifest["cells"]), 10)


if __name__ == "__main__":
    unittest.main()
