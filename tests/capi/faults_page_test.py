# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""docs/faults.md tells of calls that are made with memory running out, and of no others."""

import os
import pathlib
import re
import unittest

import fault_table

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = os.environ.get("MUSTER_BUILD", "")


@unittest.skipUnless(BUILD, "not run by ctest")
class Page(unittest.TestCase):
    def test_its_calls_are_made(self):
        page = (ROOT / "docs/faults.md").read_text(encoding="utf-8")
        told = re.findall(r"^\| `(\w+)` \| \d+ \| \d+ \|$", page, re.MULTILINE)
        self.assertGreater(len(told), 38)
        self.assertEqual(set(told) - set(fault_table.swept(pathlib.Path(BUILD))), set())


if __name__ == "__main__":
    unittest.main()
