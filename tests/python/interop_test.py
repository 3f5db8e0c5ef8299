# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""The importers: what they make of good dumps."""

import unittest
from fractions import Fraction

from interop_objects import group, imported, node, pod, queue  # first: it sets the path

from interop import ImportFailure, Report, kubernetes, quantity, volcano  # noqa: E402
from interop.access import Object  # noqa: E402


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

    def test_queues_that_name_no_parent_stand_below_root(self):
        scenario, _ = imported(queue("a"), queue("root"), queue("b", parent="a"))
        self.assertEqual(
            {q["name"]: q.get("parent") for q in scenario["queues"]},
            {"a": "root", "b": "a", "root": None},
        )

    def test_a_queue_that_no_tree_can_hold_closes_all_where_the_tree_is_divided(self):
        def tiers(**options):
            return {"tiers": [{"plugins": [{"name": "capacity"} | options]}]}

        lost = [queue("root"), queue("a"), queue("b", parent="nowhere")]
        scenario, report = imported(*lost, configuration=tiers(enableHierarchy=True))
        self.assertEqual([q.get("state") for q in scenario["queues"]], ["closed"] * 3)
        self.assertIn("queue 'b' is not in the tree; all queues are closed", str(report))
        scenario, report = imported(*lost, configuration=tiers())
        self.assertEqual([q.get("state") for q in scenario["queues"]], [None] * 3)
        self.assertIn("'nowhere' would put the queue under a queue that is not there", str(report))

        loop = [queue("root"), queue("a", parent="b"), queue("b", parent="a"), queue("c", parent="a")]
        scenario, report = imported(*loop, configuration=tiers(enableHierarchy=True))
        self.assertEqual([q.get("parent") for q in scenario["queues"]], [None, None, "a", None])
        self.assertIn("'b' would put the queue above itself", str(report))
        self.assertEqual({q["state"] for q in scenario["queues"]}, {"closed"})

    def test_groups_of_nodes(self):
        limits = "volcano.sh/nodegroup-resource-limits"
        hard, soft = (f"{w}DuringSchedulingIgnoredDuringExecution" for w in ("required", "preferred"))
        wishing = queue(
            "a",
            affinity={
                "nodeGroupAffinity": {hard: ["x", "y"], soft: ["y"]},
                "nodeGroupAntiAffinity": {hard: ["z"], soft: ["w"]},
            },
        )
        wishing["metadata"]["annotations"] = {limits: '{"x": {"cpu": "3", "memory": "8Gi"}}'}
        broken = queue("b", affinity={})
        broken["metadata"]["annotations"] = {limits: '{"x": {"cpu":'}
        scenario, report = imported(wishing, broken, queue("c", affinity={}), queue("d"))
        a, b, c, d = scenario["queues"]
        self.assertEqual(
            a["node_groups"],
            {"required": ["x", "y"], "preferred": ["y"], "anti_required": ["z"], "anti_preferred": ["w"]},
        )
        self.assertEqual(
            a["node_group_limits"], [{"group": "x", "limit": {"cpu": 3, "memory": 8 << 30}}]
        )
        self.assertEqual(list(b["node_groups"]), ["anti_required"])
        self.assertEqual(c["node_groups"], {})
        self.assertNotIn("node_groups", d)
        self.assertEqual(
            [str(e) for e in report],
            [
                f"Queue b: metadata.annotations[{limits!r}]: "
                "cannot be read; the queue's tasks go nowhere"
            ],
        )

    def test_batch_work_on_lent_nodes(self):
        zone, mark = "volcano.sh/revocable-zone", "volcano.sh/preemptable"
        pods = [
            pod("all", annotations={zone: "*"}),
            pod("label", labels={mark: "true"}),
            pod("mark", annotations={mark: "true"}),
            pod("neither", annotations={mark: "no"}),
            pod("other", annotations={zone: "z", mark: "true"}),
        ]
        low, high = "volcano.sh/jdb-min-available", "volcano.sh/jdb-max-unavailable"
        scenario, report = imported(
            queue(),
            group("a", annotations={high: "30%"}),
            group("b", annotations={low: "2", high: "1"}),
            group("c", annotations={high: "some"}),
            group("g"),
            *pods,
        )
        shapes = scenario["shapes"]
        self.assertEqual(
            [t["name"] for t in scenario["tasks"] if shapes[t["shape"]].get("revocable")],
            ["ns/all", "ns/mark"],
        )
        said = [(j.get("min_running"), j.get("max_unavailable")) for j in scenario["jobs"]]
        self.assertEqual(said, [(None, "30%"), ("2", None), (None, "0"), (None, None)])
        self.assertIn("'some' is no number of tasks; 0 counts", " ".join(map(str, report)))

    def test_cpus_of_nodes_and_how_pods_align_with_them(self):
        cpu = {str(i): {"numa": i // 2, "core": i // 2} for i in range(4)}
        cpu["3"]["socket"] = 1
        topology = {
            "apiVersion": "nodeinfo.volcano.sh/v1alpha1",
            "kind": "Numatopology",
            "metadata": {"name": "n1"},
            "spec": {
                "policies": {"CPUManagerPolicy": "static", "TopologyManagerPolicy": "restricted"},
                "resReserved": {"cpu": "500m"},
                "numares": {"cpu": {"allocatable": "1-2", "capacity": 4}},
                "cpuDetail": cpu,
            },
        }
        dynamic = {**topology, "metadata": {"name": "n2"}, "spec": {"policies": {"CPUManagerPolicy": "none"}}}
        key = "volcano.sh/numa-topology-policy"
        limits = {"cpu": "1", "memory": "1Gi"}
        same = [{"name": "c", "resources": {"limits": limits, "requests": limits}}]
        less = [{"name": "c", "resources": {"limits": limits, "requests": {"cpu": "500m"}}}]
        scenario, report = imported(
            node("n1"),
            node("n2"),
            topology,
            dynamic,
            {**topology, "metadata": {"name": "gone"}},
            pod("a", annotations={key: "restricted"}, containers=same),
            pod("b", annotations={key: "strict"}, containers=less),
            pod("c", status={"qosClass": "Guaranteed"}),
        )
        n1, n2 = scenario["nodes"]
        self.assertEqual((n1["alignment"], n1["zones"]), ("restricted", [{"name": "node-0"}, {"name": "node-1"}]))
        links = ["core-1", "socket-1"]
        self.assertEqual(
            n1["devices"][3],
            {"name": "3", "kind": "cpu", "zone": "node-1", "links": links, "healthy": False},
        )
        self.assertEqual([d.get("healthy", True) for d in n1["devices"]], [False, True, True, False])
        self.assertNotIn("devices", n2)
        shapes = [scenario["shapes"][t["shape"]] for t in scenario["tasks"]]
        self.assertEqual(
            [(s.get("alignment"), s.get("guaranteed")) for s in shapes],
            [("restricted", True), (None, None), (None, True)],
        )
        said = " ".join(map(str, report))
        self.assertIn("Numatopology n1: spec.resReserved: cpu is 500m, but of 4 the node has 4", said)
        self.assertIn("Numatopology gone: no node of that name is there", said)
        self.assertIn(f"Pod ns/b: metadata.annotations[{key!r}]: 'strict' is no policy", said)

    def test_measured_load(self):
        def value(name, metric, amount, time="1970-01-01T00:01:40Z", kind="Node"):
            return {
                "describedObject": {"kind": kind, "name": name},
                "metric": {"name": metric},
                "timestamp": time,
                "value": amount,
            }

        cpu, memory = "node_cpu_usage_avg", "node_memory_usage_avg"
        values = [
            value("n1", memory, "250m", "1970-01-01T00:02:00Z"),
            value("n1", cpu, "0.61234"),
            value("gone", cpu, "1"),
            value("n1", "temperature", "90"),
        ]
        old = {"metricName": cpu, "describedObject": {"kind": "Node", "name": "n2"}, "value": "1"}
        scenario, report = imported(
            node("n1"), node("n2"), *({"kind": "MetricValue"} | v for v in [*values, old])
        )
        self.assertEqual(
            [n["usage"] for n in scenario["nodes"]],
            [{"cpu": "61234m", "memory": 25, "measured": 120}, {"cpu": 100, "measured": 0}],
        )
        self.assertEqual(
            [str(e) for e in report],
            [
                "MetricValue of Node gone: describedObject: is no node that is there",
                "MetricValue of Node n1: metric: 'temperature' is not considered",
            ],
        )
        with self.assertRaises(ImportFailure) as caught:
            imported(node("n1"), {"kind": "MetricValue"} | value("n1", cpu, "-1"))
        self.assertEqual(str(caught.exception), "MetricValue of Node n1: value: '-1' is less than 0")

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


if __name__ == "__main__":
    unittest.main()
