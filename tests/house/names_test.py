# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Below lib/peer no file names a peer: not in code, not in its path, not in a comment. Below it are
the rooms that lib/peer includes; profile and reference are held to the same, but for ALLOWED.

A rule that only one peer has is a named field, an option, or a file of that peer's folder. What a
rule is like at its peer stands in the essay of the peer (lib/peer/NAME/NAME.h) or in
docs/policies.md.
"""

import pathlib
import re
import tempfile
import unittest

import source

ROOMS = ("base", "model", "plan", "ledger", "share", "fit", "extension", "search", "kube", "part", "policy", "session",
         "profile", "reference")
# Not the peers batch, muster and training: their names are plain words of this tree, too.
PEERS = ("volcano", "kube[-_ ]?batch", "koordinator", "ray", "transwarp", "fgd", "scheduler[-_ ]plugins", "kueue",
         "yunikorn", "armada", "kube[-_ ]scheduler", "kai", "mesos", "htcondor", "pulsar", "yarn", "tiresias", "themis",
         "gavel")
ALLOWED = {
    "lib/profile/presets.cc": "the list of presets",
    "lib/reference/reference.cc": "the list of the slow twin's presets",
}
# In names of the code a peer's name is a word between capitals: FillKubeBatch, RayView.
_NAME = re.compile(
    r"(?i:(?<![a-z0-9])(?:" + "|".join(PEERS) + r")(?![a-z0-9]))"
    r"|(?:Volcano|KubeBatch|Koordinator|Ray|Transwarp|Fgd|SchedulerPlugins|Kueue|YuniKorn|Armada|KubeScheduler"
    r"|Kai|Mesos|HtCondor|Pulsar|Yarn|Tiresias|Themis|Gavel)(?![a-z])")


def is_below(path):
    parts = pathlib.PurePath(path).parts
    return parts[:2] != ("lib", "reference") or parts[2:3] != ("peer",)


def violations(root):
    found = []
    for path in source.files(root, [f"lib/{room}" for room in ROOMS]):
        if str(path) in ALLOWED or not is_below(path):
            continue
        if _NAME.search(str(path)):
            found.append(f"{path}: the path names a peer")
        for number, line in enumerate((root / path).read_text(encoding="utf-8").splitlines(), 1):
            if match := _NAME.search(line):
                found.append(f"{path}:{number}: names {match.group()}, a peer")
    return found


class Repository(unittest.TestCase):
    maxDiff = None

    def test_nothing_below_the_peers_names_one(self):
        self.assertEqual(violations(source.ROOT), [])

    def test_the_allowed_files_exist(self):
        for path in ALLOWED:
            self.assertTrue((source.ROOT / path).is_file(), path)


class SeededViolations(unittest.TestCase):

    def check(self, path, line):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for room in ROOMS:
                (root / "lib" / room).mkdir(parents=True)
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(line + "\n", encoding="utf-8")
            return violations(root)

    def test_code_and_comments(self):
        for line in ("// Peer. Volcano's plugin.", "bool kube_batch_;", "void FillByWeightKubeBatch();",
                     "// as kube-batch has it", "RayView view;", '#include "lib/peer/ray/ray.h"'):
            self.assertEqual(len(self.check("lib/policy/drf.cc", line)), 1, line)

    def test_paths(self):
        self.assertEqual(self.check("lib/kube/volcano_order.cc", "int x;"),
                         ["lib/kube/volcano_order.cc: the path names a peer"])

    def test_plain_words(self):
        for line in ("array.size()", "double* batch;", "namespace muster {", "// the network of nodes",
                     "InlinedArray rays;", "Kubernetes116"):
            self.assertEqual(self.check("lib/policy/drf.cc", line), [], line)

    def test_peers_and_lists_may(self):
        for path in ("lib/reference/peer/ray/ray.cc", "lib/profile/presets.cc"):
            self.assertEqual(self.check(path, "// Volcano's"), [], path)


if __name__ == "__main__":
    unittest.main()
