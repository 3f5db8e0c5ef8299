# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Every entry point of muster/c.h and muster/c_experimental.h is called with memory running out and
with NULLs, and docs/faults.md tells of all these calls."""

import os
import pathlib
import re
import unittest

import c_header
import fault_table

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADER = c_header.text() + (ROOT / "capi/muster/c_experimental.h").read_text(encoding="utf-8")
WORLD, SWEEP, NULLS = ((ROOT / "tests/capi" / name).read_text(encoding="utf-8")
                       for name in ("fault_world.h", "fault_c_test.cc", "null_c_test.cc"))
BUILD = os.environ.get("MUSTER_BUILD", "")


def called(test):
    return set(re.findall(r"\b(muster_\w+)\(", test))


class EntryPoints(unittest.TestCase):
    def test_all_that_can_fail_run_out_of_memory(self):
        can_fail = set(re.findall(r"^MUSTER_API muster_status\s+(muster_\w+)\(", HEADER,
                                  re.MULTILINE))
        self.assertGreater(len(can_fail), 40)
        sweep = SWEEP[:SWEEP.index("class MemoryRunsOut")]
        self.assertEqual(can_fail - called(WORLD + sweep), set())

    def test_all_that_take_pointers_get_null(self):
        takes = set(re.findall(r"^MUSTER_API [^(;]*?(muster_\w+)\((?=[^;]*\*)", HEADER,
                               re.MULTILINE))
        self.assertGreater(len(takes), 60)
        self.assertEqual(takes - called(NULLS), set())


@unittest.skipUnless(BUILD, "not run by ctest")
class Page(unittest.TestCase):
    def test_it_tells_of_all_calls(self):
        page = (ROOT / "docs/faults.md").read_text(encoding="utf-8")
        told = re.findall(r"^\| `(\w+)` \| \d+ \| \d+ \|$", page, re.MULTILINE)
        self.assertEqual(sorted(told), sorted(fault_table.swept(pathlib.Path(BUILD))))
        self.assertIn(f"| {len(told)} calls |", page)


if __name__ == "__main__":
    unittest.main()
