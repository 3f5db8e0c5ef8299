#!/usr/bin/env python3
# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Runs other schedulers' recorded cases through `muster run` and compares the decisions.

    tests/conformance/run.py ../shared/conformance/volcano          # everything below a folder
    tests/conformance/run.py .../random/alloc.jsonl.gz --show alloc-1

A file of cases is `*.json[.gz]` (recorded tests: {"peer", "level", "cases": [...]}) or `*.jsonl.gz`
(random clusters, one case a line, in the folder <peer>/random). A case passes when the plan is one
of the outcomes the peer had. Cases that record one call of a function, or calls of extension
points, are put to muster_probe or to the importers; unit_functions.txt says which functions are
rules of ours. A case is skipped only for a reason that its adapter reads from the case; every
reason is printed.

With --expected FILE the run succeeds when no listed file passes fewer cases than the list says, so
that what works keeps working while more is built; without it every failure counts.

With --digest FILE it writes one line a case, `DIGEST OUTCOME FILE: CASE`: a digest of what the
engine answered, plans without their sentences and the probe's answers, as JSON with sorted keys.
diff compares the files of two versions.
"""

import argparse
import gzip
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Iterator

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# Of the Python package the reader of YAML is used, which needs no built extension module.
sys.path[:0] = [str(HERE), str(ROOT / "python")]

import calls  # noqa: E402
import importers  # noqa: E402
import units  # noqa: E402
from adapters import (  # noqa: E402
    armada,
    drf,
    htcondor,
    kai,
    koordinator,
    kube_batch,
    kube_scheduler,
    kueue,
    mesos,
    pulsar,
    ray,
    scheduler_plugins,
    volcano,
    yarn,
    yarn_fair,
    yarn_golden,
    yunikorn,
)
from outcome import of_plan  # noqa: E402
from probe import Probe, Unanswerable  # noqa: E402

ADAPTERS = {
    "armada": armada,
    "volcano": volcano,
    "kube-batch": kube_batch,
    "kube-scheduler": kube_scheduler,
    "koordinator": koordinator,
    "scheduler-plugins": scheduler_plugins,
    "kueue": kueue,
    "ray": ray,
    "kai": kai,
    "drf": drf,
    "hdrf": drf,
    "htcondor": htcondor,
    "mesos": mesos,
    "pulsar": pulsar,
    "yunikorn": yunikorn,
    "yunikorn-core": yunikorn,
    "yarn": yarn,
    "yarn-fair": yarn_fair,
    "yarn-capacity": yarn_golden,
    "delay-scheduling": yarn_golden,
}
SECONDS_PER_CASE = 60


@dataclass
class Result:
    name: str
    outcome: str  # passed, failed, skipped
    reason: str = ""  # why it was skipped
    function: str = ""  # that the case calls, where it is one call
    differences: list[str] = field(default_factory=list)
    seconds: float = 0
    digest: str = ""  # of what the engine answered


# --- finding and reading cases


def find_files(paths: list[Path]) -> list[Path]:
    found: set[Path] = set()
    for path in paths:
        if path.is_file():
            found.add(path)
        elif path.is_dir():
            found.update(
                p for p in path.rglob("*") if p.name.endswith((".json", ".json.gz", ".jsonl.gz"))
            )
        else:
            sys.exit(f"run.py: {path}: no such file or folder")
    return sorted(found)


def label(path: Path) -> str:
    """<peer>/<cases or random>/<file>, or own/<file>: how the list of expectations writes it."""
    parts = path.resolve().parts
    return "/".join(parts[-3:] if parts[-2] in ("cases", "random") else parts[-2:])


def read_cases(path: Path) -> tuple[str, list[tuple[str, dict[str, Any]]]]:
    """(peer, [(level, case)])"""
    with gzip.open(path, "rt") if path.suffix == ".gz" else open(path) as file:
        if ".jsonl" in path.name:
            rows = [json.loads(line) for line in file if line.strip()]
            # The first line may be a header, with what is the same for all cases.
            header = rows.pop(0) if rows and "name" not in rows[0] else {}
            document = {"peer": path.resolve().parent.parent.name, "level": "cycle"} | header
            document["cases"] = rows
        else:
            document = json.load(file)
    setup = [
        case["steps"]
        for case in document["cases"]
        if "steps" in case and case["name"] == document.get("test")
    ]
    for case in document["cases"]:
        if setup and "/" in case["name"]:  # a row of a test, which ran the other steps before it
            case.setdefault("setup", setup[0])
    test = path.name.partition(".json")[0]  # the cases of one test function are one file
    for case in document["cases"]:
        case.setdefault("test", test)
        case.setdefault("folder", str(path.parent))
        if "defaultConfig" in document:
            case["config"] = document["defaultConfig"] | case.get("config", {})
    return document["peer"], [(document["level"], case) for case in document["cases"]]


# --- running


def plan_of(scenario: dict[str, Any], binary: str, probe: Probe) -> dict[str, Any] | str:
    """The plan, or what the program said instead of one; the probe has heard it, too."""
    plan = _run(scenario, binary)
    probe.heard.append(decided(plan))
    return plan


def _run(scenario: dict[str, Any], binary: str) -> dict[str, Any] | str:
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(scenario, file)
        file.flush()
        try:
            done = subprocess.run(
                [binary, "run", file.name, "--json"],
                capture_output=True,
                text=True,
                timeout=SECONDS_PER_CASE,
            )
        except subprocess.TimeoutExpired:
            return f"no plan after {SECONDS_PER_CASE} s"
    if done.returncode != 0:
        return f"exit {done.returncode}: {(done.stderr or done.stdout).strip()[:500]}"
    return json.loads(done.stdout)


def decided(plan: dict[str, Any] | str) -> Any:
    """What a plan decides, and why not more: no sentences, no work count, no version."""
    if isinstance(plan, str):
        return plan
    reasons = [
        {k: v for k, v in reason.items() if k not in ("text", "where", "refusals")}
        | {"refusals": [[r["nodes"], r["code"]] for r in reason.get("refusals", [])]}
        for reason in plan["reasons"]
    ]
    kept = ("decisions", "tentative", "shares", "domains", "devices", "complete", "cursor")
    pending = [[row["task"], reasons[row["reason"]]] for row in plan["pending"]]
    return {k: plan[k] for k in kept if k in plan} | {"pending": pending}


def digest_of(answers: list[Any]) -> str:
    """"-" where the engine was not asked."""
    if not answers:
        return "-"
    return hashlib.sha256(json.dumps(answers, sort_keys=True).encode()).hexdigest()


def run_case(
    peer: str, level: str, case: dict[str, Any], binary: str, probe: Probe
) -> Result:
    start = time.monotonic()
    result = Result(case["name"], "skipped")
    probe.heard.clear()
    importers.use(probe)
    try:
        if hasattr(ADAPTERS[peer], "check"):
            result.differences = ADAPTERS[peer].check(level, case, probe)
        elif level != "cycle" and hasattr(ADAPTERS[peer], "single"):
            result.function = case.get("fn", "")
            result.differences = ADAPTERS[peer].single(case, probe)
        elif level == "unit":
            result.function = case["state"]["fn"]
            result.differences = ADAPTERS[peer].unit(case, probe)
        elif reason := ADAPTERS[peer].skip(level, case):
            raise Unanswerable(reason)
        else:
            result.differences = differences(peer, level, case, binary, probe)
    except Unanswerable as unanswerable:
        result.reason = str(unanswerable)
    except ValueError as failure:
        result.outcome, result.differences = "failed", [str(failure)]
    else:
        result.outcome = "failed" if result.differences else "passed"
    result.seconds = time.monotonic() - start
    result.digest = digest_of(probe.heard)
    return result


def differences(
    peer: str, level: str, case: dict[str, Any], binary: str, probe: Probe
) -> list[str]:
    """Of a case with a whole session: from the closest of the outcomes that are right."""
    adapter = ADAPTERS[peer]
    if hasattr(adapter, "rounds"):
        # Several cycles, each on what the one before came to.
        return adapter.rounds(case, lambda scenario: plan_of(scenario, binary, probe))
    if level == "plugin":
        case = calls.told_apart(case)
        scenario = adapter.scenario(calls.with_objects_of_calls(case))
        return calls.run(probe, case, scenario)
    scenario = adapter.scenario(case)
    named = volcano.made_up_victims(case) if adapter is volcano else None
    if named is not None:
        evicted = probe.session(scenario, [["shuffle", named]])[0]
        decisions = [{"kind": "evict", "task": task} for task in evicted]
        plan = {"decisions": decisions, "tentative": []}
    else:
        plan = plan_of(scenario, binary, probe)
    if isinstance(plan, str):
        return [plan]
    ours = of_plan(scenario, plan)
    lines = min([ours.differences(right) for right in adapter.observed(case)], key=len)
    if lines and case.get("varies") and hasattr(adapter, "draws"):
        # A tie, which the peer drew: with equals in the order in which it took them ours must come
        # to the same.
        for redrawn, right in adapter.draws(case, scenario):
            plan = plan_of(redrawn, binary, probe)
            if not isinstance(plan, str) and not of_plan(redrawn, plan).differences(right):
                return []
    return lines


# One probe a process, started when it is first asked.
_probes: dict[str, Probe] = {}


def _job(arguments: tuple[str, str, dict[str, Any], str, str]) -> Result:
    *case, probe = arguments
    return run_case(*case, _probes.setdefault(probe, Probe(probe)))


def show(
    peer: str, level: str, case: dict[str, Any], binary: str, where: Path, probe: Probe
) -> None:
    """Everything about one case, for reading; its scenario is kept as a file."""
    adapter = ADAPTERS[peer]
    importers.use(probe)
    print(f"== {label(where)}: {case['name']}")
    if level != "cycle" or hasattr(adapter, "check"):
        result = run_case(peer, level, case, binary, probe)
        print(f"{result.outcome} {result.reason}", *result.differences, sep="\n  ")
        print(json.dumps(case.get("state")), json.dumps(case["observed"]), sep="\n")
        return
    if reason := adapter.skip(level, case):
        print(f"skipped: {reason}")
        if level != "cycle":
            return
    scenario = adapter.scenario(case)
    file = (
        Path(tempfile.gettempdir())
        / f"muster-case-{''.join(c if c.isalnum() else '-' for c in case['name'])[:60]}.json"
    )
    file.write_text(json.dumps(scenario, indent=1))
    print(f"scenario: {file}\nprofile: {scenario['profile']}")
    print(
        "the peer, committed:",
        *(json.dumps(c) for c in case["observed"].get("commits", [])),
        sep="\n  ",
    )
    if case.get("expect"):
        print("its test asserts:", json.dumps(case["expect"]))
    plan = plan_of(scenario, binary, probe)
    if isinstance(plan, str):
        print("Muster:", plan)
        return
    print("Muster decided:", *(json.dumps(d) for d in plan["decisions"]), sep="\n  ")
    if plan["tentative"]:
        print("and keeps undecided:", *(json.dumps(t) for t in plan["tentative"]), sep="\n  ")
    for i, right in enumerate(adapter.observed(case)):
        print(
            f"differences from outcome {i}:",
            *(of_plan(scenario, plan).differences(right) or ["none"]),
            sep="\n  ",
        )


# --- reporting


def read_expected(path: Path) -> dict[str, int]:
    expected = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        line = line.partition("#")[0].strip()
        if line:
            count, _, name = line.partition(" ")
            if not count.isdigit() or not name.strip():
                sys.exit(f"run.py: {path}:{number}: expected a count and a file")
            expected[name.strip()] = int(count)
    return expected


def check_expected(expected: dict[str, int], passed: dict[str, int]) -> list[str]:
    """What falls short of the list. A listed file of a folder that was run must be there."""
    folders = {name.partition("/")[0] for name in passed}
    short = []
    for name, count in sorted(expected.items()):
        if name in passed and passed[name] < count:
            short.append(f"{name}: {passed[name]} passed, {count} expected")
        elif name not in passed and name.partition("/")[0] in folders:
            short.append(f"{name}: not run, {count} expected")
    return short


def print_table(table: dict[str, list[Result]], expected: dict[str, int]) -> None:
    width = max([len(name) for name in table] + [4])
    print(f"{'file':{width}}  passed  failed  skipped  seconds{'  expected' if expected else ''}")
    for name, results in table.items():
        count = Counter(r.outcome for r in results)
        if count["skipped"] == len(results) and len(table) > 40:
            # files without a case to run would hide the others; the reasons below account for them
            continue
        line = f"{name:{width}}  {count['passed']:6}  {count['failed']:6}  {count['skipped']:7}  {sum(r.seconds for r in results):7.2f}"
        if expected:
            line += f"  {expected[name]:8}" if name in expected else "  not listed"
        print(line)


def print_skipped(table: dict[str, list[Result]]) -> None:
    reasons = Counter(
        r.reason
        for results in table.values()
        for r in results
        if r.outcome == "skipped"
    )
    if reasons:
        print(
            "skipped:",
            *(f"{count:6}  {reason}" for reason, count in sorted(reasons.items())),
            sep="\n",
        )
    functions: dict[str, set[str]] = {}
    for results in table.values():
        for r in results:
            if r.outcome == "skipped" and r.function:
                functions.setdefault(r.reason, set()).add(r.function)
    if functions:
        print(
            "of these, single functions:",
            *(f"    {reason}: {', '.join(sorted(f))}" for reason, f in sorted(functions.items())),
            sep="\n",
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "paths", nargs="+", type=Path, metavar="PATH", help="a file of cases or a folder"
    )
    parser.add_argument("--json", type=Path, metavar="OUT", help="write every result as JSON")
    parser.add_argument(
        "--digest", type=Path, metavar="OUT", help="write a digest of every case's answers"
    )
    parser.add_argument("--only", metavar="NAME", help="only cases with NAME in their names")
    parser.add_argument(
        "--show", metavar="NAME", help="show the cases of this name instead of running all"
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N")
    parser.add_argument("--binary", default=str(ROOT / "build" / "release" / "muster"))
    parser.add_argument("--probe", metavar="FILE", help="muster_probe (beside the binary)")
    parser.add_argument(
        "--expected", type=Path, metavar="FILE", help="counts that must be reached, file by file"
    )
    parser.add_argument(
        "--failures",
        type=int,
        default=5,
        metavar="N",
        help="failed cases to name for each file (5)",
    )
    args = parser.parse_args()
    if not os.access(args.binary, os.X_OK):
        sys.exit(f"run.py: {args.binary}: not there; build it or name it with --binary")
    args.probe = args.probe or str(Path(args.binary).with_name("muster_probe"))
    if not os.access(args.probe, os.X_OK):
        sys.exit(f"run.py: {args.probe}: not there; build it or name it with --probe")
    units.functions()  # a list that cannot be read ends the run before it begins

    def chosen() -> Iterator[tuple[Path, str, list[tuple[str, dict[str, Any]]]]]:
        for path in find_files(args.paths):
            peer, cases = read_cases(path)
            yield path, peer, [(l, c) for l, c in cases if not args.only or args.only in c["name"]]

    if args.show:
        for path, peer, cases in chosen():
            for level, case in cases:
                if case["name"] == args.show and peer in ADAPTERS:
                    show(peer, level, case, args.binary, path, Probe(args.probe))
        return 0

    table: dict[str, list[Result]] = {}
    with ProcessPoolExecutor(args.jobs) as pool:
        running = {}
        for path, peer, cases in chosen():
            if not cases:
                continue
            if peer not in ADAPTERS:
                table[label(path)] = [
                    Result(c["name"], "skipped", f"no adapter for {peer}") for _, c in cases
                ]
                continue
            table[label(path)] = []
            running[label(path)] = pool.map(
                _job, [(peer, l, c, args.binary, args.probe) for l, c in cases], chunksize=4
            )
        for name, results in running.items():
            table[name] = list(results)

    expected = read_expected(args.expected) if args.expected else {}
    for name, results in table.items():
        failed = [r for r in results if r.outcome == "failed"]
        for result in failed[: args.failures]:
            print(f"FAILED {name}: {result.name}", *result.differences[:8], sep="\n    ")
            if len(result.differences) > 8:
                print(f"    and {len(result.differences) - 8} more")
        if len(failed) > args.failures > 0:
            print(f"and {len(failed) - args.failures} more failed in {name}")
    print_table(table, expected)
    print_skipped(table)
    if args.json:
        args.json.write_text(
            json.dumps(
                {name: [vars(r) for r in results] for name, results in table.items()}, indent=1
            )
        )
    if args.digest:
        args.digest.write_text(
            "".join(
                f"{r.digest} {r.outcome} {name}: {' '.join(r.name.split())}\n"
                for name, results in table.items()
                for r in results
            )
        )
    total = Counter(r.outcome for results in table.values() for r in results)
    short = (
        []
        if args.only
        else check_expected(
            expected, {n: sum(r.outcome == "passed" for r in rs) for n, rs in table.items()}
        )
    )
    for line in short:
        print("SHORT", line)
    print(f"{total['passed']} passed, {total['failed']} failed, {total['skipped']} skipped")
    return 1 if (short if args.expected else total["failed"]) else 0


if __name__ == "__main__":
    sys.exit(main())
