# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""What the tests of the examples in other languages share: docs/languages.md, which shows what each
prints, and a `main` that says SKIP, with exit code 77, where nothing could be run."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = os.environ.get("MUSTER_C", "")
PAGE = ROOT / "docs/languages.md"
needs_library = unittest.skipUnless(LIBRARY, "not run by ctest, or under sanitizers")


def tool(name, *elsewhere):
    """Where a program is; None where it is not."""
    return shutil.which(name) or next((path for path in elsewhere if os.access(path, os.X_OK)),
                                      None)


GO = tool("go", "/usr/local/go/bin/go", "/usr/lib/go/bin/go")


def run(*command, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False,
                          **options)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(str(c) for c in command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def shown(heading):
    """The output under a heading of the page: its last block, which follows the command."""
    text = PAGE.read_text(encoding="utf-8")
    section = re.search(rf"^## {re.escape(heading)}$(.*?)(?=^## |\Z)", text,
                        re.MULTILINE | re.DOTALL).group(1)
    block = re.findall(r"((?:^    .*\n)+)", section, re.MULTILINE)[-1]
    lines = [line[4:] for line in block.splitlines()]
    return "\n".join(line for line in lines if not line.startswith("$ ")) + "\n"


def go_environment(path, **more):
    """Without a network, without what the caller set. Compiled packages are kept from run to
    run."""
    environment = {**os.environ, "CGO_ENABLED": "1", "GOPROXY": "off", "GOFLAGS": "-mod=mod",
                   "GOTOOLCHAIN": "local",
                   "GOWORK": "off", "GOPATH": path, **more}
    environment.setdefault("GOCACHE", os.path.join(tempfile.gettempdir(), "muster-go-cache"))
    return environment


def main():
    program = unittest.main(module="__main__", exit=False)
    result = program.result
    if not result.wasSuccessful():
        sys.exit(1)
    reasons = sorted({reason for _, reason in result.skipped})
    for reason in reasons:
        print(f"SKIP: {reason}")
    sys.exit(77 if reasons and len(result.skipped) >= result.testsRun else 0)
