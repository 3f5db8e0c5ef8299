#!/usr/bin/env python3
# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""One line a recorded case with a digest of what the engine answers: every folder that ./test runs,
and our own cases.

    # other flags, too, go to tests/conformance/run.py
    tests/digests/cases.py OUT --binary build/release/muster
    # compares: there is no program for that
    diff old.txt new.txt

The cases are in MUSTER_CONFORMANCE, or ../shared/conformance; without them it prints SKIP and ends
with 77.
"""

import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUNNER = ROOT / "tests/conformance/run.py"
EXPECTED = ROOT / "tests/conformance/expected.txt"


def folders(cases: pathlib.Path) -> list[pathlib.Path]:
    """Those that the list of expectations names."""
    lines = [line.partition("#")[0].split() for line in EXPECTED.read_text().splitlines()]
    peers = sorted({words[1].partition("/")[0] for words in lines if words} - {"own"})
    return [ROOT / "tests/conformance/own", *(cases / peer for peer in peers)]


def main() -> int:
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    cases = pathlib.Path(os.environ.get("MUSTER_CONFORMANCE", ROOT.parent / "shared/conformance"))
    if not cases.is_dir():
        print(f"SKIP: no cases at {cases}; set MUSTER_CONFORMANCE to a folder of them")
        return 77
    run = [sys.executable, RUNNER, *folders(cases), "--expected", EXPECTED, "--digest",
           *sys.argv[1:]]
    return subprocess.run(run, env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}).returncode


if __name__ == "__main__":
    sys.exit(main())
