# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""The command line of what needs Python:

    kubectl get nodes,pods,podgroups,queues,priorityclasses -A -o json > dump.json
    python -m muster import dump.json --conf volcano-scheduler.conf -o scenario.json
    python -m muster explain dump.json --conf volcano-scheduler.conf --job team/train
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
import sys
from collections.abc import Callable, Sequence

from . import HAVE_ENGINE
from .fetch import main as _traces
from .interop import __main__ as importer
from .interop.report import ImportFailure


def _explain(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="muster explain", description="why a job or task of a dump is not (wholly) placed"
    )
    importer.add_source_arguments(parser)
    parser.add_argument(
        "--job", required=True, metavar="NAMESPACE/NAME", help="a job (pod group) or a task (pod)"
    )
    parser.add_argument(
        "--profile", metavar="SPEC", help="in place of the peer's, or of that of --conf"
    )
    args = parser.parse_args(arguments)
    if not HAVE_ENGINE:
        print("muster explain: the extension module muster._core is not built", file=sys.stderr)
        return 2
    from . import Cluster, Error

    try:
        scenario, report = importer.read_scenario(args)
        plan = Cluster.from_scenario(scenario).schedule(args.profile)
        left_out = [f"{args.job} was left out by the import: {row['why']}\n"
                    for row in scenario.get("left_out", ()) if row["name"] == args.job]
        try:
            sys.stdout.write(plan.explain(args.job))
        except Error:
            if not left_out:
                raise
        sys.stdout.writelines(left_out)
    except (ImportFailure, OSError, UnicodeError, Error, MemoryError) as failure:
        print(f"muster explain: {str(failure) or 'out of memory'}", file=sys.stderr)
        return 2
    importer.print_report(report)
    return 0


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
