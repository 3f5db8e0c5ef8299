# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""For tests of the importers: small objects as a dump has them, and what is made of them."""

import importlib.util
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python" / "muster"))

from interop import volcano  # noqa: E402

HAVE_YAML = importlib.util.find_spec("yaml") is not None


def node(name="n1", **allocatable):
    return {
        "kind": "Node",
        "metadata": {"name": name},
        "status": {"allocatable": allocatable or {"cpu": "4", "pods": "10"}},
    }


def queue(name="q", **spec):
    api = {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue"}
    return api | {
        "metadata": {"name": name},
        "spec": {"weight": 1} | spec,
        "status": {"state": "Open"},
    }


def group(name="g", status="Pending", annotations=None, **spec):
    api = {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup"}
    metadata = {"name": name, "namespace": "ns", "annotations": annotations or {}}
    return api | {"metadata": metadata, "spec": {"queue": "q"} | spec, "status": {"phase": status}}


def pod(
    name="p",
    job="g",
    phase="Pending",
    requests=None,
    annotations=None,
    labels=None,
    uid=None,
    status=None,
    **spec,
):
    metadata = {
        "name": name,
        "namespace": "ns",
        "labels": labels or {},
        "annotations": dict(annotations or {}),
    }
    if job:
        metadata["annotations"]["scheduling.k8s.io/group-name"] = job
    if uid:
        metadata["uid"] = uid
    containers = [
        {"name": "c", "resources": {"requests": {"cpu": "1"} if requests is None else requests}}
    ]
    return {
        "kind": "Pod",
        "metadata": metadata,
        "spec": {"containers": containers} | spec,
        "status": {"phase": phase} | (status or {}),
    }


def imported(*objects, **options):
    return volcano.scenario(objects, **options)
