#!/usr/bin/env python3
# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Puts the playground into one file: page, worker, examples and the compressed WebAssembly.

    tools/playground/pack.py build/playground/muster build/playground/index.html

The first argument is the folder with muster.js and muster.wasm.
"""
import base64
import gzip
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent
EXAMPLES = [
    ("A gang that does not fit", "tests/scenarios/gang_undone.json"),
    ("Queues that lend to each other", "tests/scenarios/borrowing.json"),
    ("A pod that no node takes (kubectl get -o json)", "tools/playground/kubectl.json"),
    ("Preemption by priority", "tests/scenarios/preempt.json"),
    ("Pods spread over zones", "tests/scenarios/spread.json"),
    ("Shares of GPUs", "tests/scenarios/devices.json"),
    ("Fair shares in a tree of queues", "tests/scenarios/share_tree.json"),
]


def pack(built):
    """Returns the page. Nothing in it ends a script early: scripts hold no "</"."""
    wasm = gzip.compress((built / "muster.wasm").read_bytes(), mtime=0)
    worker = (built / "muster.js").read_text() + "\nself.MusterModule = MusterModule;\n"
    parts = {
        "STYLE": (HERE / "playground.css").read_text(),
        "WORKER": worker + (HERE / "worker.js").read_text(),
        "SCRIPT": (HERE / "playground.js").read_text(),
        "EXAMPLES": json.dumps([{"title": title, "text": (ROOT / path).read_text()}
                                for title, path in EXAMPLES]),
        "WASM": base64.b64encode(wasm).decode(),
    }
    page = (HERE / "index.html").read_text()
    for name, text in parts.items():
        if name != "STYLE" and "</script" in text:
            sys.exit(f"pack: {name} would end its script early")
        page = page.replace(f"/*{name}*/", text, 1)
    return page


def main():
    built, out = map(pathlib.Path, sys.argv[1:])
    page = pack(built)
    out.write_text(page)
    compressed = len(gzip.compress(page.encode()))
    print(f"{out}: {len(page):,} bytes, {compressed:,} compressed")


if __name__ == "__main__":
    main()
