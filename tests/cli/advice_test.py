# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""muster compare, page, remedies, drain and capacity, and what-if on plans: what they print."""

import json
import pathlib
import tempfile
import unittest

from cli_test import ROOT, Files, muster


class Advice(Files):
    GANG = ROOT / "tests/scenarios/gang_undone.json"  # "train" lacks one node of five GPUs

    def test_plans_before_and_after_a_change(self):
        result = muster("what-if", self.GANG, "--plan", "--remove-job", "small")
        self.assert_ends(result, 0, stdout="no longer starts small-worker-0 on gpu0")
        changes = self.write({"changes": [{"job": {"name": "train", "min_available": 6}}]})
        told = json.loads(muster("what-if", self.GANG, "--plan", "--changes", changes,
                                 "--json").stdout)
        self.assertEqual({t["job"] for t in told["starts"]}, {"train"})
        self.assert_ends(muster("what-if", self.GANG, "--changes", changes), 2,
                         stderr="changes[0]: changes of tasks and of nodes that stay need ")
        gone = muster("what-if", self.GANG, "--plan", "--remove-task", "small-worker-0")
        self.assert_ends(gone, 0, stdout="no longer starts small-worker-0 on gpu0")
        self.assert_ends(muster("what-if", self.GANG, "--remove-task", "small-worker-0"), 2,
                         stderr="muster: --remove-task: changes of tasks and of nodes that stay need ")

    def test_each_thing_that_is_to_leave_leaves(self):
        file = self.write({
            "muster": 1, "profile": "kube-scheduler", "nodes": [
                {"name": name, "labels": {"pool": name, "half": "ab" if name in "ab" else "cd"},
                 "capacity": {"cpu": 4, "pods": 9}} for name in "abcd"],
            "jobs": [{"name": f"j{name}"} for name in "ab"],
            "tasks": [{"name": f"t{name}", "node": name, "status": "running", "shape": {
                "request": {"cpu": 1}}} for name in "abcd"]})
        stops = lambda *flags: {t["task"] for t in json.loads(
            muster("what-if", file, "--plan", *flags, "--json").stdout)["stops"]}
        self.assertEqual(stops("--remove-node", "a", "--remove-node", "c"), {"ta", "tc"})
        self.assertEqual(stops("--remove-nodes", "pool=a", "--remove-nodes", "pool=d"),
                         {"ta", "td"})
        self.assertEqual(stops("--remove-task", "tb", "--remove-task", "tc"), {"tb", "tc"})
        # Tasks without a job end with their nodes, and the plans do not have where they would go.
        for labels, line in (("half=cd", "2 tasks without a job end"),
                             ("half=ab", "3 tasks without a job end")):
            gone = muster("what-if", file, "--plan", "--remove-node", "d", "--remove-nodes", labels)
            self.assert_ends(gone, 0, stdout=f"note: {line} with these nodes; muster drain lists "
                             "where such tasks would go\n")
            self.assertEqual(gone.stdout.count("note: "), 1)
        for other in (["--profile", "volcano"], ["--json"]):
            self.assertNotIn("note: 1", muster("what-if", file, "--plan", "--remove-node", "a",
                                               *other).stdout)
        self.assert_ends(muster("what-if", file, "--plan", "--remove-node", "a", "--remove-node",
                                "zz"), 2, stderr='muster: --remove-node: node "zz" does not exist')
        self.assert_ends(muster("what-if", file, "--plan", "--remove-job", "zz", "--remove-job",
                                "ja"), 2, stderr='muster: --remove-job: job "zz" does not exist')

    def test_plans_of_what_if_are_made_as_run_makes_them(self):
        dump = self.write([
            {"kind": "Node", "metadata": {"name": "n"}, "status": {"allocatable": {
                "cpu": "1", "pods": "9"}}},
            {"kind": "Queue", "apiVersion": "scheduling.volcano.sh/v1beta1",
             "metadata": {"name": "mine"}, "spec": {"weight": 1},
             "status": {"state": "Open"}},
            {"kind": "PodGroup", "apiVersion": "scheduling.volcano.sh/v1beta1",
             "metadata": {"name": "g", "namespace": "ns"}, "spec": {"minMember": 1}},
            {"kind": "Pod", "metadata": {"name": "p", "namespace": "ns", "annotations": {
                "scheduling.k8s.io/group-name": "g"}}, "spec": {
                    "schedulerName": "volcano", "containers": [
                        {"name": "c", "resources": {"requests": {"cpu": "2"}}}]}}], "dump.json")
        conf = self.write('{"actions": "enqueue", "tiers": []}', "conf.json")
        ask = ["what-if", dump, "--default-queue", "mine", "--add-nodes", "cpu=4,pods=9", "--json"]
        self.assertEqual([q["name"] for q in json.loads(muster(*ask).stdout)["queues"]
                          if any(q["pending_after"].values())], ["mine"])
        starts = lambda *more: json.loads(  # of the profile with its own actions, and with one
            muster(*ask, "--plan", *more).stdout)["starts"]
        self.assertEqual([row["task"] for row in starts("--now", "100")], ["ns/p"])
        self.assertEqual(starts("--configuration", conf), [])
        counts = self.write({"muster": 1, "jobs": [{"name": "j", "groups": [
            {"name": "g", "by_count": {"count": 2}, "shape": {"request": {"cpu": 1}}}]}]})
        self.assert_ends(muster("what-if", counts, "--plan", "--make-tasks", "--profile", "muster",
                                "--add-nodes", "cpu=4,pods=9"), 0, stdout="starts j-g-1 on new-0")
        for flag, value in (("--now", "5"), ("--seed", "5"), ("--work-budget", "5"),
                            ("--turn", '{"decisions": 1}'), ("--memory", "m.json")):
            self.assert_ends(muster("what-if", self.GANG, flag, value), 2, stderr=f"muster: what-if: "
                             f"{flag} needs --plan: without it no cycle runs\n")

    def test_fields_of_other_schedulers_are_noted(self):
        file = self.write({"muster": 1, "profile": "volcano", "nodes": [
            {"name": "n", "capacity": {"cpu": 4, "pods": 9}}], "queues": [
            {"name": "q", "rules": {"over_quota_weight": {"cpu": 2}},
             "history": {"as_of": 0, "entries": [{"amounts": {"cpu": 1}}]}}]})
        run = muster("run", file)
        self.assert_ends(run, 0)
        self.assertEqual(run.stderr.splitlines(), [
            "muster: over_quota_weight in rules of queues (1 row): not read by volcano",
            "muster: entries in history of queues (1 row): not read by volcano"])
        self.assertEqual(muster("run", file, "--profile", "kai").stderr, "")
        compared = muster("compare", file, "--profiles", "volcano htcondor kai muster")
        self.assertEqual(compared.stderr.splitlines(), [
            "muster: over_quota_weight in rules of queues (1 row): not read by volcano, htcondor, "
            "muster",
            "muster: entries in history of queues (1 row): not read by volcano, muster"])
        file = self.write({"muster": 1, "queues": [{"name": "q", "history": {"spent": 5}}]})
        compared = muster("compare", file, "--profiles", "volcano kai muster")
        self.assertEqual(compared.stderr.splitlines(), [
            "muster: spent in history of queues (1 row): not read by volcano, kai"])  # see spending

    def test_errors_name_the_option_or_the_place_in_the_file(self):
        changes = self.write({"changes": [{"remove_job": "small"}, {"remove_job": "small"}]})
        for plan in ((), ("--plan",)):
            for flag, rule in (("--remove-node", 'node "zz" does not exist'),
                               ("--remove-job", 'job "zz" does not exist')):
                self.assert_ends(muster("what-if", self.GANG, *plan, flag, "zz"), 2,
                                 stderr=f"muster: {flag}: {rule}")
            self.assert_ends(muster("what-if", self.GANG, *plan, "--queue", "zz", "--weight", "1"),
                             2, stderr='muster: --queue: queue "zz" does not exist')
            self.assert_ends(muster("what-if", self.GANG, *plan, "--changes", changes), 2,
                             stderr=f'muster: {changes}: changes[1]: job "small" does not exist')
        self.assert_ends(muster("what-if", self.GANG, "--count", "2"), 2,
                         stderr="what-if: --count needs --add-nodes")
        self.assert_ends(muster("what-if", self.GANG, "--remove-nodes", "a=b"), 2,
                         stderr="muster: --remove-nodes: no node has the labels a=b")
        for command in ("compare", "page"):
            self.assert_ends(muster(command, self.GANG, "--profiles", "kai,muster:-gang"), 2,
                             stderr='muster: --profiles: "kai,muster:-gang" is no profile; profiles '
                             "have blanks between them\n")
        self.assert_ends(muster("diff", self.GANG, "--with", "zz"), 2,
                         stderr='muster: --with: unknown profile "zz"')
        self.assert_ends(muster("drain", self.GANG, "gpu0", "--turn", '{"heartbeats": ["n"]}'), 2,
                         stderr="muster: --turn: action")
        self.assert_ends(muster("run", self.GANG, "--seed", "-1"), 2,
                         stderr='--seed: expected an integer that is not negative, got "-1"')
        self.assert_ends(muster("compare", self.GANG, "--work-budget", "-1"), 2,
                         stderr="muster: --work-budget is negative")
        for command in (("run",), ("drain", "gpu0")):
            name, *rest = command
            self.assert_ends(muster(name, self.GANG, *rest, "--now", str(2**62)), 2,
                             stderr="muster: --now is 4611686018427387904; must be -46116860184273")

    def test_what_changes_cannot_do(self):
        file = self.write({
            "muster": 1, "queues": [{"name": "q"}],
            "jobs": [{"name": "j", "queue": "q", "min_available": 1, "groups": [
                {"name": "g", "count": 1, "shape": {"request": {"cpu": 1}}}]}],
            "nodes": [{"name": "n", "capacity": {"cpu": 4, "pods": 9, "nvidia.com/gpu": 1}}],
            "tasks": [{"name": "t", "shape": {"request": {"cpu": 9, "nvidia.com/gpu": 1}}}]})
        limit = ["--queue", "q", "--limit", "nvidia.com/gpu=3"]
        for profile, words in (("kueue", 'note: profile kueue does not read "limit" of a queue'),
                               ("kueue", "publish no shares; --plan has what it decides")):
            self.assert_ends(muster("what-if", file, "--profile", profile, *limit), 0,
                             stdout=words)
        self.assertNotIn("quota", muster("what-if", file, "--profile", "kueue", *limit).stdout)
        flavors = self.write({"muster": 1, "flavors": [{"name": "any"}], "queues": [
            {"name": "q", "rules": {"groups": [{"resources": ["cpu"], "flavors": [
                {"flavor": "any", "nominal": {"cpu": 4}}]}]}}]}, "flavors.json")
        self.assert_ends(muster("what-if", flavors, "--profile", "kueue", "--queue", "q", "--limit",
                                "cpu=9"), 0,
                         stdout='note: profile kueue does not read "limit" of a queue; the queue '
                         'has quota by flavor, which "quota" in a file of --changes replaces\n')
        self.assertNotIn("note:", muster("what-if", file, "--profile", "volcano", *limit).stdout)
        self.assert_ends(muster("what-if", file, "--profile", "volcano", "--queue", "q", "--limit",
                                "gpu=3"), 2, stderr='did you mean "nvidia.com/gpu"?')
        self.assert_ends(muster("what-if", file, "--profile", "kai", *limit), 2,
                         stderr='profile "kai": only a cycle has the shares of its queues')
        typo = muster("what-if", file, "--profile", "volcano", "--add-nodes",
                      "nvidia.com/gpus=8")
        self.assert_ends(typo, 0, stdout='no node or task names "nvidia.com/gpus", did you mean '
                         '"nvidia.com/gpu"?')
        self.assertIn("without cpu, which 2 tasks that wait request", typo.stdout)

    def test_two_profiles_and_two_files(self):
        same = muster("diff", self.GANG, "--profile", "volcano", "--with", "volcano")
        self.assert_ends(same, 0, stdout="nothing differs\n")
        empty = self.write({"muster": 1, "nodes": [], "jobs": []})
        self.assert_ends(muster("diff", self.GANG, empty), 0,
                         stdout="no longer starts small-worker-0")
        self.assert_ends(muster("diff", self.GANG), 2, stderr="needs two FILEs, or one and --with")
        # A job that waited and left ends elsewhere in no plan.
        came = json.loads(self.GANG.read_text(encoding="utf-8"))
        came["jobs"].append({"name": "late", "min_available": 1, "groups": [
            {"name": "worker", "count": 2, "shape": {"request": {"cpu": 99}}}]})
        self.assert_ends(muster("diff", self.write(came), self.GANG), 0,
                         stdout="no task ends elsewhere\n9 tasks wait in the first plan, 7 in the "
                         "second\n")

    def test_page(self):
        result = muster("page", self.GANG, "--profiles", "volcano muster", "--remedies", "1")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertTrue(result.stdout.startswith("<!doctype html>"))
        for words in ("1 job waits", "&#8594; ", "decide differently"):
            self.assertIn(words, result.stdout)
        for loaded in ("<script", "src=", "href=", "url("):
            self.assertNotIn(loaded, result.stdout)
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "plan.html"
            self.assert_ends(muster("page", self.GANG, "-o", str(file)), 0)
            self.assertIn("</html>", file.read_text(encoding="utf-8"))
        self.assert_ends(muster("page"), 2, stderr="needs one FILE")
        self.assert_ends(muster("page", self.GANG, "--remedies", "-1"), 2, stderr="is negative")

    def test_tasks_without_a_job_are_counted_where_a_profile_leaves_them_out(self):
        with tempfile.TemporaryDirectory() as scratch:
            file = pathlib.Path(scratch) / "lone.json"
            file.write_text(json.dumps({
                "muster": 1, "nodes": [{"name": "n", "capacity": {"cpu": 4, "pods": 10}}],
                "tasks": [{"name": name, "shape": {"request": {"cpu": 1}}} for name in "ab"]}))
            names = ["compare", file, "--profiles", "volcano kube-scheduler"]
            rows = json.loads(muster(*names, "--json").stdout)["profiles"]
            self.assertEqual([(row["starts"], row["left_out"]) for row in rows], [(0, 2), (2, 0)])
            self.assert_ends(muster(*names), 0, stdout="2 tasks that wait have no job; 1 of 2 "
                             "profiles leave such tasks out")
            self.assert_ends(muster(*names), 0, stdout="LEFT OUT")
            left_out = ("2 tasks that wait have no job; volcano leaves such tasks out; "
                        "--lone-tasks QUEUE makes jobs of them\n")
            diff = ("diff", file, "--profile", "kube-scheduler", "--with")
            self.assert_ends(muster(*diff, "volcano"), 0, stdout=left_out)
            for form in (["--json"], ["--format", "csv"]):
                told = muster(*diff, "volcano", *form)
                self.assertEqual((told.returncode, told.stderr), (0, "muster: " + left_out))
                self.assertEqual(muster(*diff, "koordinator", *form).stderr, "")
                bound = muster("run", file, "--profile", "volcano", "--bound", *form)
                self.assertIn("muster: 2 tasks that wait have no job; the bound is about tasks of "
                              "jobs\n", bound.stderr)
            self.assertEqual(muster(*diff, "volcano").stderr, "")
            for with_, more in (("koordinator", ()), ("volcano", ("--lone-tasks", "default"))):
                self.assertNotIn("no job", muster(*diff, with_, *more).stdout)
            for command in (names, ["forecast", file], ["explain", file], ["run", file]):
                self.assert_ends(muster(*command, "--lone-tasks", "zz"), 2,
                                 stderr='--lone-tasks: queue "zz" does not exist')
            rows = json.loads(muster(*names, "--lone-tasks", "default", "--json").stdout)
            self.assertEqual([(row["profile"], row["starts"], row["left_out"])
                              for row in rows["profiles"]],
                             [("volcano:lone_tasks=default", 2, 0), ("kube-scheduler", 2, 0)])
            told = json.loads(muster("forecast", file, "--profile", "volcano", "--lone-tasks",
                                     "default", "--json").stdout)
            self.assertEqual([job["job"] for job in told["jobs"]], ["a", "b"])
            self.assert_ends(muster("remedies", file, "a", "--profile", "volcano"), 0,
                             stdout="schedule by volcano:lone_tasks=default: 1 task starts")

    def test_what_is_told_of_many_is_told_once(self):
        path = self.write({
            "muster": 1, "profile": "kube-scheduler",
            "nodes": [{"name": "n", "capacity": {"cpu": 1, "pods": 10}}],
            "tasks": [{"name": f"ns/{i}", "shape": {"request": {"cpu": 2}}} for i in range(9)],
            "left_out": [{"name": "ns/gone", "why": "it has no job"}]})
        told = muster("explain", path).stdout
        self.assertIn("ns/0, ns/1, ns/2 and 6 more: no node fits\n", told)
        self.assertEqual(told.count("no node fits"), 1)
        self.assert_ends(muster("remedies", path, "ns/gone"), 0,
                         stdout="ns/gone was left out by the import: it has no job")
        self.assert_ends(muster("explain", path, "gone"), 2, stderr='did you mean "ns/gone"?')
        self.assert_ends(muster("explain", path, "other/3"), 2, stderr='did you mean "ns/3"?')

    def test_profiles_side_by_side(self):
        result = muster("compare", self.GANG, "--profiles", "volcano muster", "--json")
        self.assert_ends(result, 0)
        rows = {row["profile"]: row for row in json.loads(result.stdout)["profiles"]}
        self.assertEqual(rows["volcano"]["waiting"], 7)
        self.assertEqual(rows["volcano"]["differ"], 0)
        self.assertEqual(rows["volcano"]["empty_nodes"], 7)
        self.assertEqual(rows["volcano"]["left_out"], 0)
        self.assert_ends(muster("compare", self.GANG), 0, stdout="PROFILE")
        self.assert_ends(muster("compare", self.GANG, "--profiles", "vulcano"), 2,
                         stderr='did you mean "volcano"?')
        self.assert_ends(muster("compare", self.GANG, "--profile", "zz"), 2, stderr="--profile: ")
        self.assert_ends(muster("compare", self.GANG, "--profile", "ray", "--profiles", "zz"), 2,
                         stderr="--profiles: ")
        # Under the profile of --profile, which is the first, nothing ends elsewhere.
        first = json.loads(muster("compare", self.GANG, "--profiles", "muster volcano", "--profile",
                                  "volcano", "--json").stdout)["profiles"]
        self.assertEqual([row["profile"] for row in first], ["volcano", "muster"])
        self.assertEqual(first[0]["differ"], 0)
        # A profile of which the policies publish no shares has no spread.
        spread = json.loads(muster("compare", self.GANG, "--profiles", "muster kai ray",
                                   "--json").stdout)["profiles"]
        self.assertEqual([row["spread"] is None for row in spread], [False, False, True])
        self.assert_ends(muster("compare", self.GANG, "--profiles", " "), 2,
                         stderr="--profiles names none")

    def test_remedies_and_their_numbers(self):
        result = muster("remedies", self.GANG, "train")
        self.assert_ends(result, 0, stdout='add 1 node like "gpu0"')
        self.assertIn("let the gang start with 6 of its 7 tasks", result.stdout)
        told = json.loads(muster("remedies", self.GANG, "train", "--json").stdout)
        self.assertEqual(told["waiting"], 7)
        self.assertTrue(all(remedy["starts"] > 0 for remedy in told["remedies"]))
        for remedy in told["remedies"]:
            changes = self.write({key: remedy[key] for key in ("changes", "profile")})
            made = muster("what-if", self.GANG, "--plan", "--changes", changes, "--json")
            starts = [task for task in json.loads(made.stdout)["starts"] if task["job"] == "train"]
            self.assertEqual(len(starts), remedy["starts"], remedy["words"])
            self.assert_ends(muster("what-if", self.GANG, "--changes", changes), 2,
                             stderr="profile: is of the plan after the changes; needs --plan")
        self.assert_ends(muster("remedies", self.GANG, "small"), 0, stdout="nothing of it waits")
        self.assert_ends(muster("remedies", self.GANG, "trian"), 2, stderr='did you mean "train"?')
        self.assert_ends(muster("remedies", self.GANG, "train", "--trials", "0"), 2,
                         stderr="muster: --trials is 0; must be 1 or more")
        self.assert_ends(muster("remedies", self.GANG, "train", "--trials", "1"), 0,
                         stdout="(1 trial, all that --trials allows)")
        self.assert_ends(muster("remedies", self.GANG), 2, stderr="needs a FILE and a JOB")

    def test_drain(self):
        file = ROOT / "tests/scenarios/queue_weights.json"
        name = "n"
        self.assert_ends(muster("drain", file, name), 0, stdout=" find a node, ")
        self.assertIn("steps", json.loads(muster("drain", file, name, "--json").stdout))
        self.assert_ends(muster("drain", file, "nowhere"), 2,
                         stderr='node "nowhere" does not exist')
        self.assert_ends(muster("drain", file), 2, stderr="needs a FILE and a NODE")
        # Pods of one service wait for one reason, which is told once.
        full = self.write({
            "muster": 1, "profile": "kube-scheduler", "nodes": [
                {"name": name, "capacity": {"cpu": 4, "pods": 9}} for name in "ab"],
            "tasks": [{"name": f"{node}{i}", "node": node, "status": "running", "shape": {
                "request": {"cpu": 1 if i else 2}}} for node in "ab" for i in range(3)]})
        told = muster("drain", full, "a")
        self.assert_ends(told, 0, stdout="0 find a node, 3 wait")
        lines = told.stdout.splitlines()
        self.assertIn("  a0 waits: 1 node: unschedulable; 1 node: cpu", lines[1])
        self.assertEqual(lines[2:4], ["  a1 waits: as a0", "  a2 waits: as a0"])
        rows = json.loads(muster("drain", full, "a", "--json").stdout)["steps"][0]["tasks"]
        self.assertEqual(len({row["reason"] for row in rows}), 1)

    def test_capacity(self):
        result = muster("capacity", self.GANG, "--types", "gpu0=2.5,cpu0")
        self.assert_ends(result, 0, stdout="cheapest: 2 of gpu0, price 5; 0 tasks wait then")
        self.assertIn("cpu0: no number of them helps; the first that waits: train-worker-0: 6 of 7",
                      result.stdout)
        told = json.loads(muster("capacity", self.GANG, "--types", "gpu0", "--json").stdout)
        self.assertEqual(told["alone"], [{"type": "gpu0", "count": 2}])
        self.assert_ends(muster("capacity", self.GANG, "--types", "x"), 2,
                         stderr='--types: node "x" does not exist')
        self.assert_ends(muster("capacity", self.GANG, "--types", "gpu0=much"), 2,
                         stderr='--types: price "much" is no number')
        self.assert_ends(muster("capacity", self.GANG, "--types", "cpu0,gpu0=-1"), 2,
                         stderr="muster: --types: gpu0: price is -1; must be 0 or more")
        self.assert_ends(muster("capacity", self.GANG, "--most", "0"), 2,
                         stderr="muster: --most is 0; must be 1 or more")
        least = self.write({
            "muster": 1, "nodes": [{"name": "n", "capacity": {"cpu": 1, "pods": 9}}],
            "jobs": [{"name": "j", "min_available": 1, "groups": [
                {"name": "g", "count": 4, "shape": {"request": {"cpu": 1}}}]}]})
        self.assert_ends(muster("capacity", least, "--most", "2"), 0,
                         stdout="2 more place 2 of 3 tasks that wait, and --most allows no more of "
                         "them; this one waits: j-g-3")
        self.assert_ends(muster("capacity", self.GANG), 0, stdout="cheapest: 2 of ")
        self.assert_ends(muster("capacity", self.GANG, "--types", "gpuO"), 2,
                         stderr='--types: node "gpuO" does not exist, did you mean "gpu0"?')
        zones = self.write({
            "muster": 1, "nodes": [{"name": name, "labels": {"zone": name}, "count": 2,
                                    "capacity": {"cpu": cpu, "pods": 9}}
                                   for name, cpu in (("a", 1), ("b", 1), ("c", 8))],
            "jobs": [{"name": "j", "min_available": 1, "groups": [
                {"name": "g", "count": 1, "shape": {"request": {"cpu": 9}}}]}]})
        self.assert_ends(muster("capacity", zones), 0,
                         stdout="  a0, b0, c0: no number of them helps; this one waits: j-g-0: ")
        alone = json.loads(muster("capacity", zones, "--json").stdout)["alone"]
        self.assertEqual([row["type"] for row in alone], ["a0", "b0", "c0"])

    def test_threads_change_no_answer(self):
        changes = self.write({"changes": [{"remove_job": "train"}], "profile": "kube-scheduler"})
        for command in (["compare", self.GANG], ["capacity", self.GANG],
                        ["remedies", self.GANG, "train"],
                        ["what-if", self.GANG, "--plan", "--remove-job", "train"],
                        ["what-if", self.GANG, "--plan", "--changes", changes]):
            alone = muster(*command)
            self.assert_ends(alone, 0)
            both = muster(*command, "--threads", "3")
            self.assert_ends(both, 0)
            self.assertEqual(both.stdout, alone.stdout, command)
            for wrong in ("0", "257"):
                self.assert_ends(muster(*command, "--threads", wrong), 2,
                                 stderr=f"muster: --threads: {wrong} is not in 1..256")
        self.assert_ends(muster("what-if", self.GANG, "--threads", "3"), 2,
                         stderr="what-if: --threads needs --plan")

    def test_capacity_where_nothing_is_placed(self):
        file = self.write({
            "muster": 1, "flavors": [{"name": "any"}],
            "queues": [{"name": "q", "rules": {"groups": [{"resources": ["cpu"], "flavors": [
                {"flavor": "any", "nominal": {"cpu": 4}}]}]}}],
            "nodes": [{"name": "n", "capacity": {"cpu": 2, "pods": 9}}],
            "jobs": [{"name": "j", "queue": "q", "min_available": 1, "groups": [
                {"name": "g", "count": 2, "shape": {"request": {"cpu": 2}}}]}]})
        told = muster("capacity", file, "--profile", "kueue")
        self.assert_ends(told, 0, stdout="wanted: 1 of n, price 1; 2 tasks wait then")
        self.assertNotIn("cheapest", told.stdout)

    def test_tasks_by_count_are_counted(self):
        def sweep(name, count):
            return {"name": name, "queue": "q", "groups": [
                {"name": "w", "shape": {"request": {"cpu": 1}}, "by_count": {"count": count}}]}
        file = self.write({
            "muster": 1, "flavors": [{"name": "any"}],
            "queues": [{"name": "q", "rules": {"groups": [{"resources": ["cpu"], "flavors": [
                {"flavor": "any", "nominal": {"cpu": 4}}]}]}}],
            "nodes": [{"name": "n", "capacity": {"cpu": 2, "pods": 9}}],
            "jobs": [sweep("fits", 4), sweep("waits", 10**8)]})
        kueue = ("--profile", "kueue")
        self.assert_ends(muster("run", file, *kueue), 0,
                         stdout="1 admitted, 100000000 pending; work")
        self.assert_ends(muster("run", file, *kueue, "--bound"), 0,
                         stdout="100000000 tasks that wait are by count; the bound is about rows")
        told = muster("remedies", file, "waits", *kueue)
        self.assert_ends(told, 0, stdout='raise the quota of queue "q" in flavor "any": cpu 4 -> ')
        self.assertIn(": 100000000 tasks admitted", told.stdout)
        rows = json.loads(muster("compare", file, "--profiles", "kueue volcano",
                                 "--json").stdout)["profiles"]
        self.assertEqual([rows[0][key] for key in ("admitted", "starts", "waiting")],
                         [1, 0, 10**8])
        self.assertEqual(rows[0]["reasons"], {"not_admitted": 10**8})
        self.assertIn('job "fits", group "w": 4 tasks are counts', rows[1]["refused"])
        page = muster("page", file, *kueue, "--remedies", "1")
        self.assert_ends(page, 0, stdout="1 job waits")
        self.assertRegex(page.stdout, "raise the quota.*: 100000000 tasks admitted")
        forecast = ("forecast", file, "--profile", "kueue:+allocate", "--no-arrivals")
        self.assert_ends(muster(*forecast), 2, stderr='job "fits", group "w": 4 tasks are counts, '
                         "which never start; must be rows (MakeTasks, --make-tasks)")
        self.assert_ends(muster(*forecast, "--make-tasks"), 2, stderr="make_tasks: ")


if __name__ == "__main__":
    unittest.main()
