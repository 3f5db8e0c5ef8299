# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Values that work against their reader: lists inside themselves, and classes that raise. Errors are
Muster's own, with place and rule."""

import unittest

from engine import HAVE_ENGINE, muster, needs_engine

if HAVE_ENGINE:
    import numpy as np


class NoRepr:
    def __repr__(self):
        raise RuntimeError("no repr")


def inside_itself():
    values, table = [], {}
    values.append(values)
    table["a"] = table
    return values, table


def nested(levels):
    value = "end"
    for _ in range(levels):
        value = [value]
    return value


def cluster_of(nodes=2):
    cluster = muster.Cluster()
    cluster.add_nodes(nodes, cpu=8)
    cluster.add_job("train", count=4, cpu=1)
    return cluster


class Case(unittest.TestCase):
    def refused(self, words, ask, *arguments, **keywords):
        with self.assertRaises(muster.InvalidArgument) as caught:
            ask(*arguments, **keywords)
        self.assertTrue(str(caught.exception).startswith(words), caught.exception)


@needs_engine
class Values(Case):
    def test_inside_themselves(self):
        for value in inside_itself():
            cluster = cluster_of()
            for name in ("labels", "taints", "unschedulable"):
                self.refused(f'node "z": {name}: ', cluster.add_node, "z", **{name: value})
                self.refused(f"nodes: {name}: ", cluster.add_nodes, name=np.array(["z"]),
                             **{name: {"a": value}})
            self.refused('task "z": priority: ', cluster.add_task, "z", priority=value)
            for made in (cluster, cluster.freeze()):
                self.refused("turn: expected what JSON can hold: Circular", made.schedule, "muster",
                             turn=value)
        self.refused("scenario: expected what JSON can hold: Circular",
                     muster.Cluster.from_scenario, inside_itself()[1])
        self.assertEqual(len(cluster.to_dict()["nodes"]), 2)

    def test_the_deepest(self):
        cluster = muster.Cluster()
        self.refused('node "z": labels: nested deeper than 256', cluster.add_node, "z",
                     labels=nested(257))
        self.refused('node "z": labels: expected a dict, got [[[', cluster.add_node, "z",
                     labels=nested(256))
        table = {}
        table["key" * 20] = table
        self.refused('node "z": labels: keykey', cluster.add_node, "z", labels=table)
        with self.assertRaisesRegex(muster.InvalidArgument, r"\.\.\.: nested deeper than 256$"):
            cluster.add_node("z", labels=table)

    def test_without_a_repr(self):
        cluster, value = cluster_of(), NoRepr()
        got = "a value (NoRepr)"
        for name, form in (("labels", "a dict"), ("taints", "a list"),
                           ("unschedulable", "True or False")):
            self.refused(f'node "z": {name}: expected {form}, got {got}', cluster.add_node, "z",
                         **{name: value})
        self.refused(f'node "z": capacity: expected a dict, got {got}', cluster.add_node, "z",
                     capacity=value, cpu=1)
        self.refused(f'task "z": shape: expected a dict, got {got}', cluster.add_task, "z",
                     shape=value, cpu=1)
        self.refused(f'task "z": priority: expected an integer, got {got}', cluster.add_task, "z",
                     priority=value)
        self.refused(f"options: now: expected an integer, got {got}", cluster.schedule, now=value)
        self.refused("turn: expected what JSON can hold: Object of type NoRepr", cluster.schedule,
                     turn=value)
        self.refused(f"policies: expected a muster.Policy or muster.Action, got {got}",
                     cluster.schedule, policies=[value])
        self.refused(f"now: expected an integer of 64 bits, got {got}", cluster.expire_assumptions,
                     value)
        self.refused(f"reconcile: nodes[0]: expected a dict, got {got}", cluster.reconcile,
                     {"nodes": [value]})


if __name__ == "__main__":
    unittest.main()
