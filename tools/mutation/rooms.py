# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Which sources a room has, and which tests judge its mutants.

A folder of lib is a room under its own name (`kube`, `peer/ray`) and needs no row here: its own
test judges it, then WORLDS. A row narrows the sources or names other tests. Tests of a room run in
this order until one fails; together they take less than 10 s.
"""

import pathlib

# Random worlds against the slow twins.
WORLDS = ("worlds", "*EngineAndTwin*:Flips*:LivingCluster*:FairEvict*:FairTree*:RowOrder*"
                    ":Domains.Gangs*", {"MUSTER_WORLDS": "150"})
LEDGER = ("ledger", "-*/LedgerWorlds.*/1:*/LedgerWorlds.*/2:*/LedgerWorlds.*/3"
                    ":*/LedgerWorlds.*/4")
LEDGER_OF_A_PEER = ("ledger", "*/LedgerWorlds.MovesAndRollbacks/1")
PARTS = [("part",), ("session",), ("profile",), ("policy",), ("peer_volcano",)]

# room: files and folders below lib, tests as (room of tests, filter, environment)
ROOMS = {
    "ledger": (["ledger"], [("part",), ("peer_volcano",), LEDGER, WORLDS, LEDGER_OF_A_PEER]),
    "search": (["search"], [("search",), ("kube",), *PARTS, WORLDS]),
    "dispatcher": (["extension/dispatcher.cc"], [("extension",), ("kube",), *PARTS, WORLDS]),
    "plan": (["plan"], [("plan",), ("profile",), ("scenario",)]),
    "quota": (["share", "policy/proportion.cc", "policy/queue_demand.cc", "policy/queue_tree.cc",
               "policy/share_tree.cc", "policy/drf.cc"],
              [*PARTS, ("reference",), ("peer_koordinator",), ("peer_transwarp",), WORLDS]),
    "actions": (["peer/volcano/action"], [("peer_volcano",), ("profile",), ("session",), WORLDS]),
    "session": (["session"], [("session",), ("profile",), ("part",), WORLDS]),
}


def room(name, root):
    """Sources, sorted, and tests of the room. Fails if there is no such room."""
    paths, tests = ROOMS.get(name, ([name], None))
    if tests is None:
        folders = {name: ("_".join(pathlib.PurePath(name).parts),), "worlds": WORLDS}
        tests = [test for folder, test in folders.items() if (root / "tests" / folder).is_dir()]
    found = []
    for path in paths:
        place = root / "lib" / path
        found += [place] if place.is_file() else sorted(place.rglob("*.cc"))
    if not found or not name:
        raise SystemExit(f"mutate: no room {name!r}; rooms are {', '.join(ROOMS)} and the folders"
                         " of lib")
    return found, tests
