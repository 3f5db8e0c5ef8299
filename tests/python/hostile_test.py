# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Values that work against their reader: lists inside themselves, classes that raise, names that
are none. Errors are Muster's own, with place and rule; what a caller's class raises on its way to
an answer stays the caller's."""

import unittest

from engine import HAVE_ENGINE, muster, needs_engine

if HAVE_ENGINE:
    import numpy as np


class NoRepr:
    def __repr__(self):
        raise RuntimeError("no repr")


class NoIndex:
    def __index__(self):
        raise ZeroDivisionError("no index")


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

    def test_a_time_limit_that_raises(self):
        cluster = cluster_of()
        with self.assertRaisesRegex(ZeroDivisionError, "no index"):
            cluster.schedule("muster", time_limit=NoIndex())
        self.refused("options: time_limit: expected seconds, 0 or more", cluster.schedule,
                     time_limit=-10**400)
        with self.assertRaisesRegex(ZeroDivisionError, "no index"):
            muster.mixes.named_mix("hpc").generate(jobs=5, processors=8, load=NoIndex())
        trace = muster.Trace({"submit": [0], "run": [1], "tasks": [1]}, processors=4)
        with self.assertRaisesRegex(ZeroDivisionError, "no index"):
            muster.replay(trace, "easy", learnt_quantile=NoIndex())
        self.assertEqual(len(cluster.schedule("muster", time_limit=10**9).binds), 4)


def policy(**attributes):
    score = lambda self, task_class, nodes: np.zeros(len(nodes))
    return type("Mine", (muster.Policy,), {"score": score} | attributes)()


def action(**attributes):
    return type("Work", (muster.Action,), {"run": lambda self, bench: None} | attributes)()


@needs_engine
class Names(Case):
    def refuses(self, words, one):
        cluster = cluster_of()
        for made in (cluster, cluster.freeze()):
            self.refused(words, made.schedule, "volcano", policies=[one])

    def test_names_are_words(self):
        rule = "must be 1 to 64 lower-case letters, digits, '-' and '_'"
        for name, shown in (('Bad Name\n"x', '"Bad Name\\n\\"x"'), ("", '""'),
                            ("mine.x", '"mine.x"'), ("m" * 65, f'"{"m" * 65}"')):
            self.refuses(f"policy of class Mine: name {shown} {rule}", policy(name=name))
            self.refuses(f"action of class Work: name {shown} {rule}", action(name=name))
        for name, words in ((5, "expected a text, got 5 (int)"),
                            (b"b", "expected a text, got b'b'"),
                            ("\udc80", "the text is not valid Unicode")):
            self.refuses(f"policy of class Mine: name: {words}", policy(name=name))
            self.refuses(f"action of class Work: name: {words}", action(name=name))
        plan = cluster_of().schedule("volcano", policies=[policy(name="m-_9" * 16)])
        self.assertEqual(len(plan.binds), 4)

    def test_other_attributes(self):
        for value, words in (("\udc80", "the text is not valid Unicode"),
                             (None, "expected a text, got None"),
                             (NoRepr(), "expected a text, got a value (NoRepr)")):
            self.refuses(f'policy "mine": refusal: {words}', policy(refusal=value))
            self.refuses(f'action "work": summary: {words}', action(summary=value))
        for name in ("admits", "evicts"):
            self.refuses(f'action "work": {name}: expected True or False, got',
                         action(**{name: "no"}))
        self.refuses('policy "mine": score_kind is a value (NoRepr); must be', policy(
            score_kind=NoRepr()))


@needs_engine
class Answers(Case):
    def test_a_masked_answer_is_none(self):
        cluster = cluster_of()

        def score(mask):
            return policy(score=lambda self, c, nodes: np.ma.masked_array([1.0, 2.0], mask=mask))

        with self.assertRaisesRegex(
                muster.PolicyError,
                'policy "mine": score: masked in row 1: node "n1", task class of "train-'):
            cluster.schedule("volcano", policies=[score([False, True])])
        known = cluster.schedule("volcano", policies=[score(False)])
        plain = policy(score=lambda self, c, nodes: [1.0, 2.0])
        plain = cluster.schedule("volcano", policies=[plain])
        self.assertEqual(known.digest, plain.digest)
        for point, answer, row in (
            ("job_order", lambda self, jobs: np.ma.masked_all(len(jobs)), 'row 0: job "train"'),
            ("admit", lambda self, jobs: np.ma.masked_all(len(jobs), bool), 'row 0: job "train"'),
            ("fit", lambda self, c, nodes: np.ma.masked_all(len(nodes), bool), 'row 0: node "n0"'),
        ):
            with self.assertRaisesRegex(muster.PolicyError, f"{point}: masked in {row}"):
                cluster.schedule("volcano", policies=[policy(**{point: answer})])


if __name__ == "__main__":
    unittest.main()
