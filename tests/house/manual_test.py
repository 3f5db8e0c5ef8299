# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""The public headers are the manual: at least half of their lines are comments, and each begins
with its promise, its failures, ownership, threads and cost.

Lines are those that are not blank; a comment counts if it has a line of its own. A header with
fewer than 20 lines of code is too small to be measured. SHORTER lists headers that have less, with
their share: it may only rise, and an entry that is no longer needed is refused.
"""

import re
import unittest

import source

LEAST = 50
SMALL = 20
SHORTER = {
    "index.h": 36,
}
OPENING = ("Promise", "Failure", "Ownership", "Threads", "Cost")
# Lists of other headers, and headers of macros: they have no calls to promise anything about.
WITHOUT_OPENING = {"muster.h", "export.h", "version.h"}


def measure(text):
    """(comment lines, code lines) of a header."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    comments = sum(line.startswith("//") for line in lines)
    return comments, len(lines) - comments


def missing(text):
    """The words of OPENING that the comment before the header's guard lacks."""
    opening = text[: text.index("#ifndef")]
    # "Ownership, threads. A value." names several at once.
    heads = " ".join(re.findall(r"^// ((?:\w+, )*\w+)\. ", opening, re.MULTILINE)).lower()
    return [word for word in OPENING if not re.search(rf"\b{word.lower()}s?\b", heads)]


def violations(headers, shorter):
    """Complaints about (name, text) pairs."""
    found = []
    for name, text in headers:
        comments, code = measure(text)
        share = 100 * comments // (comments + code)
        least = shorter.get(name, LEAST)
        if code >= SMALL and share < least:
            found.append(f"{name}: {share} % of the lines are comments; must be {least} or more")
        if name in shorter and share >= LEAST:
            found.append(f"{name}: {share} %; take it off the list")
        if name not in WITHOUT_OPENING and (lacks := missing(text)):
            found.append(f"{name}: the opening states no {', '.join(lacks).lower()}")
    return found


class Manual(unittest.TestCase):
    maxDiff = None

    def test_public_headers(self):
        root = source.ROOT / "include/muster"
        headers = [(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8"))
                   for path in sorted(root.rglob("*.h"))]
        self.assertGreater(len(headers), 25)
        self.assertEqual(violations(headers, SHORTER), [])


class SeededViolations(unittest.TestCase):
    OPEN = "// Promise. A.\n// Failure. B.\n// Ownership, threads. C.\n// Cost. D.\n#ifndef A\n"

    def test_share(self):
        text = self.OPEN + "int x;\n" * 30
        self.assertEqual(len(violations([("a.h", text)], {})), 1)
        self.assertEqual(violations([("a.h", text + "// y\n" * 40)], {}), [])
        self.assertEqual(len(violations([("a.h", text + "// y\n" * 40)], {"a.h": 10})), 1)
        self.assertEqual(violations([("a.h", text)], {"a.h": 10}), [])
        self.assertEqual(violations([("a.h", self.OPEN + "int x;  // not a line\n" * 18)], {}), [])

    def test_opening(self):
        self.assertEqual(len(violations([("a.h", self.OPEN.replace("Cost. D", "D"))], {})), 1)
        self.assertEqual(violations([("export.h", "#ifndef A\n")], {}), [])


if __name__ == "__main__":
    unittest.main()
