# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Lines of at most 100 columns, no pronouns of persons for things, and no task, queue or node that
says, wants or knows, in HELD and PAGES.

A line may be longer
- if it is a table of Markdown, a command of a page, or holds a URL,
- if a string literal reaches beyond the limit, or the line is inside a text of several lines,
- if it is an indented example or table in a comment of tests/ or bench/,
- in Go, Rust and Java: their formatters set no limit.
"""

import io
import pathlib
import re
import tempfile
import tokenize
import unittest

import source

WIDTH = 100
HELD = (
    "bench",
    "capi",
    "cmake",
    "docs",
    "examples",
    "go",
    "include",
    "lib",
    "python",
    "tests",
    "tools",
)
# Files outside of these folders: pages, and scripts without a suffix.
PAGES = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "run", "test", ".ci/run")
C_LIKE = (".h", ".cc", ".c", ".go", ".rs", ".java")
SUFFIXES = (*C_LIKE, ".py", ".sh", ".cmake", ".md")
UNLIMITED = (".go", ".rs", ".java")
RECORDED = ("tests/capi/frozen",)  # released headers, as they were
PERSONS = re.compile(
    r"\b(wh" r"o|who" r"m|who" r"se|who" r"ever|(no|some|every|any)(body|" r"one))\b", re.I)
ACTS = re.compile(
    r"\b(task|queue|node|job|gang|group|pod|container|bundle)s?( that| which)?"
    r"( (already|also|still|never|no longer|do not|does not))?"
    r" (say|says|said|want|wants|wanted|know|knows|knew)\b", re.I)
# Sentences that may stand: a file, and words of the line.
ALLOWED = (("docs/replay.md", "users who submit"),)


def prose_of_python(text):
    """Comments and texts in three quotes, by line."""
    found = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT or '\"\"\"' in token.string[:4]:
            found += enumerate(token.string.split("\n"), token.start[0])
    return found


def prose(path, text):
    """(number, text) of the lines that are written for readers: pages, comments, docstrings."""
    if path.suffix == ".md":
        return list(enumerate(text.split("\n"), 1))
    if path.suffix == ".py":
        return prose_of_python(text)
    if path.suffix in C_LIKE:
        return source.comments(text)
    return [(n, x) for n, x in enumerate(text.split("\n"), 1) if re.search(r"(^|\s)#", x)]


def may_be_long(path, line, inside):
    """Whether the line may exceed the limit; `inside`: in a text of several lines."""
    if "://" in line or inside or path.suffix in UNLIMITED:
        return True
    if path.suffix == ".md":
        return line.lstrip().startswith("|") or line.startswith("    ")
    if re.match(r"\s*//\s{2,}", line):
        return path.parts[0] in ("tests", "bench")
    # A literal that begins before the limit and ends behind it.
    head = re.sub(r"\\.", "", line[:WIDTH])
    quotes = "\"'" if path.suffix == ".py" else '"'
    return any(head.count(q) % 2 == 1 for q in quotes) or 'R"(' in head


def texts_of_several_lines(path, text):
    """The numbers of the lines inside such texts: raw strings of C++, triple quotes of Python."""
    inside = set()
    if path.suffix == ".py":
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.STRING and token.start[0] != token.end[0]:
                before = token.line[: token.start[1]].strip()
                if before or not re.match(r'[rR]?\"\"\"', token.string):
                    inside |= set(range(token.start[0], token.end[0] + 1))
    elif path.suffix in C_LIKE:
        inside = source.raw_lines(text)
    return inside


def violations(root, held=HELD, pages=PAGES):
    paths = source.files(root, held, SUFFIXES)
    paths += [pathlib.Path(p) for p in pages if (root / p).is_file()]
    found = []
    for path in paths:
        if str(path).startswith(RECORDED):
            continue
        text = (root / path).read_text(encoding="utf-8")
        inside = texts_of_several_lines(path, text)
        written = prose(path, text)
        # A quote in a docstring begins no literal.
        docstrings = {number for number, _ in written} - inside if path.suffix == ".py" else set()
        for number, line in enumerate(text.split("\n"), 1):
            shown = line if "://" in line or number not in docstrings else re.sub("[\"']", "", line)
            if len(line) > WIDTH and not may_be_long(path, shown, number in inside):
                found.append(f"{path}:{number}: {len(line)} columns")
        for number, line in written:
            plain = re.sub(r'"[^"]*"|`[^`]*`', "", line.replace('\"\"\"', ""))
            words = PERSONS.search(plain) or ACTS.search(plain)
            if words and not any(path.as_posix() == p and w in line for p, w in ALLOWED):
                found.append(f"{path}:{number}: {words.group(0)!r} for a thing: {line.strip()}")
    return found


class Repository(unittest.TestCase):
    maxDiff = None

    def test_lines_and_words(self):
        found = violations(source.ROOT)
        self.assertEqual(found, [])


class SeededViolations(unittest.TestCase):
    def check(self, text, path):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
            return len(violations(root))

    def test_words(self):
        self.assertEqual(self.check("// The queue that waits.\nint who;\n", "lib/search/a.cc"), 0)
        self.assertEqual(self.check("// The queue wh" "ose turn it is.\n", "lib/search/a.cc"), 1)
        self.assertEqual(self.check("x = 1  # for nob" "ody\n", "tests/a.py"), 1)
        self.assertEqual(self.check('"""Wh' 'o goes."""\nx = "who"\n', "tests/a.py"), 1)
        self.assertEqual(self.check("A user wh" "o waits.\n", "docs/a.md"), 1)
        self.assertEqual(self.check("# for nob" "ody\n", "run"), 1)

    def test_acts_of_persons(self):
        self.assertEqual(self.check("// A queue that w" "ants more.\n", "lib/search/a.cc"), 1)
        self.assertEqual(self.check("# Two nodes do not kn" "ow it.\n", "tests/a.py"), 1)
        self.assertEqual(self.check("What the job s" "ays.\n", "docs/a.md"), 1)
        self.assertEqual(self.check("// A queue that requests more.\n", "lib/search/a.cc"), 0)
        self.assertEqual(self.check("The error says which. `job wants`\n", "docs/a.md"), 0)

    def test_width(self):
        self.assertEqual(self.check("// " + "word " * 30 + "\n", "lib/search/a.cc"), 1)
        self.assertEqual(self.check("//   " + "word " * 30 + "\n", "lib/search/a.cc"), 1)
        self.assertEqual(self.check("//   " + "word " * 30 + "\n", "bench/a.cc"), 0)
        self.assertEqual(self.check("word " * 30 + "\n", "docs/a.md"), 1)
        self.assertEqual(self.check("| " + "word " * 30 + "|\n", "docs/a.md"), 0)
        self.assertEqual(self.check('x = "' + "word " * 30 + '"\n', "tests/a.py"), 0)
        self.assertEqual(self.check("x = [" + "1, " * 50 + "]\n", "tests/a.py"), 1)
        self.assertEqual(self.check('"""A\nthing\'s ' + "word " * 30 + '\n"""\n', "tests/a.py"), 1)


if __name__ == "__main__":
    unittest.main()
