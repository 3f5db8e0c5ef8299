# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""The Rust crate builds without another crate, a network or a warning; its first example prints
what its page shows, its second what the command line prints, and its version is the library's."""

import os
import pathlib
import re
import shutil
import tempfile
import unittest

import languages
from languages import LIBRARY, ROOT

CARGO = languages.tool("cargo", os.path.expanduser("~/.cargo/bin/cargo"))
MUSTER = os.environ.get("MUSTER_CLI", "")


@languages.needs_library
@unittest.skipUnless(CARGO, "cargo is not installed")
class Rust(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        # Cargo writes a lock file beside what it builds.
        cls.crate = pathlib.Path(cls.folder.name) / "crate"
        shutil.copytree(ROOT / "examples/rust", cls.crate)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def cargo(self, command, *arguments):
        return languages.run(CARGO, command, "--offline", "--quiet", *arguments, cwd=self.crate,
                             env={**os.environ, "MUSTER_LIB_DIR": str(pathlib.Path(LIBRARY).parent),
                                  "RUSTFLAGS": "-D warnings"})

    def test_first_plan(self):
        self.assertEqual(self.cargo("run", "--example", "first_plan"), languages.shown("Rust"))

    def test_scenario(self):
        scenario = ROOT / "tests/scenarios/gang_undone.json"
        lines = self.cargo("run", "--example", "scenario", str(scenario)).splitlines()
        wanted = languages.run(MUSTER, "run", scenario).splitlines()
        self.assertEqual(lines[:-1], wanted[:-1])
        self.assertEqual(lines[-1].split()[-1], wanted[-1].split()[-1])

    def test_documentation(self):
        self.assertIn("2 passed", self.cargo("test", "--doc"))

    def test_version(self):
        header = (ROOT / "include/muster/version.h").read_text(encoding="utf-8")
        version = re.search(r'MUSTER_VERSION_STRING "([0-9.]+)"', header).group(1)
        self.assertIn(f'\nversion = "{version}"\n',
                      (self.crate / "Cargo.toml").read_text(encoding="utf-8"))


if __name__ == "__main__":
    languages.main()
