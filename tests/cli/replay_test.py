# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""muster replay from the outside."""

import json
import unittest

from cli_test import ROOT, Files, muster

DATA = ROOT / "tests/data/traces"
CLUSTERS = {
    "alibaba2020": ("--file", DATA / "pai_task_table.csv", "--machines",
                    DATA / "pai_machine_spec.csv"),
    "alibaba2023": ("--file", DATA / "openb_pods.csv", "--nodes", DATA / "openb_nodes.csv"),
    "google2019": ("--file", DATA / "google_instance_events.csv", "--machines",
                   DATA / "google_machine_events.csv"),
}


class Clusters(Files):
    def test_each_kind_is_listed_and_replayed(self):
        listed = muster("replay", "--help").stdout
        for kind, files in CLUSTERS.items():
            self.assertIn(f"\n  {kind}", listed)
            done = muster("replay", kind, *files, "--policy", "volcano", "--json")
            self.assert_ends(done, 0)
            report = json.loads(done.stdout)
            self.assertEqual(report["ended"], report["read"]["jobs"])
            self.assertGreater(report["ended"], 1)

    def test_files_are_asked_for(self):
        for kind, files in CLUSTERS.items():
            self.assert_ends(muster("replay", kind, *files[:2]), 2,
                             stderr=f"{files[2]} is missing; must name a file")
            self.assert_ends(muster("replay", kind, *files[2:]), 2,
                             stderr="--file is missing; must name a file")
            missing = muster("replay", kind, *files[:2], files[2], self.folder / "none")
            self.assert_ends(missing, 2, stderr="none: No such file")

    def test_users_of_the_third_table(self):
        for kind, flag, table, users in (
            ("alibaba2020", "--jobs", "pai_job_table.csv", ["bob", "alice"]),
            ("google2019", "--collections", "google_collection_events.csv", ["alice", "bob"]),
        ):
            done = muster("replay", kind, *CLUSTERS[kind], flag, DATA / table, "--policy", "muster",
                          "--json")
            names = [group["name"] for group in json.loads(done.stdout)["by_user"]]
            self.assertEqual(sorted(names), sorted(users))


class Speeds(Files):
    """Own tables with speeds, and cycles in rounds."""

    def setUp(self):
        super().setUp()
        self.csv = ["replay", "csv", "--policy", "volcano"]
        for name, text in (
            ("file", "submit,run,tasks,request.nvidia.com/gpu,label.model\n"
                     "0,60,4,1,m\n1,60,4,1,m\n"),
            ("nodes", "name,capacity.nvidia.com/gpu,label.gpu-model\na,4,v100\nb,4,k80\n"),
            ("speeds", "model,type,speed\nm,v100,10\nm,k80,2.5\n"),
        ):
            (self.folder / f"{name}.csv").write_text(text, encoding="utf-8")
            self.csv += [f"--{name}", self.folder / f"{name}.csv"]

    def test_a_job_is_as_fast_as_its_node(self):
        report = json.loads(muster(*self.csv, "--json").stdout)
        self.assertEqual(report["read"]["speeds"], 2)
        self.assertEqual(report["makespan"], 241)
        self.assertIn("2 jobs, as fast as their nodes by 2 speeds\n", muster(*self.csv).stdout)

    def test_bad_speeds_are_one_line(self):
        self.write("model,type,speed\nm,v100,quick\n", "speeds.csv")
        self.assert_ends(muster(*self.csv), 2, stderr="speeds.csv:2: speed: ")
        self.write("model,type,speed\nm,v100,1000001\n", "speeds.csv")
        self.assert_ends(muster(*self.csv), 2, stderr='speed: "1000001" is above 1000000')
        self.write("model,type,speed,speed\nm,v100,1,2\n", "speeds.csv")
        self.assert_ends(muster(*self.csv), 2, stderr='speeds.csv:1: column "speed" is there twice')
        self.write("model,type,speed\nm,v100,0\n", "speeds.csv")
        self.assert_ends(muster(*self.csv), 2, stderr="speeds.csv: no row has a speed above 0")

    def test_a_bound_refuses_speeds(self):
        self.assert_ends(muster(*self.csv, "--bound"), 2,
                         stderr="a bound needs run times that are equal everywhere")

    def test_jobs_take_turns_on_hardware(self):
        """At 5 s the first job has had 20 GPU-seconds and gives way. At 11 s both have."""
        self.write("submit,run,tasks,request.nvidia.com/gpu,label.model\n"
                   "0,60,4,1,m\n1,60,4,1,m\n", "file.csv")
        self.write("name,capacity.nvidia.com/gpu,label.gpu-model\na,4,v100\n", "nodes.csv")
        turns = [*self.csv, "--policy", "tiresias:attained(level1=20,level2=0)", "--rounds", "5",
                 "--checkpoint", "1"]
        report = json.loads(muster(*turns, "--json").stdout)
        self.assertEqual((report["stops"], report["makespan"]), (1, 120))

    def test_a_period_and_rounds_are_two_ways(self):
        self.assert_ends(muster(*self.csv, "--rounds", "5", "--period", "5"), 2, stderr="name one")
        self.assert_ends(muster(*self.csv, "--rounds", "5"), 0)


if __name__ == "__main__":
    unittest.main()
