# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""The Rust example builds without a crate and without a warning, and prints what its page says."""

import os
import pathlib
import tempfile
import unittest

import languages
from languages import LIBRARY, ROOT

RUSTC = languages.tool("rustc", os.path.expanduser("~/.cargo/bin/rustc"))


@languages.needs_library
@unittest.skipUnless(RUSTC, "rustc is not installed")
class Rust(unittest.TestCase):
    def test_first_plan(self):
        library = pathlib.Path(LIBRARY).parent
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "first_plan"
            languages.run(RUSTC, "--edition", "2021", "-O", "-D", "warnings",
                          ROOT / "examples/rust/first_plan.rs",
                          "-L", library, "-C", f"link-arg=-Wl,-rpath,{library}", "-o", program)
            self.assertEqual(languages.run(program), languages.shown("Rust"))


if __name__ == "__main__":
    languages.main()
