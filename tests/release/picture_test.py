# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""The picture of README.md is what its script draws of the plans of today. MUSTER_CLI names the
command line."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.dom.minidom

ROOT = pathlib.Path(__file__).resolve().parents[2]
MUSTER = os.environ.get("MUSTER_CLI", "")


@unittest.skipUnless(MUSTER, "MUSTER_CLI is not set")
class Picture(unittest.TestCase):
    def draw(self, *profiles):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "picture.svg"
            words = [word for profile in profiles for word in ("--profile", profile)]
            subprocess.run([sys.executable, ROOT / "tools/picture.py",
                            ROOT / "examples/four_jobs.json", "--muster", MUSTER, "-o", out,
                            *words], check=True)
            return out.read_text(encoding="utf-8")

    def test_the_picture_of_the_tree(self):
        drawn = self.draw()
        self.assertEqual(drawn, (ROOT / "docs/four_jobs.svg").read_text(encoding="utf-8"),
                         "tools/picture.py examples/four_jobs.json -o docs/four_jobs.svg")
        xml.dom.minidom.parseString(drawn)

    def test_marks_are_those_of_the_plan(self):
        """A cell for each GPU that is held, dashed where the gang is not whole."""
        drawn = self.draw("kube-scheduler")
        self.assertEqual(len(re.findall('fill="none"', drawn)), 1)  # of the style
        self.assertEqual(drawn.count('class="stuck"'), 16)
        self.assertIn("tune: 16 of 24", drawn)
        self.assertIn("1 of 4 jobs start; 16 GPUs held in vain", drawn)
        empty = self.draw("volcano").count('fill="none"')
        self.assertEqual(empty, 1 + 2)


if __name__ == "__main__":
    unittest.main()
