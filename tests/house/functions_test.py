# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""A function is at most 60 lines long, from its first line to its closing brace, and has at most
three out-parameters.

What is longer does several things, and each of them has a name. An out-parameter is a pointer to
what is not const; a function that needs four of them returns a struct.
"""

import pathlib
import re
import tempfile
import unittest

import source

FOLDERS = ("lib", "include")
MOST_LINES = 60
MOST_OUT = 3

# What may stand between the parameters and the body, up to the initializers of a constructor.
_TAIL = re.compile(
    r"\)\s*(?:const|noexcept(?:\([^()]*\))?|override|final|mutable|->[^;{}]*|\s)*(?::(?!:).*)?$",
    re.DOTALL)
_DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\.)*(?:\\\n(?:[^\n\\]|\\.)*)*", re.MULTILINE)


def functions(text):
    """(name, parameters, first line, last line) of each function with a body; lambdas count as part
    of theirs."""
    text = _DIRECTIVE.sub(lambda m: re.sub(r"[^\n]", " ", m.group(0)), source.blank(text))
    found, open_braces, start, round_depth = [], [], 0, 0
    inside = 0  # how many of open_braces belong to a function
    for at, mark in enumerate(text):
        if mark in "()":
            round_depth += 1 if mark == "(" else -1
        elif mark == ";" and not inside and round_depth == 0:
            start = at + 1
        elif mark == "{":
            head = text[start:at]
            # `c_{1}`: bodies have a blank before the brace
            is_value = re.search(r"[\w>]$", head) is not None
            may_be = not inside and round_depth == 0 and not is_value
            is_function = may_be and "(" in head and is_head(head)
            open_braces.append((start, at) if is_function else is_value)
            if inside or is_function:
                inside += 1
            elif round_depth == 0 and not is_value:
                start = at + 1
        elif mark == "}" and open_braces:
            opened = open_braces.pop()
            if inside:
                inside -= 1
            if isinstance(opened, tuple):
                found.append(describe(text, *opened, at))
            if not inside and round_depth == 0 and opened is not True:
                start = at + 1
    return found


def is_head(head):
    """Whether this, before a brace, begins a function and not a type, a namespace or an
    initializer."""
    return not re.search(r"\bnamespace\b|=\s*$", head) and _TAIL.search(head) is not None


def describe(text, start, brace, end):
    head = text[start:brace]
    first = start + len(head) - len(head.lstrip())
    name = re.search(r"((?:\w+(?:<[^<>]*>)?::)*(?:operator\s*\S+?|~?\w+))\s*\(", head)
    depth, at = 0, name.end() - 1 if name else head.index("(")
    close = at
    while close < len(head):
        depth += {"(": 1, ")": -1}.get(head[close], 0)
        if depth == 0:
            break
        close += 1
    return (name.group(1) if name else head.split("(")[0].strip(), head[at + 1 : close],
            text.count("\n", 0, first) + 1, text.count("\n", 0, end) + 1)


def split(parameters):
    """At commas outside brackets of all kinds."""
    parts, depth, start = [], 0, 0
    for at, mark in enumerate(parameters):
        if mark in "(<[{":
            depth += 1
        elif mark in ")>]}":
            depth -= 1
        elif mark == "," and depth == 0:
            parts.append(parameters[start:at])
            start = at + 1
    return parts + [parameters[start:]]


def is_out(parameter):
    """Whether it points to what the function may write: `T* name`, but no `const T* name`."""
    return re.search(r"\*\s*(?:__restrict\s+)?(?:\w+\s*)?(?:=.*)?$",
                     parameter) is not None and not re.match(
        r"\s*const\b", parameter)


def violations(root):
    found = []
    for path in source.files(root, FOLDERS):
        for name, parameters, first, last in functions((root / path).read_text(encoding="utf-8")):
            lines = last - first + 1
            if lines > MOST_LINES:
                found.append(f"{path}:{first}: {name} has {lines} lines; {MOST_LINES} at most")
            out = sum(map(is_out, split(parameters)))
            if out > MOST_OUT:
                found.append(f"{path}:{first}: {name} has {out} out-parameters; {MOST_OUT} at most")
    return found


class Repository(unittest.TestCase):
    maxDiff = None

    def test_functions_are_short(self):
        self.assertEqual(violations(source.ROOT), [])

    def test_functions_are_found(self):
        known = functions((source.ROOT / "lib/session/session.cc").read_text(encoding="utf-8"))
        self.assertIn("Session::Cycle", [name for name, *_ in known])


class SeededViolations(unittest.TestCase):
    def check(self, text):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "lib/base").mkdir(parents=True)
            (root / "lib/base/a.cc").write_text(text, encoding="utf-8")
            return violations(root)

    @staticmethod
    def body(lines):
        return "{\n" + "  x();\n" * (lines - 2) + "}\n"

    def test_length(self):
        for head in ("int F(int a) ", "A::A(int b) : b_(b), c_{1} ", "bool A::F() const ",
                     "auto F() -> int ",
                     "template <class T>\nvoid F(T t)\n",
                     "Map<int, std::pair<int, int>> F(const std::function<void()>& f) "):
            extra = head.count("\n")
            self.assertEqual(self.check(head + self.body(MOST_LINES - extra)), [], head)
            self.assertEqual(len(self.check(head + self.body(MOST_LINES - extra + 1))), 1, head)
        self.assertEqual(len(self.check("struct A {\n  void F() " + self.body(MOST_LINES + 1) +
                                        "};\n")), 1)

    def test_what_is_no_function(self):
        self.assertEqual(self.check("namespace a {\n" + "int x;\n" * 100 + "}\n"), [])
        self.assertEqual(self.check("constexpr int k[] = {\n" + "  F(1),\n" * 100 + "};\n"), [])
        self.assertEqual(self.check("class A {\n" + "  int f() { return 1; }\n" * 100 + "};\n"), [])

    def test_out_parameters(self):
        self.assertEqual(
            self.check("void F(int* a, int* b, int* c, const int* d, int e, A<int*> f) {}\n"), [])
        self.assertEqual(
            len(self.check(
                "void F(int* a, int* b, std::vector<int>* c,\n       int* d = nullptr) {}\n")), 1)


if __name__ == "__main__":
    unittest.main()
