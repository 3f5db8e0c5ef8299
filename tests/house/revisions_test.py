#!/usr/bin/env python3
# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""A policy with changed decisions has a new revision: revisions.txt pins, for each policy, its
revision and a digest of the plans that fixed worlds get under it. A digest that moved under a
revision that did not fails, and the message says what to do.

The worlds are those of tests/scenarios and some that are made up here, each under a profile of
gangs, predicates and the policy; scenarios that name the policy in their own profile count under
that, too.

    # the table anew, refused where it would lie
    MUSTER_C=build/release/libmuster_c.so tests/house/revisions_test.py --write
    # where worlds were added or changed and no decision was
    ... --write --worlds
"""

import ctypes
import hashlib
import json
import os
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = ROOT / "tests/house/revisions.txt"
LIBRARY = os.environ.get("MUSTER_C", "")
ACTIONS = "volcano:actions=admit+allocate+backfill+preempt+reclaim,tiers="
MADE_UP = 24
# Policies that show only with options or actions that these profiles do not have: their own
# scenarios pin them.
ONLY_IN_SCENARIOS = {"fragmentation", "rescheduling", "sla"}


class Numbers:
    """The same on every machine and in every version of Python."""

    def __init__(self, seed):
        self.state = seed * 2654435761 + 1

    def below(self, limit):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % limit

    def chance(self, percent):
        return self.below(100) < percent


def made_up(seed):
    """A scenario with more work than room, gangs, priorities, tasks that run, racks, labels and
    taints."""
    of = Numbers(seed)
    shape = lambda: {"request": {"cpu": f"{500 * (1 + of.below(6))}m",
                                 "memory": f"{1 + of.below(4)}Gi"}}
    domains = [{"name": "block", "tier": 2}] + [{"name": f"rack{i}", "tier": 1, "parent": "block"}
                                                for i in range(3)]
    nodes = []
    for i in range(4 + of.below(7)):
        node = {"name": f"n{i}", "domain": f"rack{i % 3}", "labels": {"zone": f"z{i % 2}"},
                "capacity": {"cpu": 4 + of.below(5), "memory": f"{8 + of.below(9)}Gi", "pods": 16}}
        if of.chance(15):
            node["taints"] = [{"key": "only", "value": "some",
                               "effect": ["NoSchedule", "PreferNoSchedule"][of.below(2)]}]
        nodes.append(node)
    queues = [{"name": f"q{i}", "weight": 1 + of.below(4), "priority": of.below(3),
               "created": of.below(9)} for i in range(3)]
    if of.chance(50):
        queues[2].update(limit={"cpu": 6}, deserved={"cpu": 4}, guaranteed={"cpu": 2})
    jobs, tasks = [], []
    for i in range(8 + of.below(8)):
        count = 1 + of.below(4)
        job = {"name": f"j{i}", "queue": f"q{of.below(3)}", "priority": of.below(4),
               "created": of.below(50),
               "min_available": 1 + of.below(count), "preemptable": of.chance(80)}
        if of.chance(25):
            job["topology"] = {"hard": of.chance(50), "highest_tier": 1 + of.below(2)}
        if of.chance(45):  # it runs
            job["phase"] = "running"
            system = {"namespace": "kube-system"} if of.chance(30) else {}
            tasks += [{"name": f"j{i}-{t}", "job": job["name"], "status": "running",
                       "node": f"n{of.below(len(nodes))}",
                       "created": of.below(99), "priority": job["priority"],
                       "shape": {**shape(), **system}} for t in range(count)]
        else:
            job["phase"] = ["pending", "admitted"][of.below(2)]
            group = {"name": "w", "count": count, "shape": shape()}
            if of.chance(30):
                group["shape"]["node_selector"] = {"zone": f"z{of.below(2)}"}
            if of.chance(30):
                group["shape"]["tolerations"] = [{"key": "only", "op": "Exists"}]
            job["groups"] = [group]
        jobs.append(job)
    return {"muster": 1, "domains": domains, "nodes": nodes, "queues": queues, "jobs": jobs,
            "tasks": tasks,
            "options": {"now": 1000}}


class Error(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("code", ctypes.c_int32),
                ("user_code", ctypes.c_int32),
                ("reserved", ctypes.c_int32), ("message", ctypes.c_char * 496)]


class ScheduleOptions(ctypes.Structure):
    """The beginning of muster_schedule_options; what is left out is 0."""
    _fields_ = [("struct_size", ctypes.c_uint32), ("cursor", ctypes.c_uint32),
                ("now", ctypes.c_int64)]


class Library:
    def __init__(self, path):
        self.c = ctypes.CDLL(path)
        self.c.muster_text_data.restype = ctypes.c_char_p

    def call(self, name, *arguments):
        error = Error(struct_size=ctypes.sizeof(Error))
        if getattr(self.c, "muster_" + name)(*arguments, ctypes.byref(error)) != 0:
            raise AssertionError(error.message.decode())

    def revisions(self):
        text = ctypes.c_void_p()
        self.call("catalogue", ctypes.byref(text))
        policies = json.loads(self.c.muster_text_data(text))["policies"]
        self.c.muster_text_free(text)
        return {policy["name"]: policy["revision"] for policy in policies}

    def snapshot(self, scenario):
        cluster, snapshot = ctypes.c_void_p(), ctypes.c_void_p()
        text = json.dumps(scenario).encode()
        self.call("cluster_new", None, ctypes.byref(cluster))
        self.call("cluster_read_scenario", cluster, text, ctypes.c_int64(len(text)), None)
        self.call("cluster_freeze", cluster, ctypes.byref(snapshot))
        self.c.muster_cluster_free(cluster)
        return snapshot

    def plan(self, snapshot, profile, now):
        """The digest of a plan."""
        plan, digest = ctypes.c_void_p(), ctypes.create_string_buffer(33)
        options = ScheduleOptions(struct_size=ctypes.sizeof(ScheduleOptions), now=now)
        self.call("snapshot_schedule", snapshot, profile.encode(), ctypes.byref(options),
                  ctypes.byref(plan))
        self.call("plan_digest", plan, digest)
        self.c.muster_plan_free(plan)
        return digest.value.decode()


def profile_with(policy):
    """None of them: the profile without any."""
    if policy == "gang":
        return ACTIONS + "predicates"
    if policy == "predicates":
        return ACTIONS + "gang"
    return ACTIONS + (f"{policy}+gang/predicates" if policy else "gang/predicates")


class Worlds:
    def __init__(self, library):
        self.library = library
        named = [json.loads(path.read_text(encoding="utf-8"))
                 for path in sorted((ROOT / "tests/scenarios").glob("*.json"))]
        self.scenarios = named + [made_up(seed) for seed in range(MADE_UP)]
        self.snapshots = [library.snapshot(scenario) for scenario in self.scenarios]
        text = json.dumps([{key: s[key] for key in s if key != "expect"} for s in self.scenarios],
                          sort_keys=True)
        self.name = hashlib.sha256(text.encode()).hexdigest()[:32]

    def close(self):
        for snapshot in self.snapshots:
            self.library.c.muster_snapshot_free(snapshot)

    def plans(self, policy):
        """Digests of all plans under the policy."""
        for scenario, snapshot in zip(self.scenarios, self.snapshots):
            now = scenario.get("options", {}).get("now", 0)
            yield self.library.plan(snapshot, profile_with(policy), now)
            own = scenario.get("profile", "")
            if policy and re.search(rf"(?<![\w-]){re.escape(policy)}(?![\w-])", own):
                yield self.library.plan(snapshot, own, now)

    def digest(self, policy):
        return hashlib.sha256("\n".join(self.plans(policy)).encode()).hexdigest()[:32]


def read_table():
    lines = [line.split() for line in TABLE.read_text(encoding="utf-8").splitlines() if line
             and not line.startswith("#")]
    worlds = next(words[1] for words in lines if words[0] == "worlds:")
    return worlds, {words[0]: (int(words[1]), words[2]) for words in lines if len(words) == 3}


def write_table(worlds, rows):
    text = (
        "# Policy, revision, digest of its decisions over fixed worlds: tests/house/revisions_test.py --write makes it.\n"
            f"worlds: {worlds}\n")
    text += "".join(f"{name} {revision} {digest}\n"
                    for name, (revision, digest) in sorted(rows.items()))
    TABLE.write_text(text, encoding="utf-8")


def complaints(table, now):
    """What is wrong, in words, with rows `now` where the table has `table`."""
    for name, (revision, digest) in sorted(now.items()):
        if name not in table:
            yield f"{name}: is not in the table; write it anew"
            continue
        was, before = table[name]
        if revision < was:
            yield f"{name}: its revision went back from {was} to {revision}"
        elif digest != before and revision == was:
            yield (
                f"{name}: its decisions changed and its revision did not. Say `.revision = {was + 1}` in its declaration, "
                   "tell CHANGELOG.md what changed, and write the table anew")
        elif (revision, digest) != table[name]:
            yield f"{name}: its revision was raised to {revision}; write the table anew"
    for name in sorted(set(table) - set(now)):
        yield f"{name}: there is no such policy any more; write the table anew"


class Rules(unittest.TestCase):
    def test_what_is_complained_of(self):
        table = {"gang": (1, "a"), "drf": (2, "b")}
        said = lambda **changes: list(complaints(table, {**table, **changes}))
        self.assertEqual(said(), [])
        (line,) = said(gang=(1, "c"))
        self.assertIn("gang: its decisions changed and its revision did not. Say `.revision = 2`",
                      line)
        self.assertEqual(said(gang=(2, "c")),
                         ["gang: its revision was raised to 2; write the table anew"])
        self.assertEqual(said(drf=(1, "b")), ["drf: its revision went back from 2 to 1"])
        self.assertEqual(said(new=(1, "n")), ["new: is not in the table; write it anew"])
        self.assertEqual(list(complaints(table, {"gang": (1, "a")})),
                         ["drf: there is no such policy any more; write the table anew"])


@unittest.skipUnless(LIBRARY, "not run by ctest, or under sanitizers")
class Revisions(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.library = Library(LIBRARY)
        cls.worlds = Worlds(cls.library)

    @classmethod
    def tearDownClass(cls):
        cls.worlds.close()

    def test_decisions_change_with_the_revision_only(self):
        worlds, table = read_table()
        now = {name: (revision, self.worlds.digest(name))
               for name, revision in self.library.revisions().items()}
        found = list(complaints(table, now))
        if found and worlds != self.worlds.name:
            found.insert(0,
                         "the worlds changed: if no decision did (look before the change), use --write --worlds")
        self.assertEqual(found, [], "\n" + "\n".join(found))

    def test_the_worlds_see_each_policy(self):
        """A digest pins nothing where plans are the same without the policy."""
        without = list(self.worlds.plans(None))
        blind = set()
        for name in self.library.revisions():
            under = [self.library.plan(snapshot, profile_with(name),
                                       scenario.get("options", {}).get("now", 0))
                     for scenario, snapshot in zip(self.worlds.scenarios, self.worlds.snapshots)]
            if under == without:
                blind.add(name)
        self.assertEqual(blind, ONLY_IN_SCENARIOS)
        for name in ONLY_IN_SCENARIOS:
            self.assertGreater(len(list(self.worlds.plans(name))), len(without), name)


def write(worlds_changed):
    library = Library(LIBRARY)
    worlds = Worlds(library)
    now = {name: (revision, worlds.digest(name)) for name, revision in library.revisions().items()}
    if TABLE.exists() and not worlds_changed:
        lies = [line for line in complaints(read_table()[1], now) if "write" not in line
                or "did not" in line]
        if lies:
            sys.exit("\n".join(lies))
    write_table(worlds.name, now)


if __name__ == "__main__":
    if "--write" in sys.argv:
        write("--worlds" in sys.argv)
    else:
        unittest.main()
