# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Keywords and rows are typed: mypy --strict names a misspelled one, and so does the engine."""

import inspect
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import typing
import unittest
from importlib.util import find_spec

import numpy as np

from engine import ROOT, muster, needs_engine

# Lines with the word that mypy's message about them must have; all others are without a message.
CHECKED = '''\
import numpy as np

import muster
from muster.rows import NodeSpec, TaskShape

cluster = muster.Cluster()
cluster.add_node("n1", cpu=64, memory="256Gi", gpu=8, labels={"zone": "a"},
                 taints=[{"key": "gpu", "effect": "NoSchedule"}])
cluster.add_node("n2", cpus=64)  # error: cpus
cluster.add_node("n2", taints=[{"kee": "gpu"}])  # error: kee
cluster.add_node("n2", taints=[{"key": "gpu", "effect": "NoShedule"}])  # error: NoShedule
cluster.add_nodes(2, name="m", cpu=0.5)
cluster.add_nodes(2, cpus=1)  # error: cpus
cluster.add_nodes({"name": ["a"], "cpu": [4], "labels.zone": ["x"]}, memory="16Gi")
cluster.add_queue("vision", weight=2, limit={"cpu": 100})
cluster.add_queue("vision", wieght=2)  # error: wieght
cluster.add_job("train", queue="vision", count=4, min_available=4, cpu="500m")
cluster.add_job("train", que="vision")  # error: que
cluster.add_job("train", count="4")  # error: count
cluster.add_task("t", job="train", status="running", node="n1")
cluster.add_task("t", status="runing")  # error: status
cluster.add_tasks(name=["t1"], job="train", cpu=[1])
cluster.add_tasks(name=["t1"], jop="train")  # error: jop
cluster.update_node("n1", unschedulable=True)
cluster.set_flavor("spot", node_labels={"tier": "spot"}, node_label={})  # error: node_label
cluster.set_reservation("r", node="n1", cpu=1, owners=[{"job": "etl"}])
cluster.set_disruption_budget("b", allowed=1)
cluster.apply_delta("node", 17, name="n1", cpu=64)
cluster.apply_delta("node", 17, name="n1", cpus=64)  # error: apply_delta
row: NodeSpec = {"name": "n3", "capacity": {"cpu": 4}}
wrong: NodeSpec = {"name": "n3", "capasity": {"cpu": 4}}  # error: capasity
shape: TaskShape = {"request": {"cpu": 1}, "node_selector": {"a": "b"}}
plan: muster.Plan = cluster.schedule("volcano", seed=3)
cluster.schedule("volcano", sead=3)  # error: sead
text: str = plan.explain("train")
number: int = plan.explain("train")  # error: int
trace = muster.Trace({"submit": np.array([0]), "run": np.array([5])}, processors=2)
result: muster.Replay = muster.replay(trace, "easy", latency=3)
muster.replay(trace, "easy", latancy=3)  # error: latancy
muster.replay(trace, "easy", cycles="never")  # error: cycles
told: muster.Diagnosis = muster.diagnose(cluster, "train", threads=2)
muster.diagnose(cluster, "train", treads=2)  # error: treads
muster.need_nodes(cluster, threads="2")  # error: threads
muster.rehearse(cluster, "volcano", [], threads=2)
muster.drain(cluster, ["n1"], threads=2)  # error: threads
muster.forecast(cluster, "easy", threads=2, futures=9)
muster.forecast(trace, "easy", threads=2)  # error: forecast


class Mine(muster.Policy):
    revision = 2

    def score(
        self, task_class: muster.policy.TaskClass, nodes: muster.policy.Nodes
    ) -> np.ndarray:
        gpus: int = task_class.request["nvidia.com/gpu"]
        return -nodes.idle["gpu"] * gpus

    def fit(self, task_class: muster.policy.TaskClass, nodes: muster.policy.Nodes) -> np.ndarray:
        return nodes.label("zone") == task_class.exampel  # error: exampel

    def job_order(self, jobs: muster.policy.Jobs) -> np.ndarray:
        return jobs.tasks * jobs.estimate

    def task_order(self, tasks: muster.policy.Tasks) -> np.ndarray:
        return tasks.priorty  # error: priorty

    def queue_order(self, queues: muster.policy.Queues) -> np.ndarray:
        return queues.allocated["cpu"] / queues.wieght  # error: wieght

    def overused(self, queues: muster.policy.Queues) -> np.ndarray:
        return queues.allocated > 3  # error: operand types

    def domain_score(
        self, group: muster.policy.SubGroups, domains: muster.policy.Domains
    ) -> np.ndarray:
        return domains.idle["cpu"] / domains.nodes


mix: muster.Trace = muster.traces.mix(jobs=9, nodes=2)
like: muster.traces.Mix = muster.traces.fit(muster.traces.named_mix("philly").generate(jobs=9))
muster.traces.mix(jbos=9)  # error: jbos
study: muster.Study = muster.compare(trace, ["volcano"], policies=[Mine()], replicates=1, latency=5)
muster.compare(trace, ["volcano"], latancy=5)  # error: latancy
'''


class Rows(unittest.TestCase):
    def test_the_file_is_what_the_tool_writes(self):
        made = subprocess.run([sys.executable, str(ROOT / "tools/typed_rows.py")],
                              capture_output=True, text=True, check=True).stdout
        there = (ROOT / "python/muster/rows.py").read_text()
        self.assertEqual(there, made, "tools/typed_rows.py --write")

    @needs_engine
    def test_the_engine_takes_every_field(self):
        # A value of a wrong type is refused by the field's name, not as an unknown field.
        for kind in ("node", "queue", "job", "task", "reservation"):
            keywords = getattr(muster.rows, f"{kind.capitalize()}Keywords")
            for name in keywords.__annotations__:
                cluster = muster.Cluster()
                add = getattr(cluster, f"set_{kind}" if kind == "reservation" else f"add_{kind}")
                with self.assertRaises(muster.Error, msg=f"{kind} {name}") as caught:
                    add("x", **({"count": 1} if name == "group" and kind == "job" else {}),
                        **{name: object()})
                self.assertNotIn("unknown field", str(caught.exception))


@needs_engine
class DidYouMean(unittest.TestCase):
    def refused(self, words, call, *given, **more):
        with self.assertRaises(muster.InvalidArgument) as caught:
            call(*given, **more)
        self.assertIn(words, str(caught.exception))

    def test_short_names_and_fields(self):
        cluster = muster.Cluster()
        self.refused('node "n": unknown field "cpus", did you mean "cpu"?',
                     cluster.add_node, "n", cpus=1)
        self.refused('did you mean "gpu"?', cluster.add_nodes, 3, gpus=1)
        self.refused('did you mean "labels"?',
                     cluster.add_nodes, {"name": ["a"], "label.zone": ["x"]})
        self.refused('did you mean "memory"?', cluster.add_task, "t", memmory=1)
        self.refused('did you mean "min_available"?', cluster.add_job, "j", min_availible=1)
        self.refused('did you mean "weight"?', cluster.add_queue, "q", wieght=1)
        self.refused('did you mean "weight"?', cluster.add_queues, name=["q"], wieght=[1])
        self.refused('did you mean "owners"?', cluster.set_reservation, "r", owner=[])
        self.refused('did you mean "cpu"?', muster.need_nodes, cluster, [{"name": "a", "cpus": 1}])
        self.refused('did you mean "add_nodes"?',
                     muster.what_if, cluster, "muster", [{"ad_nodes": {}}])

    def test_options_of_studies(self):
        trace = muster.traces.mix(jobs=3, nodes=1)
        self.refused('did you mean "latency"?', muster.replay, trace, "volcano", latancy=1)
        self.refused('did you mean "latency"?', muster.sweep,
                     {"trace": [trace], "profile": ["volcano"], "latancy": [1]}, cache=False)
        self.refused('did you mean "wait_mean"?', muster.compare, trace, ["volcano"], rank_by="wait_meen")
        self.refused('did you mean "processes"?', muster.compare, trace, ["volcano"],
                     executor="proceses", cache=False)


@needs_engine
class Views(unittest.TestCase):
    def test_columns_have_the_types_that_they_annotate(self):
        views = muster.views
        kinds = {views.Integers: np.int64, views.Floats: np.float64, views.Texts: np.object_}
        asked = set()

        class Looks(muster.Policy):
            def look(self, view):
                kind = type(view)
                asked.add(kind)
                for name, column in inspect.get_annotations(kind).items():
                    value = getattr(view, name)
                    if column is views.Amounts:
                        value, column = value["cpu"], views.Floats
                    if column in kinds:
                        test.assertEqual(value.dtype, kinds[column], f"{kind.__name__}.{name}")
                    else:
                        test.assertIsInstance(value, typing.get_origin(column) or column)
                return np.zeros(len(view)) if hasattr(view, "__len__") else None

            def score(self, task_class, nodes):
                self.look(task_class)
                return self.look(nodes)

            def domain_score(self, group, domains):
                self.look(group)
                return self.look(domains)

            def job_order(self, jobs):
                with test.assertRaisesRegex(AttributeError, "no column 'estimates', did you mean"):
                    jobs.estimates
                return self.look(jobs)

            def queue_order(self, queues):
                return self.look(queues)

            def task_order(self, tasks):
                return self.look(tasks)

        test = self
        cluster = muster.Cluster()
        for rack in ("r0", "r1"):
            cluster.add_domain(rack, tier=1)
            cluster.add_node(f"n{rack}", cpu=8, pods=9, domain=rack)
        cluster.add_job("j", count=2, min_available=2, cpu=1, phase="admitted",
                        topology={"highest_tier": 1})
        cluster.schedule("volcano:actions=allocate,tiers=looks+gang/predicates+"
                         "network-topology-aware(without=domain_score)", policies=[Looks()])
        known = {views.Jobs, views.Queues, views.Tasks, views.Nodes, views.TaskClass,
                 views.SubGroups, views.Domains}
        self.assertEqual(asked, known)


@unittest.skipUnless(find_spec("mypy"), "mypy is not installed")
@needs_engine
class Mypy(unittest.TestCase):
    def test_strict(self):
        package = pathlib.Path(muster.__file__).parent.parent
        # In the same run, which reads the libraries once.
        examples = [str(ROOT / "examples/replay_agent.py")] if find_spec("gymnasium") else []
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "checked.py")
            file.write_text(CHECKED)
            done = subprocess.run(
                [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent",
                 "--show-error-codes", f"--cache-dir={folder}/cache", str(file), *examples],
                capture_output=True, text=True, timeout=600, cwd=folder,
                env=os.environ | {"MYPYPATH": str(package)},
            )
        told: dict[int, str] = {}
        for line in done.stdout.splitlines():
            if found := re.match(r"checked\.py:(\d+): error: (.*)", line):
                told[int(found[1])] = told.get(int(found[1]), "") + found[2]
        self.assertTrue(told, done.stdout + done.stderr)
        self.assertNotRegex(done.stdout, r"replay_agent\.py:\d+: error")
        for number, line in enumerate(CHECKED.splitlines(), 1):
            expected = line.partition("# error: ")[2]
            if expected:
                self.assertIn(expected, told.get(number, ""), line)
            else:
                self.assertNotIn(number, told, f"{line}\n{told.get(number)}")


if __name__ == "__main__":
    unittest.main()
