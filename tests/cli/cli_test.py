# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""The command line from the outside: what it prints, how it ends, what it refuses."""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
MUSTER = os.environ.get("MUSTER_CLI", str(ROOT / "build/release/muster"))
SCENARIOS = sorted((ROOT / "tests/scenarios").glob("*.json"))
TIMEOUT = 600 if os.environ.get("MUSTER_SANITIZED") else 120
COMMANDS = ("run", "check", "explain", "what-if", "profiles", "generate", "import", "replay")


def muster(*arguments, stdin=None):
    return subprocess.run([MUSTER, *map(str, arguments)], input=stdin, capture_output=True,
                          text=True, timeout=TIMEOUT)


def small(**more):
    return {
        "muster": 1,
        "nodes": [{"name": "n", "count": 2, "capacity": {"cpu": 4, "memory": "8Gi", "pods": 10}}],
        "jobs": [{"name": "j", "min_available": 2,
                  "groups": [{"name": "w", "count": 2, "shape": {"request": {"cpu": 3}}}]}],
        **more,
    }


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, content, name="s.json"):
        path = self.folder / name
        path.write_text(content if isinstance(content, str) else json.dumps(content),
                        encoding="utf-8")
        return path

    def assert_ends(self, result, code, stdout=None, stderr=None):
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        for text, part in ((result.stdout, stdout), (result.stderr, stderr)):
            if part is not None:
                self.assertIn(part, text)


class Help(Files):
    def test_every_command_has_help_with_an_example_and_lists_its_flags(self):
        for command in COMMANDS:
            result = muster(command, "--help")
            self.assert_ends(result, 0, stdout=f"usage: muster {command}")
            self.assertIn("example:\n  muster " + command, result.stdout)
            self.assertIn("--help", result.stdout)
            self.assertEqual(result.stderr, "")
        for flag in ("--help", "-h", "help"):
            result = muster(flag)
            self.assert_ends(result, 0)
            for command in COMMANDS:
                self.assertIn(command, result.stdout)

    def test_help_names_a_command(self):
        self.assertEqual(muster("help", "drain").stdout, muster("drain", "--help").stdout)
        self.assertEqual(muster("help", "help").stdout, muster("--help").stdout)
        self.assert_ends(muster("help", "dran"), 2, stderr='did you mean "drain"?')
        for rest in (["run", "nonsense"], ["--version"], ["-h"]):
            self.assert_ends(muster("help", *rest), 2, stderr="help takes one COMMAND")

    def test_version(self):
        self.assertRegex(muster("--version").stdout, r"^muster \d+\.\d+\.\d+\n$")

    def test_no_command_and_unknown_ones(self):
        self.assert_ends(muster(), 2, stdout="", stderr="a command is missing")
        self.assert_ends(muster("chek"), 2, stderr='unknown command "chek", did you mean "check"?')
        self.assert_ends(muster("frobnicate"), 2, stderr="muster --help lists them")

    def test_unknown_flags_and_missing_values(self):
        path = self.write(small())
        self.assert_ends(muster("run", path, "--profil", "x"), 2,
                         stderr="unknown flag --profil, did you mean --profile?")
        self.assert_ends(muster("run", path, "--now"), 2, stderr="--now needs a value, SECONDS")
        self.assert_ends(muster("run", path, "--now", "soon"), 2,
                         stderr='--now: expected an integer, got "soon"')
        self.assert_ends(muster("run", path, "--json=1"), 2, stderr="--json takes no value")
        self.assert_ends(muster("run", path, "--json", "--digest"), 2, stderr="exclude each other")
        twice = muster("run", path, "--profile", "volcano", "--profile=muster", "--json")
        self.assertEqual(json.loads(twice.stdout)["profile"], "muster")
        self.assert_ends(muster("run", path, "--profile", ""), 2,
                         stderr="--profile: must not be empty")
        self.assert_ends(muster("forecast", path, "--history-nodes", "n.csv"), 2,
                         stderr="--history-nodes needs --history")
        self.assert_ends(muster("run"), 2, stderr="needs one FILE")
        self.assert_ends(muster("run", path, path), 2, stderr="needs one FILE")
        self.assert_ends(muster("explain"), 2, stderr="needs a FILE")
        self.assert_ends(muster("check"), 2, stderr="needs a FILE")
        self.assert_ends(muster("profiles", "x"), 2,
                         stderr='unknown profile "x"; must be one of armada, conservative, easy')
        for name, meant in (("kube", 'did you mean "kube-batch" or "kube-scheduler"?'),
                            ("volcan", 'did you mean "volcano"?'),
                            ("fragmentation", 'it is a policy, as in "muster:+fragmentation"')):
            self.assert_ends(muster("profiles", name), 2, stderr=meant)
            for command in ("run", "explain", "compare", "page"):
                flag = "--profiles" if command in ("compare", "page") else "--profile"
                self.assertIn(meant, muster(command, path, flag, name).stderr, command)


class Run(Files):
    def test_text_json_and_digest_agree(self):
        path = self.write(small())
        text = muster("run", path, "--profile", "volcano")
        self.assert_ends(text, 0, stdout="bind j-w-0 to n0\n")
        plan = json.loads(muster("run", path, "--profile", "volcano", "--json").stdout)
        digest = muster("run", "--profile=volcano", path, "--digest").stdout
        self.assertEqual(plan["profile"], "volcano")
        self.assertEqual(digest, plan["digest"] + "\n")
        self.assertIn("digest " + plan["digest"], text.stdout)
        self.assertIn("2 bound, 0 nominated, 0 evicted, 1 admitted, 0 pending", text.stdout)
        binds = {d["task"]: d["node"] for d in plan["decisions"] if d["kind"] == "bind"}
        self.assertEqual(binds, {"j-w-0": "n0", "j-w-1": "n1"})

    def test_tasks_that_are_counts_are_pending(self):
        quota = {"resources": ["cpu"], "flavors": [{"flavor": "any", "nominal": {"cpu": 1}}]}
        path = self.write({
            "muster": 1, "profile": "kueue", "flavors": [{"name": "any"}],
            "queues": [{"name": "q", "rules": {"groups": [quota]}}],
            "jobs": [{"name": "j", "queue": "q", "min_available": 1, "groups": [
                {"name": "w", "shape": {"request": {"cpu": 1}}, "by_count": {"count": 5}}]}]})
        self.assert_ends(muster("run", path), 0, stdout="0 admitted, 5 pending")

    def test_standard_input(self):
        self.assert_ends(muster("run", "-", "--profile", "volcano", stdin=json.dumps(small())), 0,
                         stdout="2 bound")

    def test_equal_runs_print_equal_bytes(self):
        scenario = muster("generate", "--nodes", 50, "--occupancy", 0.3, "--seed", 3).stdout
        first, second = (muster("run", "-", "--json", stdin=scenario) for _ in range(2))
        self.assert_ends(first, 0)
        self.assertEqual(first.stdout, second.stdout)

    def test_a_work_budget_cuts_the_cycle(self):
        path = self.write(small(profile="volcano", jobs=[
            {"name": f"j{i}", "min_available": 1,
             "groups": [{"name": "w", "count": 1, "shape": {"request": {"cpu": 1}}}]}
             for i in range(4)]))
        whole = json.loads(muster("run", path, "--json").stdout)
        cut = json.loads(muster("run", path, "--json", "--work-budget", 2).stdout)
        self.assertTrue(whole["complete"])
        self.assertFalse(cut["complete"])

    def test_tasks_that_are_counts_become_rows(self):
        jobs = [{"name": "j", "groups": [{"name": "w", "by_count": {"count": 2},
                                         "shape": {"request": {"cpu": 3}}}]}]
        path = self.write(small(jobs=jobs))
        self.assert_ends(muster("run", path), 2, stderr='job "j", group "w": 2 tasks are counts')
        self.assert_ends(muster("run", path), 2, stderr="--make-tasks")
        for command in ("run", "explain"):
            name = ("j",) if command == "explain" else ()
            self.assert_ends(muster(command, path, *name, "--make-tasks"), 0)
        self.assert_ends(muster("run", path, "--make-tasks"), 0, stdout="2 bound")

    def test_bad_input_ends_with_2_and_names_file_and_place(self):
        cases = (
            ("{", "byte 1: unexpected end of input"),
            (small(nodes=[{"name": "n", "lables": {}}]),
             'scenario: nodes[0]: unknown key "lables", did you mean "labels"?'),
            (small(nodes=[{"name": "n"}, {"name": "n"}]), "scenario: nodes[1]: "),
            (small(profile="vulcano"), '"volcano"'),
            (small(profile="volcano:binpak(weight=1)"), "binpack"),
            ("[" * 10000, "scenario: expected an object"),
            ('{"muster": 1, "profile": ' + "[" * 10000, "nested deeper than 256"),
        )
        for content, words in cases:
            path = self.write(content)
            for command in ("run", "explain"):
                result = muster(command, path)
                self.assert_ends(result, 2, stdout="", stderr=f"muster: {path}: ")
                self.assertIn(words, result.stderr)
        self.assert_ends(muster("run", self.folder / "absent.json"), 2,
                         stderr="No such file or directory")

    def test_what_is_wrong_with_a_flag_begins_with_its_name(self):
        path = self.write(small(profile="volcano"))
        for flag, value, words in (
            ("--profile", "typo", '--profile: unknown profile "typo"'),
            ("--profile", "volcano:binpak",
             '--profile: unknown action or policy "binpak"; did you mean "binpack"?'),
            ("--profile", "volcano:binpack(weight=-1)",
             '--profile: policy binpack: option "weight" is "-1"; must be a number from 0 '),
            ("--profile", "volcano:preempt(tries=1)", '"+preempt" adds it'),
            ("--work-budget", -1, "--work-budget is negative; must be 0 or more"),
            ("--turn", '{"decision": 1}', '--turn: unknown key "decision"'),
            ("--turn", '{"decisions": 0}', "--turn: "),
            ("--turn", '{"heartbeats": ["n0"]}',
             '--turn: action "admit" of profile "volcano" does not serve heartbeats; it serves cycle, decisions'),
        ):
            for command in ("run", "explain"):
                result = muster(command, path, flag, value)
                self.assert_ends(result, 2, stdout="", stderr=words)
                self.assertTrue(result.stderr.startswith("muster: " + flag), result.stderr)
        wrong = self.write(small(options={"work_budget": -1}), "wrong.json")
        self.assert_ends(muster("run", wrong), 2, stderr=f"muster: {wrong}: ")
        self.assert_ends(muster("what-if", path, "--profile", "typo"), 2,
                         stderr='muster: --profile: unknown profile "typo"')

    def test_an_unknown_queue_is_named_with_the_nearest(self):
        content = small(queues=[{"name": "vision"}])
        content["jobs"][0]["queue"] = "vison"
        self.assert_ends(muster("run", self.write(content)), 2,
                         stderr='queue "vison" does not exist, did you mean "vision"?')
        self.assert_ends(muster("run", self.folder), 2, stderr="Is a directory")


class Check(Files):
    def test_counts_and_exit_codes(self):
        good = self.write(small(profile="volcano",
                                expect={"binds": {"j-w-0": "n0", "j-w-1": "n1"}}), "good.json")
        wrong = self.write(small(profile="volcano", expect={"binds": {"j-w-0": "n1"}}),
                           "wrong.json")
        silent = self.write(small(), "silent.json")
        broken = self.write("{", "broken.json")
        result = muster("check", good)
        self.assert_ends(result, 0)
        self.assertEqual(result.stdout, f"ok      {good}\n1 passed, 0 failed\n")
        result = muster("check", good, wrong)
        self.assert_ends(result, 1, stdout='\n  bind of "j-w-0": expected "n1", got "n0"\n')
        self.assertTrue(result.stdout.endswith("\n1 passed, 1 failed\n"))
        self.assert_ends(muster("check", silent), 1, stdout="nothing is expected of it")
        result = muster("check", broken, good, wrong)
        self.assert_ends(result, 2)
        self.assertTrue(result.stdout.endswith("\n1 passed, 2 failed\n"))

    def test_the_scenarios_of_the_project(self):
        self.assertGreater(len(SCENARIOS), 12)
        result = muster("check", *SCENARIOS)
        self.assert_ends(result, 0)
        self.assertTrue(result.stdout.endswith(f"\n{len(SCENARIOS)} passed, 0 failed\n"),
                        result.stdout)

    def test_the_example_of_the_documentation(self):
        text = (ROOT / "docs/scenario.md").read_text(encoding="utf-8")
        example = re.search(r"```json\n(.*?)```", text, re.DOTALL).group(1)
        result = muster("check", self.write(example))
        self.assert_ends(result, 0)
        last = result.stdout.splitlines()[-1]
        self.assertIn(f"`muster check` of this file ends with `{last}`", text)


class Explain(Files):
    def setUp(self):
        super().setUp()
        self.path = self.write(small(profile="volcano", jobs=[
            {"name": "train", "min_available": 3,
             "groups": [{"name": "w", "count": 3, "shape": {"request": {"cpu": 3}}}]}]))

    def test_jobs_by_count_have_a_reason(self):
        path = self.write({
            "muster": 1, "profile": "kueue", "flavors": [{"name": "any"}],
            "queues": [{"name": "q", "rules": {"groups": [
                {"resources": ["cpu"], "flavors": [{"flavor": "any", "nominal": {"cpu": 3}}]}]}}],
            "jobs": [{"name": "sweep", "queue": "q", "min_available": 1, "groups": [
                {"name": "w", "by_count": {"count": 9}, "shape": {"request": {"cpu": 1}}}]}]})
        why = ("not admitted: couldn't assign flavors to pod set w: insufficient quota for cpu in "
               "flavor any, previously considered podsets requests (0) + current podset request "
               "(9) > maximum capacity (3)\n")
        for name in ((), ("sweep",)):
            self.assert_ends(muster("explain", path, *name), 0, stdout="sweep: " + why)
            rows = json.loads(muster("explain", path, *name, "--json").stdout)["pending"]
            self.assertEqual([(row["task"], row["job"], row["reason"]) for row in rows],
                             [("", "sweep", "not_admitted")])
        self.assert_ends(muster("run", path), 0, stdout="pending sweep (9 tasks): " + why)
        plan = json.loads(muster("run", path, "--json").stdout)
        self.assertEqual(plan["waiting_jobs"], [{"job": "sweep", "tasks": 9, "reason": 0}])

    def test_a_job_a_task_and_everything(self):
        self.assert_ends(muster("explain", self.path, "train"), 0,
                         stdout="train: 2 of 3 placed, undone")
        self.assert_ends(muster("explain", self.path), 0, stdout="train: 2 of 3 placed, undone")
        self.assert_ends(muster("explain", self.path, "train-w-2"), 0, stdout="train-w-2: ")
        self.assert_ends(muster("explain", self.write(small(profile="volcano"))), 0,
                         stdout="nothing is pending\n")

    def test_tasks_without_a_job_that_the_profile_leaves_out(self):
        content = small(profile="volcano")
        content["tasks"] = [{"name": "ns/a", "shape": {"request": {"cpu": 1}}}]
        path = self.write(content)
        words = ("1 task that waits has no job; volcano leaves such tasks out; "
                 "--lone-tasks QUEUE makes jobs of them\n")
        self.assertEqual(muster("explain", path).stdout, words)
        self.assertTrue(muster("run", path).stdout.endswith(words))
        for command in ("explain", "run"):
            for format_ in ("json", "csv"):
                self.assert_ends(muster(command, path, "--format", format_), 0, stderr=words)
        for more in (("--lone-tasks", "default"), ("--profile", "kube-scheduler")):
            for command in ("explain", "run"):
                done = muster(command, path, *more)
                self.assert_ends(done, 0)
                self.assertNotIn("leaves", done.stdout + done.stderr)

    def test_a_resource_that_no_node_has(self):
        content = small(profile="muster")
        content["nodes"][0]["capacity"]["nvidia.com/gpu"] = 1
        for resource, words in (("nvidia.com/gpus",
                                 'no node has any nvidia.com/gpus, did you mean "nvidia.com/gpu"?'),
                                ("fpga", "no node has any fpga\n")):
            content["jobs"][0]["groups"][0]["shape"]["request"] = {resource: 1}
            path = self.write(content)
            for name in ((), ("j",), ("j-w-0",)):
                self.assert_ends(muster("explain", path, *name), 0,
                                 stdout=f"  2 nodes: {resource}\n  {words}")
        content["jobs"][0]["groups"][0]["shape"]["request"] = {"nvidia.com/gpu": 2}
        self.assertNotIn("no node has", muster("explain", self.write(content)).stdout)

    def test_a_name_that_is_not_there(self):
        self.assert_ends(muster("explain", self.path, "trian"), 2,
                         stderr='no job or task is named "trian", did you mean "train"?')


class Profiles(Files):
    def test_text_and_json_list_the_same(self):
        listed = json.loads(muster("profiles", "--json").stdout)
        names = [profile["name"] for profile in listed["profiles"]]
        for name in ("kube-batch", "volcano", "muster"):
            self.assertIn(name, names)
        text = muster("profiles")
        self.assert_ends(text, 0)
        for row in listed["profiles"]:
            self.assertIn(f"\n  {row['name']}\n    {row['summary']}\n", text.stdout)
            for action in row["catalogue"]:
                self.assertIn(f"\n    {action['name']}  {action['summary']}\n", text.stdout)
        for row in listed["policies"]:
            self.assertIn(
                f"\n  {row['name']}  {row['summary']}\n      revision {row['revision']}\n",
                text.stdout)

    def test_a_spec_string_shows_what_it_makes(self):
        spec = "volcano:+preempt,binpack(weight=7)"
        listed = json.loads(muster("profiles", "volcano", spec, "--json").stdout)["profiles"]
        self.assertEqual([row["name"] for row in listed], ["volcano", spec])
        self.assertEqual(listed[1]["actions"], [*listed[0]["actions"], "preempt"])
        self.assertEqual(listed[1]["values"]["binpack"]["weight"], "7")
        self.assert_ends(muster("profiles", spec), 0, stdout="      weight=7  ")
        self.assert_ends(muster("profiles", "kube-batch:actions=frobnicate"), 2,
                         stderr='unknown action "frobnicate"; must be one of allocate, backfill')

    def test_a_name_shows_its_own_policies_alone(self):
        listed = json.loads(muster("profiles", "kube-batch", "--json").stdout)
        self.assertEqual([row["name"] for row in listed["profiles"]], ["kube-batch"])
        in_tiers = {name for tier in listed["profiles"][0]["tiers"] for name in tier}
        self.assertEqual({row["name"] for row in listed["policies"]}, in_tiers)

    def test_a_named_profile_has_its_own_values(self):
        text = muster("profiles", "muster", "kube-batch").stdout
        ours = text[text.index("policies of muster\n"):text.index("policies of kube-batch\n")]
        self.assertIn("\n      best_effort_counts=off  ", ours)
        self.assertIn(" (default on)\n", ours)
        self.assertIn("\n      kubernetes=1.36  ", ours)
        self.assertIn("\n      kubernetes=1.16  ", text[text.index("policies of kube-batch\n"):])
        self.assertIn("gang(best_effort_counts=off,every_group=on,sub_groups=off,"
                      "without=preemptable|reclaimable)", text)
        row = json.loads(muster("profiles", "muster", "--json").stdout)["profiles"][0]
        self.assertEqual(row["values"]["gang"],
                         {"best_effort_counts": "off", "every_group": "on", "sub_groups": "off",
                          "without": "preemptable|reclaimable"})

    def test_what_is_printed_of_a_profile_is_the_profile(self):
        """Its actions and tiers, taken as a spec string, decide alike."""
        path = ROOT / "tests/scenarios/gang_undone.json"
        for name in ("muster", "volcano", "kube-batch", "transwarp", "easy"):
            lines = muster("profiles", name).stdout.splitlines()
            take = lambda head: [line.split(": ", 1)[1].replace(", ", "+") for line in lines
                                 if line.startswith(f"    {head}: ")]
            spec = f"{name}:actions={take('actions')[0]},tiers={'/'.join(take('tier'))}"
            digests = {muster("run", path, "--profile", spec, "--digest").stdout
                       for spec in (name, spec)}
            self.assertEqual(len(digests), 1, spec)
            self.assertNotIn("", digests, spec)

    def test_every_profile_runs(self):
        path = self.write(small())
        for profile in json.loads(muster("profiles", "--json").stdout)["profiles"]:
            self.assert_ends(muster("run", path, "--profile", profile["name"]), 0, stdout="digest ")


class Generate(Files):
    def test_equal_flags_equal_files_and_they_run(self):
        for mix in ("uniform", "openb", "philly", "hpc"):
            flags = ("--mix", mix, "--nodes", 40, "--seed", 7)
            text = muster("generate", *flags).stdout
            output = self.folder / "out.json"
            self.assert_ends(muster("generate", *flags, "-o", output, ), 0)
            self.assertEqual(output.read_text(encoding="utf-8"), text)
            self.assert_ends(muster("run", output, "--profile", "volcano", "--digest"), 0)

    def test_every_knob_is_taken(self):
        listed = re.findall(r"^  (--[a-z-]+) [NXMPS]\b", muster("generate", "--help").stdout,
                            re.MULTILINE)
        self.assertGreater(len(listed), 15)
        for knob in listed:
            if knob not in ("--mix", "--profile"):
                self.assert_ends(muster("generate", knob, 1), 0, stdout='"muster": 1')

    def test_bad_knobs(self):
        self.assert_ends(muster("generate", "--mix", "opnb"), 2, stderr='did you mean "openb"?')
        self.assert_ends(muster("generate", "--gpu", 7), 2,
                         stderr="--gpu: expected between 0 and 1, got 7")
        self.assert_ends(muster("generate", "--node", 7), 2, stderr="did you mean --nodes?")
        self.assert_ends(muster("generate", "-o", self.folder / "no/such/folder"), 2,
                         stderr="No such file")


class Packing(Files):
    """muster replay openb --policy fgd..."""

    PODS = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec\np0,1000,10,1,500,\np1,1000,10,2,1000,B|A\np2,1000,10,0,0,\n"

    def setUp(self):
        super().setUp()
        for path, text in {
            "openb_node_list_gpu_node.csv": "sn,cpu_milli,memory_mib,gpu,model\nn0,8000,1024,2,A\nn1,8000,1024,2,B\n",
            "pods/openb_pod_list_small.csv.gz": self.PODS,
            "orders/arrivals_small.csv.gz": "pos,seed1\n0,0\n1,1\n2,2\n3,1\n",
            "orders/noderank_small.csv.gz": "node_row,seed1\n0,1\n1,0\n",
        }.items():
            (self.folder / path).parent.mkdir(exist_ok=True)
            self.write(text, path)

    def replay(self, *more, policy="fgd:gpu-packing", listed="small", seed=1):
        return muster("replay", "openb", "--dir", self.folder, "--list", listed, "--seed", seed,
                      "--policy", policy, *more)

    def test_decisions_curves_and_summary(self):
        out = self.folder / "out.csv"
        self.assert_ends(self.replay("--decisions", out), 0,
                         stdout="4 arrived, 3 placed, 1 fitted nowhere")
        self.assertEqual(out.read_text(),
                         "pos,pod_row,node_row,gpu_ids\n0,0,1,0\n1,1,0,0-1\n2,2,1,\n3,1,-1,\n")
        self.assert_ends(self.replay("--decisions", "-"), 0, stdout="\n1,1,0,0-1\n")
        curves = self.replay("--curves", "-").stdout.splitlines()
        self.assertEqual(curves[0], "arrived_percent,allocated,fragment,fragment_ratio")
        self.assertTrue(curves[13].startswith("12,12.5,"), curves[13])
        self.assertEqual(curves[21], "20,,,")
        told = json.loads(self.replay("--json", policy="fgd").stdout)
        self.assertEqual((told["events"], told["failed"], told["used_gpu_milli"]), (4, 1, 2500))
        self.assert_ends(muster("replay", "openb", "--policy=fgd", "--help"), 0,
                         stdout="--curves FILE")

    def test_bad_input_is_named(self):
        self.assert_ends(self.replay(policy="fgd:bestfit"), 2,
                         stderr='did you mean "fgd:best-fit"?')
        self.assert_ends(self.replay(listed="smal"), 2, stderr='did you mean "small"?')
        self.assert_ends(self.replay(listed="cpu037"), 2, stderr="there are small")
        self.assert_ends(self.replay(seed=3), 2,
                         stderr='arrivals_small.csv.gz:1: there is no column "seed3"; there are "pos", "seed1"')
        self.assert_ends(self.replay(seed=-1), 2, stderr="--seed is below 0")
        self.assert_ends(self.replay("--recorded"), 2, stderr="unknown flag --recorded")
        self.assert_ends(muster("replay", "openb", "--policy", "fgd"), 2, stderr="--dir is needed")
        self.assert_ends(muster("replay", "openb", "--dir", "/nowhere", "--policy", "fgd"), 2,
                         stderr="No such file")
        self.assert_ends(muster("replay", "itp", "--policy", "fgd"), 2,
                         stderr="which only openb records")
        self.write(self.PODS + "p3,1000,10,1,1001,\n", "pods/openb_pod_list_small.csv.gz")
        self.assert_ends(self.replay(), 2, stderr="openb_pod_list_small.csv.gz:5: gpu_milli")


class WhatIf(Files):
    FILE = ROOT / "tests/scenarios/queue_weights.json"

    def ask(self, *more):
        return muster("what-if", self.FILE, *more)

    def test_a_weight_as_table_and_as_json(self):
        self.assert_ends(self.ask("--queue", "light", "--weight", "7"), 0,
                         stdout="cpu            6      2")
        shown = self.ask("--queue", "light", "--weight", "7").stdout
        self.assertNotIn("default", shown)  # nothing of it differs
        self.assertNotIn("pods", shown)
        self.assertIn("pods", self.ask().stdout)
        self.assert_ends(self.ask("--queue", "light", "--weight", "2", "--profile", "fcfs"), 0,
                         stdout="nothing differs")
        told = json.loads(self.ask("--queue", "light", "--weight", "7", "--json").stdout)
        light = told["queues"][2]
        self.assertEqual((light["name"], light["deserved_before"]["cpu"],
                          light["deserved_after"]["cpu"]), ("light", 3000, 7000))

    def test_changes_from_a_file_and_flags_together(self):
        changes = self.write({"changes": [{"add_job": {"name": "new", "queue": "default",
                                                        "groups": [
                                                            {"count": 9,
                                                             "shape": {"request": {"cpu": 1}}}]}}]})
        result = self.ask("--changes", changes, "--add-nodes", "cpu=3,memory=30Gi", "--count", "1",
                          "--profile", "muster", "--json")
        self.assert_ends(result, 0)
        told = {q["name"]: q for q in json.loads(result.stdout)["queues"]}
        self.assertEqual({name: q["deserved_after"]["cpu"] for name, q in told.items()},
                         {"default": 3000, "heavy": 6000, "light": 3000})
        self.assertEqual(told["default"]["pending_after"]["cpu"], 9000)

    def test_bad_input_is_named(self):
        self.assert_ends(self.ask("--queue", "ligth", "--weight", "1"), 2,
                         stderr='queue "ligth" does not exist, did you mean "light"?')
        self.assert_ends(self.ask("--queue", "light"), 2, stderr="--queue needs what is to change")
        self.assert_ends(self.ask("--limit", "cpu=1"), 2, stderr="need a --queue")
        self.assert_ends(self.ask("--queue", "light", "--limit", "cpu"), 2,
                         stderr='--limit: expected NAME=VALUE,..., got "cpu"')
        self.assert_ends(self.ask("--queue", "light", "--weight=-2"), 2,
                         stderr='queue "light": weight is -2')
        self.assert_ends(self.ask("--remove-nodes", "pool=b"), 2,
                         stderr="no node has the labels pool=b")
        self.assert_ends(self.ask("--profile", "volcan", "--remove-node", "n"), 2,
                         stderr='did you mean "volcano"?')
        bad = self.write({"changes": [{"queue": {"name": "light", "wieght": 1}}]})
        self.assert_ends(self.ask("--changes", bad), 2,
                         stderr='what-if: changes[0].queue: unknown key "wieght", did you mean "weight"?')
        self.assert_ends(muster("what-if", "/nowhere"), 2, stderr="No such file")
        self.assert_ends(muster("what-if"), 2, stderr="needs one FILE")


class Import(Files):
    QUEUE = {"kind": "Queue", "apiVersion": "scheduling.volcano.sh/v1beta1",
             "metadata": {"name": "q"},
             "spec": {"weight": 1}, "status": {"state": "Open"}}
    NODE = {"kind": "Node", "metadata": {"name": "n1"},
            "status": {"allocatable": {"cpu": "4", "pods": "10"}}}
    SECRET = {"kind": "Secret", "metadata": {"name": "s"}}

    def test_a_dump_becomes_a_scenario(self):
        dump, more = self.write([self.NODE, self.SECRET],
                                "dump.json"), self.write(self.QUEUE, "more.json")
        conf = self.write({"actions": "allocate"}, "conf.json")
        printed = muster("import", dump, more, "--configuration", conf, "--now", "7")
        self.assert_ends(printed, 0, stdout='"profile": "volcano:actions=allocate"')
        self.assertEqual(printed.stderr,
                         "muster: ignored: Secret s: objects of this kind are not considered\n")
        out = self.folder / "s.json"
        report = muster("import", dump, more, "-o", out, "--report")
        self.assert_ends(report, 0, stderr="")
        self.assertEqual([entry["severity"] for entry in json.loads(report.stdout)["entries"]],
                         ["ignored"])
        self.assert_ends(muster("run", out), 0, stdout="0 bound")
        self.assert_ends(muster("import", "-", "--profile", "kube-batch", stdin="[]"), 0,
                         stdout='"kube-batch"')

    def test_what_is_left_out_is_told(self):
        pod = {"kind": "Pod", "metadata": {"name": "p", "namespace": "ns"},
               "spec": {"containers": [{"name": "c"}]}, "status": {"phase": "Pending"}}
        dump = self.write([self.NODE, self.QUEUE, pod], "dump.json")
        out = self.folder / "s.json"
        made = muster("import", dump, "-o", out)
        self.assert_ends(made, 0, stderr="left_out: dump: 1 of 1 pods that wait are not scheduled")
        self.assert_ends(muster("explain", out), 0, stdout="1 object was left out by the import")
        self.assert_ends(muster("explain", out, "ns/p"), 0, stdout="ns/p was left out by the import: ")
        strict = muster("import", dump, "--strict")
        self.assert_ends(strict, 2, stderr="strict: something is left out")
        plain = muster("import", self.write([self.NODE, pod], "plain.json"), "--strict", "-o", out)
        self.assert_ends(plain, 0, stderr="read as profile kube-scheduler")
        self.assert_ends(muster("run", out), 0, stdout="bind")

    def test_refusals(self):
        bad = self.write([{"kind": "Pod", "metadata": {}}], "bad.json")
        self.assert_ends(muster("import", bad), 2, stderr=f"{bad}: Pod: metadata.name: missing")
        self.assert_ends(muster("import", "-", stdin="[]"), 2,
                         stderr="dump: there are no objects in it")
        # A shell's redirection may end anywhere.
        cut = self.folder / "cut.json"
        whole = json.dumps({"apiVersion": "v1", "items": [self.NODE], "kind": "List"})
        for end in (len(whole) // 2, len(whole) - 2, whole.index('"List') + 3):
            cut.write_text(whole[:end], encoding="utf-8")
            for command in ("import", "run", "explain"):
                self.assert_ends(muster(command, cut), 2, stderr=f"muster: {cut}: dump: byte {end}: "
                                 "unexpected end of input; the text is cut off: get it anew\n")
        self.assert_ends(muster("import"), 2, stderr="needs a FILE")
        self.assert_ends(muster("import", "/no/such/file"), 2, stderr="/no/such/file")
        node = self.write([self.NODE], "node.json")
        configured = muster("import", node, "--profile", "volcano", "--configuration", bad)
        self.assert_ends(configured, 2,
                         stderr=f"{bad}: scheduler configuration: expected an object with actions")
        self.assert_ends(muster("import", node, "--profile", "volcano", "-o", "/no/such/file"), 2,
                         stderr="/no/such/file")


if __name__ == "__main__":
    unittest.main()
