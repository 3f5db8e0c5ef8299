# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Importers: what other schedulers call a cluster, as a Muster scenario.

    from muster import interop
    objects = interop.read_objects(open("dump.json").read())
    scenario, report = interop.volcano.scenario(objects, configuration=open("volcano-scheduler.conf").read())

A scenario is the JSON form that `muster run` reads. What a dump says and a scenario cannot say is in the
report, one entry each; an object that cannot be understood at all is an ImportFailure that names it.

This package needs nothing but the standard library and knows nothing of the rest of `muster`, so that a
checkout can use it without building anything.
"""

from . import configuration, kubernetes, quantity, volcano
from .reader import read_objects
from .report import Entry, ImportFailure, Report

__all__ = [
    "Entry",
    "ImportFailure",
    "Report",
    "configuration",
    "kubernetes",
    "quantity",
    "read_objects",
    "volcano",
]
