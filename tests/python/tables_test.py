# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""A cluster's own tables, and the short names of resources in maps and columns."""

import unittest
from importlib.util import find_spec

import numpy as np

from engine import muster, needs_engine, rows


def full():
    """A cluster of nodes that set fields of every form."""
    cluster = muster.Cluster()
    cluster.add_domain("rack")
    cluster.add_node("a", cpu=8, memory="32Gi", gpu=4, labels={"zone": "x", "empty": ""},
                     taints=[{"key": "gpu", "effect": "NoSchedule"}], domain="rack")
    cluster.add_node("b", cpu="1500m", memory=1 << 40, allocatable={"cpu": 1, "memory": "1Ti"},
                     unschedulable=True, settings={"p/q": "r"}, alignment="restricted",
                     zones=[{"name": "z", "capacity": {"cpu": 1}}], usage={"cpu": 1, "measured": 5})
    cluster.add_node("c", capacity={"example.com/fpga": 2}, ready=False, shard="s")
    return cluster


def amounts(node):
    """The node with amounts as numbers."""
    numbers = {"32Gi": 32 << 30, "1500m": 1.5, "1.5": 1.5, "1Ti": 1 << 40}
    return node | {
        name: {key: numbers.get(value, value) for key, value in node[name].items()}
        for name in ("capacity", "allocatable") if name in node
    }


@needs_engine
class Nodes(unittest.TestCase):
    def check(self, table):
        there, other = full(), muster.Cluster()
        other.add_domain("rack")
        self.assertEqual(other.add_nodes(table), 3)
        for name in "abc":
            self.assertEqual(amounts(other.node(name)), amounts(there.node(name)))

    def test_the_table_makes_the_same_nodes(self):
        self.check(full().nodes)
        self.check(full()._core.table("nodes"))

    def test_the_units_are_those_of_keywords(self):
        table = full()._core.table("nodes")
        self.assertEqual(table["capacity.cpu"][:2].tolist(), [8, 1.5])
        self.assertEqual(table["capacity.memory"][:2].tolist(), [32 << 30, 1 << 40])
        self.assertEqual(table["capacity.nvidia.com/gpu"][0], 4)
        self.assertTrue(np.isnan(table["capacity.cpu"][2]))
        cluster = muster.Cluster()
        cluster.add_job("j", count=2, cpu="1500m", gpu=1)
        tasks = cluster.tasks
        self.assertEqual(list(tasks["request.cpu"]), [1.5, 1.5])
        self.assertEqual(list(tasks["request.nvidia.com/gpu"]), [1, 1])
        self.assertIn("request.cpu", tasks)

    def test_rows_without_an_allocatable_amount_have_their_capacity(self):
        cluster = muster.Cluster()
        cluster.add_nodes({"name": ["a", "b"], "cpu": [8, 8], "allocatable.cpu": [4, None]})
        self.assertEqual(cluster.node("a")["allocatable"], {"cpu": 4})
        self.assertNotIn("allocatable", cluster.node("b"))

    def test_summaries_are_refused_as_rows(self):
        cluster = full()
        cluster.add_queue("q")
        cluster.add_job("j", queue="q", count=2, cpu=1)
        for kind, column in (("queue", "jobs"), ("job", "tasks"), ("task", "task_class")):
            with self.assertRaisesRegex(
                    muster.InvalidArgument,
                    f'{kind}s: "{column}" is a column of Cluster.{kind}s, a table without all '
                    "fields"):
                getattr(muster.Cluster(), f"add_{kind}s")(getattr(cluster, f"{kind}s"))

    def test_lists_and_maps_may_be_columns(self):
        cluster = muster.Cluster()
        taints = np.empty(2, dtype=object)
        taints[0], taints[1] = [{"key": "k", "effect": "NoSchedule"}], None
        labels = [{"zone": "x", "empty": ""}, None]
        cluster.add_nodes({"name": ["a", "b"], "cpu": [1, 1], "taints": taints, "labels": labels})
        self.assertEqual(cluster.node("a")["taints"], [{"key": "k", "effect": "NoSchedule"}])
        self.assertEqual(cluster.node("a")["labels"], labels[0])
        self.assertEqual(set(cluster.node("b")), {"name", "capacity"})
        for table, words in (
            ({"taints": np.array([1])}, "expected lists or dicts, got an array of int64"),
            ({"labels": [{"a": 1}]}, 'node: labels[0].a: expected a text'),
            ({"labels": [{"a": "1"}], "labels.b": ["2"]}, "as a whole and by its keys"),
        ):
            with self.assertRaises(muster.InvalidArgument) as caught:
                cluster.add_nodes({"name": ["c"]} | table)
            self.assertIn(words, str(caught.exception))
        self.assertEqual(rows(cluster.nodes), 2)


TAINTS = [{"key": "a", "effect": "NoSchedule"}, {"key": "b", "effect": "NoExecute"}]


@needs_engine
class Lists(unittest.TestCase):
    def refused(self, words, add, *arguments, **keywords):
        with self.assertRaises(muster.InvalidArgument) as caught:
            add(*arguments, **keywords)
        self.assertEqual(str(caught.exception), words)

    def test_a_list_of_a_table_is_a_column(self):
        for taints in ([TAINTS[:1], TAINTS[1:]], [TAINTS, []], ([TAINTS[0]], None)):
            cluster = muster.Cluster()
            cluster.add_nodes({"name": ["a", "b"], "taints": taints})
            for name, told in zip("ab", taints):
                self.assertEqual(cluster.node(name).get("taints", []), told or [])
        cluster.add_tasks({"name": ["t", "u"], "gates": [["g", "h"], ()], "host_ports":
                           ([{"port": 80}], [{"port": 81}])}, cpu=1)
        self.assertEqual(cluster.task("t")["gates"], ["g", "h"])
        self.assertNotIn("gates", cluster.task("u"))
        for name, port in (("t", 80), ("u", 81)):
            self.assertEqual(cluster.task(name)["shape"]["host_ports"][0]["port"], port)
        cluster.add_jobs({"name": ["j", "k"], "tolerations": [[{"key": "a", "op": "Exists"}], []]})
        self.assertEqual(len(cluster.task("j-0")["shape"]["tolerations"]), 1)
        self.assertNotIn("tolerations", cluster.task("k-0").get("shape", {}))

    def test_one_for_each_row_is_no_list_of_all_rows(self):
        cluster = muster.Cluster()
        self.refused(f"node: taints[0]: expected a list, got {TAINTS[0]} (dict)", cluster.add_nodes,
                     {"name": ["a", "b"], "taints": TAINTS})
        self.refused("task: gates: expected lists or dicts, got an array of <U1", cluster.add_tasks,
                     {"name": ["t", "u"], "gates": ["g", "h"]})
        self.refused('nodes: columns differ in length: "name" has 2 rows, "taints" has 1',
                     cluster.add_nodes, {"name": ["a", "b"], "taints": [TAINTS]})
        self.assertEqual((rows(cluster.nodes), rows(cluster.tasks)), (0, 0))

    def test_a_list_of_a_keyword_is_shared(self):
        for table, more in (({"name": ["a", "b"]}, {}), (None, {"name": ["a", "b"]})):
            cluster = muster.Cluster()
            cluster.add_nodes(table, taints=TAINTS, **more)
            self.assertEqual([cluster.node(name)["taints"] for name in "ab"], [TAINTS, TAINTS])
        cluster.add_tasks({"name": ["t", "u"]}, gates=["g"])
        self.assertEqual([cluster.task(name)["gates"] for name in "tu"], [["g"], ["g"]])

    def test_lists_where_none_belong(self):
        self.refused("node: name[0]: expected a text, got ['a'] (list)", muster.Cluster().add_nodes,
                     {"name": [["a"], ["b"]]})
        self.refused("node: [\"capacity.cpu\"][1]: expected a number or a text such as \"500m\", "
                     "got [1] (list)", muster.Cluster().add_nodes, name=["a", "b"], cpu=[1, [1]])


@needs_engine
class Empty(unittest.TestCase):
    def test_tables_without_rows(self):
        tables = [{"name": []}, {"name": (), "cpu": [], "taints": [], "labels.a": []},
                  {"name": np.array([]), "cpu": np.array([])},
                  {"name": np.array([], dtype=str), "cpu": np.array([], dtype=int)}]
        if find_spec("pandas"):
            import pandas

            tables += [pandas.DataFrame({"name": []}), pandas.DataFrame({"name": [], "cpu": []})]
        for table in tables:
            cluster = muster.Cluster()
            given = {"name": table["name"]}
            counts = (cluster.add_nodes(table), cluster.add_nodes(table, memory="1Gi"),
                      cluster.add_queues(given), cluster.add_jobs(given, count=2, cpu=1),
                      cluster.add_tasks(given, cpu=1), cluster.add_nodes(name=table["name"]))
            self.assertEqual(counts, (0, 0, 0, 0, 0, 0))
            self.assertEqual(cluster.version, muster.Cluster().version)
        with self.assertRaisesRegex(muster.InvalidArgument, 'unknown field "cpus"'):
            cluster.add_nodes({"name": [], "cpus": []})
        self.assertEqual(cluster.add_nodes(muster.Cluster().nodes), 0)


@needs_engine
class ShortNames(unittest.TestCase):
    def setUp(self):
        self.cluster = muster.Cluster()
        self.cluster.add_nodes(2, cpu=64, gpu=8)

    def binds(self):
        self.cluster.add_job("t", queue="v", count=6, gpu=1, cpu=1)
        return rows(self.cluster.schedule("volcano:+capacity,-proportion").binds)

    def test_gpu_is_short_in_a_map(self):
        self.cluster.add_queue("v", limit={"gpu": 2})
        self.assertEqual(self.cluster.queue("v")["limit"], {"nvidia.com/gpu": 2})
        self.assertEqual(self.binds(), 2)

    def test_gpu_is_short_in_a_column(self):
        self.cluster.add_queues({"name": ["v"], "limit.gpu": [2]})
        self.assertEqual(self.binds(), 2)

    def test_gpu_is_short_in_a_cell(self):
        c, long = self.cluster, {"nvidia.com/gpu": 2}
        c.add_queues({"name": ["v", "w"], "limit": [{"gpu": 2}, None]})
        self.assertEqual((c.queue("v")["limit"], "limit" in c.queue("w")), (long, False))
        labels = {"gpu": "a100"}
        c.add_tasks({"name": ["t"], "containers": [[{"request": {"gpu": 2}}]], "labels": [labels]})
        self.assertEqual(c.task("t")["shape"],
                         {"containers": [{"request": long}], "labels": labels})
        with self.assertRaisesRegex(muster.InvalidArgument,
                                    r'queues: limit\[0\]: "nvidia.com/gpu" is given twice'):
            c.add_queues({"name": ["x"], "limit": [{"gpu": 1, "nvidia.com/gpu": 1}]})

    def test_gpu_is_short_wherever_amounts_are(self):
        c = self.cluster
        c.add_node("n", capacity={"gpu": 4, "cpu": 1}, labels={"gpu": "a100"})
        self.assertEqual(c.node("n")["capacity"], {"nvidia.com/gpu": 4, "cpu": 1})
        self.assertEqual(c.node("n")["labels"], {"gpu": "a100"})
        c.set_flavor("f", node_labels={"gpu": "a100"})
        group = {"resources": ["gpu"], "flavors": [{"flavor": "f", "nominal": {"gpu": 3}}]}
        c.add_queue("k", rules={"groups": [group]})
        self.assertEqual(c.queue("k")["rules"]["groups"], [
            {"resources": ["nvidia.com/gpu"],
             "flavors": [{"flavor": "f", "nominal": {"nvidia.com/gpu": 3}}]}])
        c.add_task("t", request={"gpu": 1})
        self.assertEqual(c.task("t")["shape"]["request"], {"nvidia.com/gpu": 1})
        c.apply_delta("queue", 1, name="w", limit={"gpu": 5})
        self.assertEqual(c.queue("w")["limit"], {"nvidia.com/gpu": 5})
        self.assertEqual(rows(muster.what_if(c, "muster", [
            {"queue": {"name": "w", "limit": {"gpu": 1}}}])), rows(c.queues))

    def test_gpu_twice_is_refused(self):
        with self.assertRaisesRegex(
                muster.InvalidArgument,
                'queue "v": limit: "nvidia.com/gpu" is given twice, once as "gpu"'):
            self.cluster.add_queue("v", limit={"gpu": 1, "nvidia.com/gpu": 1})

    def test_a_resource_of_that_very_name_is_meant(self):
        own = muster.Cluster.from_scenario(
            {"muster": 1, "nodes": [{"name": "n", "capacity": {"gpu": 4}}]})
        own.add_queue("v", limit={"gpu": 2})
        self.assertEqual(own.queue("v")["limit"], {"gpu": 2})


@needs_engine
class Counts(unittest.TestCase):
    def test_an_empty_count_is_unset(self):
        cluster = muster.Cluster()
        cluster.add_jobs({"name": ["p", "q"], "cpu": [1, 1], "count": [2, None]})
        cluster.add_jobs({"name": ["r"], "cpu": [1], "count": np.array([np.nan])})
        self.assertEqual(list(cluster.jobs["tasks"]), [2, 1, 1])


if __name__ == "__main__":
    unittest.main()
