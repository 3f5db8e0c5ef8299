# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Figures for papers, drawn by matplotlib from the same records as the report."""

from __future__ import annotations

import pathlib
from typing import TYPE_CHECKING

from .errors import InvalidArgument

if TYPE_CHECKING:
    from .study import Study


def save(study: Study, folder: pathlib.Path, form: str = "svg") -> list[pathlib.Path]:
    """Utilisation, pending jobs and waits of each trace, a file each."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise InvalidArgument(
            "save_figures: matplotlib is not installed (pip install matplotlib)") from None
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for number, digest in enumerate(study.traces):
        cells = [
            (study.cells[i].label, study.records[i][0]["pictures"]) for i in study.finished(digest)
        ]
        for name, words in (("utilisation", "utilisation"), ("pending", "pending jobs"), ("waits", "share of jobs")):
            figure = Figure(figsize=(5, 3), layout="constrained")
            axes = figure.subplots()
            for label, p in cells:
                hours = [t / 3600 for t in p["time"]]
                if name == "utilisation" and p["leading"] in p["used"]:
                    axes.step(hours, [y if y is not None else float("nan") for y in p["used"][p["leading"]]], where="post", label=label)
                elif name == "pending":
                    axes.step(hours, p["waiting"], where="post", label=label)
                elif name == "waits":
                    quantiles = p["wait_quantiles"]
                    axes.plot([max(1, w) for w in quantiles],
                              [i / 200 for i in range(len(quantiles))],
                              label=label)
                    axes.set_xscale("log")
            axes.set_xlabel("wait [s]" if name == "waits" else "time [h]")
            axes.set_ylabel(words)
            axes.legend(frameon=False)
            path = folder / f"{number}_{name}.{form}"
            figure.savefig(path, metadata={"Date": None} if form == "svg" else None)
            made.append(path)
    return made
