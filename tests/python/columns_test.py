# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Columns that hold what no table may hold, and arguments of a wrong form: each is one error of
Muster with its place, and changes nothing."""

import importlib.util
import unittest

from engine import HAVE_ENGINE, muster, needs_engine

if HAVE_ENGINE:
    import numpy as np

HAVE = {name: importlib.util.find_spec(name) is not None
        for name in ("pandas", "polars", "pyarrow")}


class Meddler:
    """A number that calls a cluster while it is read, and is none."""

    def __init__(self, call):
        self.call = call
        self.told = []

    def __index__(self):
        try:
            self.call()
        except muster.Error as error:
            self.told.append(str(error))
        raise LookupError("no number")

    __str__ = __index__


@needs_engine
class Columns(unittest.TestCase):
    def setUp(self):
        self.cluster = muster.Cluster()

    def refuses(self, message, method, *tables, **given):
        before = self.cluster.to_dict()
        with self.subTest(message), self.assertRaises(muster.Error) as caught:
            getattr(self.cluster, method)(*tables, **given)
        self.assertIn(message, str(caught.exception))
        self.assertEqual(self.cluster.to_dict(), before)

    def test_columns_of_a_table_have_one_length(self):
        for name in ("cpu", "request.memory", "count", "labels.a", "group", "priority"):
            cells = ["x"] if name in ("labels.a", "group") else [1]
            for column in ([], cells, cells * 3):
                for table in ({"name": ["a", "b"], name: column},
                              {name: column, "name": ["a", "b"]}):
                    first, second = table
                    self.refuses(
                        f'columns differ in length: "{first}" has {len(table[first])} rows, '
                        f'"{second}" has {len(table[second])}', "add_jobs", table)
        self.refuses('"name" has 3000 rows, "cpu" has 2999', "add_jobs",
                     {"name": [f"j{i}" for i in range(3000)], "cpu": list(range(2999))})
        self.refuses('jobs: column "name" is missing', "add_jobs", {"cpu": [1, 2]})
        self.assertEqual(self.cluster.add_jobs({"name": ["a", "b"], "cpu": [1, 2]}), 2)

    def test_the_engine_compares_lengths_itself(self):
        columns = {"name": np.array(["a", "b"], dtype=object)}
        for count in (0, 1, 3):
            group = {"shape.request.cpu": np.arange(1, count + 1)}
            with self.assertRaisesRegex(
                    muster.InvalidArgument,
                    f'"name" has 2 rows, "shape.request.cpu" has {count}'):
                self.cluster._core.add_job_columns(columns, {}, group, {"count": 1})
        self.assertEqual(len(self.cluster.to_dict()["jobs"]), 0)

    def test_a_cell_does_not_call_the_cluster(self):
        cluster = self.cluster
        cluster.add_node("n", cpu=4)
        cluster.add_job("j", count=1, cpu=1)
        plan = cluster.schedule("volcano")
        names = {"name": ["a", "b"]}
        for call in (lambda: cluster.remove_node("a"), lambda: cluster.remove_job("a"),
                     lambda: cluster.remove_queue("a"), lambda: cluster.remove_task("a"),
                     lambda: cluster.apply(plan), lambda: cluster.nodes):
            for method, column in (("add_nodes", "capacity"), ("add_jobs", "request"),
                                   ("add_queues", "limit"), ("add_tasks", "request")):
                cell = Meddler(call)
                before = cluster.to_scenario()
                with self.subTest(method), self.assertRaises(LookupError):
                    getattr(cluster, method)({**names, column: [{"cpu": 1}, {"cpu": cell}]})
                self.assertIn("a call runs on it", " ".join(cell.told))
                self.assertEqual(cluster.to_scenario(), before)

    def test_a_field_does_not_call_the_cluster(self):
        cluster = self.cluster
        cluster.add_node("n", cpu=4)
        cluster.add_job("j", cpu=1)
        for method, arguments in (("add_job", ("k",)), ("update_job", ("j",)),
                                  ("apply_delta", ("job", 1, "k"))):
            field = Meddler(lambda: cluster.schedule("volcano"))
            before = cluster.to_scenario()
            with self.subTest(method), self.assertRaises(muster.Error):
                getattr(cluster, method)(*arguments, priority=field)
            self.assertIn("a call runs on it", " ".join(field.told))
            self.assertEqual(cluster.to_scenario(), before)

    def test_masked_cells_are_absent(self):
        masked = np.ma.masked_array
        self.cluster.add_nodes({
            "name": ["a", "b"], "cpu": masked([1, 2], mask=[False, True]),
            "memory": masked([1.0, 2.0], mask=[True, False]),
            "labels.z": masked(["x", "y"], mask=[True, False]),
        })
        a, b = (self.cluster.node(name) for name in "ab")
        self.assertEqual((a["capacity"], b["capacity"]), ({"cpu": 1}, {"memory": 2}))
        self.assertEqual((a.get("labels"), b["labels"]), (None, {"z": "y"}))
        self.refuses('queue "": ', "add_queues",
                     {"name": masked(["p", "q"], mask=[False, True])})

    @unittest.skipUnless(HAVE["pyarrow"], "pyarrow is not installed")
    def test_arrow_arrays_have_cells_without_values(self):
        import pyarrow as pa

        big = (1 << 53) + 1
        batch = pa.RecordBatch.from_arrays(
            [pa.array(["a", "b", "c"]), pa.array([1, None, 3]), pa.array([None, "x", "y"])],
            names=["name", "cpu", "labels.z"])
        self.cluster.add_nodes(batch)
        self.assertEqual([self.cluster.node(name).get("capacity") for name in "abc"],
                         [{"cpu": 1}, None, {"cpu": 3}])
        self.cluster.add_jobs({"name": pa.array(["j", "k"]), "created": pa.array([None, big])})
        self.assertEqual(self.cluster.job("k")["created"], big)
        self.cluster.add_nodes({"name": pa.chunked_array([["d"], ["e"]]), "cpu": pa.array([1, 2])})
        self.refuses('["capacity.cpu"][0]: expected a number', "add_nodes",
                     {"name": ["x"], "cpu": pa.array([{"a": 1}])})
        twice = pa.table([pa.array(["f"]), pa.array([1]), pa.array([2])],
                         names=["name", "cpu", "cpu"])
        self.refuses('table: column "cpu" is there twice', "add_nodes", twice)

    @unittest.skipUnless(HAVE["pyarrow"], "pyarrow is not installed")
    def test_arrow_columns_of_lists_maps_and_rows(self):
        import pyarrow as pa

        taints = [[{"key": "k", "effect": "NoSchedule"}], [{"key": "x", "value": "y",
                                                           "effect": "NoExecute"}], []]
        pairs = pa.array([[("zone", "x")], [], None], pa.map_(pa.string(), pa.string()))
        self.cluster.add_nodes(pa.table({"name": ["a", "b", "c"], "labels": pairs,
                                         "taints": pa.array(taints)}))
        self.assertEqual([self.cluster.node(name).get("labels") for name in "abc"],
                         [{"zone": "x"}, None, None])
        self.assertEqual([len(self.cluster.node(name).get("taints", [])) for name in "abc"],
                         [1, 1, 0])
        self.cluster.add_nodes(muster.to_arrow({"name": ["d", "e"], "cpu": [1, 2],
                                                "labels": [{"a": "1"}, {"b": "2"}]}))
        self.assertEqual([self.cluster.node(name)["labels"] for name in "de"],
                         [{"a": "1"}, {"b": "2"}])

    @unittest.skipUnless(HAVE["polars"], "polars is not installed")
    def test_polars_columns_of_lists_and_rows(self):
        import polars as pl

        labels = [{"x": "1", "y": None}, {"x": None, "y": "2"}]  # all rows have the same keys
        nodes = pl.DataFrame({"name": ["a", "b"], "cpu": [1, 2], "labels": labels,
                              "taints": [[{"key": "k", "effect": "NoSchedule"}], []]})
        self.cluster.add_nodes(nodes.lazy())
        self.assertEqual([self.cluster.node(name)["labels"] for name in "ab"],
                         [{"x": "1"}, {"y": "2"}])
        self.assertEqual(len(self.cluster.node("a")["taints"]), 1)
        again = muster.Cluster()
        self.assertEqual(again.add_nodes(muster.to_polars(self.cluster.nodes)), 2)
        self.assertEqual(again.node("b")["labels"], {"y": "2"})

    @unittest.skipUnless(HAVE["pandas"], "pandas is not installed")
    def test_pandas_frames_have_names_once(self):
        import pandas as pd

        twice = pd.DataFrame([["a", 1, 2]], columns=["name", "cpu", "cpu"])
        self.refuses('table: column "cpu" is there twice', "add_nodes", twice)
        self.refuses('table: column "1" is there twice', "add_nodes",
                     pd.DataFrame([["a", 1, 2]], columns=["name", 1, "1"]))
        big = (1 << 53) + 1
        self.cluster.add_jobs(pd.DataFrame({
            "name": ["a", "b"], "created": pd.array([big, None], dtype="Int64")}))
        self.assertEqual(self.cluster.job("a")["created"], big)

    def test_a_keyword_and_a_column_do_not_set_one_field(self):
        name = {"name": ["a", "b"]}
        for method, column, keyword in (
            ("add_nodes", "cpu", {"capacity": {"cpu": 8}}),
            ("add_nodes", "gpu", {"capacity": {"nvidia.com/gpu": 8}}),
            ("add_nodes", "labels.z", {"labels": {"z": "x"}}),
            ("add_jobs", "cpu", {"request": {"cpu": 8}}),
            ("add_jobs", "cpu", {"shape": {"request": {"cpu": 8}}}),
            ("add_tasks", "labels.z", {"labels": {"z": "x"}}),
            ("add_tasks", "request.cpu", {"cpu": 8}),
            ("add_queues", "limit.cpu", {"limit": {"cpu": 8}}),
        ):
            cells = ["1", "2"]
            self.refuses(f'"{column}" is given twice, as a column and by a keyword', method,
                         {**name, column: cells}, **keyword)
        self.refuses('"request" is given twice, alone and in shape', "add_job", "j",
                     shape={"request": {"memory": 1}}, cpu=1)
        self.cluster.add_nodes({**name, "cpu": [1, 2]}, capacity={"memory": 8})
        self.assertEqual(self.cluster.node("b")["capacity"], {"memory": 8, "cpu": 2})

    def test_a_column_that_cannot_be_read(self):
        class Broken:
            def to_numpy(self):
                raise LookupError("no cells")

        self.refuses("nodes: cpu: cannot be read as an array: no cells", "add_nodes",
                     {"name": ["a"], "cpu": Broken()})
        self.refuses("nodes: name: cannot be read as an array", "add_nodes",
                     {"name": [np.zeros(1), np.zeros(2)]})
        self.refuses("node: name[0]: expected a text, got ['a'] (list)", "add_nodes",
                     {"name": [["a"], ["b", "c"]]})

    def test_flags_are_no_integers(self):
        got = "expected integers, got an array of bool"
        for flags in (np.array([True, False]), [True, False]):
            self.refuses(f"priority: {got}", "add_jobs", {"name": ["a", "b"], "priority": flags})
        table = {"submit": [0, 1], "run": np.array([True, True]), "tasks": [1, 1]}
        with self.assertRaisesRegex(muster.InvalidArgument, f"run: {got}"):
            muster.Trace(table, processors=4)
        self.assertEqual(self.cluster.add_jobs({"name": ["a"], "preemptable": [True]}), 1)

    def test_one_value_and_no_array_as_a_column(self):
        generator = "priority: expected an array or a list, got a generator"
        self.refuses(generator, "add_jobs", {"name": ["a"], "priority": (i for i in [1])})
        self.refuses(generator, "add_jobs", {"name": ["a"]}, priority=(i for i in [1]))
        table = {"name": ["a"], "priority": np.array(3)}
        self.assertEqual(self.cluster.add_jobs(table, queue=np.array("default")), 1)
        self.assertEqual(self.cluster.job("a")["priority"], 3)
        self.refuses("priority: expected an integer, got 'x'", "add_jobs",
                     {"name": ["b"], "priority": np.array("x")})

    def test_settings_are_texts(self):
        self.cluster.add_nodes({"name": ["a"], "settings.x/y": ["5"]})
        self.assertEqual(self.cluster.node("a")["settings"], {"x/y": "5"})
        self.assertNotIn("capacity", self.cluster.node("a"))
        self.refuses('node: ["settings.x/y"]: expected texts', "add_nodes", {"name": ["b"], "settings.x/y": [5]})
        self.refuses('unknown field "settings.x/y"', "add_node", "b", **{"settings.x/y": 5})

    def test_texts_that_are_no_unicode(self):
        for column in ("name", "phase", "labels.z"):
            table = {"name": ["a", "b"]} | {column: ["\ud800", "x"]}
            self.refuses("the text is not valid Unicode", "add_jobs", table)

    def test_the_place_is_the_column_that_was_given(self):
        self.refuses("job: group: expected texts", "add_jobs", {"name": ["a"], "group": [1]})
        self.refuses("jobs: group: expected a text, got 5", "add_jobs", {"name": ["a"]}, group=5)
        cells = np.empty(1, dtype=object)
        cells[0] = np.array([1, 2])
        self.refuses("node: unschedulable[0]: expected an integer, got array", "add_nodes",
                     {"name": ["a"], "unschedulable": cells})
        self.refuses("node: taints: expected a list", "add_nodes", {"name": ["a"]},
                     taints=np.array(5))


@needs_engine
class Arguments(unittest.TestCase):
    def test_one_error_with_the_place(self):
        cluster = muster.Cluster()
        cluster.add_nodes(2, cpu=4)
        cluster.add_job("j", count=1, cpu=8)
        offer = {"name": "big", "cpu": 64}
        jobs = {"submit": [0], "run": [1], "tasks": [1]}
        trace = muster.Trace(jobs, processors=4)
        integers = "trace: rows: expected a list of integers"
        for message, ask in (
            (integers, lambda: trace.select([0.5])), (integers, lambda: trace.select(["x"])),
            (integers, lambda: trace.select(0)),
            (integers, lambda: trace.select([True] * (len(trace) + 1))),
            ("trace: users: expected a list, got 'abc'",
             lambda: muster.Trace(jobs, processors=4, users="abc")),
            ("trace: speeds: expected a list, got 5",
             lambda: muster.Trace(jobs, processors=4, speeds=5)),
            ("nodes: count is 1000000000000000000000; must be 0 to 134217728",
             lambda: cluster.add_nodes(10**21, cpu=1)),
            ("expected a table", lambda: cluster.add_nodes(True, cpu=1)),
            ("options: time_limit: expected seconds, 0 or more",
             lambda: cluster.schedule("muster", time_limit="x")),
            ("offers[0].most: ", lambda: muster.need_nodes(cluster, [offer | {"most": 1 << 63}])),
            ("offers[0].most: ", lambda: muster.need_nodes(cluster, [offer | {"most": 1.5}])),
            ("offers[0].price: expected a number, got None",
             lambda: muster.need_nodes(cluster, [offer | {"price": None}])),
            ("most: expected an integer", lambda: muster.need_nodes(cluster, [offer], most=1.5)),
            ("nodes[0]: expected the name of a node, got 1", lambda: muster.drain(cluster, [1])),
            ("trials: expected an integer of 64 bits, got 9223372036854775808",
             lambda: muster.diagnose(cluster, "j", trials=1 << 63)),
            ("now: expected an integer", lambda: muster.drain(cluster, ["n0"], now=1.5)),
            ("bind: expected an integer", lambda: cluster.expire_assumptions(1, bind=1.5)),
            ("evict: expected an integer", lambda: cluster.expire_assumptions(1, evict="1")),
        ):
            with self.subTest(message), self.assertRaises(muster.InvalidArgument) as caught:
                ask()
            self.assertTrue(str(caught.exception).startswith(message), caught.exception)


if __name__ == "__main__":
    unittest.main()
