#!/usr/bin/env python3
# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Schedules one scenario under several profiles and prints what each decided, side by side.

    tools/compare.py build/release/muster scenario.json --profiles volcano,muster --report report.md

Needs nothing but the command line and Python's standard library. Times are those of the whole
command, reading the scenario included; bench/ measures the engine alone.
"""

import argparse
import collections
import json
import pathlib
import subprocess
import sys
import time


def run(command):
    """The standard output of a command; ends the program with its error when it fails."""
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stderr.strip()}")
    return done.stdout


def schedule(cli, scenario, profile):
    """The plan of one profile, as `run --json` prints it, and the milliseconds that took."""
    start = time.monotonic()
    text = run([cli, "run", scenario, "--profile", profile, "--json"])
    return json.loads(text), (time.monotonic() - start) * 1000


def size(path):
    """{"nodes": 1000, ...} of a scenario file; a row with a count stands for that many."""
    scenario = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))

    def rows(key):
        return sum(row.get("count", 1) for row in scenario.get(key, []))

    in_groups = sum(group.get("count", 0) for job in scenario.get("jobs", [])
                    for group in job.get("groups", []))
    return {"nodes": rows("nodes"), "queues": rows("queues"), "jobs": rows("jobs"),
            "tasks": rows("tasks") + in_groups}


def summary(profile, plan, milliseconds):
    kinds = collections.Counter(decision["kind"] for decision in plan["decisions"])
    return {
        "profile": profile,
        "binds": kinds["bind"],
        "nominations": kinds["nominate"],
        "evictions": kinds["evict"],
        "pending": len(plan["pending"]),
        "digest": plan["digest"][:8],
        "wall ms": round(milliseconds),
    }


def refused_by(reason):
    """The kind of a reason and, where nodes refused, by what: "no node: cpu, nvidia.com/gpu"."""
    what = {row.get("detail") or row.get("dimension") or row["code"]
            for row in reason.get("refusals", [])}
    return reason["kind"].replace("_", " ") + (": " + ", ".join(sorted(what)) if what else "")


def reasons(plan):
    """(tasks, why) of what is pending, most tasks first."""
    kinds = [refused_by(reason) for reason in plan["reasons"]]
    tasks = collections.Counter(kinds[row["reason"]] for row in plan["pending"])
    return sorted(((count, why) for why, count in tasks.items()), key=lambda row: (-row[0], row[1]))


def table(rows):
    """Rows (dictionaries of equal keys) as an aligned Markdown table: words left, numbers right."""
    keys = list(rows[0])
    cells = [[str(row[key]) for key in keys] for row in rows]
    numeric = [all(isinstance(row[key], int) for row in rows) for key in keys]
    width = [max(len(line[i]) for line in [keys, *cells]) for i in range(len(keys))]

    def line(words):
        return "| " + " | ".join(w.rjust(n) if r else w.ljust(n)
                                 for w, n, r in zip(words, width, numeric)) + " |"

    rule = "|" + "|".join("-" * (n + 1) + (":" if r else "-") for n, r in zip(width, numeric)) + "|"
    return "\n".join([line(keys), rule, *map(line, cells)])


def report(cli, scenario, profiles):
    counts = ", ".join(f"{count:,} {what}" for what, count in size(scenario).items())
    plans = [(profile, *schedule(cli, scenario, profile)) for profile in profiles]
    parts = [
        "# One cluster, " + (f"{len(plans)} profiles" if len(plans) > 1 else "one profile"),
        counts,
        table([summary(*plan) for plan in plans]),
        "## Why tasks are pending",
    ]
    for profile, plan, _ in plans:
        rows = [{"tasks": count, "reason": why} for count, why in reasons(plan)[:6]]
        parts.append(f"`{profile}`\n\n" + (table(rows) if rows else "Nothing is pending."))

    # One job in full: that with most tasks pending, of the last profile that left one out.
    for profile, plan, _ in reversed(plans):
        jobs = collections.Counter(row["job"] for row in plan["pending"] if row.get("job"))
        if jobs:
            job = jobs.most_common(1)[0][0]
            words = run([cli, "explain", scenario, job, "--profile", profile]).strip()
            parts.append(f"## `{job}` under `{profile}`\n\n```\n{words}\n```")
            break
    return "\n\n".join(parts) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cli", help="the command line, build/release/muster")
    parser.add_argument("scenario")
    parser.add_argument("--profiles", default="volcano,kube-batch,muster",
                        help="comma-separated (default: %(default)s)")
    parser.add_argument("--report", help="also write the text to this file")
    arguments = parser.parse_args()
    text = report(arguments.cli, arguments.scenario, arguments.profiles.split(","))
    print(text, end="")
    if arguments.report:
        pathlib.Path(arguments.report).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
