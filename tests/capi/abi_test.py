# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""The binary interface from outside: exported symbols, soname, the header as C compilers of all
ages read it, and programs compiled against the frozen header.

MUSTER_C names libmuster_c.so. capi/symbols.txt is the list of what it exports; it may grow and
never shrink while the number in the soname stays. MUSTER_REPLAY_C names libmuster_replay_c.so,
which exports the same and capi/symbols_experimental.txt. tests/capi/frozen/c_0_2.h is muster/c.h as
it is frozen for version 0.2.
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

import c_header

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADERS = (*c_header.PARTS, ROOT / "capi/muster/c_experimental.h")
HEADER = c_header.text()
EXPERIMENTAL = (ROOT / "capi/muster/c_experimental.h").read_text(encoding="utf-8")
FROZEN = (ROOT / "tests/capi/frozen/c_0_2.h").read_text(encoding="utf-8")
LIBRARY = os.environ.get("MUSTER_C", "")
REPLAY_LIBRARY = os.environ.get("MUSTER_REPLAY_C", "")
needs_library = unittest.skipUnless(LIBRARY,
                                    "sanitizers add symbols of their own, or not run by ctest")

# Calls plan() of each of its arguments by turns.
TWO_PLUGINS = """
#include <dlfcn.h>
#include <stdio.h>
int main(int count, char** names) {
  int (*plans[2])(void);
  int i;
  if (count != 3) return 2;
  for (i = 0; i < 2; ++i) {
    void* plugin = dlopen(names[i + 1], RTLD_NOW | RTLD_LOCAL);
    if (plugin == NULL) return fprintf(stderr, "%s\\n", dlerror()), 3;
    *(void**)&plans[i] = dlsym(plugin, "plan");
  }
  for (i = 0; i < 4; ++i) {
    if (plans[i % 2]()) return 4;
  }
  return 0;
}
"""


def run(*command, **options):
    return subprocess.run([str(c) for c in command], check=True, capture_output=True, text=True,
                          **options).stdout


def declared(header):
    return re.findall(r"^MUSTER_API [^(;]*?(muster_\w+)\(", header, re.MULTILINE)


def listed(name="symbols.txt"):
    return (ROOT / "capi" / name).read_text(encoding="utf-8").split()


def exports(library):
    return sorted(line.split()[-1].split("@")[0]
                  for line in run("nm", "-D", "--defined-only", library).splitlines())


@needs_library
class Library(unittest.TestCase):
    def test_exports_are_the_list(self):
        self.assertEqual(exports(LIBRARY), listed())
        self.assertEqual(exports(REPLAY_LIBRARY), sorted(listed() +
                                                         listed("symbols_experimental.txt")))

    def test_soname(self):
        self.assertRegex(run("objdump", "-p", LIBRARY), r"SONAME\s+libmuster_c\.so\.1\n")
        self.assertRegex(run("objdump", "-p", REPLAY_LIBRARY),
                         r"SONAME\s+libmuster_replay_c\.so\.\d+\.\d+\n")

    def test_only_replays_need_zlib(self):
        needs = re.compile(r"NEEDED\s+libz\.so")
        self.assertRegex(run("objdump", "-p", REPLAY_LIBRARY), needs)
        self.assertNotRegex(run("objdump", "-p", LIBRARY), needs)
        self.assertEqual([line for line in run("nm", LIBRARY).splitlines()
                          if re.search(r" _?(in|de)flate", line)], [])

    def build(self, folder, header, library=LIBRARY):
        """examples/c/first_plan.c against a header, linked with a library as it is now."""
        include = pathlib.Path(folder) / "muster"
        include.mkdir(exist_ok=True)
        (include / "c.h").write_text(header, encoding="utf-8")
        program = pathlib.Path(folder) / "program"
        run("cc", "-std=c90", "-pedantic-errors", "-Wall", "-Wextra", "-Werror", f"-I{folder}",
            ROOT / "examples/c/first_plan.c", library, f"-Wl,-rpath,{pathlib.Path(library).parent}",
            "-o", program)
        return run(program)

    def test_programs_of_the_frozen_header_still_run(self):
        with tempfile.TemporaryDirectory() as folder:
            now = self.build(folder, HEADER)
            self.assertEqual(now,
                             "start train-0 on n2\nstart train-1 on n0\nstart train-2 on n0\nstart train-3 on n1\n"
                                  'huge: queue "default" would hold more than it deserves in cpu (proportion)\n')
            for library in (LIBRARY, REPLAY_LIBRARY):
                self.assertEqual(self.build(folder, FROZEN, library), now)

    def test_two_libraries_in_one_process(self):
        """Two plug-ins of one program, each with a library of its own, of which one is used by the
        frozen header."""
        with tempfile.TemporaryDirectory() as folder:
            alone = self.build(folder, HEADER)
            folder = pathlib.Path(folder)
            for name, library, header in (("a", LIBRARY, HEADER), ("b", REPLAY_LIBRARY, FROZEN)):
                (folder / "muster" / "c.h").write_text(header, encoding="utf-8")
                run("cc", "-shared", "-fPIC", "-Dmain=plan", f"-I{folder}",
                    ROOT / "examples/c/first_plan.c", library,
                    f"-Wl,-rpath,{pathlib.Path(library).parent}", "-o", folder / f"{name}.so")
            host = folder / "host.c"
            host.write_text(TWO_PLUGINS, encoding="utf-8")
            run("cc", host, "-o", folder / "host", "-ldl")
            self.assertEqual(run(folder / "host", folder / "a.so", folder / "b.so"), 4 * alone)

    def test_ctypes(self):
        out = run(sys.executable, ROOT / "examples/ctypes/first_plan.py",
                  env=dict(os.environ, MUSTER_C=LIBRARY))
        self.assertIn("bind", out)


class Header(unittest.TestCase):
    def test_declares_the_list(self):
        self.assertEqual(sorted(declared(HEADER)), listed())
        self.assertEqual(sorted(declared(EXPERIMENTAL)), listed("symbols_experimental.txt"))

    def test_keeps_what_was_released(self):
        self.assertEqual(set(declared(FROZEN)) - set(declared(HEADER)), set())
        numbers = [dict(re.findall(r"^#define (MUSTER_[A-Z_]+) (\(?-?\d+u?\)?)", h, re.M))
                   for h in (FROZEN, HEADER)]
        self.assertGreater(len(numbers[0]), 60)
        for name, number in numbers[0].items():
            if name != "MUSTER_C_VERSION":
                self.assertEqual(numbers[1].get(name), number, name)

    def compile(self, *command):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "only.c"
            for header in HEADERS:
                line = f"#include <muster/{header.name}>\n"
                source.write_text(f"{line}{line}extern int nothing;\n", encoding="utf-8")
                run(*command, f"-I{ROOT}/capi", "-fsyntax-only", source)

    def test_all_c(self):
        flags = ("-pedantic-errors", "-Wall", "-Wextra", "-Werror", "-Wstrict-prototypes",
                 "-Wc++-compat")
        for standard in ("c90", "c99", "c11", "c17"):
            self.compile("gcc", f"-std={standard}", *flags)

    def test_cpp(self):
        for standard in ("c++11", "c++20"):
            self.compile("g++", "-xc++", f"-std={standard}", "-Wall", "-Wextra", "-pedantic",
                         "-Werror")

    @unittest.skipUnless(shutil.which("clang-14"), "clang-14 is not installed")
    def test_clang(self):
        self.compile("clang-14", "-std=c90", "-Weverything", "-Wno-padded", "-Werror")

    def test_comments_are_c90(self):
        parts = {f"muster/{header.name}" for header in HEADERS}
        for header in HEADERS:
            code = re.sub(r"/\*.*?\*/", "", header.read_text(encoding="utf-8"), flags=re.DOTALL)
            self.assertNotIn("//", code)
            self.assertNotIn("bool", code)
            self.assertEqual(re.findall(r"\blong\b|\benum\b", code), [])
            self.assertEqual(
                set(re.findall(r"#include <(.*)>", code)) - parts,
                {"stddef.h", "stdint.h"} if header.name == "c_base.h" else set())

    def test_the_parts_are_manuals(self):
        """Half of their lines are comments, and each begins with an example."""
        for header in HEADERS:
            text = header.read_text(encoding="utf-8")
            lines = [line for line in text.splitlines() if line.strip()]
            comments = sum(comment.count("\n") + 1
                           for comment in re.findall(r"/\*.*?\*/", text, re.DOTALL))
            self.assertGreaterEqual(comments, 0.5 * len(lines), header.name)
            self.assertLess(len(lines), 600, header.name)
            self.assertIn("\n *   ", text[:1200], header.name)

    def example(self, name, header, first_word_after, left):
        """The first comment's example as a program, with the function that it leaves to the
        reader."""
        line = f"#include <muster/{name}>"
        begin = header.index(f" *   {line}")
        lines = header[begin:header.index(first_word_after, begin)].splitlines()
        body = "\n".join(itertools.chain(["int main(void) {"],
                                         (re.sub(r"^ \*(  )?", "", line) for line in lines[1:]),
                                         ["return 0; }"]))
        return f"{line}\n#include <stdio.h>\n{left}\n{body}"

    def test_the_examples_of_the_headers_compile(self):
        for text in (self.example("c.h", HEADER, " * The parts,",
                                  "void start(const char*, const char*);"),
                     self.example("c_experimental.h", EXPERIMENTAL, " * Linking.",
                                  "void use(int64_t wait);")):
            with tempfile.TemporaryDirectory() as folder:
                source = pathlib.Path(folder) / "example.c"
                source.write_text(text, encoding="utf-8")
                run("gcc", "-std=c90", "-pedantic-errors", "-Wall", "-Wextra", "-Werror",
                    f"-I{ROOT}/capi",
                    "-fsyntax-only", source)

    @needs_library
    def test_the_replay_of_the_header_runs(self):
        text = self.example("c_experimental.h", EXPERIMENTAL, " * Linking.",
                            'void use(int64_t wait) { printf("%d\\n", (int)wait); }')
        with tempfile.TemporaryDirectory() as folder:
            source, program = pathlib.Path(folder) / "example.c", pathlib.Path(folder) / "example"
            source.write_text(text, encoding="utf-8")
            run("gcc", f"-I{ROOT}/capi", source, REPLAY_LIBRARY,
                f"-Wl,-rpath,{pathlib.Path(REPLAY_LIBRARY).parent}",
                "-o", program)
            # The second job waits for all four processors; the third runs beside the first.
            self.assertEqual(run(program), "0\n60\n0\n")


if __name__ == "__main__":
    unittest.main()
