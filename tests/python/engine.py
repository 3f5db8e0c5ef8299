# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""For tests of the package with its engine: `from engine import muster, needs_engine`.

They run where PYTHONPATH names a build with the extension module (build/release/python, or a wheel
in a venv), and are skipped, visibly, where there is none. What a wheel must do without the checkout
is tested through an installed package: nothing here puts python/ into the path unless no muster is
found at all.
"""

import pathlib
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


def present(column):
    """The cells of a column of a table as a list, with None for those that are absent."""
    return muster.frames.array(column, "column").tolist()
