# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""tools/compare.py against a command line of ten lines that answers from a table."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

COMPARE = pathlib.Path(__file__).resolve().parents[2] / "tools/compare.py"

PLAN = {
    "digest": "0123456789abcdef",
    "decisions": [{"kind": "bind"}, {"kind": "bind"}, {"kind": "evict"}, {"kind": "phase"}],
    "pending": [{"task": "a-0", "job": "a", "reason": 1}, {"task": "b-0", "job": "b", "reason": 0},
                {"task": "b-1", "job": "b", "reason": 0}],
    "reasons": [{"kind": "no_node", "refusals": [{"nodes": 2, "code": "insufficient",
                                                  "dimension": "cpu"},
                                                 {"nodes": 1, "code": "taint",
                                                  "detail": "gpu=only"}]},
                {"kind": "queue_closed"}],
}
SCENARIO = {"nodes": [{"name": "n", "count": 3}, {"name": "m"}],
            "jobs": [{"name": "a", "groups": [{"count": 1}]},
                     {"name": "b", "groups": [{"count": 4}]}]}
CLI = """#!{python}
import json, sys
words = sys.argv[1:]
if words[words.index("--profile") + 1] == "bad":
    sys.exit("profile \\"bad\\" is not known")
print({plan!r} if words[0] == "run" else words[2] + ": explained")
"""


class Compare(unittest.TestCase):
    def compare(self, profiles, plan):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            cli = folder / "muster"
            cli.write_text(CLI.format(python=sys.executable, plan=json.dumps(plan)),
                           encoding="utf-8")
            cli.chmod(0o755)
            (folder / "s.json").write_text(json.dumps(SCENARIO), encoding="utf-8")
            done = subprocess.run([sys.executable, COMPARE, cli, folder / "s.json", "--profiles",
                                   profiles,
                                   "--report", folder / "r.md"], capture_output=True, text=True)
            if done.returncode == 0:
                self.assertEqual((folder / "r.md").read_text(encoding="utf-8"), done.stdout)
            return done

    def test_report(self):
        text = self.compare("volcano,muster", PLAN).stdout
        self.assertIn("4 nodes, 0 queues, 2 jobs, 5 tasks", text)
        self.assertRegex(text, r"\| volcano \| +2 \| +0 \| +1 \| +3 \| 01234567 \| +\d+ \|")
        self.assertRegex(text, r"\| +2 \| no node: cpu, gpu=only +\|\n\| +1 \| queue closed +\|")
        self.assertIn("## `b` under `muster`\n\n```\nb: explained\n```", text)

    def test_nothing_pending(self):
        text = self.compare("muster", {**PLAN, "pending": []}).stdout
        self.assertIn("Nothing is pending.", text)
        self.assertNotIn("explained", text)

    def test_an_error_ends_it_with_the_words_of_the_command(self):
        done = self.compare("muster,bad", PLAN)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn('profile "bad" is not known', done.stderr)


if __name__ == "__main__":
    unittest.main()
