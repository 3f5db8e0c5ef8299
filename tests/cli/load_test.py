# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""--load: policies and actions of a shared object, in every command that runs a profile; and what
is refused, with a clear error, before anything of it runs."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from cli_test import ROOT, Files, muster, small

SOURCE = ROOT / "examples/loadable/spread.cc"
PREFIX = os.environ.get("MUSTER_LOAD_CXX") or shutil.which("c++")

# Entries of C alone: an object need not be one of this compiler to be refused well.
ENTRY = """
struct loadable { unsigned size, reserved; const char* build; void (*add)(void*); };
extern int puts(const char*);
static void add(void* list) { puts("add ran"); }
static const struct loadable kEntry = {SIZE, 0, BUILD, ADD};
const struct loadable* muster_loadable_entry(void) { return RETURNED; }
"""


def compiled(source, target, *arguments):
    compiler = PREFIX if source.suffix == ".cc" else shutil.which("cc")
    language = ["-std=c++20", f"-I{ROOT}/include"] if source.suffix == ".cc" else []
    command = [compiler, *language, "-shared", "-fPIC", *arguments, source, "-o", target]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return target


def own_build():
    """MUSTER_BUILD of the command line, from the words of a refusal."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "entry.c"
        source.write_text(entry(), encoding="utf-8")
        result = muster("run", "none.json", "--load", compiled(source, f"{folder}/entry.so"))
    return result.stderr.split("must be ")[1].split(", as this program")[0]


def entry(size="sizeof(kEntry)", build='"muster 0.0.1, gcc 1"', add="add", returned="&kEntry"):
    return (ENTRY.replace("SIZE", size).replace("BUILD", build).replace("ADD", add)
            .replace("RETURNED", returned))


@unittest.skipUnless(PREFIX and shutil.which("cc"), "there are no compilers")
@unittest.skipIf(os.environ.get("MUSTER_SANITIZED"), "a sanitized program needs its own build")
class Load(Files):
    @classmethod
    def setUpClass(cls):
        cls.shared = tempfile.TemporaryDirectory()
        cls.spread = compiled(SOURCE, f"{cls.shared.name}/spread.so", "-Wall", "-Wextra", "-Werror",
                              "-Wno-unused-parameter", "-Wno-missing-field-initializers")

    @classmethod
    def tearDownClass(cls):
        cls.shared.cleanup()

    def load(self, *arguments):
        return muster(*arguments, "--load", self.spread)

    def entry_of(self, **parts):
        source = self.write(entry(**parts), "entry.c")
        return compiled(source, self.folder / "entry.so")

    def test_its_policy_decides(self):
        group = {"name": "w", "count": 2, "shape": {"request": {"cpu": 1}}}
        file = self.write(small(jobs=[{"name": "j", "groups": [group]}]))
        packed = muster("run", file, "--profile", "volcano:binpack(weight=10)")
        self.assert_ends(packed, 0, stdout="bind j-w-1 to n0")
        spread = self.load("run", file, "--profile", "volcano:+spread(weight=100)")
        self.assert_ends(spread, 0)
        self.assertEqual(spread.stdout.count(" to n0"), 1, spread.stdout)
        self.assertEqual(spread.stdout.count(" to n1"), 1, spread.stdout)

    def test_its_action_runs(self):
        file = self.write(small())
        result = self.load("run", file, "--profile", "muster:actions=in-order")
        self.assert_ends(result, 0, stdout="2 bound")

    def test_every_command_that_runs_a_profile(self):
        file = self.write(small())
        profile = ("--profile", "volcano:+spread")
        for words in (["run", file], ["explain", file, "j"], ["remedies", file, "j"],
                      ["drain", file, "n0"], ["capacity", file, "--types", "n0"],
                      ["diff", file, file], ["page", file],
                      ["what-if", file, "--plan", "--remove-node", "n0"],
                      ["what-if", file, "--remove-node", "n0"], ["forecast", file]):
            result = self.load(*words, *profile)
            self.assertNotIn("spread", result.stderr, words)
            self.assertNotIn("unknown policy", result.stderr, words)
            self.assertIn(result.returncode, (0, 1), (words, result.stderr))
        compared = self.load("compare", file, "--profiles", "muster volcano:+spread")
        self.assert_ends(compared, 0, stdout="volcano:+spread")
        # Without a name --load adds the policy to each profile, and not each evaluates policies.
        compared = self.load("compare", file, "--profiles", "kai volcano")
        self.assert_ends(compared, 0, stdout='kai: without what --load adds: policy "spread"')
        self.assertNotIn("volcano: without", compared.stdout)
        rows = json.loads(self.load("compare", file, "--json").stdout)["profiles"]
        self.assertIn("kueue", [row["profile"] for row in rows if row["without"]])
        self.assertIn("muster", [row["profile"] for row in rows if not row["without"]])
        self.assert_ends(self.load("compare", file, "--profiles", "kai kueue"), 2,
                         stderr='--profiles: policy "spread"')
        # The profile of --profile is the first, and may be one without use for them.
        compared = self.load("compare", file, "--profile", "kai", "--profiles", "volcano")
        self.assert_ends(compared, 0, stdout='kai: without what --load adds: policy "spread"')
        self.assert_ends(self.load("compare", file, "--profile", "kai"), 0,
                         stdout='kai: without what --load adds: policy "spread"')
        self.assert_ends(self.load("compare", file, "--profile", "kai", "--profiles", "kai"), 2,
                         stderr='--profile: policy "spread"')
        # Where no policy publishes shares, there is no spread, whatever else is in the profile.
        rows = json.loads(self.load(
            "compare", file, "--profiles",
            "volcano:+spread volcano:-proportion,-drf,+spread", "--json").stdout)["profiles"]
        self.assertEqual([row["spread"] is None for row in rows], [False, True])
        check = self.write(small(expect={"binds": {"j-w-0": "n0", "j-w-1": "n1"}}), "check.json")
        self.assert_ends(self.load("check", check, *profile), 0)

    def test_profiles(self):
        """Lists show what is loaded as they show what is built in."""
        listed = json.loads(self.load("profiles", "--json").stdout)
        self.assertIn("spread", [row["name"] for row in listed["policies"]])
        for row in listed["profiles"]:
            names = [action["name"] for action in row["catalogue"]]
            self.assertEqual(names.count("in-order"), 1, row["name"])
        self.assert_ends(self.load("profiles"), 0, stdout="    in-order  gangs as they were")
        spec = "volcano:actions=in-order,+spread(weight=3)"
        listed = json.loads(self.load("profiles", spec, "--json").stdout)
        row = listed["profiles"][0]
        self.assertEqual((row["actions"], row["tiers"][-1][-1]), (["in-order"], "spread"))
        self.assertEqual(row["values"]["spread"], {"weight": "3"})
        self.assertIn("in-order", [action["name"] for action in row["catalogue"]])
        self.assert_ends(self.load("profiles", spec), 0, stdout="    in-order  gangs as they were")
        self.assert_ends(muster("profiles", spec), 2, stderr='unknown action "in-order"')
        self.assert_ends(self.load("profiles", "kai"), 2, stderr='policy "spread"')

    def test_traces(self):
        """A mix has a load of its own, and pools ask no policies."""
        mix = ("mix", "--mix", "philly", "--nodes", "8", "--jobs", "60", "--mix-load", "2")
        profile = ("--policy", "volcano:+spread(weight=100)")
        played = self.load("replay", *mix, *profile, "--json")
        self.assert_ends(played, 0)
        self.assertIn("spread(weight=100)", json.loads(played.stdout)["policy"])
        self.assert_ends(muster("replay", *mix, *profile), 2,
                         stderr='unknown action or policy "spread"')
        told = self.load("forecast", *mix, *profile, "--futures", "3", "--every", "20", "--json")
        self.assert_ends(told, 0)
        self.assertIn("spread(weight=100)", json.loads(told.stdout)["policy"])
        pool = ("mix", "--mix", "hpc", "--jobs", "60", "--policy", "easy")
        for command in ("replay", "forecast"):
            self.assert_ends(self.load(command, *pool), 2,
                             stderr="a batch policy such as easy asks none of the caller's")

    def test_forecasts_go_by_it(self):
        """The action is the only one of the profile: without it nothing would start."""
        told = self.load("forecast", self.write(small()), "--profile", "muster:actions=in-order",
                         "--futures", "3", "--json")
        self.assert_ends(told, 0)
        self.assertEqual([job["start"]["middle"] for job in json.loads(told.stdout)["jobs"]], [0])

    def test_without_it_the_policy_is_unknown(self):
        result = muster("run", self.write(small()), "--profile", "volcano:+spread")
        self.assert_ends(result, 2, stderr="spread")

    def test_options_are_checked(self):
        result = self.load("run", self.write(small()), "--profile", "volcano:+spread(weight=-1)")
        self.assert_ends(result, 2,
                         stderr='option "weight" is "-1"; must be a number from 0 to 100')

    def test_another_build_is_refused_and_does_not_run(self):
        result = muster("run", self.write(small()), "--load", self.entry_of())
        self.assert_ends(result, 2,
                         stderr="entry.so: is built for muster 0.0.1, gcc 1; must be muster ")
        self.assertIn(", as this program", result.stderr)
        self.assertNotIn("add ran", result.stdout)

    def test_what_is_no_object_is_refused(self):
        text = self.write("no object", "text.so")
        for path, words in ((text, "text.so: "), (self.folder / "none.so", "none.so: ")):
            result = muster("run", self.write(small()), "--load", path)
            self.assert_ends(result, 2, stderr=f"--load {path}: ")
            self.assertEqual(result.stderr.count(str(path)), 1, result.stderr)

    def test_an_object_without_entry_is_refused(self):
        source = self.write("int nothing;", "nothing.c")
        result = muster("run", self.write(small()), "--load",
                        compiled(source, self.folder / "nothing.so"))
        self.assert_ends(result, 2, stderr="has no function muster_loadable_entry")

    def test_entries_that_return_nothing_of_use_are_refused(self):
        own = f'"{own_build()}"'
        for parts in ({"returned": "0"}, {"size": "4"}, {"build": "0"}, {"build": own, "add": "0"},
                      {"build": own, "size": "16"}):
            result = muster("run", self.write(small()), "--load", self.entry_of(**parts))
            self.assert_ends(result, 2, stderr="its entry returns nothing of use")
            self.assertNotIn("add ran", result.stdout)

    def test_an_object_that_adds_nothing_is_refused(self):
        result = muster("run", self.write(small()), "--load",
                        self.entry_of(build=f'"{own_build()}"'))
        self.assert_ends(result, 2, stderr="adds no policy and no action")

    def test_an_exception_is_a_refusal(self):
        source = self.write("""#include "muster/loadable.h"
            static void Add(muster::Extensions*) { throw 1; }
            MUSTER_LOADABLE(Add)""", "throws.cc")
        result = muster("run", self.write(small()), "--load",
                        compiled(source, self.folder / "throws.so"))
        self.assert_ends(result, 2, stderr="threw an exception")

    def test_twice_is_a_name_twice(self):
        result = self.load("run", self.write(small()), "--load", self.spread)
        self.assert_ends(result, 2, stderr=f'--load {self.spread}: adds policy "spread"; '
                                           f"the name is taken by {self.spread}")

    def test_names_of_the_library_are_taken(self):
        source = self.write(SOURCE.read_text(encoding="utf-8").replace('"spread"', '"gang"'),
                            "gang.cc")
        file = compiled(source, self.folder / "gang.so")
        result = muster("run", self.write(small()), "--load", file)
        self.assert_ends(result, 2, stderr=f'--load {file}: adds policy "gang"; '
                                           "the name is taken by the library")

    def test_a_function_that_the_program_lacks_is_named(self):
        """As of an object with other containers, or of headers of a later version."""
        file = compiled(SOURCE, self.folder / "debug.so", "-D_GLIBCXX_DEBUG")
        result = muster("run", self.write(small()), "--load", file)
        self.assert_ends(result, 2, stderr=f"--load {file}: this program has no muster::Workbench::"
                                           "Admit(muster::Index<muster::JobTag>, std::__debug::")
        self.assertIn("; must be built for muster ", result.stderr)


if __name__ == "__main__":
    unittest.main()
