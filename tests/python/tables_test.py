# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Cells of tables of rows."""

import unittest

import numpy as np

from engine import muster, needs_engine


@needs_engine
class Counts(unittest.TestCase):
    def test_an_empty_count_is_unset(self):
        cluster = muster.Cluster()
        cluster.add_jobs({"name": ["p", "q"], "cpu": [1, 1], "count": [2, None]})
        cluster.add_jobs({"name": ["r"], "cpu": [1], "count": np.array([np.nan])})
        self.assertEqual(list(cluster.jobs["tasks"]), [2, 1, 1])


if __name__ == "__main__":
    unittest.main()
