# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Policies written in Python: each point, and what is refused."""

import unittest

from engine import HAVE_ENGINE, muster, needs_engine, rows

if HAVE_ENGINE:
    import numpy as np

    Base = muster.Policy
else:
    Base = object


def cluster_of(nodes=4, cpu=4):
    cluster = muster.Cluster()
    for i in range(nodes):
        cluster.add_node(f"n{i}", cpu=cpu, labels={"zone": "ab"[i % 2]})
    return cluster


def nodes_of(plan):
    return dict(zip(plan.binds["task"], plan.binds["node"]))


class LastFirst(Base):
    def __init__(self):
        self.calls = 0

    def score(self, task_class, nodes):
        self.calls += 1
        return 1e6 * nodes.index


class Fullest(Base):
    """As many tasks on one node as fit: needs the books as they are now."""

    score_kind = "node"

    def __init__(self):
        self.rows = []

    def score(self, task_class, nodes):
        self.rows.append(len(nodes))
        return 1e6 * nodes.used["cpu"]


class OfResources(Base):
    """Keeps what a mapping of amounts has of the names, or the words of its refusal."""

    def __init__(self, *names):
        self.names, self.told = names, {}

    def fit(self, task_class, nodes):
        for name in self.names:
            try:
                self.told[name] = list(nodes.idle[name])
            except KeyError as failure:
                self.told[name] = str(failure)
        self.told["in"] = [name in nodes.idle for name in self.names]
        self.told["get"] = [nodes.idle.get(name) is None for name in self.names]
        return np.ones(len(nodes), dtype=bool)


class ZoneB(Base):
    refusal = "only zone b"

    def fit(self, task_class, nodes):
        if task_class.labels.get("anywhere"):
            return np.ones(len(nodes), dtype=bool)
        return nodes.label("zone") == "b"


@needs_engine
class Nodes(unittest.TestCase):
    def test_amounts_of_a_resource_that_is_not_there(self):
        cluster = muster.Cluster()
        cluster.add_nodes(2, cpu=8, gpu=4)
        cluster.add_job("a", cpu=1)
        policy = OfResources("nvidia.com/gpu", "gpu", "gpus", "cpus")
        cluster.schedule("muster", policies=[policy])
        self.assertEqual(policy.told["nvidia.com/gpu"], [4000, 4000])
        self.assertEqual(policy.told["gpu"], [4000, 4000])
        self.assertTrue(policy.told["gpus"].startswith(
            'idle: the cluster has no resource "gpus"'), policy.told["gpus"])
        self.assertTrue(policy.told["cpus"].startswith(
            'idle: the cluster has no resource "cpus", did you mean "cpu"?; it has cpu, memory'),
            policy.told["cpus"])
        self.assertEqual(policy.told["in"], [True, True, False, False])
        self.assertEqual(policy.told["get"], [False, False, True, True])

    def test_an_extended_resource_of_which_there_is_none(self):
        cluster = muster.Cluster()
        cluster.add_nodes(2, cpu=8)
        cluster.add_job("a", cpu=1)
        policy = OfResources("gpu", "example.com/x")
        cluster.schedule("muster", policies=[policy])
        self.assertEqual(policy.told, {"gpu": [0, 0], "example.com/x": [0, 0],
                                       "in": [False, False], "get": [False, False]})

    def test_a_resource_of_a_short_name_is_itself(self):
        cluster = muster.Cluster.from_scenario({"muster": 1, "nodes": [
            {"name": "n", "capacity": {"cpu": 8, "gpu": "2", "nvidia.com/gpu": 4}}]})
        cluster.add_job("a", cpu=1)
        policy = OfResources("gpu", "nvidia.com/gpu")
        cluster.schedule("muster", policies=[policy])
        self.assertEqual(policy.told["gpu"], [2000])
        self.assertEqual(policy.told["nvidia.com/gpu"], [4000])

    def test_a_frozen_score_is_given_once_for_each_class(self):
        cluster = cluster_of(nodes=8)
        cluster.add_job("a", count=3, cpu=4, priority=2)
        cluster.add_job("b", count=3, cpu=2, priority=1)
        policy = LastFirst()
        plan = cluster.schedule("volcano", policies=[policy])
        self.assertEqual([nodes_of(plan)[f"a-{i}"] for i in range(3)], ["n7", "n6", "n5"])
        self.assertEqual(policy.calls, 2)
        self.assertEqual(cluster.freeze().schedule("volcano", policies=[policy]).digest,
                         plan.digest)

    def test_equal_to_the_engine_without_its_speed(self):
        cluster = cluster_of(nodes=20)
        for j in range(12):
            cluster.add_job(f"j{j}", count=5, min_available=3, cpu=1 + j % 3)
        for policy in (LastFirst(), Fullest(), ZoneB()):
            plan = cluster.schedule("volcano", policies=[policy])
            for switch in ("block_winners", "share_equal_states", "infeasibility_memory",
                           "vector_kernels"):
                other = cluster.freeze().schedule("volcano", policies=[policy],
                                                  speed={switch: False})
                self.assertEqual(other.digest, plan.digest, (policy, switch))

    def test_equal_to_the_same_policy_in_cpp(self):
        from muster import _core

        if not hasattr(_core, "native_frozen"):
            self.skipTest("this build has no policy in C++ to compare with")

        class Frozen(Base):
            def score(self, task_class, nodes):
                return 10 * nodes.idle["cpu"] / nodes.allocatable["cpu"] + 1e-3 * (nodes.index % 97)

        cluster = cluster_of(nodes=200)
        for j in range(40):
            cluster.add_job(f"j{j}", count=9, min_available=3, cpu=f"{300 + 50 * (j % 7)}m")
        plain = cluster.schedule("volcano").digest
        for cycle in range(2):
            plan = cluster.schedule("volcano", policies=[Frozen()])
            native = _core.schedule(cluster.freeze()._core, "volcano", {}, _core.native_frozen())
            self.assertEqual(plan.digest, native.digest)
            self.assertNotEqual(plan.digest, plain)
            cluster.apply(plan)
            cluster.add_job(f"more{cycle}", count=50, cpu=1)

    def test_a_node_score_follows_the_books(self):
        cluster = cluster_of()
        cluster.add_job("a", count=8, cpu=1)
        policy = Fullest()
        plan = cluster.schedule("volcano", policies=[policy])
        placed = [nodes_of(plan)[f"a-{i}"] for i in range(8)]
        self.assertEqual(len(set(placed)), 2)
        self.assertEqual(len(set(placed[:4])), 1)
        self.assertEqual(policy.rows[0], 4)
        self.assertTrue(all(rows <= 2 for rows in policy.rows[1:]), policy.rows)

    def test_the_next_cycle_asks_afresh(self):
        class Moody(Base):
            best = 1

            def score(self, task_class, nodes):
                return 1e6 * (nodes.index == self.best)

        cluster, policy = cluster_of(), Moody()
        cluster.add_job("a", count=1, cpu=1)
        self.assertEqual(nodes_of(cluster.schedule("volcano", policies=[policy])), {"a-0": "n1"})
        policy.best = 2
        self.assertEqual(nodes_of(cluster.schedule("volcano", policies=[policy])), {"a-0": "n2"})
        cluster.add_node("n9", cpu=4)
        cluster.remove_node("n0")
        policy.best = 4
        self.assertEqual(nodes_of(cluster.schedule("volcano", policies=[policy])), {"a-0": "n9"})

    def test_fit_and_its_words(self):
        cluster = cluster_of()
        cluster.add_job("a", count=3, min_available=1, cpu=4)
        cluster.add_job("free", count=2, cpu=4, labels={"anywhere": "yes"})
        spec = "volcano:tiers=priority+gang/overcommit+predicates+nodeorder"
        plan = cluster.schedule(spec, policies=[ZoneB()])
        self.assertEqual({nodes_of(plan)[t] for t in ("a-0", "a-1")}, {"n1", "n3"})
        self.assertEqual({nodes_of(plan)[t] for t in ("free-0", "free-1")}, {"n0", "n2"})
        self.assertIn("2 nodes: zone-b: only zone b", plan.explain("a"))

    def test_a_framework_of_mesos(self):
        class Framework(ZoneB):
            def task_order(self, tasks):
                return -tasks.index

        cluster = cluster_of()
        cluster.add_job("a", count=3, cpu=4)
        self.assertEqual(nodes_of(cluster.schedule("mesos", policies=[Framework()])),
                         {"a-2": "n1", "a-1": "n3"})

    def test_no_eviction_where_a_fit_refuses(self):
        cluster = cluster_of(nodes=2)
        for i in range(2):
            cluster.add_job(f"low{i}", min_available=0, priority=1, preemptable=True,
                            phase="running")
            cluster.add_task(f"low{i}-0", job=f"low{i}", cpu=4, status="running", node=f"n{i}",
                             priority=1)
        cluster.add_job("high", count=1, min_available=1, cpu=4, priority=9)
        spec = "volcano:actions=admit+allocate+preempt,tiers=priority+conformance/overcommit+predicates"
        self.assertEqual(rows(cluster.schedule(spec).evictions), 1)
        plan = cluster.schedule(spec, policies=[ZoneB()])
        self.assertEqual(list(plan.evictions["node"]), ["n1"])

        class Nowhere(Base):
            def fit(self, task_class, nodes):
                return np.zeros(len(nodes), dtype=bool)

        self.assertEqual(rows(cluster.schedule(spec, policies=[Nowhere()]).evictions), 0)

    def test_what_a_policy_is_shown(self):
        seen = {}

        class Look(Base):
            def score(self, task_class, nodes):
                seen.update(
                    request=task_class.request,
                    namespace=task_class.namespace,
                    names=list(nodes.name),
                    zones=list(nodes.label("zone")),
                    idle=nodes.idle["cpu"].tolist(),
                    memory=nodes.allocatable["memory"].tolist(),
                    pods=nodes.idle["pods"].tolist(),
                    unknown=nodes.used["example.com/x"].tolist(),
                    dimensions=list(nodes.idle),
                    writeable=nodes.idle["cpu"].flags.writeable,
                )
                return np.zeros(len(nodes))

        cluster = cluster_of(nodes=2)
        cluster.add_node("bare", memory="1Ki")
        cluster.add_task("t", cpu=1, status="running", node="n0")
        cluster.add_job("a", count=1, cpu=2, namespace="team")
        cluster.schedule("volcano", policies=[Look()])
        self.assertEqual(
            seen,
            {
                "request": {"cpu": 2000, "memory": 0, "pods": 1},
                "namespace": "team",
                "names": ["n0", "n1", "bare"],
                "zones": ["a", "b", None],
                "idle": [3000.0, 4000.0, 0.0],
                "memory": [0.0, 0.0, 1024.0],
                "pods": [float("inf")] * 3,
                "unknown": [0.0] * 3,
                "dimensions": ["cpu", "memory", "pods"],
                "writeable": False,
            },
        )


@needs_engine
class Orders(unittest.TestCase):
    FIRST = "volcano:tiers={}/gang/overcommit+predicates+nodeorder"

    def setUp(self):
        self.cluster = cluster_of(nodes=1, cpu=2)

    def test_jobs(self):
        class Newest(Base):
            def job_order(self, jobs):
                return -jobs.created

        for i in range(3):
            self.cluster.add_job(f"j{i}", count=1, cpu=1, created=i)
        plan = self.cluster.schedule(self.FIRST.format("newest"), policies=[Newest()])
        self.assertEqual(list(plan.binds["task"]), ["j2-0", "j1-0"])

    def test_live_orders_are_asked_again(self):
        class Starved(Base):
            order_kind = "live"
            calls = 0

            def job_order(self, jobs):
                self.calls += 1
                return jobs.ready

        self.cluster.add_node("m", cpu=2)
        for i in range(2):
            self.cluster.add_job(f"j{i}", count=4, min_available=1, cpu=1)
        policy = Starved()
        plan = self.cluster.schedule(self.FIRST.format("starved"), policies=[policy])
        self.assertEqual([t[:2] for t in plan.binds["task"]], ["j0", "j1", "j0", "j1"])
        self.assertGreater(policy.calls, 2)

    def test_queues_and_tasks(self):
        class Backwards(Base):
            def queue_order(self, queues):
                return -queues.index

            def task_order(self, tasks):
                return -tasks.index

        for name in "ab":
            self.cluster.add_queue(name)
            self.cluster.add_job(f"j{name}", queue=name, count=2, cpu=1)
        plan = self.cluster.schedule(self.FIRST.format("backwards"), policies=[Backwards()])
        self.assertEqual(list(plan.binds["task"]), ["jb-1", "jb-0"])


@needs_engine
class Gates(unittest.TestCase):
    def setUp(self):
        self.cluster = cluster_of()
        for name in "ab":
            self.cluster.add_queue(name)
            self.cluster.add_job(f"j{name}", queue=name, count=2, cpu=1, min_resources={"cpu": 1})

    def bound_jobs(self, policy):
        plan = self.cluster.schedule("volcano", policies=[policy])
        return sorted(set(plan.binds["job"])), plan

    def test_admit(self):
        class NotA(Base):
            def admit(self, jobs):
                return jobs.queue != "a"

        bound, plan = self.bound_jobs(NotA())
        self.assertEqual(bound, ["jb"])
        self.assertIn("not-a", plan.explain("ja"))

    def test_valid_and_overused_and_allocatable(self):
        class Valid(Base):
            def valid(self, jobs):
                return jobs.name == "ja"

        class Overused(Base):
            def overused(self, queues):
                return queues.name == "a"

        class Allocatable(Base):
            def allocatable(self, task_class, queues):
                return queues.allocated["cpu"] + task_class.request["cpu"] <= 1000

        self.assertEqual(self.bound_jobs(Valid())[0], ["ja"])
        self.assertEqual(self.bound_jobs(Overused())[0], ["jb"])
        bound, plan = self.bound_jobs(Allocatable())
        self.assertEqual(rows(plan.binds), 2)
        self.assertIn("allocatable", plan.explain("ja"))

    def test_ready(self):
        class Pairs(Base):
            def ready(self, jobs):
                return jobs.ready >= 2

        self.assertEqual(self.bound_jobs(Pairs())[0], ["ja", "jb"])
        self.cluster.add_job("single", queue="a", count=1, cpu=1)
        self.assertEqual(self.bound_jobs(Pairs())[0], ["ja", "jb"])


@needs_engine
class Victims(unittest.TestCase):
    SPEC = "volcano:actions=admit+allocate+preempt,tiers=priority+gang/conformance+overcommit+predicates"

    def test_victims(self):
        class Spare(Base):
            seen = None

            def preemptable(self, evictor, tasks):
                self.seen = (list(evictor.name), list(tasks.name), tasks.request["cpu"].tolist())
                return tasks.name != "low-0"

        cluster = cluster_of(nodes=1)
        cluster.add_job("low", priority=1, preemptable=True, phase="running")
        for i in range(4):
            cluster.add_task(f"low-{i}", job="low", cpu=1, status="running", node="n0", priority=1)
        cluster.add_job("high", count=1, min_available=1, cpu=2, priority=9)
        spec = self.SPEC.replace("priority+gang/", "spare+priority+gang/")
        policy = Spare()
        plan = cluster.schedule(spec, policies=[policy])
        self.assertEqual(rows(plan.evictions), 2)
        self.assertNotIn("low-0", list(plan.evictions["task"]))
        self.assertEqual(policy.seen[0], ["high-0"])

        class Protects(Base):
            def preemptable(self, evictor, tasks):
                return np.zeros(len(tasks), dtype=bool)

        spec = "volcano:actions=admit+allocate+preempt,tiers=protects/overcommit+predicates"
        self.assertEqual(rows(cluster.schedule(spec, policies=[Protects()]).evictions), 0)


@needs_engine
class Refused(unittest.TestCase):
    """What comes back is checked: the message names the policy, the point and the row."""

    def setUp(self):
        self.cluster = cluster_of()
        self.cluster.add_job("a", count=1, cpu=1)

    def refused(self, pattern, **methods):
        policy = type("Odd", (muster.Policy,), methods)()
        before = self.cluster.schedule("volcano").digest
        for source in (self.cluster, self.cluster.freeze()):
            with self.assertRaisesRegex(muster.PolicyError, pattern):
                source.schedule("volcano", policies=[policy])
        self.assertEqual(self.cluster.schedule("volcano").digest, before)

    def test_a_policy_that_no_action_of_the_profile_asks(self):
        class LastFirst(muster.Policy):
            def score(self, task_class, nodes):
                return -np.arange(len(nodes))

        trace = muster.traces.mix(jobs=3, nodes=2)
        for profile in ("kube-scheduler", "kai", "yarn-fair", "armada", "kueue"):
            for play in (lambda: self.cluster.schedule(profile, policies=[LastFirst()]),
                         lambda: muster.replay(trace, profile, policies=[LastFirst()])):
                with self.subTest(profile), self.assertRaisesRegex(
                        muster.InvalidArgument,
                        'policy "last-first": answers score; the actions of '
                        f'"{profile}" evaluate no policies'):
                    play()

    def test_numbers(self):
        def nan(self, task_class, nodes):
            return np.where(nodes.name == "n2", np.nan, 0.0)

        self.refused('^policy "odd": score: nan in row 2: node "n2", task class of "a-0"$',
                     score=nan)
        self.refused("inf in row 0", score=lambda s, c, n: np.full(len(n), np.inf))
        self.refused(r"score: expected an array of shape \(4,\), got \(3,\)", score=lambda s, c,
                     n: np.zeros(3))
        self.refused(r"got \(4, 1\)", score=lambda s, c, n: np.zeros((4, 1)))
        self.refused(r"got \(\)", score=lambda s, c, n: None)
        self.refused("expected an array of numbers, got <U1", score=lambda s, c, n: ["x"] * 4)
        self.refused("fit: expected an array of bool, got float64", fit=lambda s, c, n: np.ones(4))
        self.refused('job_order: nan in row 0: job "a"', job_order=lambda s, j: [float("nan")])
        self.refused('overused: expected an array of bool, got int', overused=lambda s,
                     q: np.array([1]))

    def test_policies_that_are_none(self):
        refuse = self.assertRaisesRegex
        with refuse(muster.InvalidArgument, "expected a muster.Policy or muster.Action, got 3"):
            self.cluster.schedule("volcano", policies=[3])
        with refuse(muster.InvalidArgument, "no method of any extension point"):
            self.cluster.schedule("volcano", policies=[muster.Policy()])
        with refuse(muster.InvalidArgument, 'extension point, did you mean "score"'):
            misspelled = type("Own", (muster.Policy,), {"scor": lambda self, c, nodes: None})
            self.cluster.schedule("volcano", policies=[misspelled()])
        with refuse(muster.InvalidArgument, "write policies="):
            self.cluster.schedule("volcano", policies=LastFirst())

    def test_a_misspelled_method_beside_a_right_one(self):
        def own(**methods):
            good = {"score": lambda self, task_class, nodes: np.zeros(len(nodes))}
            return [type("Own", (muster.Policy,), good | methods)()]

        for word, point in (("jobs_order", "job_order"), ("fits", "fit"), ("admits", "admit")):
            with self.assertRaisesRegex(
                    muster.InvalidArgument,
                    f'policy "own": {word} is no extension point, did you mean "{point}"'):
                self.cluster.schedule("volcano", policies=own(**{word: lambda self, jobs: None}))
        helpers = {name: lambda self: None for name in ("scores", "helper", "_job_orders")}
        self.cluster.schedule("volcano", policies=own(**helpers, job_orders=3))

    def test_attributes_have_one_of_two_words(self):
        refuse = self.assertRaisesRegex
        with refuse(muster.InvalidArgument, "score_kind is 'often'; must be 'frozen' or 'node'"):
            policy = LastFirst()
            policy.score_kind = "often"
            self.cluster.schedule("volcano", policies=[policy])

    def test_names(self):
        policy = LastFirst()
        self.assertEqual(policy.name, "last-first")
        for name in ("gang", "allocate"):
            policy.name = name
            with self.assertRaisesRegex(muster.InvalidArgument,
                                        f'policy "{name}": the name is taken'):
                self.cluster.schedule("volcano", policies=[policy])
        policy.name = "a+b"
        with self.assertRaisesRegex(muster.InvalidArgument, "must be 1 to 64 lower-case"):
            self.cluster.schedule("volcano", policies=[policy])
        policy.name = "mine"
        with self.assertRaisesRegex(muster.InvalidArgument, "the name is taken"):
            self.cluster.schedule("volcano", policies=[policy, policy])
        with self.assertRaisesRegex(muster.InvalidArgument, 'unknown policy "mine"'):
            self.cluster.schedule("volcano:tiers=mine")

    def test_columns_that_are_not_there(self):
        def score(self, task_class, nodes):
            return nodes.memory

        with self.assertRaisesRegex(AttributeError,
                                    "Nodes has no column 'memory'; it has index, name"):
            self.cluster.schedule("volcano", policies=[type("Odd", (muster.Policy,),
                                                            {"score": score})()])


if __name__ == "__main__":
    unittest.main()
