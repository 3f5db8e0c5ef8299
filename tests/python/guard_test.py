# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""bench/guard.py against a program of ten lines that stands for muster_bench."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

GUARD = pathlib.Path(__file__).resolve().parents[2] / "bench/guard.py"

# Answers from a table of yardsticks by row. The first answer of a row may be a busy moment's.
BENCH = """#!{python}
import json, pathlib, re, sys
rows, busy = {rows!r}, {busy!r}
if sys.argv[1] == "--benchmark_list_tests":
    print("\\n".join(rows))
    sys.exit()
pattern = sys.argv[1].split("=", 1)[1]
if "\\\\-" in pattern:
    sys.exit("no such escape")
name = next((row for row in rows if re.match(pattern, row)), None)
seen = pathlib.Path(__file__).with_name("seen-" + re.sub("[^a-z]", "-", name or ""))
first = not seen.exists()
seen.touch()
times = busy.get(name, 1) if first else 1
print(json.dumps({{"benchmarks": [{{"yardsticks": rows[name] * times}}] if name else []}}))
"""

RECORDED = {"a/one-b": 1.0, "a/two(x=1)": 2.0, "b/three": 3.0, "b/four": 4.0, "c": 5.0}


class Guard(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.rows = self.folder / "rows.tsv"
        self.rows.write_text("# a head\n" + "".join(
            f"{name}\t{yardsticks}\t{yardsticks * 1.1}\tabc\n"
            for name, yardsticks in RECORDED.items()), encoding="utf-8")

    def guard(self, rows, *args, busy=None):
        bench = self.folder / "bench"
        bench.write_text(BENCH.format(python=sys.executable, rows=rows, busy=busy or {}),
                         encoding="utf-8")
        bench.chmod(0o755)
        return subprocess.run([sys.executable, GUARD, bench, "--rows", self.rows, *args],
                              capture_output=True, text=True)

    def test_equal(self):
        done = self.guard(RECORDED)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, "5 rows; yardsticks of this machine: 1.00 of the recorded "
                                      "ones\n")

    def test_one_row_is_slower(self):
        done = self.guard({**RECORDED, "a/two(x=1)": 2.5})
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout.splitlines()[1],
                         r"^a/two\(x=1\): 1\.25 times what it was; see git log abc\.\.\w+$")

    def test_a_slower_machine_is_no_slower_row(self):
        done = self.guard({name: 3 * time for name, time in RECORDED.items()})
        self.assertEqual(done.returncode, 0)
        self.assertIn("yardsticks of this machine: 3.00", done.stdout)

    def test_a_busy_moment_is_no_slower_row(self):
        self.assertEqual(self.guard(RECORDED, busy={"b/four": 9}).returncode, 0)

    def test_what_varied_may_vary(self):
        self.rows.write_text("c\t5\t9\tabc\n" + self.rows.read_text(encoding="utf-8").split(
            "c\t5")[0], encoding="utf-8")
        self.assertEqual(self.guard({**RECORDED, "c": 8.9}).returncode, 0)
        self.assertEqual(self.guard({**RECORDED, "c": 9.1}).returncode, 1)

    def test_a_row_that_is_gone(self):
        done = self.guard({name: time for name, time in RECORDED.items() if name != "c"})
        self.assertEqual(done.returncode, 1)
        self.assertIn("c: is recorded and does not run", done.stdout)

    def test_bad_arguments(self):
        self.assertIn("--turns is 1; must be 2 or more",
                      self.guard(RECORDED, "--turns", "1").stderr)
        self.assertIn("'(' is no regular expression", self.guard(RECORDED, "--write", "(").stderr)
        self.rows.write_text("# a head\n", encoding="utf-8")
        done = self.guard(RECORDED)
        self.assertEqual(done.returncode, 2)
        self.assertIn("rows.tsv: has no row; --write REGEX records some", done.stderr)
        gone = subprocess.run([sys.executable, GUARD, self.folder / "gone"], capture_output=True,
                              text=True)
        self.assertIn("gone: no such file", gone.stderr)

    def test_write(self):
        done = self.guard({**RECORDED, "b/four": 7.0, "d": 8.0}, "--write", "four|^d$")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = self.rows.read_text(encoding="utf-8").splitlines()
        self.assertEqual(lines[0], "# a head")
        self.assertEqual([line.split("\t")[:3] for line in lines[1:]],
                         [["a/one-b", "1", "1.1"], ["a/two(x=1)", "2", "2.2"],
                          ["b/four", "7", "7"], ["b/three", "3", "3.3"], ["c", "5", "5.5"],
                          ["d", "8", "8"]])


if __name__ == "__main__":
    unittest.main()
