# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""From a dump to a scenario file:

    kubectl get nodes,pods,podgroups,queues,priorityclasses -A -o json > dump.json
    python -m muster.interop dump.json --conf volcano-scheduler.conf -o scenario.json

What the scenario does not say is listed on standard error, one line each.
"""

import argparse
import json
import sys
from pathlib import Path

from . import volcano
from .reader import read_objects
from .report import ImportFailure

DIALECTS = {"volcano": volcano.VOLCANO, "kube-batch": volcano.KUBE_BATCH}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="muster import", description="a cluster dump as a scenario"
    )
    parser.add_argument(
        "dumps", nargs="+", metavar="DUMP", help="JSON or YAML objects; - is standard input"
    )
    parser.add_argument(
        "--peer", choices=DIALECTS, default="volcano", help="whose objects they are"
    )
    parser.add_argument(
        "--conf", type=Path, metavar="FILE", help="the scheduler's configuration file"
    )
    parser.add_argument("--default-queue", default="default", metavar="NAME")
    parser.add_argument(
        "--now", type=int, default=0, metavar="SECONDS", help="the time of the cycle"
    )
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="instead of standard output"
    )
    args = parser.parse_args(arguments)
    try:
        objects = []
        for dump in args.dumps:
            objects += read_objects(sys.stdin.read() if dump == "-" else Path(dump).read_text())
        scenario, report = volcano.scenario(
            objects,
            dialect=DIALECTS[args.peer],
            configuration=args.conf.read_text() if args.conf else None,
            default_queue=args.default_queue,
            now=args.now,
        )
        text = json.dumps(scenario, indent=1, ensure_ascii=False) + "\n"
        if args.output:
            args.output.write_text(text)
        else:
            sys.stdout.write(text)
    except (ImportFailure, OSError, UnicodeDecodeError) as failure:
        print(f"muster import: {failure}", file=sys.stderr)
        return 2
    for entry in report:
        print(f"not expressed: {entry}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
