# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Recorded scripts of scheduler-plugins' scores by system calls."""

import json
from pathlib import Path
from typing import Any

from probe import Probe

Case = dict[str, Any]

ANNOTATION = "seccomp.security.alpha.kubernetes.io"
# All scripts of the plug-in have the profiles that this one records.
PROFILES = "sysched.TestScore.json"


def _same(what: str, got: Any, right: Any) -> list[str]:
    return [] if got == right else [f"{what}: {got}, recorded {right}"]


def profiles(case: Case) -> list[Case]:
    document = json.loads((Path(case["folder"]) / PROFILES).read_text())
    rows = {o["ref"]: o["object"] for c in document["cases"] for o in c["objects"]}
    return [
        {"op": "profile", "namespace": row["metadata"]["namespace"],
         "name": row["metadata"]["name"],
         "rules": [[rule["action"], rule["names"]] for rule in row["spec"]["syscalls"]]}
        for row in rows.values() if row["kind"] == "SeccompProfile"
    ]


def pod(row: Case) -> Case:
    meta, spec = row.get("metadata") or {}, row.get("spec") or {}
    contexts = [spec.get("securityContext")]
    contexts += [c.get("securityContext") for c in spec.get("containers") or []]
    named = [(context or {}).get("seccompProfile") or {} for context in contexts]
    paths = [p["localhostProfile"] for p in named
             if p.get("type") == "Localhost" and p.get("localhostProfile")]
    notes = meta.get("annotations") or {}
    paths += [text for key, text in notes.items() if ANNOTATION in key][:1]
    status = row.get("status") or {}
    return {"pod": meta.get("name") or "", "paths": paths, "node": spec.get("nodeName") or "",
            "phase": status.get("phase") or "", "address": status.get("hostIP") or ""}


EVENTS = {"addPod": ("add", "pod"), "podAdded": ("seen", "obj"), "podUpdated": ("updated", "old"),
          "podDeleted": ("remove", "obj"), "removePod": ("remove", "pod"),
          "updateHostSyscalls": ("add_calls", "pod")}


def _default(script: Any) -> list[str]:
    plugin = next((s["value"] for s in script.steps
                   if s.get("set") == "sys" and "DefaultProfileName" in s["value"]), {})
    return [plugin.get("DefaultProfileNamespace", "default"),
            plugin.get("DefaultProfileName", "full-seccomp")]


def played(case: Case, script: Any, probe: Probe) -> list[str]:
    ops = profiles(case)
    standard = _default(script)
    out = []

    def ask(op: Case) -> Any:
        return probe.plugin_calls(standard, [*ops, op])[-1]

    for step in script.steps:
        call, args = step.get("call", "").partition(".")[2], step.get("args") or {}
        told = next((s["value"] for s in script.steps
                     if s["n"] == step["n"] + 1 and "set" in s), None)
        if call in EVENTS:
            op, name = EVENTS[call]
            ops.append({"op": op} | pod(script.value(args[name])))
        elif call == "getSyscalls":
            answer = ask({"op": "of_pod"} | pod(script.value(args["pod"])))
            out += _same(call, answer, sorted(script.result(step["n"])))
        elif call == "readSPOProfileCR":
            answer = ask({"op": "of_profile", "name": args["name"],
                          "namespace": args["namespace"]})
            out += _same(call, answer, sorted(told or []))
        elif call == "recomputeHostSyscalls":
            adds = [{"op": "add_calls"} | pod(script.value(row)) for row in args["pods"]]
            answer = probe.plugin_calls(standard, [*ops, *adds, _of_node("test")])[-1]
            out += _same(call, answer["calls"], sorted(script.result(step["n"])))
        elif call == "getHostSyscalls":
            out += _same(call, len(ask(_of_node(args["nodeName"]))["calls"]), told)
        elif call == "Score":
            node = script.value(args["nodeInfo"]["nodeInfo"]["node"])["metadata"]["name"]
            answer = ask({"op": "score"} | pod(script.value(args["pod"])) | {"node": node})
            out += _same(call, answer, told)
    answer = ask(_of_node("test"))
    for check in case["observed"]["checks"]:
        if check["what"] == 'len(sys.HostToPods["test"])':
            out += _same("pods", answer["pods"], check["actual"])
        elif check["what"] == 'len(sys.HostSyscalls["test"])':
            out += _same("calls", len(answer["calls"]), check["actual"])
    return out


def _of_node(node: str) -> Case:
    return {"op": "of_node", "node": node}


def count(case: Case, script: Any, probe: Probe) -> list[str]:
    """The plug-in counts a set: here the set of a node with one such profile."""
    [step] = script.calls("SySched.calcScore")
    rules = [["SCMP_ACT_ALLOW", step["args"]["syscalls"]]]
    ops = [{"op": "profile", "namespace": "a", "name": "b", "rules": rules},
           {"op": "add_calls", "node": "n", "pod": "p", "paths": ["a/b.json"]}, _of_node("n")]
    answer = probe.plugin_calls(["", ""], ops)[-1]
    return _same("count", len(answer["calls"]), script.result(step["n"]))


def reverse(case: Case, script: Any, probe: Probe) -> list[str]:
    [step] = script.calls("SySched.NormalizeScore")
    scores = [row["Score"] for row in step["args"]["scores"]]
    [answer] = probe.plugin_calls(["", ""], [{"op": "reverse", "scores": scores}])
    return _same("scores", answer, case["expect"]["expected"])


def profile_name(case: Case, script: Any, probe: Probe) -> list[str]:
    [step] = script.calls("parseNameNS")
    op = {"op": "profile_name", "path": step["args"]["profilePath"]}
    [answer] = probe.plugin_calls(["", ""], [op])
    return _same("name", answer, [case["expect"]["expectedNS"], case["expect"]["expectedName"]])


CALLS = {f"SySched.{call}": played for call in (
    *EVENTS, "getHostSyscalls", "getSyscalls", "readSPOProfileCR", "recomputeHostSyscalls",
    "Score")} | {
    "SySched.NormalizeScore": reverse,
    "SySched.calcScore": count,
    "parseNameNS": profile_name,
}
