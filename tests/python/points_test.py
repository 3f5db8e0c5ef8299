# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Each extension point from Python: what a policy answers changes what is decided, what is wrong is
refused, and an exception leaves the cluster as it was."""

import traceback
import unittest

from engine import HAVE_ENGINE, muster, needs_engine

if HAVE_ENGINE:
    import numpy as np

    from muster import _core
    from muster.policy import POINTS

QUEUES = [{"name": "q"}, {"name": "x"}, {"name": "y"}]
CORE = {"request": {"cpu": 1}}


def node(name, cpu, **more):
    return {"name": name, "capacity": {"cpu": cpu, "pods": 99}, **more}


def waiting():
    """Two gangs of one task, and room for one of them."""
    gang = {"min_available": 1, "min_resources": {"cpu": 1},
            "groups": [{"count": 1, "shape": CORE}]}
    return {"nodes": [node("n0", 1)], "queues": QUEUES,
            "jobs": [{"name": "a", "queue": "x", "created": 1, **gang},
                     {"name": "b", "queue": "y", "created": 2, **gang}]}


def one_queue():
    """The same with both in one queue."""
    world = waiting()
    world["jobs"][1]["queue"] = "x"
    return world


def two_nodes():
    """Two tasks of a job, and two nodes with room for one."""
    return {"nodes": [node("n0", 1), node("n1", 1)], "queues": QUEUES,
            "jobs": [{"name": "a", "queue": "x", "min_available": 2, "phase": "admitted",
                      "groups": [{"count": 2, "shape": CORE}]}]}


def full(of_v, tasks_of_u=0):
    """Jobs u (of queue y) and v run on the one node, and job g of queue q waits."""
    jobs = ["u"] * tasks_of_u + ["v"] * (4 - tasks_of_u)
    running = [{"name": f"{job}{i}", "job": job, "node": "n0", "status": "running", "priority": 1,
                "shape": CORE} for i, job in enumerate(jobs)]
    return {"nodes": [node("n0", 4)], "queues": QUEUES,
            "jobs": [{"name": "v", "queue": of_v, "priority": 1, "min_available": 1,
                      "phase": "running"},
                     {"name": "u", "queue": "y", "priority": 1, "min_available": 1,
                      "phase": "running"},
                     {"name": "g", "queue": "q", "priority": 2, "min_available": 1,
                      "phase": "admitted"}],
            "tasks": [*running, {"name": "g0", "job": "g", "priority": 2, "shape": CORE}]}


def racks():
    """A gang of two tasks, and two racks with room for it."""
    return {"domains": [{"name": "r0", "tier": 1}, {"name": "r1", "tier": 1}],
            "nodes": [node("n0", 2, domain="r0"), node("n1", 2, domain="r1")],
            "jobs": [{"name": "j", "min_available": 2, "phase": "admitted",
                      "topology": {"highest_tier": 1}}],
            "tasks": [{"name": f"j{i}", "job": "j", "shape": CORE} for i in range(2)]}


def sub_groups():
    """Three sub-groups of one task, and room for two."""
    return {"nodes": [node("n0", 1), node("n1", 1)],
            "jobs": [{"name": "j", "min_available": 1, "phase": "admitted",
                      "sub_groups": [{"name": f"s{i}"} for i in range(3)]}],
            "tasks": [{"name": f"j{i}", "job": "j", "sub_group": f"s{i}", "shape": CORE}
                      for i in range(3)]}


def half_group():
    """A sub-group of two tasks, and room for one: it is not whole."""
    return {"nodes": [node("n0", 1)],
            "jobs": [{"name": "j", "min_available": 1, "phase": "admitted",
                      "sub_groups": [{"name": "s0", "min_available": 2}]}],
            "tasks": [{"name": f"j{i}", "job": "j", "sub_group": "s0", "shape": CORE}
                      for i in range(2)]}


ALLOCATE = "volcano:actions=allocate,tiers=mine/priority+gang/predicates"
PREEMPT = "volcano:actions=allocate+preempt,tiers=mine+priority+gang/predicates+nodeorder"
RECLAIM = ("volcano:actions=allocate+reclaim,tiers=mine+priority+gang(without=reclaimable)/"
           "predicates+nodeorder+proportion")
GANGPREEMPT = "volcano:actions=gangpreempt,tiers=mine+priority+gang/predicates+nodeorder"
GANGRECLAIM = GANGPREEMPT.replace("gangpreempt", "gangreclaim")


def last(rows):
    return np.where(np.isin(rows.name, ["b", "y"]), -1, 1)


def not_x(_, queues):
    return queues.name != "x"


# point -> world, profile, method, what is decided without and with it
CASES = {
    "job_order": (one_queue, ALLOCATE, last, "bind a-0 n0", "bind b-0 n0"),
    "queue_order": (waiting, ALLOCATE, last, "bind a-0 n0", "bind b-0 n0"),
    "task_order": (two_nodes, ALLOCATE, lambda tasks: tasks.name == "a-0",
                   "bind a-0 n0; bind a-1 n1", "bind a-1 n0; bind a-0 n1"),
    "fit": (waiting, ALLOCATE, lambda task_class, nodes: nodes.name != "n0", "bind a-0 n0", ""),
    "score": (two_nodes, ALLOCATE, lambda task_class, nodes: nodes.name == "n1",
              "bind a-0 n0; bind a-1 n1", "bind a-0 n1; bind a-1 n0"),
    "overused": (waiting, ALLOCATE, lambda queues: queues.name == "x",
                 "bind a-0 n0", "bind b-0 n0"),
    "allocatable": (waiting, ALLOCATE, not_x, "bind a-0 n0", "bind b-0 n0"),
    "preemptive": (full("x", 2), RECLAIM,
                   lambda request, queues: np.full(len(queues), request["cpu"] != 1000),
                   "evict u0; nominate g0 n0", ""),
    "valid": (waiting, ALLOCATE, lambda jobs: jobs.name != "a", "bind a-0 n0", "bind b-0 n0"),
    "ready": (waiting, ALLOCATE, lambda jobs: jobs.ready > 1, "bind a-0 n0", ""),
    "pipelined": (full("q"), PREEMPT, lambda jobs: np.where(jobs.name == "g", -1, 0),
                  "evict v2; nominate g0 n0", ""),
    "admit": (waiting, "volcano:actions=admit+allocate,tiers=mine+gang/predicates",
              lambda jobs: np.where(jobs.name == "a", -1, 1),
              "admit a; admit b; bind a-0 n0", "admit b; bind b-0 n0"),
    "starving": (full("q"), PREEMPT, lambda jobs: jobs.name != "g",
                 "evict v2; nominate g0 n0", ""),
    "preemptable": (full("q"), PREEMPT.replace("priority+gang", "priority(without=preemptable)+"
                                               "gang(without=preemptable)"),
                    lambda evictor, tasks: (tasks.name == "v1") & (evictor.name[0] == "g0"),
                    "", "evict v1; nominate g0 n0"),
    "reclaimable": (full("x"), RECLAIM.replace("+proportion", ""),
                    lambda evictor, tasks: (tasks.name == "v1") & (evictor.name[0] == "g0"),
                    "", "evict v1; nominate g0 n0"),
    "evictable": (full("q"), GANGPREEMPT,
                  lambda evictor, other, tasks: (tasks.name == "v1") & (evictor.name[0] == "g"),
                  "evict v0; evict v1; evict v2; nominate g0 n0", "evict v1; nominate g0 n0"),
    "victims": (full("q"), "volcano:actions=shuffle,tiers=mine+priority/predicates",
                lambda tasks: tasks.name == "v1", "", "evict v1"),
    "victim_queue_order": (full("x", 2), GANGRECLAIM,
                           lambda evictor, queues: np.where(queues.name == "x", -1, 0),
                           "evict u0; nominate g0 n0", "evict v2; nominate g0 n0"),
    "sub_group_order": (sub_groups, ALLOCATE, lambda groups: -groups.index,
                        "bind j0 n0; bind j1 n1", "bind j2 n0; bind j1 n1"),
    "sub_group_ready": (half_group, "volcano:actions=allocate,tiers="
                        "mine+gang(without=sub_group_ready)/predicates",
                        lambda groups: groups.ready >= groups.min_available, "bind j0 n0", ""),
    "sub_group_pipelined": (half_group, "volcano:actions=allocate,tiers="
                            "mine+gang(without=sub_group_pipelined)/predicates",
                            lambda groups: np.where(groups.ready < groups.min_available, -1, 0),
                            "bind j0 n0", ""),
    "domain_score": (racks, "volcano:actions=allocate,tiers=mine+gang/predicates+"
                     "network-topology-aware(without=domain_score)",
                     lambda group, domains: domains.name == "r1",
                     "bind j0 n0; bind j1 n0", "bind j0 n1; bind j1 n1"),
    "domain_search": (racks, ALLOCATE,
                      lambda group, within, allocated, evicting, domains:
                          np.where(domains.name == "r1", 0, -1),
                      "bind j0 n0; bind j1 n0", "bind j0 n1; bind j1 n1"),
} if HAVE_ENGINE else {}


def cluster_of(world):
    world = world() if callable(world) else world
    return muster.Cluster.from_scenario({"muster": 1, **world})


def decided(plan):
    table = plan.decisions
    columns = table if isinstance(table, dict) else {key: list(table[key]) for key in table}
    said = []
    for kind, job, task, node_ in zip(*(columns[key] for key in ("kind", "job", "task", "node"))):
        if kind in ("bind", "nominate"):
            said.append(f"{kind} {task} {node_}")
        elif kind in ("evict", "admit"):
            said.append(f"{kind} {task if kind == 'evict' else job}")
    return "; ".join(said)


def policy_with(point, method):
    """A policy named mine with one method."""
    def answer(self, *arguments):
        self.calls += 1
        return method(*arguments)

    return type("Mine", (muster.Policy,), {point: answer, "calls": 0})()


def no_opinion(point):
    kind = POINTS[point][0]
    value = {"f": 0.0, "v": 0}.get(kind)
    if point in ("preemptable", "reclaimable", "evictable", "victims", "domain_search"):
        return lambda *arguments: None
    if kind == "b":
        value = point != "overused"
    return lambda *arguments: np.full(len(arguments[-1]), value)


@needs_engine
class EachPoint(unittest.TestCase):
    def test_the_list_is_that_of_the_engine(self):
        self.assertEqual(list(POINTS), _core.points)
        self.assertEqual(list(CASES), _core.points)

    def test_it_decides(self):
        for point, (world, profile, method, without, with_) in CASES.items():
            with self.subTest(point=point):
                cluster = cluster_of(world)
                silent = policy_with(point, no_opinion(point))
                self.assertEqual(decided(cluster.schedule(profile, policies=[silent])), without)
                self.assertGreater(silent.calls, 0)
                policy = policy_with(point, method)
                self.assertEqual(decided(cluster.schedule(profile, policies=[policy])), with_)

    def test_exceptions_propagate_and_change_nothing(self):
        def broken(*arguments):
            raise ZeroDivisionError("deep inside")

        for point, (world, profile, method, _, with_) in CASES.items():
            with self.subTest(point=point):
                cluster = cluster_of(world)
                before = cluster.to_dict(), cluster.version
                policy = policy_with(point, broken)
                names = []
                try:
                    cluster.schedule(profile, policies=[policy])
                except ZeroDivisionError as error:
                    names = [frame.name for frame in traceback.extract_tb(error.__traceback__)]
                self.assertEqual(names[-2:], ["answer", "broken"])
                self.assertEqual(policy.calls, 1)
                self.assertEqual((cluster.to_dict(), cluster.version), before)
                policy = policy_with(point, method)
                self.assertEqual(decided(cluster.schedule(profile, policies=[policy])), with_)

    def test_wrong_answers_are_refused(self):
        for point, (world, profile, _, _, _) in CASES.items():
            cluster = cluster_of(world)
            before = cluster.to_dict()
            wrong = {"f": np.nan, "b": 1.5, "v": 2, "r": -2}[POINTS[point][0]]
            for answer, words in (
                    (lambda *rows: np.full(len(rows[-1]), wrong), "nan in|got float|must be -1"),
                    (lambda *rows: np.zeros(len(rows[-1]) + 1), "expected an array of shape"),
                    (lambda *rows: ["x"] * len(rows[-1]), "expected an array of")):
                with self.subTest(point=point, words=words):
                    with self.assertRaisesRegex(muster.PolicyError,
                                                f'^policy "mine": {point}: .*({words})'):
                        cluster.schedule(profile, policies=[policy_with(point, answer)])
                    self.assertEqual(cluster.to_dict(), before)

    def test_signatures(self):
        class Old(muster.Policy):
            def victims(self, evictor, tasks):
                return tasks.index > 0

        with self.assertRaisesRegex(muster.InvalidArgument,
                                    r'"old": victims\(evictor, tasks\); must take \(tasks\)'):
            cluster_of(waiting).schedule("volcano", policies=[Old()])


@needs_engine
class LikeABuiltIn(unittest.TestCase):
    def test_priority(self):
        """Job order by priority from Python decides as policy priority does."""
        class Mine(muster.Policy):
            def job_order(self, jobs):
                return -jobs.priority

        cluster = muster.Cluster()
        cluster.add_nodes(5, cpu=8)
        for i in range(40):
            cluster.add_job(f"j{i}", count=1 + i % 4, cpu=1 + i % 3, priority=i * 7 % 11, created=i)
        tiers = "volcano:tiers={}/gang/predicates+nodeorder+binpack"
        own = cluster.schedule(tiers.format("mine"), policies=[Mine()])
        built_in = cluster.schedule(
            tiers.format("priority(without=task_order|preemptable|starving|evictable)"))
        without = cluster.schedule("volcano:tiers=gang/predicates+nodeorder+binpack")
        self.assertEqual(decided(own), decided(built_in))
        self.assertNotEqual(decided(own), decided(without))


@needs_engine
class Views(unittest.TestCase):
    def test_sub_groups_and_domains(self):
        seen = {}

        class Look(muster.Policy):
            def sub_group_ready(self, groups):
                seen.setdefault("groups", [list(groups.job), list(groups.name),
                                           groups.index.tolist(),
                                           groups.min_available.tolist(),
                                           groups.order.tolist(), groups.pending.tolist()])
                return np.ones(len(groups), dtype=bool)

            def domain_search(self, group, within, allocated, evicting, domains):
                seen["domains"] = [list(domains.name), list(domains.parent), domains.tier.tolist(),
                                   domains.nodes.tolist(), domains.idle["cpu"].tolist(),
                                   domains.allocatable["cpu"].tolist()]
                seen["search"] = [group.index.tolist(), within, allocated, evicting]
                return None

        cluster_of(sub_groups).schedule("volcano:actions=allocate", policies=[Look()])
        self.assertEqual(seen["groups"], [["j"] * 4, ["", "s0", "s1", "s2"], [-1, 0, 1, 2],
                                          [0, 1, 1, 1], [0] * 4, [0, 0, 1, 1]])
        world = racks()
        world["tasks"].append({"name": "alone", "node": "n1", "status": "running", "shape": CORE})
        cluster_of(world).schedule(
            "volcano:actions=allocate,tiers=look+priority+gang/predicates", policies=[Look()])
        self.assertEqual(seen["domains"], [["r0", "r1", ""], ["", "", ""], [1, 1, 2], [1, 1, 2],
                                           [2000, 1000, 3000], [2000, 2000, 4000]])
        self.assertEqual(seen["search"][2:], [None, False])

    def test_admit_sees_admissions(self):
        """With order_kind live, a policy counts what it has admitted."""
        class OneAtATime(muster.Policy):
            order_kind = "live"

            def admit(self, jobs):
                return np.where((jobs.phase == "admitted").any() & (jobs.phase == "pending"), -1, 1)

        spec = "volcano:actions=admit,tiers=one-at-a-time+gang/predicates"
        policy = OneAtATime()
        self.assertEqual(decided(cluster_of(waiting).schedule(spec, policies=[policy])), "admit a")
        policy.order_kind = "frozen"
        self.assertEqual(decided(cluster_of(waiting).schedule(spec, policies=[policy])),
                         "admit a; admit b")


if __name__ == "__main__":
    unittest.main()
