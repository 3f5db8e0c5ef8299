# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""muster/c.h as one text, for tests that read declarations."""

import pathlib
import re

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "capi/muster"
PARTS = sorted(path for path in FOLDER.glob("c*.h") if path.name != "c_experimental.h")


def text(read=lambda name: (FOLDER / name).read_text(encoding="utf-8")):
    """The header with its parts in place of their includes. `read` returns a part by its name."""
    seen = set()

    def part(name):
        if name in seen:
            return ""
        seen.add(name)
        return re.sub(r"^#include <muster/(c_\w+\.h)>\n", lambda m: part(m[1]), read(name),
                      flags=re.MULTILINE)

    return part("c.h")
