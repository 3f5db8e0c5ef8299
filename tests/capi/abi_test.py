# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""The binary interface from outside: exported symbols, soname, the header as C compilers of all ages read it, and
programs compiled against the first header.

MUSTER_C names libmuster_c.so. capi/symbols.txt is the list of what it exports; it may grow and never shrink while the
number in the soname stays. tests/capi/frozen/c_0_1.h is muster/c.h as it was first released.
"""

import itertools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADER = ROOT / "capi/muster/c.h"
FROZEN = ROOT / "tests/capi/frozen/c_0_1.h"
LIBRARY = os.environ.get("MUSTER_C", "")
needs_library = unittest.skipUnless(LIBRARY, "sanitizers add symbols of their own, or not run by ctest")


def run(*command, **options):
    return subprocess.run([str(c) for c in command], check=True, capture_output=True, text=True, **options).stdout


def declared(header):
    return re.findall(r"^MUSTER_API [^(;]*?(muster_\w+)\(", header.read_text(encoding="utf-8"), re.MULTILINE)


def listed():
    return (ROOT / "capi/symbols.txt").read_text(encoding="utf-8").split()


@needs_library
class Library(unittest.TestCase):
    def test_exports_are_the_list(self):
        exports = [line.split()[-1].split("@")[0] for line in run("nm", "-D", "--defined-only", LIBRARY).splitlines()]
        self.assertEqual(sorted(exports), listed())

    def test_soname(self):
        self.assertRegex(run("objdump", "-p", LIBRARY), r"SONAME\s+libmuster_c\.so\.0\n")

    def build(self, folder, header):
        """examples/c/first_plan.c against a header, linked with the library as it is now."""
        include = pathlib.Path(folder) / "muster"
        include.mkdir(exist_ok=True)
        shutil.copy(header, include / "c.h")
        program = pathlib.Path(folder) / "program"
        run("cc", "-std=c90", "-pedantic-errors", "-Wall", "-Wextra", "-Werror", f"-I{folder}",
            ROOT / "examples/c/first_plan.c", LIBRARY, f"-Wl,-rpath,{pathlib.Path(LIBRARY).parent}", "-o", program)
        return run(program)

    def test_programs_of_the_first_header_still_run(self):
        with tempfile.TemporaryDirectory() as folder:
            now = self.build(folder, HEADER)
            self.assertEqual(now, "start train-0 on n2\nstart train-1 on n0\nstart train-2 on n0\nstart train-3 on n1\n"
                                  'huge: queue "default" would hold more than it deserves in cpu (proportion)\n')
            self.assertEqual(self.build(folder, FROZEN), now)

    def test_ctypes(self):
        out = run(sys.executable, ROOT / "examples/ctypes/first_plan.py", env=dict(os.environ, MUSTER_C=LIBRARY))
        self.assertIn("bind", out)


class Header(unittest.TestCase):
    def test_declares_the_list(self):
        self.assertEqual(sorted(declared(HEADER)), listed())

    def test_keeps_what_was_released(self):
        self.assertEqual(set(declared(FROZEN)) - set(declared(HEADER)), set())
        numbers = [dict(re.findall(r"^#define (MUSTER_[A-Z_]+) (\(?-?\d+u?\)?)", h.read_text(encoding="utf-8"), re.M))
                   for h in (FROZEN, HEADER)]
        self.assertGreater(len(numbers[0]), 60)
        for name, number in numbers[0].items():
            if name != "MUSTER_C_VERSION":
                self.assertEqual(numbers[1].get(name), number, name)

    def compile(self, *command):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "only.c"
            source.write_text('#include <muster/c.h>\n#include <muster/c.h>\nextern int nothing;\n', encoding="utf-8")
            run(*command, f"-I{ROOT}/capi", "-fsyntax-only", source)

    def test_all_c(self):
        flags = ("-pedantic-errors", "-Wall", "-Wextra", "-Werror", "-Wstrict-prototypes", "-Wc++-compat")
        for standard in ("c90", "c99", "c11", "c17"):
            self.compile("gcc", f"-std={standard}", *flags)

    def test_cpp(self):
        for standard in ("c++11", "c++20"):
            self.compile("g++", "-xc++", f"-std={standard}", "-Wall", "-Wextra", "-pedantic", "-Werror")

    @unittest.skipUnless(shutil.which("clang-14"), "clang-14 is not installed")
    def test_clang(self):
        self.compile("clang-14", "-std=c90", "-Weverything", "-Wno-padded", "-Werror")

    def test_comments_are_c90(self):
        text = HEADER.read_text(encoding="utf-8")
        code = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
        self.assertNotIn("//", code)
        self.assertNotIn("bool", code)
        self.assertEqual(re.findall(r"\blong\b|\benum\b", code), [])
        self.assertEqual(set(re.findall(r"#include <(.*)>", code)), {"stddef.h", "stdint.h"})

    def test_the_example_of_the_header_compiles(self):
        """The first comment's example, with the function that it leaves to the reader."""
        text = HEADER.read_text(encoding="utf-8")
        lines = text[text.index("#include <muster/c.h>"):text.index(" * Failure.")].splitlines()
        body = "\n".join(itertools.chain(["int main(void) {"], (re.sub(r"^ \*(  )?", "", line) for line in lines[1:]),
                                         ["return 0; }"]))
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "example.c"
            source.write_text("#include <muster/c.h>\n#include <stdio.h>\nvoid start(const char*, const char*);\n" + body,
                              encoding="utf-8")
            run("gcc", "-std=c90", "-pedantic-errors", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}/capi",
                "-fsyntax-only", source)


if __name__ == "__main__":
    unittest.main()
