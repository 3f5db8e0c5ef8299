# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""The notebooks of examples/ run from top to bottom, and results show themselves as HTML."""

import ast
import html.parser
import json
import unittest
from importlib.util import find_spec

from engine import ROOT, muster, needs_engine

NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))


class Balance(html.parser.HTMLParser):
    """Fails where tags do not close each other."""

    def __init__(self, text):
        super().__init__()
        self.open, self.words = [], ""
        self.feed(text)
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (tag, self.open)
        self.open.pop()

    def handle_data(self, data):
        self.words += data


def shown(value):
    return Balance(value._repr_html_()).words


@needs_engine
class Notebooks(unittest.TestCase):
    @unittest.skipUnless(find_spec("pyarrow"), "pyarrow is not installed")
    def test_they_run(self):
        self.assertTrue(NOTEBOOKS)
        for path in NOTEBOOKS:
            notebook = json.loads(path.read_text(encoding="utf-8"))
            self.assertEqual(notebook["nbformat"], 4)
            names, results = {"__name__": "notebook"}, 0
            for cell in notebook["cells"]:
                if cell["cell_type"] != "code":
                    continue
                self.assertEqual((cell["outputs"], cell["execution_count"]), ([], None))
                body = ast.parse("".join(cell["source"]))
                last = body.body.pop() if isinstance(body.body[-1], ast.Expr) else None
                exec(compile(body, path.name, "exec"), names)
                if last is not None:
                    value = eval(compile(ast.Expression(last.value), path.name, "eval"), names)
                    if type(value).__module__.startswith("muster"):
                        results += bool(shown(value))
            self.assertGreater(results, 3)


@needs_engine
class Html(unittest.TestCase):
    def setUp(self):
        self.cluster = muster.Cluster()
        self.cluster.add_nodes(2, cpu=8, gpu=4)
        self.cluster.add_job("a<b", count=16, min_available=16, cpu=1, gpu=1)
        self.cluster.add_task("t", cpu=1, status="running", node="n0")

    def test_clusters_and_plans(self):
        self.assertIn("17 tasks", shown(self.cluster))
        self.assertIn("17 tasks", shown(self.cluster.freeze()))
        plan = self.cluster.schedule("volcano")
        self.assertIn("16 pending", shown(plan))
        self.cluster.remove_job("a<b")
        self.assertIn('admit "a<b": job is gone', shown(self.cluster.apply(plan)))

    def test_advice(self):
        told = shown(muster.diagnose(self.cluster, "a<b", "volcano"))
        self.assertIn("16 tasks wait", told)
        more = [{"add_nodes": {"count": 2, "cpu": 8, "gpu": 4}}]
        moved = muster.rehearse(self.cluster, "volcano", more)
        self.assertIn("a<b-0", shown(moved))
        self.assertIn("nothing differs", shown(muster.rehearse(self.cluster, "volcano", [])))
        self.assertIn("n0", shown(muster.drain(self.cluster, ["n0"], "volcano")))
        needed = muster.need_nodes(self.cluster, [{"name": "big", "cpu": 64, "gpu": 8}], "volcano")
        self.assertIn("16 tasks wait", shown(needed))

    def test_bounds_and_measures(self):
        self.assertIn("no plan places more than 0 of 16 tasks", shown(muster.bound(self.cluster)))
        plan = self.cluster.schedule("volcano")
        self.assertIn("places 0 of 16 tasks", shown(plan.bound(self.cluster)))
        self.assertIn("Best: 0 tasks, proven", shown(muster.best(self.cluster)))
        self.assertIn("by_table", shown(self.cluster.measure("volcano")))

    def test_traces_and_replays(self):
        trace = muster.traces.mix(jobs=30, nodes=2)
        self.assertIn("jobs is below: mean wait", shown(trace.bound()))
        self.assertIn("30 jobs, 2 nodes", shown(trace))
        self.assertIn("kinds of jobs", shown(muster.traces.named_mix("philly")))
        result = muster.replay(trace, "volcano")
        self.assertIn(f"{result.metrics['ended']} of 30 jobs ended", shown(result))
        told = muster.compare(trace, ["volcano"], replicates=0, executor="here", cache=False,
                              progress=False)
        self.assertIn("volcano", shown(told))


if __name__ == "__main__":
    unittest.main()
