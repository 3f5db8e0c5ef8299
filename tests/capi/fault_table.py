#!/usr/bin/env python3
# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""The table of docs/faults.md: each call that is made with memory running out, and how many
allocations of it failed.

    tests/capi/fault_table.py [build/release]     counts anew and prints the table

The counts are those of tests/capi/fault_c_test.cc, which fails where a call crashes, leaks, changes
something or does not say what was wrong.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile


def counts(build):
    """Call -> allocations that failed once, and that began to fail for good."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "faults.json"
        subprocess.run([build / "tests/muster_capi_test", "--gtest_filter=Faults/MemoryRunsOut.*",
                        f"--gtest_output=json:{out}"],
                       check=True, stdout=subprocess.DEVNULL,
                       env=os.environ | {"MUSTER_EVERY_ALLOCATION": "1"})
        suites = json.loads(out.read_text(encoding="utf-8"))["testsuites"]
    return {test["name"].removeprefix("AtAnyAllocation/"): (int(test["once"]),
                                                            int(test["for_good"]))
            for suite in suites for test in suite["testsuite"]}


def swept(build):
    """The calls' names, without making them."""
    listed = subprocess.run([build / "tests/muster_capi_test", "--gtest_list_tests",
                             "--gtest_filter=Faults/MemoryRunsOut.*"],
                            check=True, capture_output=True, text=True).stdout
    return [line.split("/")[1].split()[0] for line in listed.splitlines() if line.startswith("  ")]


def main():
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1
                         else pathlib.Path(__file__).resolve().parents[2] / "build/release")
    table = counts(build)
    print("| call | failed once | failed for good |\n|---|---:|---:|")
    for name, (once, for_good) in sorted(table.items()):
        print(f"| `{name}` | {once} | {for_good} |")
    print(
        f"| {len(table)} calls | {sum(n for n, _ in table.values())} | {sum(n for _, n in table.values())} |")


if __name__ == "__main__":
    main()
