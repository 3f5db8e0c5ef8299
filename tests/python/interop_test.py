# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""The importers: what they make of good dumps, and what they say of bad ones."""

import contextlib
import importlib.util
import io
import json
import sys
import tempfile
import unittest
from fractions import Fraction
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python" / "muster"))

from interop import ImportFailure, Report, kubernetes, quantity, read_objects, volcano  # noqa: E402
from interop.__main__ import main  # noqa: E402
from interop.access import Object  # noqa: E402
from interop.configuration import parse_configuration, profile_spec  # noqa: E402
from interop.reader import read_configuration  # noqa: E402

HAVE_YAML = importlib.util.find_spec("yaml") is not None


def node(name="n1", **allocatable):
    return {
        "kind": "Node",
        "metadata": {"name": name},
        "status": {"allocatable": allocatable or {"cpu": "4", "pods": "10"}},
    }


def queue(name="q", **spec):
    api = {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue"}
    return api | {
        "metadata": {"name": name},
        "spec": {"weight": 1} | spec,
        "status": {"state": "Open"},
    }


def group(name="g", status="Pending", annotations=None, **spec):
    api = {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup"}
    metadata = {"name": name, "namespace": "ns", "annotations": annotations or {}}
    return api | {"metadata": metadata, "spec": {"queue": "q"} | spec, "status": {"phase": status}}


def pod(
    name="p",
    job="g",
    phase="Pending",
    requests=None,
    annotations=None,
    labels=None,
    uid=None,
    status=None,
    **spec,
):
    metadata = {
        "name": name,
        "namespace": "ns",
        "labels": labels or {},
        "annotations": dict(annotations or {}),
    }
    if job:
        metadata["annotations"]["scheduling.k8s.io/group-name"] = job
    if uid:
        metadata["uid"] = uid
    containers = [
        {"name": "c", "resources": {"requests": {"cpu": "1"} if requests is None else requests}}
    ]
    return {
        "kind": "Pod",
        "metadata": metadata,
        "spec": {"containers": containers} | spec,
        "status": {"phase": phase} | (status or {}),
    }


def imported(*objects, **options):
    return volcano.scenario(objects, **options)


class Quantities(unittest.TestCase):
    def test_every_form_has_its_exact_value(self):
        for text, value in {
            "1": 1,
            "0": 0,
            "-2": -2,
            "1.": 1,
            ".5": Fraction(1, 2),
            "500m": Fraction(1, 2),
            "1.5Gi": 3 * 2**29,
            "2k": 2000,
            "1E": 10**18,
            "1e3": 1000,
            "1E-3": Fraction(1, 1000),
            "100n": Fraction(1, 10**7),
            "3u": Fraction(3, 10**6),
            "1Ei": 2**60,
        }.items():
            self.assertEqual(quantity.parse(text, "here"), value, text)

    def test_what_is_no_quantity_is_refused_with_its_place(self):
        for text in (
            "1e3k",
            "",
            "K",
            "1K",
            "1 Gi",
            "0x1",
            "1GiB",
            "nan",
            "٣",
            True,
            None,
            [],
            "1e",
            "--1",
        ):
            with self.assertRaisesRegex(ImportFailure, r"^Pod ns/p: cpu: .* is not a quantity$"):
                quantity.parse(text, "Pod ns/p: cpu")

    def test_amounts_are_rounded_up_to_what_is_counted(self):
        for name, value, text in (
            ("cpu", "0.0001", "1m"),
            ("cpu", "1.5", "1500m"),
            ("cpu", "2000m", 2),
            ("memory", "1.5", 2),
            ("memory", "1Ki", 1024),
            ("example.com/x", "1.0005", "1001m"),
            ("hugepages-2Mi", "1500m", 2),
        ):
            self.assertEqual(quantity.text(name, quantity.parse(value, "")), text)


class Requests(unittest.TestCase):
    def requests(self, rules=kubernetes.PodRules(), **spec):
        held, needed = kubernetes.pod_requests(Object(pod(**spec)), rules)
        return quantity.resources(held), quantity.resources(needed)

    @staticmethod
    def container(cpu, **more):
        return {"name": f"c{cpu}", "resources": {"requests": {"cpu": cpu}}} | more

    def test_init_containers_count_with_the_sidecars_started_before_them(self):
        init = [
            self.container("3"),
            self.container("1", restartPolicy="Always"),
            self.container("4"),
        ]
        self.assertEqual(
            self.requests(initContainers=init, containers=[self.container("2")])[0], {"cpu": 5}
        )
        self.assertEqual(
            self.requests(initContainers=init, containers=[self.container("6")])[0], {"cpu": 7}
        )

    def test_pod_level_requests_replace_and_overhead_adds(self):
        spec = {
            "resources": {"requests": {"cpu": "10"}},
            "overhead": {"cpu": "250m", "memory": "5"},
        }
        self.assertEqual(
            self.requests(containers=[self.container("2")], **spec)[0],
            {"cpu": "10250m", "memory": 5},
        )

    def test_kube_batch_keeps_what_starting_takes_apart(self):
        rules = volcano.KUBE_BATCH.pod_rules
        spec = {
            "initContainers": [self.container("5")],
            "containers": [self.container("2")],
            "overhead": {"cpu": "1"},
        }
        self.assertEqual(self.requests(rules, **spec), ({"cpu": 2}, {"cpu": 5}))

    def test_a_resize_under_way_counts_the_larger_side(self):
        status = {"containerStatuses": [{"name": "c", "resources": {"requests": {"cpu": "3"}}}]}
        self.assertEqual(self.requests(requests={"cpu": "2"}, status=status)[0], {"cpu": 3})
        status["conditions"] = [{"type": "PodResizePending", "reason": "Infeasible"}]
        self.assertEqual(self.requests(requests={"cpu": "9"}, status=status)[0], {"cpu": 3})

    def test_a_negative_request_is_refused(self):
        with self.assertRaisesRegex(
            ImportFailure,
            r"Pod ns/p: spec.containers\[0\].resources.requests\['cpu'\]: '-1' is neg",
        ):
            self.requests(requests={"cpu": "-1"})


class Shapes(unittest.TestCase):
    def shape(self, report=None, **spec):
        return kubernetes.task_shape(
            Object(pod(labels={"app": "x"}, **spec)), Report() if report is None else report
        )

    def test_placement_rules_keep_their_meaning(self):
        term = {
            "labelSelector": {"matchLabels": {"app": "y"}},
            "topologyKey": "zone",
            "namespaceSelector": {},
        }
        shape = self.shape(
            nodeSelector={"disk": "ssd"},
            tolerations=[
                {"key": "a", "operator": "Exists"},
                {"key": "b", "value": "c", "effect": "NoSchedule"},
            ],
            affinity={
                "nodeAffinity": {
                    "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": []}
                },
                "podAntiAffinity": {
                    "requiredDuringSchedulingIgnoredDuringExecution": [term],
                    "preferredDuringSchedulingIgnoredDuringExecution": [
                        {"weight": 5, "podAffinityTerm": {"topologyKey": "host"}}
                    ],
                },
            },
            topologySpreadConstraints=[
                {
                    "topologyKey": "zone",
                    "maxSkew": 2,
                    "whenUnsatisfiable": "ScheduleAnyway",
                    "labelSelector": {},
                    "matchLabelKeys": ["app", "no"],
                }
            ],
        )
        self.assertEqual(shape["node_selector"], {"disk": "ssd"})
        self.assertEqual(
            shape["tolerations"],
            [{"key": "a", "op": "Exists"}, {"key": "b", "value": "c", "effect": "NoSchedule"}],
        )
        self.assertEqual(shape["required_node_affinity"], [])
        wanted = {
            "topology_key": "zone",
            "selector": {"match_labels": {"app": "y"}},
            "namespace_selector": {},
        }
        self.assertEqual(shape["required_anti_affinity"], [wanted])
        self.assertEqual(
            shape["preferred_anti_affinity"], [{"weight": 5, "term": {"topology_key": "host"}}]
        )
        own = {"match_expressions": [{"key": "app", "op": "In", "values": ["x"]}]}
        self.assertEqual(
            shape["spread"],
            [{"topology_key": "zone", "max_skew": 2, "required": False, "selector": own}],
        )

    def test_host_ports_of_containers_and_sidecars(self):
        port = {"containerPort": 80, "hostPort": 80}
        init = [
            {
                "name": "s",
                "restartPolicy": "Always",
                "ports": [{"hostPort": 9, "protocol": "UDP", "hostIP": "10.0.0.1"}],
            },
            {"name": "i", "ports": [port]},
        ]
        shape = self.shape(
            containers=[{"name": "c", "ports": [port, {"containerPort": 1}]}], initContainers=init
        )
        self.assertEqual(
            shape["host_ports"], [{"port": 80}, {"port": 9, "ip": "10.0.0.1", "protocol": "UDP"}]
        )

    def test_what_no_scenario_says_is_reported(self):
        report = Report()
        self.shape(
            report,
            volumes=[{"name": "v", "persistentVolumeClaim": {}}],
            resourceClaims=[{"name": "c"}],
            requests={"storage": "1"},
        )
        self.assertEqual(
            [e.field for e in report], ["spec.containers", "spec.volumes[0]", "spec.resourceClaims"]
        )

    def test_one_plain_container_is_not_listed(self):
        self.assertNotIn("containers", self.shape())
        two = self.shape(
            containers=[{"name": "a", "resources": {"requests": {"cpu": "1"}}}, {"name": "b"}]
        )
        self.assertEqual(two["containers"], [{"request": {"cpu": 1}}, {"request": {}}])


class Clusters(unittest.TestCase):
    def test_jobs_and_tasks_of_volcano(self):
        roles = {"volcano.sh/task-spec": "w"}
        scenario, report = imported(
            node(),
            queue(),
            {"kind": "PriorityClass", "metadata": {"name": "high"}, "value": 7},
            group(
                minMember=2,
                minTaskMember={"w": 1, "m": 1},
                priorityClassName="high",
                minResources={"cpu": "2", "count/pods": "3"},
            ),
            pod("g-w-10", annotations=roles, uid="b", priority=3),
            pod(
                "g-w-x",
                annotations=roles
                | {"volcano.sh/task-priority": "9", "volcano.sh/preemptable": "no"},
                uid="a",
            ),
            pod("run", "", "Running", nodeName="n1", uid="c"),
        )
        self.assertEqual(
            scenario["jobs"],
            [
                {
                    "name": "ns/g",
                    "queue": "q",
                    "priority": 7,
                    "min_available": 2,
                    "uid_rank": 0,
                    "min_resources": {"cpu": 2},
                    "groups": [
                        {"name": "m", "min_available": 1},
                        {"name": "w", "min_available": 1},
                    ],
                }
            ],
        )
        first, second, third = scenario["tasks"]
        self.assertEqual(
            first,
            {
                "name": "ns/g-w-10",
                "job": "ns/g",
                "shape": "s0",
                "group": "w",
                "ordinal": 10,
                "priority": 3,
                "uid_rank": 1,
            },
        )
        self.assertEqual(
            second,
            {
                "name": "ns/g-w-x",
                "job": "ns/g",
                "shape": "s0",
                "group": "w",
                "preemptable": False,
                "priority": 9,
            },
        )
        self.assertEqual(
            third,
            {
                "name": "ns/run",
                "shape": "s0",
                "status": "running",
                "node": "n1",
                "priority": 1,
                "uid_rank": 2,
            },
        )
        self.assertEqual(
            [str(e) for e in report],
            [
                "Pod ns/g-w-x: volcano.sh/preemptable: 'no' is neither true nor false; it counts as false"
            ],
        )

    def test_rows_come_in_the_order_of_their_keys_and_nodes_as_given(self):
        scenario, _ = imported(
            node("n2"),
            node("n1"),
            queue("z"),
            queue("q"),
            group("b"),
            group("a"),
            pod("b", "b"),
            pod("a", "a"),
        )
        names = {
            k: [row["name"] for row in scenario[k]] for k in ("nodes", "queues", "jobs", "tasks")
        }
        self.assertEqual(
            names,
            {
                "nodes": ["n2", "n1"],
                "queues": ["q", "z"],
                "jobs": ["ns/a", "ns/b"],
                "tasks": ["ns/a", "ns/b"],
            },
        )
        by_name, _ = imported(node("n2"), node("n1"), dialect=volcano.KUBE_BATCH)
        self.assertEqual([n["name"] for n in by_name["nodes"]], ["n1", "n2"])

    def test_a_node_without_pods_holds_none(self):
        scenario, _ = imported(node(cpu="1"))
        self.assertEqual(scenario["nodes"], [{"name": "n1", "capacity": {"pods": 0, "cpu": 1}}])

    def test_states_of_pods(self):
        ending = pod("e", phase="Running", nodeName="n1")
        ending["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
        scenario, _ = imported(
            node(),
            queue(),
            group(),
            ending,
            pod("b", nodeName="n1"),
            pod("c", nodeName="n1"),
            pod("d", phase="Succeeded", nodeName="n1"),
            binding=["ns/c"],
        )
        self.assertEqual(
            {t["name"][3:]: (t["status"], t.get("node")) for t in scenario["tasks"]},
            {
                "b": ("bound", "n1"),
                "c": ("binding", "n1"),
                "d": ("succeeded", None),
                "e": ("releasing", "n1"),
            },
        )

    def test_sub_groups_and_topology(self):
        policies = [
            {
                "name": "w",
                "matchLabelKeys": ["grp"],
                "subGroupSize": 2,
                "minSubGroups": 1,
                "networkTopology": {"mode": "hard", "highestTierAllowed": 1},
            },
            {
                "name": "rest",
                "matchLabelKeys": ["app"],
                "labelSelector": {
                    "matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["z"]}]
                },
            },
        ]
        hyper = [
            {"name": "s1", "tier": 1, "parent": "s2", "nodes": ["n1"]},
            {"name": "s2", "tier": 2, "parent": "<top>", "nodes": ["n1"], "tierName": "block"},
        ]
        scenario, _ = imported(
            node(),
            queue(),
            group(subGroupPolicy=policies, networkTopology={"mode": "soft"}),
            pod("a", labels={"grp": "11"}),
            pod("b", labels={"grp": "2"}),
            pod("c", labels={"app": "z"}),
            pod("d", labels={"app": "y"}),
            hyper_nodes=hyper,
        )
        self.assertEqual(
            [t.get("sub_group") for t in scenario["tasks"]], ["w-11", "w-2", None, "rest-y"]
        )
        job = scenario["jobs"][0]
        self.assertEqual(
            [(g["name"], g["order"], g["min_available"]) for g in job["sub_groups"]],
            [("rest-y", 0, 1), ("w-11", 11, 2), ("w-2", 2, 2)],
        )
        self.assertEqual(job["sub_groups"][1]["topology"], {"hard": True, "highest_tier": 1})
        self.assertEqual(job["topology"], {"hard": False})
        self.assertEqual(scenario["nodes"][0]["domain"], "s1")
        self.assertEqual(
            scenario["domains"],
            [
                {"name": "s1", "tier": 1, "parent": "s2"},
                {"name": "s2", "tier": 2, "tier_name": "block"},
            ],
        )

    def test_a_job_says_whether_it_may_be_evicted_or_nothing(self):
        mark = "volcano.sh/preemptable"
        scenario, _ = imported(
            queue(),
            group("no", annotations={mark: "false"}),
            group("silent"),
            group("yes", annotations={mark: "true"}),
        )
        marks = {job["name"]: job.get("preemptable") for job in scenario["jobs"]}
        self.assertEqual(marks, {"ns/no": False, "ns/silent": None, "ns/yes": True})

    def test_queues(self):
        closed = queue(
            "c",
            capability={"cpu": "4"},
            guarantee={"resource": {"cpu": "1"}},
            reclaimable=False,
            parent="q",
            priority=2,
        )
        closed["status"]["state"] = "Closed"
        scenario, _ = imported(queue(), closed)
        self.assertEqual(
            scenario["queues"][0],
            {
                "name": "c",
                "weight": 1,
                "uid_rank": 0,
                "state": "closed",
                "priority": 2,
                "reclaimable": False,
                "parent": "q",
                "guaranteed": {"cpu": 1},
                "limit": {"cpu": 4},
            },
        )

    def test_budgets_and_namespaces(self):
        budget = {
            "kind": "PodDisruptionBudget",
            "metadata": {"name": "b", "namespace": "ns"},
            "spec": {"selector": {"matchLabels": {"a": "b"}}},
        }
        scenario, _ = imported(
            budget | {"status": {"disruptionsAllowed": 2}},
            {"kind": "Namespace", "metadata": {"name": "ns", "labels": {"t": "1"}}},
        )
        self.assertEqual(
            scenario["budgets"],
            [
                {
                    "name": "ns/b",
                    "allowed": 2,
                    "namespace": "ns",
                    "selector": {"match_labels": {"a": "b"}},
                }
            ],
        )
        self.assertEqual(scenario["namespaces"], [{"name": "ns", "labels": {"t": "1"}}])


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
                "scheduler configuration: tiers[0].plugins[1].arguments['estimator.burst_ratio']: "
                "not considered by usage"
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
