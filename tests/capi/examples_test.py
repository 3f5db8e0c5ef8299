# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""The examples in C, C++ and Python's ctypes print what docs/languages.md shows."""

import os
import pathlib
import sys
import unittest

import languages
from languages import LIBRARY, ROOT


@languages.needs_library
class Examples(unittest.TestCase):
    def built(self, name):
        program = pathlib.Path(LIBRARY).parent / name
        if not program.exists():
            self.skipTest(f"{name} is not built (MUSTER_BUILD_EXAMPLES)")
        return languages.run(program)

    def test_c(self):
        self.assertEqual(self.built("muster_c_first_plan"), languages.shown("C"))

    def test_cpp(self):
        self.assertEqual(self.built("muster_event_loop"), languages.shown("C++"))

    def test_ctypes(self):
        out = languages.run(sys.executable, ROOT / "examples/ctypes/first_plan.py",
                            env=dict(os.environ, MUSTER_C=LIBRARY))
        self.assertEqual(out, languages.shown("Python, ctypes"))


if __name__ == "__main__":
    languages.main()
