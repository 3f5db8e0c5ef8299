# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""The arrows between the rooms point one way.

    base <- {share, fit}
    base <- model <- {plan, ledger} <- extension <- search <- {kube, part}
    {kube, part, share, fit} <- policy
    part <- session
    {policy, session} <- peer/* <- profile <- advice <- scenario <- {import, replay}
    extension <- binding
    {model, kube} <- bound
    {import, replay, binding, bound} <- {capi, python, tools}
    {base, fit} <- peer/fgd <- replay

A room may include itself, every room its arrow leads back to, and include/muster. Each folder of
lib/peer is a room of its own: a peer includes another only where its header declares that it
derives from it (DERIVED). The rooms above are lib/replay and lib/peer/fgd, which are the library
muster_replay: nothing in the scheduler includes them. Public headers include public headers, the
standard library and Abseil's status; none of the scheduler's includes one of muster/experimental.h.
JSON stays in .cc files, Eigen in those of lib/replay.
"""

import pathlib
import re
import tempfile
import unittest

import source

# room -> the rooms its arrows point to; the closure is what it may include.
ARROWS = {
    "base": [],
    "share": ["base"],
    "fit": ["base"],
    "model": ["base"],
    "plan": ["model"],
    "ledger": ["model", "fit"],
    "extension": ["plan", "ledger"],
    "binding": ["extension"],  # for capi and python alone: no other room has an arrow to it
    "search": ["extension", "fit"],
    "kube": ["search", "share"],
    "bound": ["model", "kube"],  # nothing on the way of a decision has an arrow to it
    "part": ["search"],
    "policy": ["kube", "part", "share", "fit"],
    "session": ["part"],
    "peer": ["policy", "session"],  # stands for every folder of lib/peer but those above
    "peer/fgd": ["base", "fit"],
    "profile": ["peer"],
    "advice": ["profile"],
    "scenario": ["advice"],
    "import": ["scenario"],  # the library muster_import
    "replay": ["scenario", "peer/fgd"],
    "reference": ["model", "plan"],  # slow twins: nothing of what they are compared with
}
# peer -> the peers that it derives from, as its header declares.
DERIVED = {"transwarp": ("muster",), "koordinator": ("kube_scheduler",),
           "kueue": ("volcano", "kube_scheduler"), "scheduler_plugins": ("kube_scheduler",)}
ABOVE = ("replay", "peer/fgd")  # the library muster_replay
# include/muster/*.h of that library.
EXPERIMENTAL = ("episodes", "experimental", "forecast", "metrics", "mix", "packing", "replay",
                "statistics", "trace", "trace_bound")
OUTSIDE = ("capi", "python", "tools")  # see every room of the library
FOLDERS = ("include", "lib", "examples") + OUTSIDE

PUBLIC_ABSL = ("absl/status/",)
NO_HEADER_INCLUDES = ("nlohmann/", "Eigen/")
JSON_ROOMS = ("scenario", "import", "tools")
EIGEN_ROOMS = ("replay",)  # never on the path of a decision
# Output, clock, chance, disk and threads belong to the caller.
CALLERS = "is output, clock, chance, disk or threads: the caller's"
FORBIDDEN_IN_CORE = dict.fromkeys(
    ("iostream", "fstream", "filesystem", "chrono", "random", "thread", "future", "cstdio",
     "ctime"), CALLERS)
FORBIDDEN_IN_CORE[
    "ranges"] = "does not compile with Clang 14 and the library of GCC 12, once a view is used"

THREADS = "lib/base/threads.cc"  # which a caller has to ask for, by MakeThreads

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)


def closure(room):
    """The rooms that `room` may include; "peer" stands for all peers and "peer/x" for one."""
    seen, rest = set(), [room]
    if room.startswith("peer/") and room not in ARROWS:
        bases = DERIVED.get(room.removeprefix("peer/"), ())
        seen, rest = {room} | {"peer/" + base for base in bases}, list(ARROWS["peer"])
    while rest:
        at = rest.pop()
        if at not in seen:
            seen.add(at)
            rest.extend(ARROWS[at])
    return seen


def room_of(path):
    """"ledger" for lib/ledger/..., "peer/ray" for lib/peer/ray/..., "public" for include/muster,
    else the top folder."""
    parts = pathlib.PurePath(path).parts
    if parts[0] == "lib":
        return "/".join(parts[1 : 3 if parts[1] == "peer" else 2]) if len(parts) > 2 else ""
    return "public" if parts[0] == "include" else parts[0]


def complaint(path, name, angled):
    """Why the file may not include `name`, or None."""
    room = room_of(path)
    header = path.suffix == ".h"
    if path.parts[0] == "lib" and room.split("/")[0] not in ARROWS:
        return f"lib/{room} is not a room; the list is in {pathlib.Path(__file__).name}"
    if name.startswith(NO_HEADER_INCLUDES):
        if header:
            return "JSON and Eigen stay in .cc files"
        rooms = JSON_ROOMS if name.startswith("nlohmann/") else EIGEN_ROOMS
        return None if room in rooms else f"{name.split('/')[0]} is for {' and '.join(rooms)}"
    if name.startswith("absl/"):
        if room == "public" and not name.startswith(PUBLIC_ABSL):
            return "of Abseil, public headers include status and statusor"
        return None
    if name.startswith("muster/"):
        header = pathlib.PurePath(name).stem
        in_lib = path.parts[0] == "lib" and room not in (*ABOVE, "reference")
        below = in_lib or room == "public" and path.stem not in EXPERIMENTAL
        return f"{name} is above the scheduler" if below and header in EXPERIMENTAL else None
    if name.startswith("lib/"):
        if room in ("public", "examples"):
            return f"{room} headers and sources see include/muster only"
        if room in OUTSIDE:
            return "lib/reference is for tests" if name.startswith("lib/reference/") else None
        allowed = closure(room)
        target = room_of(name)
        if target not in allowed and (target in ABOVE
                                      or not (target.startswith("peer/") and "peer" in allowed)):
            return f"lib/{room} may include {', '.join(sorted(allowed))}"
        return None
    if angled:
        asked_for = name == "thread" and path.as_posix() == THREADS
        if name in FORBIDDEN_IN_CORE and path.parts[0] in ("lib", "include") and not asked_for:
            return f"<{name}> {FORBIDDEN_IN_CORE[name]}"
        return None
    if room in OUTSIDE and name.startswith(room + "/"):
        return None
    if path.parts[:2] == ("python", "testing") and name.startswith("tests/support/"):
        return None
    return "a quoted include names muster/, lib/<room>/ or absl/"


def violations(root):
    found = []
    for path in source.files(root, FOLDERS):
        text = (root / path).read_text(encoding="utf-8")
        comments_gone = source.blank(text).splitlines()
        for match in _INCLUDE.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            if "include" not in comments_gone[line - 1]:
                continue  # an example inside a comment
            why = complaint(path, match.group(2), match.group(1) == "<")
            if why:
                found.append(f"{path}:{line}: includes {match.group(2)}: {why}")
    return found


class Repository(unittest.TestCase):
    maxDiff = None

    def test_every_include_follows_an_arrow(self):
        self.assertGreater(len(source.files(source.ROOT, FOLDERS)), 10)
        self.assertEqual(violations(source.ROOT), [])

    def test_experimental_h_includes_what_is_above(self):
        text = (source.ROOT / "include/muster/experimental.h").read_text(encoding="utf-8")
        included = [pathlib.PurePath(match.group(2)).stem for match in _INCLUDE.finditer(text)]
        self.assertEqual(sorted([*included, "experimental"]), sorted(EXPERIMENTAL))


class SeededViolations(unittest.TestCase):
    """The check itself is checked: each of these trees has one file that breaks one rule, or
    none."""

    def check(self, path, include):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / path).parent.mkdir(parents=True)
            (root / path).write_text(f"// comment\n#include {include}\n", encoding="utf-8")
            return violations(root)

    def assert_refused(self, path, include):
        found = self.check(path, include)
        self.assertEqual(len(found), 1, f"{path} may include {include}")
        self.assertTrue(found[0].startswith(f"{path}:2: "), found[0])

    def assert_allowed(self, path, include):
        self.assertEqual(self.check(path, include), [])

    def test_arrows(self):
        self.assert_allowed("lib/replay/events.cc", '"lib/base/heap.h"')
        self.assert_allowed("lib/ledger/ledger.h", '"lib/model/tables.h"')
        self.assert_allowed("lib/session/session.cc", '"lib/part/action.h"')
        self.assert_allowed("lib/binding/inquiry.h", '"lib/extension/cycle.h"')
        self.assert_allowed("capi/policy.cc", '"lib/binding/column_policy.h"')
        self.assert_refused("lib/binding/bench.cc", '"lib/part/context.h"')
        self.assert_refused("lib/session/session.cc", '"lib/binding/bench.h"')
        self.assert_allowed("lib/peer/ray/allocate.cc", '"lib/session/preset.h"')
        self.assert_allowed("lib/peer/transwarp/transwarp.cc", '"lib/peer/muster/muster.h"')
        self.assert_allowed("lib/profile/presets.cc", '"lib/peer/ray/ray.h"')
        self.assert_allowed("tools/muster/main.cc", '"lib/scenario/read.h"')
        self.assert_refused("lib/base/heap.h", '"lib/model/tables.h"')
        self.assert_refused("lib/plan/plan.cc", '"lib/ledger/ledger.h"')
        self.assert_refused("lib/ledger/ledger.cc", '"lib/policy/drf.h"')
        self.assert_refused("lib/policy/drf.cc", '"lib/peer/volcano/actions.h"')
        self.assert_refused("lib/session/session.cc", '"lib/policy/policies.h"')
        self.assert_refused("lib/peer/muster/muster.cc", '"lib/peer/volcano/volcano.h"')
        self.assert_refused("lib/share/sparse.h", '"lib/model/tables.h"')
        self.assert_refused("lib/session/session.cc", '"lib/profile/table.h"')
        self.assert_refused("lib/cellar/wine.cc", '"lib/base/heap.h"')
        self.assert_refused("lib/replay/events.cc", '"lib/import/import.h"')
        self.assert_refused("lib/import/volcano.cc", '"lib/replay/engine.h"')
        self.assert_refused("lib/stray.cc", '"lib/base/heap.h"')

    def test_rooms_above(self):
        self.assert_allowed("lib/replay/packing.cc", '"lib/peer/fgd/gpu_packer.h"')
        self.assert_allowed("lib/peer/fgd/gpu_packer.cc", '"lib/base/rng.h"')
        self.assert_allowed("lib/replay/packing.cc", '"muster/packing.h"')
        self.assert_allowed("include/muster/packing.h", '"muster/trace.h"')
        self.assert_refused("lib/peer/fgd/gpu_packer.cc", '"lib/model/tables.h"')
        self.assert_refused("lib/profile/presets.cc", '"lib/peer/fgd/gpu_packer.h"')
        self.assert_refused("lib/peer/ray/ray.cc", '"lib/peer/fgd/gpu_packer.h"')
        self.assert_refused("lib/scenario/mixes.cc", '"lib/replay/mix_members.h"')
        self.assert_refused("lib/scenario/mixes.cc", '"muster/mix.h"')
        self.assert_refused("include/muster/muster.h", '"muster/replay.h"')

    def test_reference_stands_alone(self):
        self.assert_allowed("lib/reference/peer/transwarp/drf_tree.cc", '"lib/plan/plan_data.h"')
        self.assert_refused("lib/reference/peer/transwarp/drf_tree.cc", '"lib/ledger/ledger.h"')
        self.assert_refused("lib/session/session.cc", '"lib/reference/peer/transwarp/drf_tree.h"')
        self.assert_refused("tools/muster/main.cc", '"lib/reference/peer/transwarp/drf_tree.h"')

    def test_public_headers(self):
        self.assert_allowed("include/muster/plan.h", '"muster/types.h"')
        self.assert_allowed("include/muster/plan.h", '"absl/status/statusor.h"')
        self.assert_refused("include/muster/plan.h", '"absl/types/span.h"')
        self.assert_refused("include/muster/plan.h", '"lib/plan/plan_data.h"')
        self.assert_refused("examples/hello.cc", '"lib/plan/plan_data.h"')

    def test_foreign_headers(self):
        self.assert_allowed("lib/scenario/read.cc", "<nlohmann/json.hpp>")
        self.assert_allowed("lib/replay/statistics.cc", '"Eigen/QR"')
        self.assert_refused("lib/search/score.cc", '"Eigen/Core"')
        self.assert_refused("lib/scenario/read.h", "<nlohmann/json.hpp>")
        self.assert_refused("lib/plan/plan.cc", '"nlohmann/json.hpp"')
        self.assert_refused("lib/replay/statistics.h", "<Eigen/Core>")
        self.assert_refused("lib/base/heap.h", '"heap.h"')
        self.assert_refused("lib/base/heap.cc", "<chrono>")
        self.assert_refused("lib/base/pieces.cc", "<thread>")
        self.assert_allowed("lib/base/threads.cc", "<thread>")
        self.assert_refused("lib/base/threads.cc", "<chrono>")

    def test_comments_do_not_include(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "lib/base").mkdir(parents=True)
            (root / "lib/base/a.h").write_text('/*\n#include "lib/replay/b.h"\n*/\n',
                                               encoding="utf-8")
            self.assertEqual(violations(root), [])


if __name__ == "__main__":
    unittest.main()
