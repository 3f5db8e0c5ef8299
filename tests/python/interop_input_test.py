# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""The importers: what they say of bad dumps, and what they read beside them."""

import contextlib
import io
import json
import tempfile
import unittest
from pathlib import Path

from interop_objects import HAVE_YAML, group, imported, node, pod, queue  # first: it sets the path

from interop import ImportFailure, Report, marks, read_objects, volcano  # noqa: E402
from interop.__main__ import main  # noqa: E402
from interop.access import Object  # noqa: E402
from interop.configuration import parse_configuration, profile_spec  # noqa: E402
from interop.reader import read_configuration  # noqa: E402


class BadDumps(unittest.TestCase):
    def reported(self, *objects):
        scenario, report = imported(*objects)
        return scenario, [str(e) for e in report]

    def test_an_empty_list_is_an_empty_cluster(self):
        self.assertEqual(read_objects('{"kind": "List", "items": []}'), [])
        scenario, report = imported()
        self.assertEqual(
            (scenario, len(report)),
            (
                {
                    "muster": 1,
                    "nodes": [],
                    "queues": [],
                    "jobs": [],
                    "tasks": [],
                    "profile": "volcano",
                },
                0,
            ),
        )

    def test_unknown_kinds_are_reported(self):
        _, lines = self.reported(
            {"kind": "ConfigMap", "metadata": {"name": "c"}},
            group() | {"apiVersion": "scheduling.x-k8s.io/v1alpha1"},
        )
        self.assertEqual(
            lines,
            [
                "PodGroup ns/g: apiVersion: 'scheduling.x-k8s.io/v1alpha1' is not a group of volcano",
                "ConfigMap c: objects of this kind are not considered",
            ],
        )

    def test_pods_of_other_schedulers_only_hold_what_they_have(self):
        scenario, lines = self.reported(
            node(),
            pod("w", "", schedulerName="default-scheduler"),
            pod("r", "", "Running", schedulerName="default-scheduler", nodeName="n1"),
        )
        self.assertEqual([t["name"] for t in scenario["tasks"]], ["ns/r"])
        self.assertEqual(
            lines,
            [
                "Pod ns/w: spec.schedulerName: waits for another scheduler ('default-scheduler'); left out"
            ],
        )

    def test_a_pod_on_a_node_that_is_gone_gets_an_empty_one(self):
        scenario, lines = self.reported(
            node(),
            queue(),
            group(),
            pod(phase="Running", nodeName="gone"),
            pod("q", phase="Running"),
        )
        self.assertEqual(
            scenario["nodes"][1:],
            [{"name": n, "capacity": {"pods": 0}, "ready": False} for n in ("gone", "(nowhere)")],
        )
        self.assertEqual(
            lines,
            [
                "Pod ns/p: spec.nodeName: node 'gone' is not there; an empty node stands for it",
                "Pod ns/q: spec.nodeName: a pod that runs has a node; an empty node stands for it",
            ],
        )

    def test_of_two_objects_of_one_name_the_last_counts(self):
        scenario, lines = self.reported(node(), node("n2"), node(cpu="8", pods="1"))
        self.assertEqual(
            [(n["name"], n["capacity"]["cpu"]) for n in scenario["nodes"]], [("n1", 8), ("n2", 4)]
        )
        self.assertEqual(lines, ["Node n1: given more than once; the last one counts"])

    def test_a_job_without_its_queue_is_left_out(self):
        scenario, lines = self.reported(node(), group(), pod())
        self.assertEqual((scenario["jobs"], "job" in scenario["tasks"][0]), ([], False))
        self.assertEqual(
            lines,
            [
                "PodGroup ns/g: spec.queue: queue 'q' is not there; the job is left out, its pods only occupy nodes",
                "Pod ns/p: metadata.annotations['scheduling.k8s.io/group-name']: job 'ns/g' is not there; the pod only occupies its node",
            ],
        )

    def test_a_pod_ending_without_a_node_is_left_out(self):
        ending = pod()
        ending["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
        scenario, lines = self.reported(queue(), group(), ending)
        self.assertEqual((scenario["tasks"], len(lines)), ([], 1))

    def test_refusals_name_object_and_field(self):
        stamped = node() | {"metadata": {"name": "n1", "creationTimestamp": "yesterday"}}
        for objects, message in (
            ([{"kind": "Node", "metadata": {}}], "Node: metadata.name is missing"),
            ([node(cpu="1e3k")], "Node n1: status.allocatable['cpu']: '1e3k' is not a quantity"),
            (
                [stamped],
                "Node n1: metadata.creationTimestamp: 'yesterday' is not a time (RFC 3339)",
            ),
            (
                [queue(), group(status="Odd")],
                "PodGroup ns/g: status.phase: 'Odd' is not a phase of a pod group",
            ),
            (
                [queue(), group(minMember="2")],
                "PodGroup ns/g: spec.minMember: expected an integer, found '2'",
            ),
            (
                [queue(), group(), pod(phase="Odd")],
                "Pod ns/p: status.phase: 'Odd' is not a phase of a pod",
            ),
            (
                [pod(containers=["c"])],
                "Pod ns/p: spec.containers[0]: expected a mapping, found 'c'",
            ),
            ([pod(labels={"a": 1})], "Pod ns/p: metadata.labels['a']: expected text, found 1"),
            ([queue(weight="x")], "Queue q: spec.weight: expected an integer, found 'x'"),
        ):
            with self.assertRaises(ImportFailure) as caught:
                imported(*objects)
            self.assertEqual(str(caught.exception), message)

    def test_text_that_is_no_dump_is_refused(self):
        for text, message in (
            ('{"kind": "List", "items": [', "dump: line 1: not valid JSON"),
            ("[1]", r"document 1\[0\]: expected an object, found int"),
            ("{}", "document 1: the field kind is missing"),
        ):
            with self.assertRaisesRegex(ImportFailure, message):
                read_objects(text)

    def test_lists_and_streams(self):
        typed = {"kind": "NodeList", "apiVersion": "v1", "items": [{"metadata": {"name": "n"}}]}
        nested = {"kind": "List", "items": [typed, node()]}
        self.assertEqual(
            [o["kind"] for o in read_objects(json.dumps(nested) + "\n" + json.dumps([queue()]))],
            ["Node", "Node", "Queue"],
        )

    def test_yaml(self):
        text = "kind: Node\nmetadata:\n  name: n1\n  creationTimestamp: 2026-01-01T00:00:05Z\n---\nkind: Queue\nmetadata: {name: q}\n"
        if not HAVE_YAML:
            with self.assertRaisesRegex(ImportFailure, "PyYAML"):
                read_objects(text)
            return
        first, second = read_objects(text)
        self.assertEqual((Object(first).created, second["kind"]), (1767225605, "Queue"))
        with self.assertRaisesRegex(ImportFailure, "dump: line 3: not valid YAML"):
            read_objects("kind: Node\nmetadata: [1, \n")


class Configurations(unittest.TestCase):
    TEXT = """
    # as the chart installs it
    actions: "enqueue, allocate, preempt"
    tiers:
    - plugins:
      - name: priority
      - name: gang
        enablePreemptable: false
    - plugins:
      - name: overcommit
        arguments: {overcommit-factor: 0.5}
      - name: binpack
        arguments:
          binpack.weight: 10
          binpack.cpu: -4
          binpack.resources: nvidia.com/gpu, example.com/x
          binpack.resources.nvidia.com/gpu: 2
    configurations:
    - name: preempt
      arguments:
        enableTopologyAwarePreemption: true
    """

    def spec(self, text, base="volcano", unset_on=True):
        report = Report()
        return profile_spec(parse_configuration(text), base, unset_on, report), [
            str(e) for e in report
        ]

    def test_a_configuration_file_becomes_a_profile_spec(self):
        self.assertEqual(
            self.spec(self.TEXT),
            (
                "volcano:actions=admit+allocate+preempt(topology_aware=on),tiers=priority+gang(without=preemptable)/"
                "overcommit(factor=1.2)+binpack(weight=10,cpu=1,resource.nvidia.com/gpu=2,resource.example.com/x=1)",
                [],
            ),
        )

    def test_actions_for_gangs_share_a_switch_of_allocate(self):
        text = (
            "actions: allocate, gangpreempt, gangreclaim\nconfigurations:\n"
            "- name: allocate\n  arguments: {predicateErrorCacheEnable: false}\n"
            "- name: gangreclaim\n  arguments: {allowWholeBundle: false, maxDomains: 4}\n"
        )
        self.assertEqual(
            self.spec(text),
            (
                "volcano:actions=allocate(error_cache=off)+gangpreempt(error_cache=off)+"
                "gangreclaim(error_cache=off,whole_gangs=off)",
                [
                    "scheduler configuration: configurations['gangreclaim'].arguments['maxDomains']: not considered"
                ],
            ),
        )

    def test_marks_of_rescheduling_are_options(self):
        text = (
            "actions: shuffle\ntiers:\n- plugins:\n  - name: rescheduling\n    arguments:\n      interval: 5m\n"
            "      strategies:\n      - name: lowNodeUtilization\n        params:\n"
            "          thresholds: {cpu: 20, pods: 9}\n          targetThresholds: {memory: 70}\n"
        )
        place = "scheduler configuration: tiers[0].plugins[0].arguments"
        self.assertEqual(
            self.spec(text),
            (
                "volcano:actions=shuffle,tiers=rescheduling(cpu_low=20,memory_high=70)",
                [f"{place}['interval']: not considered by rescheduling"],
            ),
        )

    def test_flags_of_tiers_made_by_hand_are_off_unless_set(self):
        text = "tiers:\n- plugins:\n  - name: gang\n    enableJobReady: true\n"
        spec, _ = self.spec(text, "kube-batch", unset_on=False)
        off = "job_order|pipelined|task_order|preemptable|reclaimable|queue_order|fit|score"
        self.assertEqual(
            spec,
            f"kube-batch:tiers=gang(best_effort_counts=off,count_down_victims=off,without={off}|valid)",
        )

    def test_what_a_spec_cannot_say_is_reported(self):
        text = "actions: allocate\ntiers:\n- plugins:\n  - name: drf\n    enableHierarchy: true\n    enableMagic: true\n  - name: sla\n    arguments:\n      sla-waiting-time: 1h\nconfigurations:\n- name: reclaim\n  arguments: {x: 1}\n"
        spec, lines = self.spec(text)
        self.assertEqual(
            spec, "volcano:actions=allocate,tiers=drf(hierarchy=on)+sla(waiting_time=3600)"
        )
        self.assertEqual(
            lines,
            [
                "scheduler configuration: configurations['reclaim']: the action does not run",
                "scheduler configuration: tiers[0].plugins[0].enableMagic: not a switch of a plugin",
            ],
        )

    def test_nested_arguments_become_options(self):
        conf = {
            "tiers": [
                {
                    "plugins": [
                        {
                            "name": "resource-strategy-fit",
                            "arguments": {
                                "resourceStrategyFitWeight": 3,
                                "resources": {
                                    "cpu": {"type": "LeastAllocated", "weight": 0},
                                    "nvidia.com/*": {"type": "MostAllocated", "weight": 2},
                                    "a*b": {"weight": 1},
                                },
                                "sra": {"enable": True, "resources": "x, y", "weight": 4},
                                "proportional": {
                                    "enable": True,
                                    "resources": "x",
                                    "resourceProportion": {"x.cpu": 4},
                                },
                            },
                        },
                        {
                            "name": "usage",
                            "arguments": {
                                "usage.weight": 2,
                                "thresholds": {"cpu": 90, "mem": 101},
                                "estimator": {"be_cpu": "1500m", "be_mem": 1, "burst_ratio": 0.5},
                            },
                        },
                    ]
                }
            ]
        }
        report = Report()
        self.assertEqual(
            profile_spec(conf, "volcano", True, report),
            "volcano:tiers=resource-strategy-fit(weight=3,least.cpu=1,most.nvidia.com/*=2,scarce_weight=4,"
            "scarce.x=1,scarce.y=1,reserve_cpu.x=4.0,reserve_memory.x=1.0)"
            "+usage(weight=2,cpu_threshold=90,best_effort_cpu=1500,best_effort_memory=1048576)",
        )
        self.assertEqual(
            [str(e) for e in report],
            [
                "scheduler configuration: tiers[0].plugins[1].arguments['thresholds']['mem']: "
                "101 does not count; the default does",
                "scheduler configuration: tiers[0].plugins[1].arguments['estimator.burst_ratio']: "
                "not considered by usage",
            ],
        )

    def test_capacity(self):
        def spec(report, **arguments):
            plugin = {"name": "capacity", "enableHierarchy": True, "arguments": arguments}
            return profile_spec({"tiers": [{"plugins": [plugin]}]}, "volcano", True, report)

        report = Report()
        tree = "volcano:tiers=capacity(hierarchy=on)"
        self.assertEqual(
            spec(report, ancestorReclaimLevel=2),
            "volcano:tiers=capacity(ancestor_reclaim_level=2,hierarchy=on)",
        )
        self.assertEqual(spec(report, ancestorReclaimLevel=-2), tree)
        devices = "capacity.DynamicResourceAllocationEnable"
        self.assertEqual(spec(report, **{devices: False}), tree)
        self.assertEqual(list(report), [])
        self.assertEqual(spec(report, **{devices: True}), tree)
        self.assertIn("not considered by capacity", str(report))

    def test_switches_and_windows_become_options(self):
        conf = {
            "tiers": [
                {
                    "plugins": [
                        {
                            "name": "nodegroup",
                            "enableHierarchy": True,
                            "arguments": {"strict": False, "enablePreferredOrder": "true"},
                        },
                        {
                            "name": "tdm",
                            "arguments": {
                                "tdm.revocable-zone.a": " 9:05-17:30 ",
                                "tdm.revocable-zone.b": "24:00-1:00",
                                "tdm.evict.period": "1m",
                            },
                        },
                    ]
                }
            ]
        }
        report = Report()
        self.assertEqual(
            profile_spec(conf, "volcano", True, report),
            "volcano:tiers=nodegroup(strict=off,preferred_order=on,hierarchy=on)"
            "+tdm(from.a=545,to.a=1050,from.b=0)",
        )
        place = "scheduler configuration: tiers[0].plugins[1].arguments"
        self.assertEqual(
            [str(e) for e in report],
            [
                f"{place}['tdm.revocable-zone.b']: '24:00-1:00' is no window; the zone never opens",
                f"{place}['tdm.evict.period']: not considered by tdm",
            ],
        )

    def test_the_reader_takes_the_yaml_of_configurations(self):
        self.assertEqual(
            read_configuration(
                "a: 'it''s' # x\nb:\n- 1\n- c: [x, 2]\n  d:\n-\n  e: 10:00-21:00\nf: -1.5\n"
            ),
            {
                "a": "it's",
                "b": [1, {"c": ["x", 2], "d": None}, {"e": "10:00-21:00"}],
                "f": -1.5,
            },
        )
        self.assertEqual(read_configuration('{"actions": "x"}'), {"actions": "x"})
        self.assertIsNone(read_configuration("# nothing\n"))

    def test_what_it_cannot_read_it_refuses_by_line(self):
        for text, message in (
            ("a: 1\n\tb: 2", "line 2: a tab cannot indent YAML"),
            ("a: &x 1", "line 1: '&x 1' uses YAML that scheduler configurations do not need"),
            ("a: 1\n  b: 2", "line 2: unexpected indentation"),
            ("a: [1", "line 1: '[1' is not closed on its line"),
            ("a: 1\na: 2", "line 2: the key 'a' is given twice"),
            ("a: 1\nb", "line 2: expected `key: value`, found 'b'"),
        ):
            with self.assertRaises(ImportFailure) as caught:
                read_configuration(text)
            self.assertEqual(str(caught.exception), f"scheduler configuration: {message}")


class GroupTopologies(unittest.TestCase):
    def test_lists_are_split_and_empty_names_stay(self):
        affinity = "volcano.sh/task-topology-affinity"
        order = "volcano.sh/task-topology-task-order"
        self.assertEqual(
            marks.group_topology({affinity: "ps,worker;ps", order: "ps,"}),
            {"together": [["ps", "worker"], ["ps"]], "order": ["ps", ""]},
        )
        self.assertEqual(
            marks.group_topology({"volcano.sh/task-topology-anti-affinity": ""}), {"apart": [[""]]}
        )
        self.assertEqual(marks.group_topology({}), {})


class NodeShards(unittest.TestCase):
    def test_a_node_belongs_to_the_shard_that_wants_it_unless_another_uses_it(self):
        def shard(name, wants, uses=()):
            return {
                "kind": "NodeShard",
                "metadata": {"name": name},
                "spec": {"nodesDesired": list(wants)},
                "status": {"nodesInUse": list(uses)},
            }

        objects = [node(n) for n in ("a", "b", "c", "d")]
        objects += [shard("one", ["a", "b", "d"], ["a"]), shard("two", ["c", "d"], ["b", "c"])]
        scenario, report = volcano.scenario(objects)
        self.assertEqual(
            [n.get("shard") for n in scenario["nodes"]], ["one", None, "two", "one"]
        )
        self.assertEqual(
            [str(e) for e in report],
            [
                "NodeShard one: spec.nodesDesired: node 'd' is wanted by other shards too; it is counted to this one"
            ],
        )


class HyperNodes(unittest.TestCase):
    """A tree of hyper nodes told by its objects."""

    def hyper(self, name, tier, *members, **spec):
        return {
            "kind": "HyperNode",
            "metadata": {"name": name},
            "spec": {"tier": tier, "members": list(members)} | spec,
        }

    def member(self, kind, **selector):
        return {"type": kind, "selector": selector}

    def test_names_patterns_and_labels(self):
        labelled = node("c")
        labelled["metadata"]["labels"] = {"rack": "r2"}
        objects = [
            node("a-1"),
            node("a-2"),
            labelled,
            self.hyper("r1", 1, self.member("Node", regexMatch={"pattern": "^a-"}), tierName="rack"),
            self.hyper("r2", 1, self.member("Node", labelMatch={"matchLabels": {"rack": "r2"}})),
            self.hyper(
                "spine",
                2,
                self.member("HyperNode", exactMatch={"name": "r1"}),
                self.member("HyperNode", exactMatch={"name": "r2"}),
                self.member("HyperNode", exactMatch={"name": "r3"}),
            ),
        ]
        scenario, report = volcano.scenario(objects)
        self.assertEqual(
            scenario["domains"],
            [
                {"name": "r1", "tier": 1, "parent": "spine", "tier_name": "rack"},
                {"name": "r2", "tier": 1, "parent": "spine"},
                {"name": "spine", "tier": 2},
            ],
        )
        self.assertEqual([n["domain"] for n in scenario["nodes"]], ["r1", "r1", "r2"])
        self.assertEqual(
            [str(e) for e in report],
            ["HyperNode spine: spec.members[2].selector.exactMatch.name: 'r3' is not there"],
        )

    def test_a_node_of_two_hyper_nodes_belongs_to_the_first(self):
        both = self.member("Node", exactMatch={"name": "n0"})
        low = self.member("HyperNode", exactMatch={"name": "b"})
        objects = [
            node("n0"),
            self.hyper("b", 1, both),
            self.hyper("c", 1, both),
            self.hyper("top", 2, low, both),
        ]
        scenario, report = volcano.scenario(objects)
        self.assertEqual([n["domain"] for n in scenario["nodes"]], ["b"])
        # That what stands above b has it, too, is no news.
        self.assertEqual(
            [str(e) for e in report],
            ["HyperNode c: spec.members: node 'n0' is in hyper node 'b' already"],
        )

    def test_what_is_no_tree_is_reported_or_refused(self):
        both = self.member("HyperNode", exactMatch={"name": "low"})
        objects = [self.hyper("low", 1), self.hyper("x", 2, both), self.hyper("y", 2, both), self.hyper("z", 1, both)]
        report = [str(e) for e in volcano.scenario(objects)[1]]
        self.assertEqual(len(report), 3)
        self.assertTrue(any("'low' has a parent already" in line for line in report))
        self.assertTrue(any("HyperNode z: spec.tier: is not above" in line for line in report), report)
        for member, words in (
            ({"type": "Rack"}, "HyperNode h: spec.members[0].type: expected Node or HyperNode"),
            (self.member("Node", regexMatch={"pattern": "("}), "HyperNode h: spec.members[0].selector.regexMatch.pattern: '(' is no pattern"),
        ):
            with self.assertRaises(ImportFailure) as caught:
                volcano.scenario([self.hyper("h", 1, member)])
            self.assertTrue(str(caught.exception).startswith(words), caught.exception)


class CommandLine(unittest.TestCase):
    def run_main(self, *arguments):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(list(arguments))
        return code, out.getvalue(), err.getvalue()

    def test_a_dump_becomes_a_scenario_and_a_list(self):
        with tempfile.TemporaryDirectory() as folder:
            dump, conf = Path(folder, "dump.json"), Path(folder, "conf")
            dump.write_text(json.dumps([node(), {"kind": "Secret", "metadata": {"name": "s"}}]))
            conf.write_text("actions: allocate\n")
            code, out, err = self.run_main(str(dump), "--conf", str(conf), "--now", "7")
            self.assertEqual(
                (code, err),
                (0, "not expressed: Secret s: objects of this kind are not considered\n"),
            )
            scenario = json.loads(out)
            self.assertEqual(
                (scenario["profile"], scenario["options"]), ("volcano:actions=allocate", {"now": 7})
            )
            dump.write_text("[")
            code, out, err = self.run_main(str(dump))
            self.assertEqual(
                (code, out, err[: err.index("JSON")]),
                (2, "", f"muster import: {dump}: line 1: not valid "),
            )
        self.assertEqual(self.run_main("/no/such/file")[0], 2)

    def test_the_configuration_may_come_in_its_config_map(self):
        with tempfile.TemporaryDirectory() as folder:
            dump, conf = Path(folder, "dump.json"), Path(folder, "conf")
            dump.write_text(json.dumps([node()]))
            data = {"volcano-scheduler.conf": "actions: allocate\n"}
            conf.write_text(json.dumps({"kind": "ConfigMap", "metadata": {"name": "c"}, "data": data}))
            code, out, _ = self.run_main(str(dump), "--conf", str(conf))
            self.assertEqual((code, json.loads(out)["profile"]), (0, "volcano:actions=allocate"))
            conf.write_text(json.dumps({"kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"x": ""}}))
            code, out, err = self.run_main(str(dump), "--conf", str(conf))
            self.assertEqual(
                (code, err),
                (2, "muster import: ConfigMap: expected one key that ends in .conf, found none\n"),
            )


if __name__ == "__main__":
    unittest.main()
