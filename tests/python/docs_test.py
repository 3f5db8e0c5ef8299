# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""The examples run: those in docs/python.md one after another, those of other pages and in
examples/*.py each by itself."""

import contextlib
import io
import pathlib
import re
import runpy
import tempfile
import unittest

from engine import ROOT, needs_engine


@needs_engine
class Documents(unittest.TestCase):
    def test_the_page_runs_from_top_to_bottom(self):
        page = (ROOT / "docs/python.md").read_text(encoding="utf-8")
        blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
        self.assertGreater(len(blocks), 3)
        names: dict = {}
        out = io.StringIO()
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(
            folder), contextlib.redirect_stdout(out):
            for block in blocks:
                exec(compile(block, "docs/python.md", "exec"), names)
            self.assertTrue(pathlib.Path("report.html").exists())
        self.assertEqual(names["differences"], [])
        self.assertIn("8 of 16 placed, undone", out.getvalue())
        self.assertIn("zone-x: only zone x", names["plan"].explain("wide"))

    def test_other_pages(self):
        # What an example prints, as the page has it. That of policies.md checks itself.
        said = {"README.md": "12 of 16 placed, undone", "docs/policies.md": r"^$",
                "docs/what_if.md": r"vision +16000\.0 +24000\.0"}
        pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
        found = {page.relative_to(ROOT).as_posix(): re.findall(
            r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
            for page in pages if page.name != "python.md"}
        self.assertEqual({page for page, blocks in found.items() if blocks}, set(said))
        for page, words in said.items():
            with self.subTest(page), tempfile.TemporaryDirectory() as folder, contextlib.chdir(
                    folder), contextlib.redirect_stdout(io.StringIO()) as out:
                for block in found[page]:
                    exec(compile(block, page, "exec"), {})
            self.assertRegex(out.getvalue(), words)

    def test_examples(self):
        # replay_agent.py needs gymnasium, and envs_test.py runs it.
        said = {"first_plan.py": "muster.Plan", "own_policy.py": "bind", "replay_agent.py": None}
        self.assertEqual({path.name for path in (ROOT / "examples").glob("*.py")}, set(said))
        for name, words in said.items():
            if words is None:
                continue
            with self.subTest(name), contextlib.redirect_stdout(io.StringIO()) as out:
                runpy.run_path(str(ROOT / "examples" / name), run_name="__main__")
            self.assertIn(words, out.getvalue())


if __name__ == "__main__":
    unittest.main()
