# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Fills GPUs one pod at a time: the fragmentation study (FGD, ATC'23) on openb.

    filling = muster.packing.openb(list="default", seed=42)   # MUSTER_TRACES or ../shared/traces
    result = filling.replay("fgd")
    result.decisions                              # task, node, gpus of every arrival
    result.curves                                 # by percent of the GPUs that arrived

docs/replay.md has the policies and the measures.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _core, fetch, traces
from .errors import NotFound
from .frames import Values, frame
from .notebook import bar, table, titled

POLICIES: list[str] = _core.packing_policies()


@dataclass(frozen=True, eq=False)
class Result(Values):
    """What became of the arrivals. Amounts of GPUs are in thousandths."""

    policy: str
    typical: int  #: kinds of tasks that fragments are measured by
    failed: int  #: arrivals that fitted nowhere
    arrived_milli: int
    used_milli: int
    gpu_milli: int  #: of all nodes
    arrays: dict[str, np.ndarray]

    def _repr_html_(self) -> str:
        share = self.used_milli / self.gpu_milli if self.gpu_milli else 0.0
        rows = [("of all GPUs used", bar(share)),
                ("arrivals that fitted nowhere", str(self.failed))]
        return titled(self.policy, table(("", ""), rows))

    @property
    def decisions(self) -> Any:
        """One row an arrival: its task and node by row (-1: none), and its GPUs (bit i: GPU i)."""
        names = ("task", "node", "gpus", "fragments")
        return frame({name: self.arrays[name] for name in names if name in self.arrays})

    @property
    def curves(self) -> Any:
        """One row a percent of the GPUs that arrived: allocated, fragment (of all GPUs) and
        fragment_ratio (of free ones)."""
        return frame({
            name: self.arrays[name]
            for name in ("allocated", "fragment", "fragment_ratio")
            if name in self.arrays
        })


class Filling:
    """Nodes, pods and an order of arrivals."""

    def __init__(self, core: "_core.PackingTrace", name: str, seed: int) -> None:
        self._core = core
        self.name = name
        self.seed = seed

    def __len__(self) -> int:
        return len(self._core)

    def __repr__(self) -> str:
        return f"<muster.packing.Filling {self.name}: {len(self)} arrivals, {self._core.nodes} nodes>"

    def replay(self,
               policy: str = "fgd",
               *,
               seed: int | None = None,
               curves: bool = True) -> Result:
        """`policy` is one of POLICIES; `seed` is the chance of fgd:random."""
        out = self._core.replay(policy, self.seed if seed is None else seed, curves)
        arrays = {key: value for key, value in out.items() if isinstance(value, np.ndarray)}
        return Result(arrays=arrays,
                      **{key: value for key, value in out.items() if key not in arrays})


def openb(folder: traces.Path | None = None, *, list: str = "default", seed: int = 42) -> Filling:
    """A pod list of openb, in the order of arrivals and with the ranks of nodes that belong to
    `seed`. Each table is a file .csv, as `muster traces fetch openb` writes nodes and pods, or that
    file packed by gzip."""
    root = fetch.folder(folder) / "openb"
    files = {
        "nodes": root / "openb_node_list_gpu_node.csv",
        "pods": root / "pods" / f"openb_pod_list_{list}.csv",
        "arrivals": root / "orders" / f"arrivals_{list}.csv",
        "node_rank": root / "orders" / f"noderank_{list}.csv",
    }
    loaded = {}
    for role, file in files.items():
        path = fetch.packed(file)
        try:
            loaded[role] = (str(path), path.read_bytes())
        except FileNotFoundError:
            raise NotFound(f"openb: {role}: there is no file {path}") from None
    return Filling(_core.read_packing(loaded, seed), f"openb {list}, seed {seed}", seed)
