# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""For tests of the package with its engine: `from engine import muster, needs_engine`.

They run where PYTHONPATH names a build with the extension module (build/release/python, or a wheel
in a venv), and are skipped, visibly, where there is none. What a wheel must do without the checkout
is tested through an installed package: nothing here puts python/ into the path unless no muster is
found at all.
"""

import os
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

try:
    import muster
except ImportError:
    sys.path.append(str(ROOT / "python"))
    import muster  # without its engine

HAVE_ENGINE = muster.HAVE_ENGINE
needs_engine = unittest.skipUnless(HAVE_ENGINE, "the extension module muster._core is not built")


def rows(table):
    """The number of rows of a DataFrame, or of the dict of arrays that stands for it without
    pandas."""
    return len(next(iter(table.values()))) if isinstance(table, dict) else len(table)


def run_muster(*words, text=None, **more):
    """Runs the program of the package, `muster WORDS`, as a process; `more` is subprocess.run's."""
    path = os.pathsep.join(p for p in (str(pathlib.Path(muster.__file__).parents[1]),
                                       os.environ.get("PYTHONPATH")) if p)
    return subprocess.run(
        [sys.executable, "-m", "muster", *map(str, words)], capture_output=True, text=True,
        check=False, input=text,
        env=os.environ | {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}, **more)


def present(column):
    """The cells of a column of a table as a list, with None for those that are absent."""
    return muster.frames.array(column, "column").tolist()
