# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Actions written in Python: what they may read and move, and how errors end a cycle."""

import traceback
import unittest

from engine import HAVE_ENGINE, muster, needs_engine, rows

if HAVE_ENGINE:
    import numpy as np

    Base = muster.Action
else:
    Base = object


class InOrder(Base):
    """Jobs whole or not at all, the smallest first."""

    def run(self, bench):
        jobs = bench.jobs(bench.waiting())
        for job in jobs.index[np.argsort(jobs.pending, kind="stable")]:
            if bench.should_stop():
                return
            before = bench.save()
            for task in bench.pending_tasks(job):
                if not bench.allocatable(task) or bench.place(task) is None:
                    bench.explain_no_node(task)
                    break
            if bench.ready(job):
                bench.commit(before)
            else:
                bench.rollback(before)


def action(work, **attributes):
    """An action named mine that does `work`."""
    return type("Mine", (muster.Action,), {"run": lambda self, bench: work(bench), **attributes})()


@needs_engine
class Actions(unittest.TestCase):
    def setUp(self):
        self.cluster = muster.Cluster()
        self.cluster.add_nodes(2, cpu=2)
        self.cluster.add_job("low", phase="running", min_available=1)
        self.cluster.add_task("low-0", job="low", cpu=1, status="running", node="n0")
        self.cluster.add_job("wide", count=4, min_available=4, cpu=1, priority=3, phase="admitted")
        self.cluster.add_job("pair", count=2, min_available=2, cpu=1, priority=2, phase="admitted")
        self.note_names()

    def run_(self, work, profile="muster:actions=mine", **attributes):
        return self.cluster.schedule(profile, policies=[action(work, **attributes)])

    def index_of(self, kind, name):
        return self.names[kind].index(name)

    def note_names(self):
        """A cluster does not answer while its cycle runs."""
        self.names = {kind: list(getattr(self.cluster, kind)["name"]) for kind in ("jobs", "tasks")}

    def test_places_whole_gangs(self):
        plan = self.cluster.schedule("muster:actions=in-order", policies=[InOrder()])
        self.assertEqual(list(plan.binds["job"]), ["pair", "pair"])
        self.assertIn("node", plan.explain("wide"))
        with_policy = self.cluster.schedule("muster:actions=in-order,tiers=first+gang/predicates",
                                            policies=[InOrder(), FirstNode()])
        self.assertEqual(set(with_policy.binds["node"]), {"n1"})

    def test_evicts_and_nominates(self):
        def work(bench):
            low, task = self.index_of("tasks", "low-0"), self.index_of("tasks", "wide-0")
            others = bench.pending_tasks(self.index_of("jobs", "wide"))
            before = bench.save()
            self.assertTrue(bench.place_on(others[1], 0))
            self.assertFalse(bench.place_on(others[2], 0))
            self.assertEqual(bench.tasks_on(0).tolist(), sorted([low, others[1]]))
            self.assertTrue(bench.evict(low, task))
            self.assertEqual(list(bench.tasks(low).status), ["releasing"])
            self.assertFalse(bench.evict(low))
            self.assertTrue(bench.return_(low))
            self.assertEqual(list(bench.tasks([low]).status), ["running"])
            bench.rollback(before)
            self.assertEqual(bench.nodes().idle["cpu"].tolist(), [1000, 2000])
            for other in others[1:]:
                self.assertIsNotNone(bench.place(other))
            self.assertEqual(bench.nodes().idle["cpu"].tolist(), [0, 0])
            self.assertIsNone(bench.place(task))
            self.assertTrue(bench.evict(low, task))
            self.assertEqual(bench.nominate(task), 0)
            self.assertTrue(bench.pipelined(self.index_of("jobs", "wide")))
            bench.commit(before)

        plan = self.run_(work, evicts=True)
        self.assertEqual(list(plan.evictions["task"]), ["low-0"])
        self.assertEqual(list(plan.nominations["task"]), ["wide-0"])

    def test_reads_orders_gates_and_victims(self):
        def work(bench):
            jobs = {name: i for i, name in enumerate(self.names["jobs"])}
            low, task = self.index_of("tasks", "low-0"), self.index_of("tasks", "wide-0")
            self.assertEqual(bench.now, 7)
            self.assertEqual(bench.waiting().tolist(), [jobs["wide"], jobs["pair"]])
            self.assertTrue(bench.job_before(jobs["wide"], jobs["pair"]))
            self.assertFalse(bench.queue_before(0, 0))
            self.assertTrue(bench.task_before(task, task + 1))
            self.assertTrue(bench.may_take_turn(0))
            self.assertTrue(bench.valid(jobs["wide"]) and bench.starving(jobs["wide"]))
            self.assertTrue(bench.fits(task, 0))
            self.assertEqual(bench.preemptable(task, [low]).tolist(), [low])
            self.assertEqual(bench.reclaimable(task, np.array([], dtype=int)).tolist(), [])
            self.assertEqual(list(bench.queues().name), ["default"])
            self.assertEqual(list(bench.domains().name), [""])
            self.assertEqual(len(bench.jobs()), 3)
            for wrong in ([1.5], ["a"], [True]):
                with self.assertRaisesRegex(muster.InvalidArgument,
                                            "workbench: rows: expected integers, got an array of"):
                    bench.jobs(wrong)

        self.cluster.schedule("volcano:actions=mine,tiers=priority+gang(without=preemptable)/predicates",
                              policies=[action(work)], now=7)

    def test_reserves_moves_and_admits(self):
        self.cluster.add_job("new", count=1, cpu=1, min_resources={"cpu": 1})
        self.note_names()

        def work(bench):
            before = bench.save()
            self.assertTrue(bench.move_to(self.index_of("tasks", "low-0"), 1))
            self.assertIsNotNone(bench.reserve(self.index_of("tasks", "pair-0"), 60, "together"))
            bench.commit(before)
            bench.admit(self.index_of("jobs", "new"))

        plan = self.run_(work, admits=True)
        self.assertEqual(rows(plan.moves), 1)
        self.assertEqual(rows(plan.reservations), 1)
        self.assertEqual(list(plan.admitted["job"]), ["new"])

    def test_errors_end_the_cycle_and_change_nothing(self):
        task = self.index_of("tasks", "pair-0")
        before = self.cluster.to_dict(), self.cluster.version

        def place(bench):
            saved = bench.save()
            bench.place(task)
            bench.commit(saved)
            return saved

        def broken(bench):
            place(bench)
            raise ZeroDivisionError("deep inside")

        with self.assertRaises(ZeroDivisionError) as caught:
            try:
                self.run_(broken)
            except ZeroDivisionError as error:
                self.assertEqual(traceback.extract_tb(error.__traceback__)[-1].name, "broken")
                raise
        self.assertEqual(str(caught.exception), "deep inside")
        for work, kind, words in (
                (lambda bench: bench.place(77), muster.OutOfRange, "there is no task 77"),
                (lambda bench: bench.ready(-1), muster.OutOfRange, "there is no job -1"),
                (lambda bench: bench.rollback(place(bench)), muster.FailedPrecondition,
                 "savepoint 0 is over"),
                (lambda bench: bench.place("x"), TypeError, "incompatible"),
                (lambda bench: bench.nonsense(), AttributeError, "nonsense")):
            with self.subTest(words=words), self.assertRaisesRegex(kind, words):
                self.run_(work)
        self.assertEqual((self.cluster.to_dict(), self.cluster.version), before)
        self.assertEqual(list(self.run_(place).binds["task"]), ["pair-0"])

    def test_an_exception_of_a_policy_ends_the_action(self):
        went_on = []

        class Broken(muster.Policy):
            def ready(self, jobs):
                raise KeyError("policy")

        def work(bench):
            try:
                bench.ready(1)
            except muster.FailedPrecondition as error:
                went_on.append(str(error))
                bench.place(1)

        with self.assertRaisesRegex(KeyError, "policy"):
            self.cluster.schedule("muster:actions=mine,tiers=broken+gang/predicates",
                                  policies=[action(work), Broken()])
        self.assertEqual(went_on, ["workbench: the cycle has failed"])

    def test_a_policy_may_not_move(self):
        kept = []

        class Meddler(muster.Policy):
            def ready(self, jobs):
                kept[0].place(1)

        def work(bench):
            kept.append(bench)
            bench.ready(1)

        with self.assertRaisesRegex(muster.FailedPrecondition, "only the action may call"):
            self.cluster.schedule("muster:actions=mine,tiers=meddler+gang/predicates",
                                  policies=[action(work), Meddler()])
        with self.assertRaisesRegex(muster.FailedPrecondition, "ends with its action"):
            kept[0].place(1)

    def test_what_is_no_action(self):
        with self.assertRaisesRegex(muster.InvalidArgument, 'name is taken'):
            self.run_(lambda bench: None, "muster:actions=allocate", name="allocate")
        with self.assertRaises(NotImplementedError):
            self.cluster.schedule("muster:actions=bare",
                                  policies=[type("Bare", (muster.Action,), {})()])
        with self.assertRaisesRegex(muster.InvalidArgument, "write policies="):
            self.cluster.schedule("muster", policies=InOrder())

    def test_an_action_that_the_profile_does_not_name_is_refused(self):
        trace = muster.traces.mix(jobs=3, nodes=2)
        for profile in ("muster", "muster:-preempt", "muster:allocate(promise=in-order)"):
            for play in (lambda: self.cluster.schedule(profile, policies=[InOrder()]),
                         lambda: self.cluster.freeze().schedule(profile, policies=[InOrder()]),
                         lambda: muster.replay(trace, profile, policies=[InOrder()])):
                with self.assertRaisesRegex(
                        muster.InvalidArgument,
                        'does not name the action "in-order"; name it where it belongs'):
                    play()


if HAVE_ENGINE:
    class FirstNode(muster.Policy):
        name = "first"

        def fit(self, task_class, nodes):
            return nodes.name == "n1"

    def test_what_was_kept_ends_with_a_call_that_throws(self):
        """As where memory runs out in the engine: tables are gone, and Python kept the cycle."""
        from muster import _core
        from muster.action import adapt

        if not hasattr(_core, "with_native_throws"):
            self.skipTest("this build has no action in C++ that throws")
        kept = []
        own = _core.with_native_throws(adapt([action(lambda bench: kept.append(bench._cycle),
                                                     name="mine")]))
        profile = "muster:actions=mine+throws"
        asked = (lambda: _core.schedule(self.cluster.freeze()._core, profile, {}, own),
                 lambda: self.cluster._core.rehearse(profile, [], 0, own))
        for ask in asked:
            with self.assertRaises(MemoryError):
                ask()
            with self.assertRaisesRegex(muster.FailedPrecondition, "ends with its cycle"):
                kept.pop().dimensions()



if __name__ == "__main__":
    unittest.main()
