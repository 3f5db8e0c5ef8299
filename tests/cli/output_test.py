# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""--format and --color in every command, completion by shells, and the line of progress."""

import csv
import io
import json
import os
import pathlib
import pty
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
MUSTER = os.environ.get("MUSTER_CLI", str(ROOT / "build/release/muster"))
GANG = ROOT / "tests/scenarios/gang_undone.json"
WEIGHTS = ROOT / "tests/scenarios/queue_weights.json"
NODE = json.loads(WEIGHTS.read_text())["nodes"][0]
DUMP = {"apiVersion": "v1", "kind": "List", "items": [
    {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n0"},
     "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "10"}}},
    {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}},
]}


def node_name():
    return NODE["name"] if "count" not in NODE else NODE["name"] + "0"


# Command -> arguments, and the columns that its CSV has at least.
ANSWERS = {
    "run": ([GANG], {"table", "kind", "task", "node", "job", "reason", "text"}),
    "check": ([GANG], {"file", "passed", "differences"}),
    "explain": ([GANG, "train"], {"task", "job", "reason", "text"}),
    "remedies": ([GANG, "train"], {"kind", "starts", "words"}),
    "what-if": ([WEIGHTS, "--profile", "muster", "--queue", "light", "--weight", "4"],
                {"name", "share_before", "deserved_after.cpu"}),
    "diff": ([GANG, "--with", "mesos"], {"table", "task", "before", "after"}),
    "compare": ([GANG, "--profiles", "volcano muster"], {"profile", "starts", "waiting"}),
    "drain": ([WEIGHTS, node_name()], {"node", "task", "to", "reason", "ends"}),
    "capacity": ([GANG, "--types", "gpu0=2"], {"type", "count"}),
    "profiles": (["volcano"], {"table", "name", "summary", "actions"}),
}


def muster(*arguments, stdin=None, **environment):
    return subprocess.run([MUSTER, *map(str, arguments)], input=stdin, capture_output=True,
                          text=True, timeout=600, env=os.environ | environment)


class Formats(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def answer(self, command, form):
        arguments = ANSWERS[command][0]
        done = muster(command, *arguments, "--format", form)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_every_command_has_the_flags(self):
        listed = re.findall(r"^  ([a-z-]+)  ", muster("--help").stdout, re.MULTILINE)
        self.assertGreater(len(listed), 10)
        for command in listed:
            if command == "replay":
                continue  # its kinds have the flags
            told = muster(command, "--help").stdout
            for flag in ("--format F", "--json", "--color WHEN"):
                self.assertIn(flag, told, command)
        self.assertIn("--format F", muster("replay", "swf", "--help").stdout)

    def test_json(self):
        for command in ANSWERS:
            told = self.answer(command, "json")
            self.assertIsInstance(json.loads(told), dict, command)
            self.assertEqual(muster(command, *ANSWERS[command][0], "--json").stdout, told)

    def test_csv(self):
        for command, (_, columns) in ANSWERS.items():
            text = self.answer(command, "csv")
            rows = list(csv.reader(io.StringIO(text)))
            self.assertLessEqual(columns, set(rows[0]), command)
            if command != "drain":  # no task is on the node
                self.assertGreater(len(rows), 1, command)
            self.assertEqual({len(row) for row in rows}, {len(rows[0])}, command)

    def test_csv_without_rows_has_its_columns(self):
        nothing = {"muster": 1, "profile": "volcano",
                   "nodes": [{"name": "n", "capacity": {"cpu": 4}}]}
        for asked, columns in (
            (["run", "-"], "table,kind,job,task,node,reason,text"),
            (["explain", "-"], "table,task,job,reason,text,name,why"),
            (["drain", "-", "n"], "node,task,to,reason,ends"),
            (["forecast", "-"], "job,start.low,start.middle,start.high,end.low,end.middle,"
                                "end.high,started"),
            (["what-if", "-", "--remove-node", "n", "--plan"],
             "table,task,job,before,after,reason,now,queue,share_before,share_after"),
        ):
            done = muster(*asked, "--format", "csv", stdin=json.dumps(nothing))
            self.assertEqual((done.returncode, done.stdout), (0, columns + "\n"), asked)
        done = muster("diff", GANG, GANG, "--format", "csv")
        self.assertEqual(done.stdout, "table,task,job,before,after,reason,now,queue,share_before,"
                                      "share_after\n")
        # With rows it begins alike.
        rows = self.answer("diff", "csv")
        self.assertTrue(rows.startswith(done.stdout.rstrip()), rows)

    def test_csv_has_what_json_has(self):
        told = json.loads(self.answer("compare", "json"))["profiles"]
        rows = list(csv.DictReader(io.StringIO(self.answer("compare", "csv"))))
        self.assertEqual([row["profile"] for row in rows], [p["profile"] for p in told])
        for column in ("starts", "reserved"):
            self.assertEqual([int(row[column]) for row in rows], [p[column] for p in told])
        plan = json.loads(self.answer("run", "json"))
        rows = list(csv.DictReader(io.StringIO(self.answer("run", "csv"))))
        self.assertEqual(sum(row["table"] == "pending" for row in rows), len(plan["pending"]))
        self.assertEqual(sum(row["table"] == "decisions" for row in rows), len(plan["decisions"]))
        reasons = {reason["text"] for reason in plan["reasons"]}
        self.assertEqual({row["text"] for row in rows if row["table"] == "pending"}, reasons)

    def test_drained_tasks_have_their_node(self):
        scenario = {"muster": 1, "profile": "volcano",
                    "nodes": [{"name": "n", "count": 2, "capacity": {"cpu": 4}}],
                    "tasks": [{"name": "a,\"b\"", "status": "running", "node": "n0",
                               "shape": {"request": {"cpu": 1}}}]}
        done = muster("drain", "-", "n0", "--format", "csv", stdin=json.dumps(scenario))
        rows = list(csv.DictReader(io.StringIO(done.stdout)))
        self.assertEqual([(row["node"], row["task"]) for row in rows], [("n0", 'a,"b"')])

    def test_replays(self):
        jobs = self.folder / "jobs.csv"
        jobs.write_text("submit,run,tasks\n0,10,2\n1,10,2\n")
        asked = ["replay", "csv", "--file", jobs, "--procs", "2", "--policy", "easy"]
        told = json.loads(muster(*asked, "--format", "json").stdout)
        rows = dict(csv.reader(io.StringIO(muster(*asked, "--format", "csv").stdout)))
        self.assertEqual(rows["metric"], "value")
        self.assertEqual(int(rows["makespan"]), told["makespan"])
        self.assertEqual(float(rows["all.wait.mean"]), told["all"]["wait"]["mean"])

    def test_reports_of_imports(self):
        dump = self.folder / "dump.json"
        dump.write_text(json.dumps(DUMP))
        done = muster("import", dump, "--report", "--format", "csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = list(csv.DictReader(io.StringIO(done.stdout)))
        told = muster("import", dump, "--report").stdout
        entries = json.loads(told)["entries"]
        self.assertEqual([row["object"] for row in rows], [entry["object"] for entry in entries])
        self.assertEqual(muster("import", dump, "--report", "--json").stdout, told)
        lines = muster("import", dump, "--report", "--format", "table").stdout.splitlines()
        self.assertEqual(lines[0].split(), ["SEVERITY", "OBJECT", "FIELD", "WHAT"])
        self.assertEqual(len(lines), 1 + len(entries))
        self.assertIn(entries[0]["text"], lines[1])

    def test_what_a_command_cannot_write_is_refused(self):
        for arguments in (["page", GANG, "--json"], ["generate", "--format", "csv"],
                          ["import", GANG, "--format", "csv"],
                          ["generate", "--trace", self.folder / "t", "--mix", "philly", "--json"]):
            done = muster(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
            self.assertIn("--format", done.stderr)
        done = muster("run", GANG, "--format", "jason")
        words = '--format: expected one of table, json, csv, got "jason", did you mean "json"?'
        self.assertIn(words, done.stderr)
        self.assertIn("--color: expected one of auto, always, never",
                      muster("run", GANG, "--color", "red").stderr)


class Colors(unittest.TestCase):
    def test_only_where_asked(self):
        plain = muster("run", GANG).stdout
        colored = muster("run", GANG, "--color", "always").stdout
        self.assertNotIn("\x1b", plain)
        self.assertIn("\x1b[32mbind\x1b[0m small", colored)
        self.assertIn("\x1b[33mpending\x1b[0m train", colored)
        self.assertEqual(re.sub("\x1b\\[[0-9;]*m", "", colored), plain)
        self.assertNotIn("\x1b", muster("run", GANG, "--color", "always", "--json").stdout)

    def test_every_table_has_colors(self):
        tasks = [{"name": name, "status": "running", "node": "n0",
                  "shape": {"request": {"cpu": cpu}}} for name, cpu in (("a", 1), ("wait", 4))]
        held = json.dumps({"muster": 1, "profile": "volcano", "tasks": tasks, "jobs": [],
                           "nodes": [{"name": "n", "count": 2, "capacity": {"cpu": 5}}]})
        jobs = "submit,run,tasks\n0,10,2\n1,10,2\n"
        for asked, given, words in (
            (["explain", GANG, "train"], None, ["\x1b[1mtrain\x1b[0m: ", "\x1b[33mundone\x1b[0m"]),
            (["drain", "-", "n0"], held,
             ["\x1b[1mn0\x1b[0m:\n", "\n  wait \x1b[31mends\x1b[0m: it has no job, "]),
            (["capacity", GANG, "--types", "gpu0=2"], None,
             ["7 tasks \x1b[33mwait\x1b[0m\n", "\x1b[1mcheapest\x1b[0m: "]),
            (["forecast", GANG], None, ["\x1b[1mSECONDS FROM NOW", "\x1b[33mlater\x1b[0m"]),
            (["diff", GANG, "--with", "mesos"], None, ["\x1b[32mstarts\x1b[0m train-worker-0"]),
            (["replay", "csv", "--file", "/dev/stdin", "--procs", "2", "--policy", "easy"], jobs,
             ["\x1b[1measy [clairvoyant]\x1b[0m: "]),
        ):
            if given is None or asked[0] == "drain":
                plain = muster(*asked, stdin=given).stdout
                colored = muster(*asked, "--color", "always", stdin=given).stdout
                self.assertEqual(re.sub("\x1b\\[[0-9;]*m", "", colored), plain)
            else:
                colored = muster(*asked, "--color", "always", stdin=given).stdout
            for word in words:
                self.assertIn(word, colored, asked)

    def test_titles_and_errors(self):
        told = muster("compare", GANG, "--profiles", "volcano", "--color", "always").stdout
        self.assertTrue(told.startswith("\x1b[1mPROFILE"), told)
        done = muster("run", "absent.json", "--color", "always")
        self.assertTrue(done.stderr.startswith("\x1b[1;31mmuster:\x1b[0m absent.json"), done.stderr)
        self.assertTrue(muster("run", "absent.json").stderr.startswith("muster: absent.json"))

    def on_terminal(self, *arguments, until=None, **environment):
        """Returns what the command prints; ends it once that has the pattern `until`."""
        main, other = pty.openpty()
        with subprocess.Popen([MUSTER, *map(str, arguments)], stdout=other, stderr=other,
                              stdin=subprocess.DEVNULL,
                              env=os.environ | {"TERM": "xterm"} | environment) as process:
            os.close(other)
            told = b""
            while True:
                try:
                    part = os.read(main, 65536)
                except OSError:  # the other end is closed
                    break
                if not part:
                    break
                told += part
                if until is not None and re.search(until, told):
                    process.kill()
                    break
            process.wait(timeout=600)
        os.close(main)
        return told.decode()

    def test_a_terminal_has_colors(self):
        self.assertIn("\x1b[32mbind", self.on_terminal("run", GANG))
        self.assertNotIn("\x1b", self.on_terminal("run", GANG, NO_COLOR="1"))
        self.assertNotIn("\x1b", self.on_terminal("run", GANG, TERM="dumb"))
        self.assertNotIn("\x1b", self.on_terminal("run", GANG, "--color", "never"))

    def test_long_work_shows_how_far_it_is(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "s.json")
            for jobs in (2000, 8000, 32000, 128000):  # until it takes long enough on this machine
                muster("generate", "--nodes", "2000", "--load", "1.5", "--jobs", jobs, "--seed",
                       "1", "-o", path)
                told = self.on_terminal("compare", path, "--profiles",
                                        "volcano muster kube-batch volcano:+preempt")
                if "muster: " in told:
                    break
            self.assertRegex(told, r"\r\x1b\[Kmuster: [0-9]+ of 4 profiles, [0-9]+ s")
            # Nothing of it stays in front of the answer.
            self.assertRegex(told, "\r\x1b\\[K\x1b\\[1mPROFILE")
            for asked, line in (
                (["page", path, "--remedies", "2"], "1 of 2 jobs: looking for remedies, [0-9]+ s"),
                (["capacity", path], "[0-9]+ cycles tried, [0-9]+ s"),
                (["forecast", path], "playing futures, [0-9]+ s"),
            ):
                line = r"\r\x1b\[Kmuster: " + line
                told = self.on_terminal(*asked, "--profile", "volcano", until=line.encode())
                self.assertRegex(told, line)
        self.assertNotIn("muster: ", muster("compare", GANG, "--profiles", "volcano muster").stderr)


class Completion(unittest.TestCase):
    def candidates(self, *words):
        done = muster("complete", "--", *words)
        self.assertEqual((done.returncode, done.stderr), (0, ""), words)
        return [line.split("\t")[0] for line in done.stdout.splitlines()]

    def test_files_are_those_of_the_tree(self):
        for shell, file in (("bash", "muster.bash"), ("zsh", "_muster"), ("fish", "muster.fish")):
            self.assertEqual(muster("completion", shell).stdout,
                             (ROOT / "tools/completion" / file).read_text())
        self.assertIn('did you mean "bash"?', muster("completion", "bsh").stderr)

    def test_commands_flags_and_values(self):
        self.assertIn("what-if", self.candidates(""))
        self.assertIn("what-if", self.candidates("help", "wh"))
        flags = self.candidates("run", "-")
        self.assertLessEqual({"--profile", "--format", "--max-rows", "--help"}, set(flags))
        self.assertEqual(self.candidates("run", ""), [":files"])
        self.assertIn("volcano", self.candidates("run", "s.json", "--profile", ""))
        self.assertEqual(self.candidates("compare", "--format", "j"), ["table", "json", "csv"])
        self.assertEqual(self.candidates("explain", "--color", ""), ["auto", "always", "never"])
        self.assertIn("swf", self.candidates("replay", ""))
        self.assertIn("--policy", self.candidates("replay", "swf", "--"))
        self.assertEqual(self.candidates("completion", ""), ["bash", "zsh", "fish"])
        self.assertEqual(self.candidates("completion", "bash", ""), [])
        self.assertIn("kube-batch", self.candidates("profiles", ""))
        self.assertIn("kube-batch", self.candidates("profiles", "volcano", "ku"))
        self.assertIn("--json", self.candidates("profiles", "volcano", "-"))
        self.assertEqual(self.candidates("nonsense", ""), [])
        self.assertEqual(self.candidates("forecast", "")[0], ":files")
        self.assertIn("hpc", self.candidates("forecast", ""))
        self.assertEqual(self.candidates("explain", "--color=a"),
                         ["--color=auto", "--color=always", "--color=never"])

    def test_spec_strings(self):
        items = self.candidates("run", "s.json", "--profile", "volcano:")
        self.assertLessEqual({"volcano:binpack(", "volcano:-binpack", "volcano:+preempt",
                              "volcano:-allocate", "volcano:tiers=", "volcano:node_ties=seed"},
                             set(items))
        self.assertNotIn("volcano:+binpack", items)
        self.assertIn("--profile=volcano:-gang,+reclaim",
                      self.candidates("run", "--profile=volcano:-gang,+re"))
        self.assertIn("volcano:-gang,binpack(weight=1",
                      self.candidates("run", "--profile", "volcano:-gang,binpack("))
        self.assertIn("volcano:actions=admit+allocate",
                      self.candidates("run", "--profile", "volcano:actions=admit+"))
        self.assertIn("volcano:tiers=gang/binpack",
                      self.candidates("run", "--profile", "volcano:tiers=gang/"))
        self.assertEqual(self.candidates("run", "--profile", "vulcan:"), [])
        for item in items:  # what takes a thing away or adds one resolves
            if item[8] in "+-":
                done = muster("run", GANG, "--digest", "--profile", item)
                self.assertNotIn("unknown", done.stderr, item)

    def test_names_of_the_scenario(self):
        self.assertEqual(self.candidates("remedies", GANG, "tr")[0], "train")
        self.assertIn("train-worker-0", self.candidates("explain", "--json", GANG, "train-"))
        self.assertEqual(self.candidates("explain", GANG, "train", ""), [])
        self.assertIn("gpu0", self.candidates("drain", GANG, "gpu1", "g"))
        self.assertEqual(self.candidates("what-if", WEIGHTS, "--queue", "l"), ["light"])
        self.assertEqual(self.candidates("what-if", WEIGHTS, "--remove-job=l"),
                         ["--remove-job=" + job["name"] for job in
                          json.loads(WEIGHTS.read_text())["jobs"] if job["name"][0] == "l"])
        self.assertEqual(self.candidates("explain", "absent.json", ""), [])
        # The queue that each cluster has is named once where a file has it, too.
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "s.json")
            file.write_text('{"muster": 1, "queues": [{"name": "default", "weight": 2}]}')
            self.assertEqual(self.candidates("what-if", file, "--queue", "d"), ["default"])

    def test_lists_go_on(self):
        self.assertIn("volcano", self.candidates("compare", GANG, "--profiles", "vol"))
        self.assertIn("kai muster", self.candidates("page", GANG, "--profiles", "kai mu"))
        self.assertIn("gpu1", self.candidates("capacity", GANG, "--types", "g"))
        self.assertIn("gpu0=2.5,gpu1", self.candidates("capacity", GANG, "--types", "gpu0=2.5,g"))

    @unittest.skipUnless(shutil.which("bash"), "bash is not installed")
    def test_bash_completes(self):
        script = (
            'eval "$("$1" completion bash)"\n'
            "ask() { COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _muster; "
            "echo \"${COMPREPLY[*]}\"; }\n"
            'ask "$1" wh\nask "$1" run --pro\nask "$1" run --profile yarn\n'
            'ask "$1" profiles --format c\n'
            'ask "$1" run --profile volcano : -bin\n'
            'ask "$1" run --profile volcano :\n'
            'ask "$1" run --color = al\n'
            f'ask "$1" drain {GANG} gpu\n'
        )
        done = subprocess.run(["bash", "-c", script, "-", MUSTER], capture_output=True, text=True,
                              timeout=60)
        self.assertEqual(done.stderr, "")
        lines = done.stdout.splitlines()
        self.assertEqual(lines[:5], ["what-if", "--profile", "yarn-capacity yarn-fair", "csv",
                                     "-binpack"])
        self.assertIn("-binpack binpack(", lines[5])
        self.assertEqual(lines[6], "always")
        self.assertIn("gpu0", lines[7].split())


if __name__ == "__main__":
    unittest.main()
