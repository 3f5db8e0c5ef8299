# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""tools/mutation on a toy: each rule finds its places, each mutant does what it is named after,
what does not compile is left out, and a whole run counts what died. And its lists are not stale."""

import contextlib
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/mutation"))
import builder  # noqa: E402
import mutate  # noqa: E402
import rooms  # noqa: E402
import sites  # noqa: E402

COMPILER = shutil.which("c++")
CLANG = shutil.which(builder.CLANG)

# A function, what it is called with, and what it returns without a mutant and with each; of mutants
# of one name, in the order of their places.
TOY = [
    ("bool F(int a, int b) { return a < b; }", ["1, 2", "2, 2", "3, 2"], "100",
     {"compare: < -> <=": "110", "compare: < -> >=": "011"}),
    ("bool F(int a, int b) { return a == b; }", ["1, 2", "2, 2"], "01",
     {"compare: == -> !=": "10"}),
    ("bool F(bool a, bool b) { return a && b; }", ["0, 0", "0, 1", "1, 0", "1, 1"], "0001",
     {"condition: negated": "1110", "logic: && -> ||": "0111"}),
    ("bool F(bool a, int* p) { return a || *p > 2; }", ["1, nullptr"], "1",
     {"condition: negated": "0", "logic: || -> &&": "crash", "compare: > -> >=": "1",
      "compare: > -> <=": "1", "constant: 2 + 1": "1", "constant: 2 - 1": "1"}),
    ("int F(int a, int b) { return a - b; }", ["3, 2"], "1",
     {"return: return {}": "0", "arithmetic: - -> +": "5"}),
    ("int F(int a) { a += 2; return a; }", ["5"], "7",
     {"statement: deleted": "5", "negate: += negative": "3", "constant: 2 + 1": "8",
      "constant: 2 - 1": "6", "return: return {}": "0"}),
    ("int F(int a, int b) { return std::min(a, b); }", ["3, 2"], "2",
     {"return: return {}": "0", "choice: std::min -> std::max": "3"}),
    ("int F(bool a) { if (!a) return 1; else return 2; }", ["0", "1"], "12",
     {"condition: negated": "21", "return: return {}": "02 10", "constant: 1 + 1": "22",
      "constant: 1 - 1": "02", "constant: 2 + 1": "13", "constant: 2 - 1": "11"}),
]


def answer(program, case, mutant):
    """What the toy's function number `case` returns, printed; or "crash"."""
    done = subprocess.run([program, str(case)], capture_output=True, text=True,
                          env={**os.environ, "MUSTER_MUTANT": str(mutant)})
    return done.stdout if done.returncode == 0 else "crash"


@unittest.skipUnless(COMPILER and CLANG, "no compiler, or no clang++-14")
class Toy(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.work = pathlib.Path(cls.folder.name).resolve()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def toy_program(self):
        """All functions in one file, with one numbering. Returns the program, and the sites of
        each function."""
        functions, cases = [], []
        for number, (text, calls, _, _) in enumerate(TOY):
            name = f"F{number}"
            functions.append(text.replace(" F(", f" {name}(") + "\n")
            cases.append(f"case {number}: " + " ".join(
                f"std::cout << int(muster::{name}({call}));" for call in calls) + " break;\n")
        path = self.work / "toy.cc"
        path.write_text("#include <algorithm>\nnamespace muster {\n" + "".join(functions) + "}\n",
                        encoding="utf-8")
        found = sites.find(path, sites.tree(builder.CLANG, ["-std=gnu++20"], path))
        number = 1
        for site in found:
            site.first = number
            number += len(site.changes)
        text, _ = sites.render(path.read_text(encoding="utf-8"), found)
        self.assertEqual(text.count("\n"), len(TOY) + 3)
        (self.work / "all.cc").write_text(
            "#include <cstdlib>\n#include <iostream>\n" + text +
            "int main(int, char** words) { switch (std::atoi(words[1])) {\n" + "".join(cases) +
            "} }\n", encoding="utf-8")
        program = self.work / "all"
        done = subprocess.run([COMPILER, "-std=c++20", f"-I{ROOT}", f"-DMUSTER_MUTANTS={number}",
                               "-include", "tools/mutation/mutant.h", self.work / "all.cc",
                               ROOT / "tools/mutation/chosen.cc", "-o", program],
                              capture_output=True, text=True, cwd=ROOT)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = sites.Lines(path.read_text(encoding="utf-8"))
        return program, [[site for site in found if lines.line(site.begin) == case + 3]
                         for case in range(len(TOY))]

    def test_each_mutant_does_what_it_is_named_after(self):
        program, places = self.toy_program()
        for case, (text, _, unchanged, mutants) in enumerate(TOY):
            self.assertEqual(answer(program, case, 0), unchanged, text)
            seen = {}
            for site in places[case]:
                for nth, change in enumerate(site.changes):
                    seen.setdefault(f"{site.rule}: {change}", []).append(
                        answer(program, case, site.first + nth))
            self.assertEqual({change: " ".join(words) for change, words in seen.items()}, mutants,
                             text)

    def toy_build(self, source, test):
        """A root with one room, built by a few lines of Ninja."""
        root = pathlib.Path(tempfile.mkdtemp(dir=self.work))
        build = root / "build"
        for folder in ("lib/toy", "tests/toy", "build"):
            (root / folder).mkdir(parents=True)
        (root / "lib/toy/toy.cc").write_text(source, encoding="utf-8")
        (build / "test.cc").write_text(test, encoding="utf-8")
        (build / "CMakeCache.txt").write_text(f"CMAKE_HOME_DIRECTORY:INTERNAL={root}\n",
                                              encoding="utf-8")
        command = f"{COMPILER} -std=c++20 -Werror -o toy.o -c {root}/lib/toy/toy.cc"
        (build / "compile_commands.json").write_text(json.dumps(
            [{"directory": str(build), "command": command, "file": f"{root}/lib/toy/toy.cc"}]),
            encoding="utf-8")
        (build / "build.ninja").write_text(
            f"rule cc\n  command = {COMPILER} -std=c++20 -c $in -o $out\n"
            f"rule ar\n  command = ar qc $out $in\n"
            f"rule link\n  command = : && {COMPILER} test.o -o $out libtoy.a && :\n"
            "build test.o: cc test.cc\n"
            f"build toy.o: cc {root}/lib/toy/toy.cc\nbuild libtoy.a: ar toy.o\n"
            "build muster_toy_test: link test.o libtoy.a\n", encoding="utf-8")
        subprocess.run(["ninja", "-C", build], check=True, capture_output=True)
        return build

    def run_all(self, build, count):
        printed = io.StringIO()
        with mock.patch.dict(os.environ, MUSTER_BUILD=str(build)), \
                contextlib.redirect_stdout(printed):
            code = mutate.main(["toy", str(count)])
        return code, printed.getvalue()

    @unittest.skipUnless(shutil.which("ninja"), "no ninja")
    def test_a_whole_run(self):
        # `<=` for `<` survives: the test knows nothing of equal ones. Nothing calls Unused().
        # `return {};` compiles in no function that returns a Three.
        build = self.toy_build(
            "namespace muster {\n"
            "int Smaller(int a, int b) {\n  if (a < b) return a;\n  return b;\n}\n"
            "struct Three {\n  explicit Three() = default;\n  int value = 0;\n};\n"
            "Three Make(const Three& made) { return Three(made); }\n"
            "int Unused(int a) { return a * a; }\n"
            "void Loop(bool on) {\n  while (on) on = false;\n}\n}\n",
            "namespace muster { int Smaller(int, int); void Loop(bool); }\n"
            "int main() {\n  muster::Loop(true);\n"
            "  return muster::Smaller(1, 2) != 1 || muster::Smaller(3, 2) != 2;\n}\n")
        with mock.patch.object(mutate, "SECONDS", 1):
            code, printed = self.run_all(build, 100)
        lines = printed.splitlines()
        self.assertEqual(lines[1:], [
            "survived: lib/toy/toy.cc:3:7: compare: < -> <=: a < b",
            "unreached: lib/toy/toy.cc:11:21: return: return {}: return a * a;",
            "unreached: lib/toy/toy.cc:11:28: arithmetic: * -> +: a * a",
            "survived: lib/toy/toy.cc:13:10: condition: negated: on",
            "toy: 9 mutants, 9 sampled, 5 killed (55.6 %), 0 equivalent, 4 survived"])
        self.assertEqual(code, 1)

    def test_the_same_seed_draws_the_same(self):
        path = self.work / "drawn.cc"
        path.write_text("namespace muster {\n" + "".join(
            f"bool F{n}(int a) {{ return a < {n}; }}\n" for n in range(20)) + "}\n",
            encoding="utf-8")
        found = sites.find(path, sites.tree(builder.CLANG, ["-std=gnu++20"], path))
        for number, site in enumerate(found):
            site.first = 1 + 2 * number
        drawn = [[mutant.number for mutant in mutate.sample({path: found}, self.work, 10, seed)[1]]
                 for seed in (1, 1, 2)]
        self.assertEqual(len(set(drawn[0])), 10)
        self.assertEqual(drawn[0], drawn[1])
        self.assertNotEqual(drawn[0], drawn[2])

    @unittest.skipUnless(shutil.which("ninja"), "no ninja")
    def test_a_test_that_fails_without_a_mutant(self):
        build = self.toy_build("namespace muster {\nbool Yes() { return true; }\n}\n",
                               "int main() { return 1; }\n")
        with self.assertRaisesRegex(SystemExit, "muster_toy_test fails without a mutant"):
            self.run_all(build, 1)


class Lists(unittest.TestCase):
    def test_what_is_equivalent_is_there(self):
        for file, code, change in mutate.read_equivalent():
            lines = [line.strip() for line in
                     (ROOT / file).read_text(encoding="utf-8").splitlines()]
            self.assertIn(code, lines, file)
            self.assertRegex(change, r"^(\*|\w+: \S.*)$")

    def test_every_folder_of_the_library_is_a_room(self):
        folders = {str(path.relative_to(ROOT / "lib")) for path in
                   [*(ROOT / "lib").iterdir(), *(ROOT / "lib/peer").iterdir()] if path.is_dir()}
        for name in sorted(folders - {"peer"}) + sorted(rooms.ROOMS):
            paths, tests = rooms.room(name, ROOT)
            self.assertGreater(len(paths), 0, name)
            self.assertGreater(len(tests), 0, name)
        with self.assertRaisesRegex(SystemExit, "no room 'nowhere'; rooms are ledger"):
            rooms.room("nowhere", ROOT)

    def test_a_test_that_sleeps_ends(self):
        with mock.patch.object(mutate, "SECONDS", 1), tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder, "sleeps")
            program.write_text("#!/bin/sh\nexec sleep 600\n", encoding="utf-8")
            program.chmod(0o755)
            passed, seconds = mutate.run((program, [], {}), folder, 1, 30)
        self.assertFalse(passed)
        self.assertLess(seconds, 5)

    def test_arguments(self):
        with contextlib.redirect_stderr(io.StringIO()) as printed:
            self.assertEqual(mutate.main(["ledger"]), 2)
        self.assertIn("tools/mutate.sh ROOM N [SEED]", printed.getvalue())


if __name__ == "__main__":
    sys.setrecursionlimit(100_000)
    unittest.main()
