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


if __name__ == "__main__":
    unittest.main()
