# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Cluster and its tables, through the Python package."""

import json
import os
import pickle
import re
import unittest
from html import escape
from importlib.util import find_spec
from unittest import mock

from engine import HAVE_ENGINE, ROOT, muster, needs_engine, rows

if HAVE_ENGINE:
    import numpy as np


def column(frame, name):
    return list(frame[name])


@needs_engine
class Rows(unittest.TestCase):
    def setUp(self):
        self.cluster = muster.Cluster()

    def test_first_plan(self):
        self.assertEqual(self.cluster.add_nodes(2, cpu=8, memory="32Gi", gpu=4), 2)
        self.cluster.add_job("train", count=8, min_available=8, cpu=1, gpu=1)
        plan = self.cluster.schedule("volcano")
        self.assertEqual(column(plan.binds, "task"), [f"train-{i}" for i in range(8)])
        self.assertEqual(set(plan.binds["node"]), {"n0", "n1"})
        self.assertEqual(column(plan.admitted, "job"), ["train"])
        self.assertEqual(rows(plan.pending), 0)
        self.assertTrue(plan.complete)
        self.assertRegex(plan.digest, "^[0-9a-f]{32}$")
        self.assertEqual(json.loads(plan.to_json())["digest"], plan.digest)
        self.assertEqual(self.cluster.freeze().schedule("volcano"), plan)
        self.assertEqual(muster.schedule(self.cluster.freeze(), "volcano").digest, plan.digest)

    def test_pending_says_why(self):
        self.cluster.add_nodes(2, cpu=8, gpu=4)
        self.cluster.add_job("train", count=16, min_available=16, cpu=1, gpu=1)
        plan = self.cluster.schedule("volcano")
        self.assertEqual(rows(plan.pending), 16)
        self.assertEqual(set(plan.pending["job"]), {"train"})
        self.assertIn("8 of 16 placed, undone", plan.explain("train"))
        self.assertIn("nvidia.com/gpu", plan.explain("train-15"))
        with self.assertRaises(muster.NotFound):
            plan.explain("nobody")
        with self.assertRaisesRegex(muster.NotFound, '"tran", did you mean "train"'):
            plan.explain("tran")

    def test_devices(self):
        gpus = [{"name": f"gpu{i}", "kind": "gpu", "memory": "16Gi"} for i in range(2)]
        self.cluster.add_nodes(1, cpu=8, devices=gpus)
        held = [{"device": "gpu1", "milli": 400}]
        self.cluster.add_task("old", cpu=1, status="running", node="n0", devices=held)
        self.cluster.add_job("part", count=1, cpu=1,
                             devices=[{"kind": "gpu", "milli": 500, "memory": "8Gi"}])
        self.cluster.add_jobs(name=["whole"], count=1, cpu=1, devices=[{"kind": "gpu"}])
        plan = self.cluster.schedule()
        self.assertEqual(column(plan.devices, "task"), ["part-0", "whole-0"])
        self.assertEqual(column(plan.devices, "device"), ["gpu1", "gpu0"])
        self.assertEqual(column(plan.devices, "milli"), [500, 1000])
        self.assertEqual(column(plan.devices, "memory"), [8 << 30, 0])
        self.cluster.apply(plan)
        self.assertEqual(self.cluster.task("whole-0")["devices"], [{"device": "gpu0"}])
        self.assertEqual(self.cluster.task("old")["devices"], held)
        with self.assertRaisesRegex(muster.InvalidArgument, 'device "gpu7"'):
            self.cluster.add_task("t", status="running", node="n0", devices=[{"device": "gpu7"}])

    def test_fields_are_those_of_the_header(self):
        self.cluster.add_node(
            "n1",
            capacity={"cpu": "2500m", "example.com/fpga": 2},
            memory="1Gi",
            labels={"zone": "a"},
            taints=[{"key": "gpu", "value": "only", "effect": "NoSchedule"}],
            devices=[{"name": "d0", "kind": "gpu", "memory": "16Gi"}],
        )
        node = self.cluster.node("n1")
        self.assertEqual(node["capacity"], {"cpu": "2500m", "example.com/fpga": 2, "memory": "1Gi"})
        self.assertEqual(node["labels"], {"zone": "a"})
        self.assertEqual(node["devices"][0]["kind"], "gpu")
        self.cluster.add_queue("q", weight=3, limit={"cpu": 2})
        self.assertEqual(self.cluster.queue("q"), {"name": "q", "weight": 3, "limit": {"cpu": 2}})
        self.cluster.add_job("j", queue="q", groups=[{"name": "w", "count": 2,
                                                      "shape": {"request": {"cpu": 0.5}}}])
        self.cluster.add_task("t", job="j", cpu=1, node_selector={"zone": "a"}, gates=["wait"],
                              priority=7)
        self.assertEqual(
            self.cluster.task("t")["shape"], {"request": {"cpu": 1}, "node_selector": {"zone": "a"}}
        )
        self.assertEqual(column(self.cluster.tasks, "name"), ["j-w-0", "j-w-1", "t"])

    def test_updates_keep_what_they_do_not_name(self):
        self.cluster.add_node("n", cpu=4, memory="8Gi", labels={"a": "b"})
        self.cluster.update_node("n", unschedulable=True)
        node = self.cluster.node("n")
        self.assertEqual((node["unschedulable"], node["labels"]), (True, {"a": "b"}))
        self.cluster.add_queue("q", weight=2)
        self.cluster.update_queue("q", state="closed")
        self.assertEqual(self.cluster.queue("q"), {"name": "q", "weight": 2, "state": "closed"})
        self.cluster.add_job("j", count=1, cpu=1, priority=5)
        self.cluster.update_job("j", min_available=1)
        self.assertEqual(self.cluster.job("j")["priority"], 5)
        self.cluster.update_task("j-0", priority=9)
        self.assertEqual(self.cluster.task("j-0")["shape"], {"request": {"cpu": 1}})

    def test_removals(self):
        self.cluster.add_node("n", cpu=4)
        self.cluster.add_queue("q")
        self.cluster.add_job("j", queue="q", count=2, cpu=1)
        with self.assertRaisesRegex(muster.FailedPrecondition, 'queue "q": still has 1 job'):
            self.cluster.remove_queue("q")
        self.cluster.remove_task("j-0")
        self.cluster.remove_job("j")
        self.cluster.remove_queue("q")
        self.cluster.remove_node("n")
        self.assertEqual(self.cluster._core.counts, (0, 1, 0, 0))
        with self.assertRaises(muster.NotFound):
            self.cluster.remove_node("n")

    def test_domains_budgets_namespaces(self):
        self.cluster.add_domain("rack", tier=1)
        self.cluster.add_node("n", cpu=1, domain="rack")
        self.cluster.set_disruption_budget("b", namespace="x",
                                           selector={"match_labels": {"a": "b"}}, allowed=1)
        self.cluster.set_namespace("x", {"team": "vision"})
        told = self.cluster.to_dict()
        self.assertEqual(told["domains"], [{"name": "rack"}])
        self.assertEqual(told["budgets"][0]["allowed"], 1)
        self.assertEqual(told["namespaces"], [{"name": "x", "labels": {"team": "vision"}}])
        self.cluster.update_node("n", domain="")
        self.cluster.remove_domain("rack")
        self.assertEqual(self.cluster.to_dict()["domains"], [])


@needs_engine
class Errors(unittest.TestCase):
    def setUp(self):
        self.cluster = muster.Cluster()
        self.cluster.add_node("n1", cpu=4)

    def refused(self, kind, pattern, call, *arguments, **keywords):
        before = self.cluster.to_dict()
        with self.assertRaisesRegex(kind, pattern) as caught:
            call(*arguments, **keywords)
        self.assertIsInstance(caught.exception, muster.Error)
        self.assertEqual(self.cluster.to_dict(), before)
        return caught.exception

    def test_rules_and_records(self):
        c = self.cluster
        c.set_flavor("spot", node_labels={"tier": "spot"})
        c.set_partition("gpu", nodes=["n1"], exclusive=False)
        c.set_reservation("r", node="n1", phase="available", cpu=16, owners=[{"job": "etl"}])
        quota = {"flavor": "spot", "nominal": {"cpu": 4}}
        c.add_queue("q", rules={"groups": [{"resources": ["cpu"], "flavors": [quota]}]},
                    history={"as_of": 5, "entries": [{"user": "ann", "amounts": {"cpu": 2}}]})
        c.add_job("j", queue="q", by_count={"count": 10}, cpu=1, owner={"user": "ann"})
        c.add_task("t", usage={"amounts": {"cpu": "350m"}}, lifetime={"max_runtime": 60})
        full = c.to_dict()
        self.assertEqual(full["flavors"], [{"name": "spot", "node_labels": {"tier": "spot"}}])
        self.assertEqual(full["partitions"], [{"name": "gpu", "nodes": ["n1"], "exclusive": False}])
        self.assertEqual(full["reservations"], [
            {"name": "r", "node": "n1", "phase": "available", "shape": {"request": {"cpu": 16}},
             "owners": [{"job": "etl"}]}])
        entries = [{"user": "ann", "amounts": {"cpu": 2}}]
        self.assertEqual(c.queue("q")["history"]["entries"], entries)
        self.assertEqual(c.task("t")["lifetime"], {"max_runtime": 60})
        self.assertEqual(c.reconcile(full), [])
        self.refused(muster.FailedPrecondition, "10 tasks are counts", c.schedule)
        c.make_tasks("j", count=10)
        self.assertEqual(len(c.to_dict()["tasks"]), 11)
        self.assertEqual(c.job("j")["groups"], [{"shape": {"request": {"cpu": 1}}}])
        self.refused(muster.InvalidArgument, "unknown victim scope", c.update_queue, "q",
                     rules={"preemption": {"reclaim": "some"}})
        self.assertEqual(c.apply_delta("reservation", 2, name="s", cpu=1), "applied")
        self.assertEqual(c.apply_delta("flavor", 2, name="f"), "applied")
        self.assertEqual(c.apply_removal("flavor", 1, "f"), "stale")
        self.assertEqual(c.apply_removal("partition", 9, "gpu"), "applied")
        c.remove_reservation("r")
        c.remove_flavor("f")
        self.refused(muster.NotFound, '^partition "gpu": does not exist$', c.remove_partition,
                     "gpu")

    def test_messages_name_the_place_and_the_rule(self):
        c = self.cluster
        self.refused(muster.InvalidArgument, '^queue "q": parent "p" does not exist$', c.add_queue,
                     "q", parent="p")
        self.refused(muster.AlreadyExists, '^node "n1": exists already$', c.add_node, "n1", cpu=1)
        self.refused(ValueError, 'node "n2": unknown field "lables", did you mean "labels"',
                     c.add_node, "n2", lables={})
        self.refused(ValueError, r'node "n2": capacity.cpu: expected a number or a text',
                     c.add_node, "n2", cpu=[1])
        self.refused(ValueError, r'node "n2": taints\[0\].key: expected a text, got 3', c.add_node,
                     "n2", taints=[{"key": 3}])
        self.refused(ValueError, r'node "n2": unschedulable: expected True or False, got 1',
                     c.add_node, "n2", unschedulable=1)
        self.refused(ValueError, 'node "n2".*1e3k', c.add_node, "n2", cpu="1e3k")
        self.refused(ValueError, 'node "n2".*negative', c.add_node, "n2", cpu=-1)
        self.refused(ValueError, 'task "t": unknown field "gup"', c.add_task, "t", gup=1)
        self.refused(ValueError, 'status: unknown status "runing", did you mean "running"',
                     c.add_task, "t", status="runing")
        self.refused(ValueError, 'priority: expected an integer between', c.add_task, "t",
                     priority=2**31)
        self.refused(ValueError, 'created: expected an integer, got 1.5', c.add_task, "t",
                     created=1.5)
        self.refused(KeyError, 'job "j": does not exist', c.remove_job, "j")

    def test_errors_are_built_in_ones_too(self):
        error = self.refused(KeyError, "nobody", self.cluster.remove_task, "nobody")
        self.assertEqual(str(error), 'task "nobody": does not exist')
        self.assertEqual(error.code, "NOT_FOUND")

    def test_profiles_and_options(self):
        c = self.cluster
        self.refused(muster.InvalidArgument,
                     'profile: unknown profile "vulcano"; did you mean "volcano"', c.schedule,
                     "vulcano")
        self.refused(muster.InvalidArgument, "work_budget is negative", c.schedule, "volcano",
                     work_budget=-1)
        self.refused(muster.InvalidArgument, "now: expected an integer", c.schedule, "volcano",
                     now=0.5)
        self.refused(muster.InvalidArgument, 'unknown field "tree"', c.schedule, "volcano",
                     speed={"tree": False})
        self.refused(muster.InvalidArgument, "time_limit", c.schedule, "volcano", time_limit=-1.0)
        self.refused(muster.InvalidArgument, "seed: expected an integer between 0", c.schedule,
                     "volcano", seed=-1)


@needs_engine
class Columns(unittest.TestCase):
    def setUp(self):
        self.cluster = muster.Cluster()

    def test_columns_and_rows_make_the_same_cluster(self):
        by_row = muster.Cluster()
        names = [f"node-{i}" for i in range(5)]
        for i, name in enumerate(names):
            by_row.add_node(name, cpu=4 + i, memory="8Gi", labels={"zone": "ab"[i % 2]},
                            unschedulable=i == 3)
        self.cluster.add_nodes(
            {
                "name": np.array(names),
                "cpu": np.arange(4, 9),
                "labels.zone": np.array([*"ababa"], dtype=object),
                "unschedulable": np.array([False, False, False, True, False]),
            },
            memory="8Gi",
        )
        for cluster in (by_row, self.cluster):
            cluster.add_queue("q")
            cluster.add_job("j", queue="q", min_available=2)
        for i in range(6):
            by_row.add_task(f"t{i}", job="j", cpu=f"{500 * (1 + i % 2)}m", priority=i,
                            namespace="x")
        self.cluster.add_tasks(
            name=[f"t{i}" for i in range(6)], job="j", cpu=["500m", "1000m"] * 3, priority=range(6),
            namespace="x"
        )
        mine, theirs = self.cluster.to_dict(), by_row.to_dict()
        for told in (mine, theirs):  # 4 and "4" are one amount
            for node in told["nodes"]:
                node["capacity"] = dict(sorted((k, str(v)) for k, v in node["capacity"].items()))
        self.assertEqual(mine, theirs)
        self.assertEqual(self.cluster.schedule("volcano").binds["node"].tolist(),
                         by_row.schedule("volcano").binds["node"].tolist())

    def test_jobs_from_columns(self):
        self.cluster.add_nodes(10, cpu=8)
        self.cluster.add_queues(name=["a", "b"], weight=[1, 2], **{"deserved.cpu": [10, 20]})
        self.assertEqual(
            self.cluster.add_jobs(name=["x", "y"], queue=["a", "b"], count=[2, 3],
                                  min_available=[2, 3], cpu=[1, 2]), 2
        )
        self.assertEqual(column(self.cluster.tasks, "name"), ["x-0", "x-1", "y-0", "y-1", "y-2"])
        self.assertEqual(column(self.cluster.tasks, "request.cpu"), [1, 1, 2, 2, 2])
        self.assertEqual(self.cluster.queue("b")["deserved"], {"cpu": 20})
        self.assertEqual(rows(self.cluster.schedule("volcano").binds), 5)

    def test_missing_cells_say_nothing(self):
        self.cluster.add_nodes(name=["a", "b"], cpu=[1, 2], gpu=np.array([np.nan, 2.0]))
        self.assertEqual(self.cluster.node("a")["capacity"], {"cpu": 1})
        self.assertEqual(self.cluster.node("b")["capacity"], {"cpu": 2, "nvidia.com/gpu": 2})
        self.cluster.add_job("j")
        self.cluster.add_tasks(name=["s", "t"], job=np.array([None, "j"], dtype=object))
        self.assertEqual(column(self.cluster.tasks, "job"), ["", "j"])

    def test_all_rows_or_none(self):
        self.cluster.add_node("taken", cpu=1)
        before = self.cluster.to_dict()
        with self.assertRaisesRegex(muster.AlreadyExists,
                                    r'^nodes: row 2: node "taken": exists already$'):
            self.cluster.add_nodes(name=["a", "b", "taken", "c"], cpu=1)
        self.assertEqual(self.cluster.to_dict(), before)

    def test_a_refused_table_leaves_no_event_and_wakes_nothing(self):
        self.cluster.add_node("n", cpu=8)
        self.cluster.add_job("j", count=1, cpu=1)
        self.cluster.apply(self.cluster.schedule("kube-scheduler"))  # its memory sees events
        task = {"job": "late", "status": "running", "node": "late", "cpu": 1}
        self.assertEqual(self.cluster.apply_delta("task", 1, "t", **task), "waiting")
        before, waiting = self.cluster.to_scenario(), self.cluster.waiting_events()
        bad = np.array([None, 3], dtype=object)
        for call, columns in (
                ("add_nodes", {"name": ["late", "n"]}), ("add_nodes", {"name": ["late", ""]}),
                ("add_queues", {"name": ["late", "default"]}),
                ("add_jobs", {"name": ["late", "j"]}),
                ("add_jobs", {"name": ["late", "x"], "queue": ["default", "none"]}),
                ("add_tasks", {"name": ["late", "t"], "job": ["j", "none"]}),
                ("add_nodes", {"name": ["late", "x"], "domain": bad}),
                ("add_jobs", {"name": ["late", "x"], "priority_class": bad}),
                ("add_jobs", {"name": ["late", "x"], "count": [1, -1], "cpu": [1, 1]})):
            with self.subTest(call=call, columns=columns):
                with self.assertRaises(ValueError):
                    getattr(self.cluster, call)(columns)
                self.assertEqual(self.cluster.to_scenario(), before)
                self.assertEqual(self.cluster.waiting_events(), waiting)
        self.cluster.add_jobs({"name": ["late", "x"]})
        self.cluster.add_nodes({"name": ["late", "x"]})
        self.assertEqual((self.cluster.task("t")["node"], self.cluster.waiting_events()),
                         ("late", []))

    def test_bad_columns(self):
        refuse = self.assertRaisesRegex
        with refuse(ValueError, r'task: priority\[1\]: expected an integer between'):
            self.cluster.add_tasks(name=["a", "b"], priority=np.array([1, 2**40]))
        with refuse(ValueError, 'columns differ in length: "name" has 2 rows, "priority" has 1'):
            self.cluster.add_tasks(name=["a", "b"], priority=[1])
        with refuse(ValueError, 'unknown field "pirority", did you mean "priority"'):
            self.cluster.add_tasks(name=["a"], pirority=[1])
        with refuse(ValueError, "expected texts, got an array of int64"):
            self.cluster.add_tasks(name=[1, 2])
        with refuse(ValueError, "one dimension"):
            self.cluster.add_tasks(name=np.array([["a"]]))
        with refuse(ValueError, "no column is given"):
            self.cluster.add_tasks(job="j")
        with refuse(ValueError, r'task: name\[1\]: expected a text, got 3'):
            self.cluster.add_tasks(name=np.array(["a", 3], dtype=object))
        with refuse(ValueError, r'status\[0\]: unknown status "walking"'):
            self.cluster.add_tasks(name=["a"], status=["walking"])

    def test_pandas_and_arrow(self):
        try:
            import pandas
            import pyarrow
        except ImportError as error:
            self.skipTest(str(error))
        frame = pandas.DataFrame({"name": ["a", "b"], "cpu": [2, 4], "memory": ["1Gi", "2Gi"]})
        frame["labels.zone"] = pandas.Categorical(["x", "y"])
        self.cluster.add_nodes(frame)
        self.assertEqual(self.cluster.node("b"), {"name": "b",
                                                  "capacity": {"cpu": 4, "memory": "2Gi"},
                                                  "labels": {"zone": "y"}})
        arrow = muster.Cluster()
        arrow.add_nodes(pyarrow.Table.from_pandas(frame, preserve_index=False))
        self.assertEqual(arrow.to_dict(), self.cluster.to_dict())


@needs_engine
class Scenarios(unittest.TestCase):
    def test_every_scenario_of_ours(self):
        paths = sorted((ROOT / "tests/scenarios").glob("*.json"))
        self.assertGreater(len(paths), 10)
        for path in paths:
            with self.subTest(path.name):
                expect = json.loads(path.read_text())["expect"]
                cluster = muster.Cluster.from_scenario(path)
                plan = cluster.schedule()
                if "binds" in expect:
                    self.assertEqual(dict(zip(plan.binds["task"], plan.binds["node"])),
                                     expect["binds"])
                if "evictions" in expect:
                    self.assertEqual(sorted(plan.evictions["task"]), sorted(expect["evictions"]))
                for name, words in expect.get("reasons", {}).items():
                    self.assertIn(words, plan.explain(name))

    def test_round_trip(self):
        cluster = muster.Cluster.from_scenario(ROOT / "tests/scenarios/gang_undone.json")
        again = muster.Cluster.from_scenario(cluster.to_scenario("volcano", now=5))
        self.assertEqual(again.to_dict(), cluster.to_dict())
        self.assertEqual(again.schedule().profile, "volcano")
        told = json.loads(again.to_scenario())
        self.assertEqual((told["profile"], told["options"]["now"]), ("volcano", 5))
        self.assertEqual(json.loads(again.to_scenario("muster", now=9))["options"]["now"], 9)
        from_dict = muster.Cluster.from_scenario(json.loads(cluster.to_scenario()))
        self.assertEqual(from_dict.to_dict(), cluster.to_dict())

    def test_a_bad_scenario_names_the_place(self):
        with self.assertRaisesRegex(muster.InvalidArgument,
                                    r'scenario: nodes\[0\]: key "name" is missing'):
            muster.Cluster.from_scenario({"muster": 1, "nodes": [{"nam": "x"}]})
        for wrong in (None, [], 3, b"{}"):
            with self.assertRaisesRegex(muster.InvalidArgument,
                                        "scenario: expected a path, a text or a dict, got "):
                muster.Cluster.from_scenario(wrong)

    def test_a_listing_of_another_form_names_the_place(self):
        cluster = muster.Cluster()
        cluster.add_node("n", cpu=4)
        keywords = {"nodes": [{"name": "n0", "cpu": 8, "gpu": 4}],
                    "queues": [{"name": "q", "limit": {"gpu": 2}}],
                    "jobs": [{"name": "j", "queue": "q"}],
                    "tasks": [{"name": t, "job": "j", "cpu": 1, "gpu": 1} for t in ("a", "b")]}
        told = muster.Cluster()
        told.reconcile(keywords)
        self.assertEqual(told.node("n0")["capacity"], {"cpu": 8, "nvidia.com/gpu": 4})
        self.assertEqual(told.queue("q")["limit"], {"nvidia.com/gpu": 2})
        self.assertEqual(len(told.schedule("muster").binds), 2)
        self.assertEqual(told.reconcile(told.to_dict()), [])
        for full, words in ((None, "reconcile: expected a dict of lists of rows, got NoneType"),
                            ([], "reconcile: expected a dict of lists of rows, got list"),
                            ({"nodes": 3}, "reconcile: nodes: expected a list, got int"),
                            ({"nodes": {"a": 1}}, "reconcile: nodes: expected a list, got dict"),
                            ({"nodes": "n"}, "reconcile: nodes: expected a list, got str"),
                            ({"nodes": [{"name": "n"}, 3]},
                             r"reconcile: nodes\[1\]: expected a dict, got 3")):
            with self.assertRaisesRegex(muster.InvalidArgument, f"^{words}$"):
                cluster.reconcile(full)
        self.assertEqual(len(cluster.to_dict()["nodes"]), 1)


@needs_engine
class Looks(unittest.TestCase):
    def test_lists(self):
        self.assertIn("volcano", list(muster.profiles()["name"]))
        self.assertIn("gang", list(muster.policies()["name"]))

    @unittest.skipUnless(find_spec("pandas"), "pandas is not installed")
    def test_lists_print_whole(self):
        for listed in (muster.policies(), muster.profiles(), muster.policies().head(3)):
            for width in (80, 100):
                with mock.patch.dict(os.environ, COLUMNS=str(width)):
                    lines = repr(listed).splitlines()
                self.assertLessEqual(max(map(len, lines)), width)
                # A cell is broken between its words only: nothing is left out.
                words = lambda text: sorted(re.findall(r"[^ +/]+", text))
                cells = [listed.columns, listed.index.astype(str), listed.to_numpy().ravel()]
                self.assertEqual(words(" ".join(lines)), words(" ".join(map(" ".join, cells))))
            shown = listed._repr_html_()
            for cell in listed.to_numpy().ravel():
                self.assertIn(f">{escape(cell)}</td>", shown)
        listed = muster.policies()
        self.assertTrue(pickle.loads(pickle.dumps(listed)).equals(listed))

    def test_html_escapes_names(self):
        cluster = muster.Cluster()
        cluster.add_node("n", cpu=1)
        cluster.add_queue("<b>")
        cluster.add_job("<i>", queue="<b>", count=2, cpu=1, min_available=2)
        html = cluster.schedule("volcano")._repr_html_()
        self.assertIn("&lt;b&gt;", html)
        self.assertNotIn("<i>", html)
        self.assertIn("cpu", cluster._repr_html_())
        self.assertEqual(muster.Cluster()._repr_html_().count("<table>"), 0)
        self.assertTrue(muster.Cluster().schedule()._repr_html_().startswith("<div>"))

    def test_tables_without_pandas_are_arrays(self):
        import subprocess
        import sys

        code = (
            "import sys; sys.modules['pandas'] = None\n"
            "import muster\n"
            "c = muster.Cluster(); c.add_node('n', cpu=1); c.add_job('j', count=1, cpu=1)\n"
            "p = c.schedule('volcano')\n"
            "print(type(p.binds).__name__, p.binds['node'].tolist(), muster.profiles()['name'].tolist()[1])"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                              check=True)
        self.assertEqual(done.stdout.strip(), "dict ['n'] volcano")


if __name__ == "__main__":
    unittest.main()
