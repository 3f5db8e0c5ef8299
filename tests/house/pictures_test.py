#!/usr/bin/env python3
# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""The pictures of docs/quality.md are those of its tables: bench/quality_picture.py draws them."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def drawn(page, folder):
    subprocess.run([sys.executable, ROOT / "bench/quality_picture.py", page, "-o", folder],
                   check=True)
    return {path.name: path.read_text() for path in sorted(folder.glob("*.svg"))}


class Pictures(unittest.TestCase):
    def test_follow_the_page(self):
        with tempfile.TemporaryDirectory() as folder:
            pictures = drawn(ROOT / "docs/quality.md", pathlib.Path(folder))
        self.assertEqual(sorted(pictures), ["quality_logs.svg", "quality_tenants.svg"])
        for name, text in pictures.items():
            self.assertEqual(text, (ROOT / "docs" / name).read_text(), name)

    def test_another_number_is_another_picture(self):
        page = (ROOT / "docs/quality.md").read_text()
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            before = drawn(ROOT / "docs/quality.md", folder)
            (folder / "page.md").write_text(page.replace("0.686 [0.680, 0.692]",
                                                         "0.786 [0.780, 0.792]", 1))
            after = drawn(folder / "page.md", folder)
        self.assertNotEqual(before["quality_logs.svg"], after["quality_logs.svg"])


if __name__ == "__main__":
    unittest.main()
