# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""The command line of what needs Python:

    kubectl get nodes,pods,podgroups,queues,priorityclasses -A -o json > dump.json
    python -m muster import dump.json --configuration volcano-scheduler.conf -o scenario.json
    python -m muster explain dump.json team/train --configuration volcano-scheduler.conf
    python -m muster profiles
    python -m muster traces fetch philly --to ~/traces
    python -m muster compare philly --profile muster --profile volcano --report report.html
    python -m muster compare philly --profile muster --profile volcano --save study.json
    python -m muster sweep mix --profile volcano --vary latency=0,5,30
    python -m muster reproduce study.json
    python -m muster report study.json -o report.html

`traces` needs no extension module; the others do.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import HAVE_ENGINE
from .errors import NotFound
from .fetch import main as _traces
from .interop import __main__ as importer
from .interop.report import ImportFailure, Report

if TYPE_CHECKING:
    from .plan import Plan


def _explain(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="muster explain", allow_abbrev=False,
        description="Schedules a scenario or a dump and explains how the job or task came out; "
        "without a name, everything pending.",
    )
    parser.add_argument("file", metavar="FILE", help="a scenario or a dump; - is standard input")
    parser.add_argument(
        "name", nargs="?", metavar="JOB|TASK", help="a job (pod group) or a task (pod)"
    )
    parser.add_argument("--profile", metavar="P", help="schedule by this profile")
    importer.add_reading_arguments(parser)
    args = parser.parse_intermixed_args(arguments)
    if not HAVE_ENGINE:
        print("muster explain: the extension module muster._core is not built", file=sys.stderr)
        return 2
    from . import Cluster, Error

    try:
        limits = importer.limits_of(args)
        text = importer.text_of(args.file, limits)
        if (scenario := _scenario_of(text)) is not None:
            for flag in ("configuration", "default_queue"):
                if getattr(args, flag) is not None:
                    word = flag.replace("_", "-")
                    raise ImportFailure(f"{args.file}: --{word} is of dumps; this is a scenario")
            report = Report()
            cluster = Cluster.from_scenario(text, limits=limits)
        else:
            scenario, report = importer.read_scenario(args, {args.file: text})
            cluster = Cluster.from_scenario(scenario)
        plan = cluster.schedule(args.profile, now=args.now)
        left_out = scenario.get("left_out", ())
        sys.stdout.write(
            _all_pending(plan, left_out) if args.name is None
            else _explained(plan, args.name, left_out)
        )
    except (ImportFailure, OSError, UnicodeError, Error, MemoryError) as failure:
        print(f"muster explain: {str(failure) or 'out of memory'}", file=sys.stderr)
        return 2
    importer.print_report(report)
    return 0


def _scenario_of(text: str) -> dict[str, Any] | None:
    """The decoded scenario; None: the text is none."""
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return told if isinstance(told, dict) and "muster" in told else None


def _explained(plan: "Plan", name: str, left_out: Iterable[Mapping[str, str]]) -> str:
    lines = [f"{name} was left out by the import: {row['why']}\n"
             for row in left_out if row["name"] == name]
    try:
        return plan.explain(name) + "".join(lines)
    except NotFound:
        if not lines:
            raise
        return "".join(lines)


def _all_pending(plan: "Plan", left_out: Iterable[Mapping[str, str]]) -> str:
    told = json.loads(plan.to_json())
    rows = (*told.get("pending", ()), *told.get("waiting_jobs", ()))
    names = dict.fromkeys(row.get("job") or row["task"] for row in rows)
    text = "".join(plan.explain(name) for name in names) or "nothing is pending\n"
    count = len({row["name"] for row in left_out})
    if count:
        words = "object was" if count == 1 else "objects were"
        text += f"{count} {words} left out by the import; explain FILE NAME tells why\n"
    return text


def _profiles(arguments: Sequence[str]) -> int:
    argparse.ArgumentParser(prog="muster profiles").parse_args(arguments)
    if not HAVE_ENGINE:
        print("muster profiles: the extension module muster._core is not built", file=sys.stderr)
        return 2
    from . import _core

    for profile in _core.profiles():
        print(f"{profile['name']:14} {profile['summary']}")
    return 0


def _study(name: str) -> Callable[[Sequence[str]], int]:
    def command(arguments: Sequence[str]) -> int:
        if not HAVE_ENGINE:
            print(f"muster {name}: the extension module muster._core is not built", file=sys.stderr)
            return 2
        from .commands import main

        return main(name, arguments)

    return command


_COMMANDS = {"import": importer.main, "explain": _explain, "profiles": _profiles, "traces": _traces}
_COMMANDS |= {name: _study(name) for name in ("compare", "sweep", "reproduce", "report")}


def main(arguments: Sequence[str] | None = None) -> int:
    words = list(sys.argv[1:] if arguments is None else arguments)
    if not words or words[0] not in _COMMANDS:
        asked = bool(words) and words[0] in ("-h", "--help", "help")
        print(__doc__, file=sys.stdout if asked else sys.stderr)
        if words and not asked:
            known = ", ".join(_COMMANDS)
            print(f"muster: unknown command {words[0]!r}; there are {known}", file=sys.stderr)
        return 0 if asked else 2
    return _COMMANDS[words[0]](words[1:])


if __name__ == "__main__":
    sys.exit(main())
