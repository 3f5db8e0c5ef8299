# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Importers: what other schedulers call a cluster, as a Muster scenario.

    from muster import interop
    objects = interop.read_objects(open("dump.yaml").read())
    conf = open("volcano-scheduler.conf").read()
    scenario, report = interop.scenario(objects, profile="volcano", configuration=conf)

The importers are the library's own (lib/import), so every language reads equal scenarios. This
package is their front door for Python: it reads YAML, which needs PyYAML, and scheduler
configurations, which need nothing.

A scenario is the JSON form that `muster run` reads. What a dump holds and a scenario cannot is in
the report, one entry each; an object that cannot be understood at all is an ImportFailure that
names it.

Reading text needs the standard library alone; `scenario` needs the extension module.
"""

from . import volcano
from .importer import scenario
from .reader import read_objects
from .report import Entry, ImportFailure, Report

__all__ = [
    "Entry",
    "ImportFailure",
    "Report",
    "read_objects",
    "scenario",
    "volcano",
]
