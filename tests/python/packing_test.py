# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""The fragmentation study from Python."""

import csv
import gzip
import pathlib
import tempfile
import unittest

import numpy as np

from engine import muster, needs_engine, rows
from replay_test import TRACES

NODES = "sn,cpu_milli,memory_mib,gpu,model\nn0,8000,1024,2,A\nn1,8000,1024,2,B\n"
PODS = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec\np0,1000,10,1,500,\np1,1000,10,2,1000,B|A\np2,1000,10,1,{},B\n"


@needs_engine
class Small(unittest.TestCase):
    def write(self, milli=600, ranks="node_row,seed1\n0,1\n1,0\n"):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        root = pathlib.Path(folder.name)
        for path, text in {
            "openb/openb_node_list_gpu_node.csv": NODES,
            "openb/pods/openb_pod_list_small.csv.gz": PODS.format(milli),
            "openb/orders/arrivals_small.csv.gz": "pos,seed1\n0,0\n1,1\n2,2\n3,1\n",
            "openb/orders/noderank_small.csv.gz": ranks,
        }.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(text.encode())
        return root

    def test_decisions_and_curves_are_columns(self):
        filling = muster.packing.openb(self.write(), list="small", seed=1)
        self.assertEqual(len(filling), 4)
        self.assertIn("openb small, seed 1: 4 arrivals, 2 nodes", repr(filling))
        result = filling.replay("fgd:gpu-packing")
        table = result.decisions
        self.assertEqual([list(table[c]) for c in ("task", "node", "gpus")],
                         [[0, 1, 2, 1], [1, 0, 1, -1], [1, 3, 2, 0]])
        self.assertEqual((result.failed, result.used_milli, result.arrived_milli, result.gpu_milli),
                         (1, 3100, 5100, 4000))
        self.assertEqual(result.curves["allocated"][12], 12.5)
        self.assertEqual(rows(result.curves), 129)
        self.assertTrue(np.isnan(result.curves["allocated"][40]))
        bare = filling.replay("fgd", curves=False)
        self.assertNotIn("fragments", bare.arrays)

    def test_tables_are_read_plain_and_packed(self):
        """Plain as `muster traces fetch` writes them; of two files the plain one counts."""
        root = self.write()
        filled = lambda: muster.packing.openb(root, list="small", seed=1).replay("fgd")
        played = lambda: muster.traces.openb(root, list="small", seed=1).digest
        expected = filled(), played()
        for path in root.glob("openb/*/*.csv.gz"):
            path.rename(path.with_suffix(""))
        self.assertEqual((filled(), played()), expected)
        for path in root.glob("openb/*/*.csv"):
            path.with_suffix(".csv.gz").write_text("not read")
        self.assertEqual((filled(), played()), expected)
        for path in [*root.glob("openb/*.csv"), *root.glob("openb/*/*.csv")]:
            path.with_suffix(".csv.gz").write_bytes(gzip.compress(path.read_bytes()))
            path.unlink()
        self.assertEqual((filled(), played()), expected)

    def test_every_policy_plays(self):
        filling = muster.packing.openb(self.write(), list="small", seed=1)
        for policy in muster.packing.POLICIES:
            self.assertEqual(filling.replay(policy).policy, policy)

    def test_bad_input(self):
        with self.assertRaisesRegex(muster.NotFound,
                                    "there is no file .*arrivals_other|openb_pod_list_other"):
            muster.packing.openb(self.write(), list="other")
        with self.assertRaisesRegex(muster.InvalidArgument, 'no column "seed42"'):
            muster.packing.openb(self.write(), list="small")
        with self.assertRaisesRegex(muster.InvalidArgument,
                                    r"openb_pod_list_small.csv.gz:4: gpu_milli"):
            muster.packing.openb(self.write(milli=1001), list="small", seed=1)
        with self.assertRaisesRegex(muster.InvalidArgument, "two nodes have the rank 0"):
            muster.packing.openb(self.write(ranks="node_row,seed1\n0,0\n1,0\n"), list="small",
                                 seed=1)
        with self.assertRaisesRegex(muster.InvalidArgument, 'did you mean "fgd:best-fit"'):
            muster.packing.openb(self.write(), list="small", seed=1).replay("fgd:bestfit")


@needs_engine
@unittest.skipUnless((TRACES / "openb").is_dir(), f"no openb in {TRACES}")
class Recorded(unittest.TestCase):
    def test_every_decision_is_the_recorded_one(self):
        filling = muster.packing.openb(TRACES)
        result = filling.replay("fgd")
        with gzip.open(TRACES / "openb/golden/placements_default_FGD_seed42.csv.gz", "rt") as file:
            golden = list(csv.DictReader(file))
        self.assertEqual(list(result.arrays["task"]), [int(row["pod_row"]) for row in golden])
        self.assertEqual(list(result.arrays["node"]), [int(row["node_row"]) for row in golden])
        masks = [sum(1 << int(gpu) for gpu in row["gpu_ids"].split("-") if gpu) for row in golden]
        self.assertEqual(list(result.arrays["gpus"]), masks)
        self.assertEqual((result.failed, result.used_milli, result.typical), (2532, 5919410, 35))


if __name__ == "__main__":
    unittest.main()
