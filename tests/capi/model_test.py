# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Random sequences of calls through ctypes against a model of a few dictionaries.

The model knows when a call must be refused, and with which status; what the cluster must then hold,
row by row; and what no plan may do: overfill a node, start a part of a gang. Bad handles' worth of
arguments are mixed in. MUSTER_SEEDS says how many sequences; each prints its seed where it fails.
"""

import ctypes
import json
import os
import random
import unittest

LIBRARY = os.environ.get("MUSTER_C", "")
SEEDS = int(os.environ.get("MUSTER_SEEDS", "60"))
OK, INVALID, NOT_FOUND, EXISTS, PRECONDITION = 0, -3, -5, -6, -9
NODES, QUEUES, JOBS, TASKS = 1, 2, 3, 4
PENDING, RUNNING, SUCCEEDED = 0, 5, 7
HOLDS = {"nominated", "binding", "bound", "running", "releasing", "unknown"}


class Error(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("code", ctypes.c_int32),
                ("user_code", ctypes.c_int32),
                ("reserved", ctypes.c_int32), ("message", ctypes.c_char * 496)]


class Model:
    """What the cluster must hold."""

    def __init__(self):
        self.nodes, self.queues, self.jobs, self.tasks = {}, {"default": None}, {}, {}

    def tasks_on(self, node):
        return [t for t, row in self.tasks.items() if row["node"] == node
                and row["status"] in HOLDS]

    def add_node(self, name, cpu):
        if name in self.nodes:
            return EXISTS
        self.nodes[name] = cpu
        return OK

    def add_queue(self, name, parent):
        if name in self.queues:
            return EXISTS
        if parent and parent not in self.queues:
            return INVALID
        self.queues[name] = parent
        return OK

    def add_job(self, name, queue, count, needed, cpu):
        if name in self.jobs:
            return EXISTS
        if queue not in self.queues or count < 0:
            return INVALID
        names = [f"{name}-{i}" for i in range(count)]
        if any(n in self.tasks for n in names):
            return EXISTS
        self.jobs[name] = (queue, needed)
        for n in names:
            self.tasks[n] = {"job": name, "status": "pending", "node": "", "cpu": cpu}
        return OK

    def remove(self, kind, name):
        rows = {NODES: self.nodes, QUEUES: self.queues, JOBS: self.jobs, TASKS: self.tasks}[kind]
        if name not in rows:
            return NOT_FOUND
        if kind == NODES and self.tasks_on(name):
            return PRECONDITION
        if kind == QUEUES and (name in self.queues.values()
                               or any(q == name for q, _ in self.jobs.values())):
            return PRECONDITION
        if kind == JOBS:
            self.tasks = {t: row for t, row in self.tasks.items() if row["job"] != name}
            rows = self.jobs
        del rows[name]
        return OK

    def set_task(self, name, state, node):
        if name not in self.tasks:
            return NOT_FOUND
        row = self.tasks[name]
        if state == RUNNING:
            if node and node not in self.nodes:
                return INVALID
            held = row["node"] if row["status"] in HOLDS else ""
            if not node and not held:
                return INVALID
            row.update(status="running", node=node or held)
            return OK
        if state == PENDING and node:
            return INVALID
        row.update(status="pending" if state == PENDING else "succeeded", node="")
        return OK


@unittest.skipUnless(LIBRARY, "not run by ctest, or under sanitizers")
class RandomCalls(unittest.TestCase):
    def setUp(self):
        self.lib = ctypes.CDLL(LIBRARY)
        self.lib.muster_text_data.restype = ctypes.c_char_p

    def call(self, function, *arguments):
        self.error = Error(struct_size=ctypes.sizeof(Error))
        return getattr(self.lib, "muster_" + function)(*arguments, ctypes.byref(self.error))

    def add(self, table, row):
        text = json.dumps({"muster": 1, table: [row]}).encode()
        return self.call("cluster_add_json", self.cluster, text, ctypes.c_int64(len(text)))

    def held(self):
        """The cluster's rows, from its scenario."""
        text = ctypes.c_void_p()
        self.assertEqual(self.call("cluster_write_scenario", self.cluster, None,
                                   ctypes.byref(text)), OK)
        document = json.loads(self.lib.muster_text_data(text))
        self.lib.muster_text_free(text)
        return document

    def compare(self, model):
        document = self.held()
        nodes = []
        for row in document.get("nodes", []):
            count = row.get("count")
            nodes += [row["name"]] if count is None else [f"{row['name']}{i}" for i in range(count)]
        self.assertEqual(sorted(nodes), sorted(model.nodes))
        self.assertEqual({q["name"]: q.get("parent") for q in document.get("queues", [])},
                         {name: parent or None for name, parent in model.queues.items()})
        self.assertEqual({j["name"] for j in document.get("jobs", [])}, set(model.jobs))
        tasks = {t["name"]: (t.get("status", "pending"), t.get("node", ""))
                 for t in document.get("tasks", [])}
        for job in document.get("jobs", []):
            for group in job.get("groups", []):
                for i in range(group.get("count", 0)):
                    tasks[f"{job['name']}-{i}"] = ("pending", "")
        self.assertEqual(tasks, {t: (row["status"], row["node"]) for t, row in model.tasks.items()})

    def cycle(self, model, profile):
        plan, applied = ctypes.c_void_p(), ctypes.c_int64()
        self.assertEqual(self.call("cluster_schedule", self.cluster, profile, None,
                                   ctypes.byref(plan)), OK)
        self.assertEqual(self.call("cluster_apply", self.cluster, plan, ctypes.byref(applied),
                                   None), OK)
        self.lib.muster_plan_free(plan)
        before = {t: dict(row) for t, row in model.tasks.items()}
        after = {t["name"]: t for t in self.held().get("tasks", [])}
        started = set()
        for name, row in model.tasks.items():
            now = after.get(name, {})
            row.update(status=now.get("status", "pending"), node=now.get("node", ""))
            if row["status"] == "binding" and before[name]["status"] != "binding":
                started.add(name)
                self.assertEqual(before[name]["status"], "pending")
                self.assertIn(row["node"], model.nodes)
            else:
                self.assertIn(row["status"], (before[name]["status"], "releasing"))
        for node, cpu in model.nodes.items():
            if any(t in started for t in model.tasks_on(node)):
                self.assertLessEqual(sum(model.tasks[t]["cpu"] for t in model.tasks_on(node)), cpu,
                                     node)
        for job in {model.tasks[t]["job"] for t in started}:
            there = sum(row["status"] in ("binding", "bound", "running", "succeeded")
                        for row in model.tasks.values() if row["job"] == job)
            self.assertGreaterEqual(there, model.jobs[job][1], job)

    def garbage(self, rng):
        """Arguments that are wrong in one way each; the cluster must not notice."""
        wrong, big = rng.choice([-1, 0, 8, 12, 1 << 30, -(1 << 31)]), ctypes.c_int64(-7)
        out = ctypes.c_void_p()
        some = (ctypes.c_int32 * 1)(rng.choice([-1, 99, 1 << 30, -(1 << 31)]))
        state = (ctypes.c_int32 * 1)(rng.choice([1, 11, -1, 5]))
        self.assertNotEqual(rng.choice([
            lambda: self.call("cluster_remove", self.cluster, wrong, b"x", ctypes.c_int64(1)),
            lambda: self.call("cluster_remove", self.cluster, NODES, b"n", big),
            lambda: self.call("cluster_set_tasks", self.cluster, ctypes.c_int64(1), some, state,
                              None),
            lambda: self.call("cluster_put", self.cluster, wrong, None),
            lambda: self.call("cluster_schedule", self.cluster, b"volcano:binpack(weight=x)", None,
                              ctypes.byref(out)),
            lambda: self.call("cluster_add_json", self.cluster, b'{"muster": 1, "nodes": [{]}',
                              ctypes.c_int64(-1)),
            lambda: self.call("cluster_read_scenario", self.cluster, b"\xff", ctypes.c_int64(1),
                              None),
            lambda: self.call("table_new", wrong, ctypes.c_int64(1), None, ctypes.byref(out)),
        ])(), OK)
        self.assertNotEqual(self.error.message, b"")

    def sequence(self, seed):
        rng, model = random.Random(seed), Model()
        self.cluster = ctypes.c_void_p()
        self.assertEqual(self.call("cluster_new", None, ctypes.byref(self.cluster)), OK)
        try:
            for _ in range(80):
                name, other = f"x{rng.randrange(6)}", f"x{rng.randrange(6)}"
                what = rng.randrange(12)
                if what <= 1:
                    cpu = rng.randrange(1, 9)
                    expected, got = model.add_node(name,
                                                   cpu), self.add(
                                                       "nodes",
                                                       {"name": name, "capacity": {"cpu": cpu}})
                elif what == 2:
                    parent = rng.choice(["", other])
                    expected = model.add_queue(name, parent) if parent != name else None
                    got = self.add("queues", {"name": name, "parent": parent} if parent
                                   else {"name": name})
                    # its own parent: refused as one that is there, or that is not
                    if expected is None:
                        self.assertIn(got, (EXISTS, INVALID))
                        expected = got
                elif what <= 4:
                    queue, count, cpu = rng.choice(["default",
                                                    other]), rng.randrange(-1, 4), rng.randrange(
                                                        1, 5)
                    needed = max(count, 0)
                    expected = model.add_job(name, queue, count, needed, cpu)
                    got = self.add("jobs", {"name": name, "queue": queue, "min_available": needed,
                                            "groups": [{"count": count,
                                                        "shape": {"request": {"cpu": cpu}}}]})
                    if expected != OK and got in (EXISTS, INVALID):
                        expected = got  # which of two errors is reported is not modeled
                elif what <= 6:
                    kind = rng.choice([NODES, QUEUES, JOBS, TASKS])
                    name = name if kind != TASKS else f"{name}-{rng.randrange(3)}"
                    expected = model.remove(kind, name)
                    got = self.call("cluster_remove", self.cluster, kind, name.encode(),
                                    ctypes.c_int64(-1))
                elif what <= 9:
                    task, state = f"{name}-{rng.randrange(3)}", rng.choice(
                        [PENDING, RUNNING, SUCCEEDED])
                    node = rng.choice(["", other]) if state != SUCCEEDED else ""
                    expected = model.set_task(task, state, node)
                    got = self.call("cluster_set_task", self.cluster, task.encode(),
                                    ctypes.c_int64(-1), state,
                                    node.encode() or None, ctypes.c_int64(-1))
                elif what == 10:
                    self.cycle(model, rng.choice([b"muster", b"volcano"]))
                    expected = got = OK
                else:
                    self.garbage(rng)
                    expected = got = OK
                self.assertEqual(got, expected, self.error.message)
                self.compare(model)
        finally:
            self.lib.muster_cluster_free(self.cluster)

    def test_sequences(self):
        for seed in range(SEEDS):
            with self.subTest(seed=seed):
                self.sequence(seed)


if __name__ == "__main__":
    unittest.main()
