# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""muster(1) names every command and every option that --help does, and none besides; its synopsis
demands what the usage demands; and man reads it without a word of complaint."""

import os
import pathlib
import re
import shutil
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/muster.1"
CLI = os.environ.get("MUSTER_CLI", "")
OPTION = re.compile(r"(?<![\w-])(--[a-z][a-z-]*|-o)\b")


def said():
    """Section of COMMANDS -> options in it; "" is what stands before the first."""
    text = PAGE.read_text(encoding="utf-8").replace("\\-", "-")
    commands = re.search(r"^\.SH COMMANDS$(.*?)^\.SH", text, re.MULTILINE | re.DOTALL).group(1)
    parts = re.split(r"^\.SS (.*)$", commands, flags=re.MULTILINE)
    return dict(zip(["", *parts[1::2]], (set(OPTION.findall(part)) for part in parts[0::2])))


def printed(*command):
    return subprocess.run([CLI, *command, "--help"], capture_output=True, text=True,
                          check=True).stdout


def helped(*command):
    """The options in the list of a command's help."""
    return set(re.findall(r"^  (--[a-z-]+|-o)\b", printed(*command), re.MULTILINE))


def demanded(usage):
    """The options of a usage line that no bracket makes optional."""
    while (shorter := re.sub(r"\[[^][]*\]", "", usage)) != usage:
        usage = shorter
    return set(OPTION.findall(usage))


def synopses():
    """(command, its line) of each entry of the synopsis."""
    text = re.sub(r"\\f[BIR]", "", PAGE.read_text(encoding="utf-8").replace("\\-", "-"))
    part = re.search(r"^\.SH SYNOPSIS$(.*?)^\.SH", text, re.MULTILINE | re.DOTALL).group(1)
    lines = [" ".join(re.sub(r"^\.[A-Z]+ ", "", entry.strip(), flags=re.MULTILINE).split())
             for entry in part.split("\n.br\n")]
    return [(line.split()[1], line) for line in lines]


def repeated(*command):
    """The options that are twice in the list of a command's help: of two, one is never set."""
    listed = re.findall(r"^  (--[a-z-]+|-o)\b", printed(*command), re.MULTILINE)
    return sorted({option for option in listed if listed.count(option) > 1})


@unittest.skipUnless(CLI, "not run by ctest")
class Man(unittest.TestCase):
    maxDiff = None

    def test_commands(self):
        commands = re.findall(r"^  ([a-z-]+)  ", printed(), re.MULTILINE)
        self.assertGreater(len(commands), 5)
        self.assertEqual({"", "generate --trace", *commands}, set(said()))

    def test_importers(self):
        listed = re.search(r"objects are of: (.*?);", " ".join(printed("import").split())).group(1)
        page = PAGE.read_text(encoding="utf-8").replace("\\-", "-")
        named = re.search(r"objects are of:\n(.*?)Without it", page, re.DOTALL).group(1)
        self.assertEqual(set(re.findall(r"^\.BR? (\S+)", named, re.MULTILINE)),
                         set(listed.split(", ")))

    def test_synopsis(self):
        entries = synopses()
        self.assertEqual({command for command, _ in entries},
                         set(re.findall(r"^  ([a-z-]+)  ", printed(), re.MULTILINE)))
        for command, line in entries:
            if line.startswith("muster generate --trace"):
                continue  # the usage of generate has both
            usage = re.search(r"^usage: (.*)$", printed(command), re.MULTILINE).group(1)
            self.assertEqual(demanded(line), demanded(usage), line)
        self.assertEqual(demanded("a FILE --types N [--most N [--x]] -o F"), {"--types", "-o"})

    def test_options(self):
        special = ("", "replay", "generate --trace")
        expected = {command: helped(command) for command in said() if command not in special}
        expected["generate --trace"] = helped("generate", "--trace", "DIR")
        kinds = re.findall(r"^  ([a-z0-9]+)  ", printed("replay"), re.MULTILINE)
        self.assertGreater(len(kinds), 8)
        expected["replay"] = set().union(*(helped("replay", kind) for kind in kinds))
        # Kinds of traces share the options that name files.
        expected["forecast"] = helped("forecast") | (
            helped("forecast", "hpc") - helped("replay", "hpc")) | {"--policy"}
        for command in [(name,) for name in said() if name not in special] + [
                ("generate", "--trace", "DIR"),
                *((name, kind) for name in ("replay", "forecast") for kind in kinds)]:
            self.assertEqual(repeated(*command), [], command)
        for kind in kinds:
            self.assertIn(kind, PAGE.read_text(encoding="utf-8"))
        for command, options in expected.items():
            self.assertGreater(len(options), 1, command)
            self.assertEqual(sorted(said()[command] | said()[""]), sorted(options),
                             f"docs/muster.1, muster {command} --help")

    def test_the_version(self):
        version = subprocess.run([CLI, "--version"], capture_output=True, text=True,
                                 check=False).stdout
        header = (ROOT / "include/muster/version.h").read_text(encoding="utf-8")
        number = re.search(r'MUSTER_VERSION_STRING "(.*)"', header).group(1)
        self.assertIn(f'"Muster {number}"', PAGE.read_text(encoding="utf-8"), version)

    @unittest.skipUnless(shutil.which("groff"), "groff is not installed")
    def test_man_reads_it(self):
        done = subprocess.run(["groff", "-man", "-ww", "-Tutf8", PAGE], capture_output=True,
                              text=True, check=True)
        self.assertEqual(done.stderr, "")
        self.assertIn("decide which task runs on which node", done.stdout)


if __name__ == "__main__":
    unittest.main()
