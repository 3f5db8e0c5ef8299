# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""A dump of each scheduler that has an importer: found by itself, with a thing that waits and is
left out; counted, refused by --strict, and explained."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
MUSTER = os.environ.get("MUSTER_CLI", str(ROOT / "build/release/muster"))


def node(name="n0"):
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name},
            "status": {"allocatable": {"cpu": "8", "memory": "32Gi", "pods": "110"},
                       "conditions": [{"type": "Ready", "status": "True"}]}}


def pod(name, scheduler, labels=None, annotations=None, **spec):
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "namespace": "ns", "labels": labels or {},
                         "annotations": annotations or {}},
            "spec": {"schedulerName": scheduler,
                     "containers": [{"name": "c", "resources": {"requests": {"cpu": "1"}}}],
                     **spec},
            "status": {"phase": "Pending"}}


def thing(group, kind, name, spec=None, namespace="ns", **more):
    metadata = {"name": name} | ({"namespace": namespace} if namespace else {})
    return {"apiVersion": group, "kind": kind, "metadata": metadata, "spec": spec or {}} | more


def gang(annotation):
    return {"annotations": {annotation: "g"}}


# Profile -> the objects, and the name of what waits and is left out.
ALIEN = pod("alien", "another-scheduler")
DUMPS = {
    "volcano": ([
        node(), thing("scheduling.volcano.sh/v1beta1", "Queue", "default", {"weight": 1}, None),
        thing("scheduling.volcano.sh/v1beta1", "PodGroup", "g",
              {"minMember": 1, "queue": "default"}),
        pod("p", "volcano", **gang("scheduling.k8s.io/group-name")), ALIEN], "ns/alien"),
    "kube-batch": ([
        node(),
        thing("scheduling.incubator.k8s.io/v1alpha1", "Queue", "default", {"weight": 1}, None),
        thing("scheduling.incubator.k8s.io/v1alpha1", "PodGroup", "g",
              {"minMember": 1, "queue": "default"}),
        pod("p", "kube-batch", **gang("scheduling.k8s.io/group-name")), ALIEN], "ns/alien"),
    "kube-scheduler": ([node(), pod("p", "default-scheduler"), pod("q", "of-its-own"),
                        pod("alien", "volcano")], "ns/alien"),
    "kueue": ([
        node(), thing("kueue.x-k8s.io/v1beta1", "ResourceFlavor", "f", {}, None),
        thing("kueue.x-k8s.io/v1beta1", "ClusterQueue", "cq", {"resourceGroups": [
            {"coveredResources": ["cpu"], "flavors": [
                {"name": "f", "resources": [{"name": "cpu", "nominalQuota": 4}]}]}]}, None),
        thing("kueue.x-k8s.io/v1beta1", "Workload", "w",
              {"queueName": "absent", "podSets": [{"name": "main", "count": 1, "template": {
                  "spec": {"containers": [{"resources": {"requests": {"cpu": "1"}}}]}}}]})],
        "ns/w"),
    "kai": ([
        node(), thing("scheduling.run.ai/v2", "Queue", "q", {"resources": {
            "cpu": {"quota": -1, "limit": -1}, "memory": {"quota": -1, "limit": -1},
            "gpu": {"quota": -1, "limit": -1}}}, None),
        thing("scheduling.run.ai/v2alpha2", "PodGroup", "g", {"queue": "q", "minMember": 1}),
        pod("p", "kai-scheduler", **gang("pod-group-name")),
        pod("bound", "kai-scheduler", **gang("pod-group-name")),
        thing("scheduling.run.ai/v1alpha2", "BindRequest", "bound",
              {"podName": "bound", "selectedNode": "n0"}),
        pod("lost", "kai-scheduler", annotations={"pod-group-name": "absent"})], "ns/lost"),
    "armada": ([
        node(), thing("armadaproject.io/v1beta1", "Queue", "q", {"priorityFactor": 1}, None),
        thing("armadaproject.io/v1beta1", "Job", "j", {"queue": "q", "podSpec": {
            "containers": [{"resources": {"requests": {"cpu": "1"}}}]}}), ALIEN], "ns/alien"),
    "yunikorn": ([
        node(), pod("p", "yunikorn", {"applicationId": "app", "queue": "root.ns"}), ALIEN],
        "ns/alien"),
    "koordinator": ([
        node(), thing("scheduling.sigs.k8s.io/v1alpha1", "ElasticQuota", "q",
                      {"max": {"cpu": "4"}}, "ns"),
        pod("p", "koord-scheduler"), ALIEN], "ns/alien"),
    "scheduler-plugins": ([
        node(), thing("scheduling.x-k8s.io/v1alpha1", "ElasticQuota", "q",
                      {"max": {"cpu": "4", "memory": "64Gi"}}, "ns"),
        pod("p", "scheduler-plugins-scheduler"), pod("other", "volcano")], "ns/other"),
    "mesos": ([
        thing("mesos.apache.org/v1", "State", "s", {
            "slaves": [{"id": "a", "hostname": "a", "resources": {"cpus": 4, "mem": 64}}],
            "frameworks": [{"id": "f", "name": "f", "role": "*", "active": True, "executors": [],
                            "tasks": [{"id": "t", "name": "t", "slave_id": "gone",
                                       "state": "TASK_RUNNING", "resources": {"cpus": 1}}]}]},
              None)], None),
}


def muster(*arguments):
    return subprocess.run([MUSTER, *map(str, arguments)], capture_output=True, text=True,
                          timeout=120)


class Dumps(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def imported(self, objects, *flags):
        dump, scenario = self.folder / "dump.json", self.folder / "scenario.json"
        dump.write_text(json.dumps({"kind": "List", "items": objects}))
        return muster("import", dump, "-o", scenario, *flags), scenario

    def test_the_scheduler_is_found_and_what_is_left_out_is_told(self):
        for profile, (objects, name) in DUMPS.items():
            with self.subTest(profile):
                done, scenario = self.imported(objects)
                self.assertEqual(done.returncode, 0, done.stderr)
                told = json.loads(scenario.read_text())
                self.assertEqual(told["profile"].split(":")[0], profile, done.stderr)
                strict, _ = self.imported(objects, "--strict")
                self.assertEqual(strict.returncode, 2)
                self.assertIn("strict: something is left out; the first: ", strict.stderr)
                self.assertIn("muster: left_out: ", done.stderr)
                self.assertTrue(told["left_out"])
                name = name or told["left_out"][0]["name"]
                why = muster("explain", scenario, name)
                self.assertEqual(why.returncode, 0, why.stderr)
                self.assertIn("was left out by the import: ", why.stdout)
                everything = muster("explain", scenario).stdout
                self.assertIn("left out by the import; explain FILE NAME tells why", everything)

    def test_pods_that_wait_are_counted(self):
        for profile, waiting in (("volcano", 2), ("kube-batch", 2), ("kube-scheduler", 3),
                                 ("kai", 3), ("armada", 1), ("yunikorn", 2), ("koordinator", 2)):
            done, _ = self.imported(DUMPS[profile][0])
            words = f"muster: left_out: dump: 1 of {waiting} pods that wait are not scheduled"
            self.assertIn(words, done.stderr, profile)

    def test_without_it_nothing_is_left_out(self):
        for profile, (objects, name) in DUMPS.items():
            if name is None or profile == "kueue":
                continue
            kept = [o for o in objects if f"ns/{o['metadata']['name']}" != name]
            done, scenario = self.imported(kept, "--strict")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn("left_out", json.loads(scenario.read_text()), profile)
            self.assertEqual(muster("run", scenario).returncode, 0, profile)

    def test_the_scheduler_of_pods_decides_where_no_object_does(self):
        for scheduler, profile in (("yunikorn", "yunikorn"), ("volcano", "volcano"),
                                   ("kai-scheduler", "kai"), ("koord-scheduler", "koordinator"),
                                   ("scheduler-plugins-scheduler", "scheduler-plugins"),
                                   ("default-scheduler", "kube-scheduler"),
                                   ("mine", "kube-scheduler")):
            done, scenario = self.imported([node(), pod("p", scheduler), pod("q", scheduler),
                                            pod("r", "default-scheduler")])
            self.assertEqual(done.returncode, 0, done.stderr)
            found = json.loads(scenario.read_text())["profile"].split(":")[0]
            self.assertEqual(found, profile, scheduler)
            self.assertRegex(done.stderr, "note: dump: no object belongs to one scheduler alone")


class Advice(unittest.TestCase):
    """What commands say about a dump: of tasks that stay, of names without their namespace."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_muster(self, *arguments):
        return subprocess.run([MUSTER, *map(str, arguments)], capture_output=True, text=True,
                              timeout=120)

    def scenario(self, objects):
        dump = self.folder / "dump.json"
        dump.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
        done = self.run_muster("import", dump, "-o", self.folder / "s.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.folder / "s.json"

    def test_a_drain_leaves_what_stays_on_its_node(self):
        runs = {"nodeName": "n0", "tolerations": [{"operator": "Exists"}]}
        on_n0 = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n0"]}]}
        pinned = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [on_n0]}}}
        pods = [
            pod("of-a-daemon-set", "default-scheduler", affinity=pinned, **runs),
            pod("static", "default-scheduler",
                annotations={"kubernetes.io/config.mirror": "x"}, **runs),
            pod("moves", "default-scheduler", **runs)]
        for row in pods:
            row["status"] = {"phase": "Running"}
        told = self.run_muster("drain", self.scenario([node("n0"), node("n1"), *pods]), "n0")
        self.assertEqual(told.returncode, 0, told.stderr)
        for line in ("ns/of-a-daemon-set ends: it may run on this node alone, and goes with it",
                     "ns/static ends: it may run on this node alone, and goes with it",
                     "ns/moves goes to n1", "1 finds a node, 0 wait"):
            self.assertIn(line, told.stdout)

    def test_why_a_task_without_a_job_ends(self):
        pods = [pod("lone", "default-scheduler", nodeName="n0")]
        file = self.scenario([node("n0"), *pods])
        told = self.run_muster("drain", file, "n0", "--profile", "volcano")
        self.assertIn("  ns/lone ends: it has no job, and profile volcano places no such tasks\n",
                      told.stdout)
        told = self.run_muster("explain", file, "ns/lone")
        self.assertEqual(told.stdout, 'ns/lone: nothing to decide\n  it is bound on "n0"\n')

    def test_remedies_tell_what_else_starts(self):
        file = self.scenario([node("n0"), *(pod(name, "default-scheduler",
                                                nodeSelector={"disk": "ssd"}) for name in "abc")])
        told = self.run_muster("remedies", file, "ns/a")
        self.assertIn('label "n0" with disk=ssd: 1 task starts, 2 more of other jobs\n',
                      told.stdout)
        self.assertIn("do not require disk=ssd of nodes: 1 task starts\n", told.stdout)
        rows = self.run_muster("remedies", file, "ns/a", "--format", "csv").stdout.splitlines()
        self.assertEqual(rows[0], "kind,starts,evictions,others,profile,words")

    def test_names_without_a_namespace(self):
        file = self.scenario([node(), pod("p", "default-scheduler")])
        for command in ("explain", "remedies"):
            told = self.run_muster(command, file, "p")
            self.assertEqual(told.returncode, 2)
            self.assertIn('did you mean "ns/p"?', told.stderr)

    def test_commands_read_dumps_themselves(self):
        """As import and the command would one after the other, with the report beside."""
        objects, left_out = DUMPS["volcano"]
        with tempfile.TemporaryDirectory() as folder:
            dump, conf = pathlib.Path(folder, "dump.json"), pathlib.Path(folder, "conf.json")
            scenario = pathlib.Path(folder, "s.json")
            dump.write_text(json.dumps(objects), encoding="utf-8")
            conf.write_text('{"actions": "enqueue, allocate", "tiers": []}', encoding="utf-8")

            def run(*words):
                return subprocess.run([MUSTER, *map(str, words)], capture_output=True, text=True,
                                      check=False)

            given = ("--configuration", conf)
            made = run("import", dump, "-o", scenario, *given)
            for words in (("run",), ("explain",), ("explain", left_out), ("remedies", "ns/g"),
                          ("compare",)):
                told = run(words[0], dump, *words[1:], *given)
                self.assertEqual(told.stdout, run(words[0], scenario, *words[1:]).stdout, words)
                self.assertEqual((told.returncode, told.stderr), (0, made.stderr), words)
            self.assertIn("actions=admit+allocate", scenario.read_text(encoding="utf-8"))
            for flag in ("--configuration", "--default-queue"):
                told = run("run", scenario, flag, conf)
                self.assertEqual((told.returncode, told.stdout), (2, ""))
                self.assertEqual(told.stderr, f"muster: {scenario}: {flag} is of dumps; this is a "
                                 "scenario\n")
            dump.write_text(json.dumps([{"kind": "Node", "metadata": {}}]), encoding="utf-8")
            self.assertIn("Node: metadata.name", run("explain", dump).stderr)
            dump.write_text("[]", encoding="utf-8")
            self.assertIn("dump: there are no objects in it", run("explain", dump).stderr)
            dump.write_text('{"items": [{"name": "x"}]}', encoding="utf-8")
            self.assertIn("muster import makes a scenario of a dump", run("explain", dump).stderr)


if __name__ == "__main__":
    unittest.main()
