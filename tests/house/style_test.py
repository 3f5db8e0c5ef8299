# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Every file starts with the license line, every header has its guard, clang-format finds nothing
to change, nothing is left unfinished or switched off, and nothing needs what clang 14 lacks."""

import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import source

FOLDERS = ("include", "lib", "tools", "bench", "capi", "examples", "tests", "python", "cmake")
LICENSE = "Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0."
# Assembled, so that this file does not trip over itself.
UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b|\bDISABLED"
                        r"_\w|EXPECT_TRUE\(tru" r"e\)")
# With the headers of GCC 12, clang 14 compiles no view and no algorithm that returns a subrange.
SUBRANGE = re.compile(r"std::(?:ranges::)?views::"
                      r"|std::ranges::(?:subrange|remove|remove_if|unique|partition|stable_partition"
                      r"|rotate|equal_range|search|search_n|find_end)\b")


def guard(path):
    """MUSTER_PLAN_H_ for include/muster/plan.h, MUSTER_BASE_HEAP_H_ for lib/base/heap.h, else
    None."""
    parts = path.with_suffix("").parts
    if parts[:2] == ("include", "muster") and len(parts) == 3:
        parts = parts[2:]
    elif parts[0] == "lib":
        parts = parts[1:]
    else:
        return None
    return "MUSTER_" + re.sub(r"\W", "_", "_".join(parts)).upper() + "_H_"


def violations(root):
    found = []
    for path in source.files(root, FOLDERS, (".h", ".cc", ".c", ".py", ".sh", ".cmake")):
        text = (root / path).read_text(encoding="utf-8")
        lines = text.splitlines() or [""]
        if LICENSE not in "".join(lines[:2]):
            found.append(f"{path}:1: the first line is not the license line")
        if "\t" in text or re.search(r"[ \t]+$", text, re.MULTILINE) or not text.endswith("\n"):
            found.append(f"{path}: tabs, trailing blanks or no newline at the end")
        for number, line in enumerate(lines, 1):
            if UNFINISHED.search(line):
                found.append(f"{path}:{number}: unfinished or switched off: {line.strip()}")
            if path.suffix in (".h", ".cc") and SUBRANGE.search(line):
                found.append(f"{path}:{number}: clang 14 does not compile it: {line.strip()}")
        name = guard(path) if path.suffix == ".h" else None
        if name and not (f"\n#ifndef {name}\n#define {name}\n" in text
                         and text.endswith(f"#endif  // {name}\n")):
            found.append(f"{path}: the guard is {name}")
    return found


class Repository(unittest.TestCase):
    maxDiff = None

    def test_files_are_finished(self):
        self.assertEqual(violations(source.ROOT), [])

    @unittest.skipUnless(shutil.which("clang-format-14"), "clang-format-14 is not installed")
    def test_clang_format_changes_nothing(self):
        result = subprocess.run([source.ROOT / "tools/format.sh", "--check"], capture_output=True,
                                text=True)
        files = sorted(set(re.findall(r"^(\S+?):\d+:\d+: error:", result.stderr, re.MULTILINE)))
        self.assertEqual((result.returncode, files), (0, []), "tools/format.sh mends this")


class SeededViolations(unittest.TestCase):
    GOOD = f"// {LICENSE}\n#ifndef MUSTER_BASE_A_H_\n#define MUSTER_BASE_A_H_\n#endif  // MUSTER_BASE_A_H_\n"

    def check(self, text, path="lib/base/a.h"):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / path).parent.mkdir(parents=True)
            (root / path).write_text(text, encoding="utf-8")
            return violations(root)

    def test_each_rule_is_seen(self):
        self.assertEqual(self.check(self.GOOD), [])
        self.assertEqual(len(self.check(self.GOOD.replace("Copyright", "(c)"))), 1)
        self.assertEqual(len(self.check(self.GOOD.replace("BASE_A", "A"))), 1)
        self.assertEqual(len(self.check(self.GOOD.replace("#ifndef", "// TO" "DO: more\n#ifndef"))),
                         1)
        self.assertEqual(len(self.check(self.GOOD.replace("#ifndef", "int a; \n#ifndef"))), 1)
        removes = "std::ranges::remove(a, b);\n#ifndef"
        self.assertEqual(len(self.check(self.GOOD.replace("#ifndef", removes))), 1)
        finds = "std::ranges::partition_point(a, b);\n#ifndef"
        self.assertEqual(self.check(self.GOOD.replace("#ifndef", finds)), [])

    def test_guards(self):
        self.assertEqual(guard(pathlib.PurePath("include/muster/plan.h")), "MUSTER_PLAN_H_")
        self.assertEqual(guard(pathlib.PurePath("lib/policy/drf.h")), "MUSTER_POLICY_DRF_H_")
        self.assertIsNone(guard(pathlib.PurePath("tests/worlds/world.h")))


if __name__ == "__main__":
    unittest.main()
