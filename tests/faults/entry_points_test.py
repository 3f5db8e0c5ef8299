# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Every call of the public C++ headers is made with memory running out (tests/faults)."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SWEPT = "".join((ROOT / "tests/faults" / name).read_text(encoding="utf-8")
                for name in ("memory_test.cc", "fault_world.h", "trace_calls.h"))
HEADERS = sorted(path.relative_to(ROOT / "include/muster").as_posix()
                 for path in (ROOT / "include/muster").rglob("*.h"))


def header(name):
    return (ROOT / "include/muster" / name).read_text(encoding="utf-8")


def methods():
    body = header("cluster.h").split("class MUSTER_EXPORT Cluster {")[1].split(" private:")[0]
    return set(re.findall(r"^  (?:absl::Status(?:Or<[^;(]*>)?|void|Snapshot|Cluster|ClusterSpec) (\w+)\(",
                          body, re.MULTILINE))


def functions():
    return {name for file in HEADERS
            for name in re.findall(r"^MUSTER_EXPORT (?!void|std::string_view)[^;(]*?\b(\w+)\(",
                                   header(file), re.MULTILINE)}


class EntryPoints(unittest.TestCase):
    def test_methods_of_a_cluster(self):
        self.assertGreater(len(methods()), 30)
        self.assertEqual({m for m in methods() if f".{m}(" not in SWEPT}, set())

    def test_functions(self):
        self.assertGreater(len(functions()), 50)
        self.assertEqual({f for f in functions() if not re.search(rf"\b{f}\(", SWEPT)}, set())


if __name__ == "__main__":
    unittest.main()
