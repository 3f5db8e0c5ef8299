# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""What the pages show of the command line is what it prints: each line behind `$ ` in a console
block of README.md and docs/ runs, and the lines below it are what it prints. A line with nothing
but dots stands for the rest. In a block without such lines commands are listed, not shown."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
MUSTER = pathlib.Path(os.environ.get("MUSTER_CLI", ROOT / "build/release/muster")).resolve()
# Files that a page has its reader make: the first block of that language.
MADE = {"README.md": ("json", "train.json")}
# Blocks that list commands over files of the reader.
LISTED = {"docs/explain.md": 1, "docs/what_if.md": 2}


def blocks(page, language):
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def steps(block):
    """Pairs of a command and the lines below it."""
    found = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            found[-1][1].append(line)
    return found


def shows(block):
    return any(printed for _, printed in steps(block))


def differs(shown, printed):
    """What of the lines shown is not printed; None: nothing."""
    for number, line in enumerate(shown):
        if line.strip() == "...":
            return None
        if number >= len(printed) or printed[number] != line:
            return f"{line!r} is shown, {printed[number:number + 1]} printed"
    return None if len(shown) == len(printed) else f"not shown: {printed[len(shown):]}"


@unittest.skipUnless(shutil.which("bash"), "there is no shell")
class Pages(unittest.TestCase):
    maxDiff = None

    def test_console_blocks(self):
        count = 0
        for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
            page = path.relative_to(ROOT).as_posix()
            found = blocks(page, "console")
            shown = [block for block in found if shows(block)]
            self.assertEqual(len(found) - len(shown), LISTED.get(page, 0), page)
            for block in shown:
                count += self.play(page, block)
        self.assertGreater(count, 3)

    def play(self, page, block):
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(ROOT / "tests", pathlib.Path(folder) / "tests")
            if page in MADE:
                language, name = MADE[page]
                (pathlib.Path(folder) / name).write_text(blocks(page, language)[0],
                                                         encoding="utf-8")
            found = steps(block)
            for command, shown in found:
                with self.subTest(page=page, command=command):
                    done = subprocess.run(
                        ["bash", "-c", f'muster() {{ "{MUSTER}" "$@"; }}\n{command}'], cwd=folder,
                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)
                    self.assertIsNone(differs(shown, done.stdout.splitlines()))
            return len(found)

    def test_a_difference_is_found(self):
        self.assertIsNone(differs(["a", "  ..."], ["a", "b", "c"]))
        self.assertIsNone(differs(["a", "b"], ["a", "b"]))
        self.assertIn("'a' is shown", differs(["a", "..."], ["b"]))
        self.assertIn("'b' is shown", differs(["a", "b"], ["a"]))
        self.assertIn("not shown", differs(["a"], ["a", "b"]))


if __name__ == "__main__":
    unittest.main()
