# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""The binary interface of muster/c.h against every released version, by abidiff: a program compiled
then must find the same functions, parameters and layouts now. Functions may come, and structs may
grow at their end, as the header promises; nothing else may change.

Released headers are kept in tests/capi/frozen as c_MAJOR_MINOR.h, so that a clone without tags
compares as well as any; where there are tags, the last one's header must be among them, and is
compared, too.

abidiff reads the debug information of shared objects. These are made from the headers: each
declared function with an empty body. That the library defines what its header declares is the C++
compiler's business, and that it exports it tests/capi/abi_test.py's.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/capi"))
import c_header  # noqa: E402

HEADER = "capi/muster/c.h"
FROZEN = ROOT / "tests/capi/frozen"
# What a report may contain where a struct has grown at its end; sizes and offsets are looked at,
# too.
GROWTH = re.compile(r"""
    Functions\ changes\ summary:\ 0\ Removed,.* | Variables\ changes\ summary:\ 0\ Removed,\ 0\ Changed,.*
  | \d+\ functions?\ with\ some\ indirect\ sub-type\ changes?:
  | \[C\]\ 'function\ .*'\ at\ .*\ has\ some\ indirect\ sub-type\ changes:
  | parameter\ \d+\ of\ type\ '.*'\ has\ sub-type\ changes:
  | in\ (pointed\ to|unqualified\ underlying)\ type\ '.*'(\ at\ .*)?:
  | underlying\ type\ 'struct\ .*'\ at\ .*\ changed:
  | type\ size\ changed\ from\ (?P<before>\d+)\ to\ (?P<after>\d+)\ \(in\ bits\)
  | \d+\ data\ member\ insertions?:
  | '.*',\ at\ offset\ (?P<offset>\d+)\ \(in\ bits\).*
""", re.VERBOSE)


def library(header, folder):
    """A shared object with the functions that the header declares."""
    (folder / "muster").mkdir(parents=True)
    (folder / "muster/c.h").write_text(header, encoding="utf-8")
    code = re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL)
    functions = re.findall(r"^MUSTER_API\s+([^;]*\));", code, re.MULTILINE)
    source = folder / "stub.c"
    source.write_text("#include <muster/c.h>\n" + "".join(f"{f} {{ __builtin_unreachable(); }}\n"
                                                          for f in functions),
                      encoding="utf-8")
    made = folder / "libmuster_c.so"
    subprocess.run(["cc", "-g", "-w", "-fPIC", "-shared", "-Wl,-soname,libmuster_c.so.0",
                    f"-I{folder}", source, "-o", made],
                   check=True)
    return made, len(functions)


def breaks(before, after):
    """What of `before`, the text of a header, `after` does not keep."""
    with tempfile.TemporaryDirectory() as folder:
        old, count = library(before, pathlib.Path(folder) / "before")
        new, _ = library(after, pathlib.Path(folder) / "after")
        assert count > 50
        done = subprocess.run(["abidiff", "--no-added-syms", old, new], capture_output=True,
                              text=True, check=False)
    if done.returncode & 3:
        raise AssertionError(done.stdout + done.stderr)
    if done.returncode == 0:
        return []
    found, size = [], 0
    for line in filter(None, map(str.strip, done.stdout.splitlines())):
        said = GROWTH.fullmatch(line)
        if said and said["before"]:
            size = int(said["before"])
        shrinks = said and said["after"] and int(said["after"]) < size
        if not said or shrinks or said["offset"] and int(said["offset"]) < size:
            found.append(line)
    return found


def last_tagged(root):
    """The name of the last tagged release and its header; None where there is none."""
    git = ["git", "-C", root]
    tag = subprocess.run([*git, "describe", "--tags", "--abbrev=0", "--match", "v[0-9]*"],
                         capture_output=True, text=True, check=False)
    if tag.returncode != 0:
        return None
    name = tag.stdout.strip()
    folder = HEADER.rpartition("/")[0]
    return name, c_header.text(
        lambda part: subprocess.run([*git, "show", f"{name}:{folder}/{part}"], capture_output=True,
                                    text=True, check=True).stdout)


def frozen_name(tag):
    """v0.1.3 -> c_0_1.h"""
    major, minor = re.match(r"v(\d+)\.(\d+)", tag).groups()
    return f"c_{major}_{minor}.h"


class Abi(unittest.TestCase):
    maxDiff = None
    now = c_header.text()

    def test_keeps_every_released_version(self):
        released = sorted(FROZEN.glob("c_*.h"))
        self.assertIn("c_0_2.h", [path.name for path in released])
        for path in released:
            print(f"against {path.name}")
            self.assertEqual(breaks(path.read_text(encoding="utf-8"), self.now), [], path.name)

    def test_keeps_the_last_tagged_version(self):
        tagged = last_tagged(ROOT)
        if tagged is None:
            print("against no tag: there is none here")
            return
        tag, header = tagged
        print(f"against {tag}")
        self.assertTrue((FROZEN / frozen_name(tag)).exists(),
                        f"{tag} is released: keep its header as {frozen_name(tag)}")
        self.assertEqual(breaks(header, self.now), [])

    def test_finds_the_last_tag(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            header = root / HEADER
            header.parent.mkdir(parents=True)

            def git(*arguments):
                subprocess.run(["git", "-C", root, "-c", "user.name=a", "-c",
                                "user.email=a@b.example", "-c", "commit.gpgsign=false",
                                *arguments], check=True, capture_output=True)

            git("init", "-q")
            for text, tag in (("one", None), ("two", "v0.1.0"), ("three", "v0.2.1"),
                              ("four", "other"), ("five", None)):
                header.write_text(text, encoding="utf-8")
                git("add", ".")
                git("commit", "-q", "-m", text)
                if tag:
                    git("tag", tag)
                elif text == "one":
                    self.assertIsNone(last_tagged(root))
            self.assertEqual(last_tagged(root), ("v0.2.1", "three"))
        self.assertEqual(frozen_name("v0.2.1"), "c_0_2.h")

    def changed(self, old, new):
        self.assertIn(old, self.now)
        return breaks(self.now, self.now.replace(old, new, 1))

    def test_structs_may_grow_and_functions_come(self):
        end = "} muster_schedule_options;"
        self.assertEqual(self.changed(end, "  int64_t more;\n" + end), [])
        self.assertEqual(self.changed("MUSTER_API void muster_plan_free",
                                      "MUSTER_API int32_t muster_more(void);\n"
                                      "MUSTER_API void muster_plan_free"), [])

    def test_nothing_else_may_change(self):
        for old, new in (
                # a field
                ("  uint32_t cursor; /* of an earlier", "  uint64_t cursor; /* of an earlier"),
                ("  int64_t now;     /* seconds", "  int64_t more, now; /* seconds"),  # its place
                ("  int64_t budget; /* bytes in use", "  /* bytes in use"),  # that it is there
                ("MUSTER_API void muster_stop_set(muster_stop* stop, int32_t stopped);", ""),
                ("muster_stop_set(muster_stop* stop, int32_t stopped)",
                 "muster_stop_set(muster_stop* stop, int64_t stopped)"),
                ("MUSTER_API int64_t muster_text_size", "MUSTER_API int32_t muster_text_size"),
                ("  muster_status (*open)(uintptr_t user, const muster_cycle* cycle);",
                 "  muster_status (*open)(uintptr_t user, const muster_cycle* cycle,"
                 " int32_t more);")):
            self.assertNotEqual(self.changed(old, new), [], new)


if __name__ == "__main__":
    if not shutil.which("abidiff"):
        print("SKIP: abidiff is not installed (Debian: abigail-tools)")
        sys.exit(77)
    unittest.main()
