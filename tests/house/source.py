# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Reads C++ sources the way the checks of this folder need them: found by folder, without comments.

A rule that greps must not stumble over prose ("never throws") nor over a message ("time(nullptr)"),
so comments and the contents of string literals are blanked; line numbers stay as they are.
"""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]

_TOKEN = re.compile(
    r"""
    (?P<line>//[^\n]*)
  | (?P<block>/\*.*?\*/)
  | (?P<raw>R"(?P<mark>[^()\s\\]{0,16})\(.*?\)(?P=mark)")
  | (?P<string>"(?:\\.|[^"\\\n])*")
  | (?P<char>(?<![0-9a-zA-Z_])'(?:\\.|[^'\\\n])+')
    """,
    re.VERBOSE | re.DOTALL,
)


def files(root, folders, suffixes=(".h", ".cc")):
    """Paths below root/<folder> with one of the suffixes, sorted, relative to root."""
    found = []
    for folder in folders:
        for path in (root / folder).rglob("*"):
            if path.suffix in suffixes and path.is_file():
                found.append(path.relative_to(root))
    return sorted(found)


def blank(text):
    """The text with comments and the insides of string and character literals replaced by
    spaces."""

    def replace(match):
        token = match.group(0)
        if match.lastgroup in ("line", "block"):
            return re.sub(r"[^\n]", " ", token)
        return token[0] + re.sub(r"[^\n]", " ", token[1:-1]) + token[-1]

    return _TOKEN.sub(replace, text)


def comments(text):
    """(number, line) of the comments, without what surrounds them."""
    found = []
    for match in _TOKEN.finditer(text):
        if match.lastgroup in ("line", "block"):
            first = text.count("\n", 0, match.start()) + 1
            found += enumerate(match.group(0).split("\n"), first)
    return found


def raw_lines(text):
    """The numbers of the lines that raw strings of several lines lie on."""
    found = set()
    for match in _TOKEN.finditer(text):
        if match.group("raw") and "\n" in match.group(0):
            first = text.count("\n", 0, match.start()) + 1
            found |= set(range(first, first + match.group(0).count("\n") + 1))
    return found
