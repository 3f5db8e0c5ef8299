#!/usr/bin/env python3
# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Draws what profiles decide about one scenario, side by side: nodes with their GPUs in the colors
of the jobs that got them, and below each job's state in the words of `muster explain`.

    tools/picture.py examples/four_jobs.json -o docs/four_jobs.svg

Every mark is from the output of the command line (--muster names it). The picture is one SVG
without fonts, scripts or links, and equal plans give equal pictures.
"""

import argparse
import collections
import html
import json
import pathlib
import subprocess
import textwrap

COLORS = ("#3b6fb6", "#d9822b", "#4c9a5b", "#a05fa8", "#b64a4a", "#5f8a8b")
GPU = "nvidia.com/gpu"
CELL, PANEL, TOP, LEFT = 22, 300, 74, 20


def muster(program, *words):
    return subprocess.run([program, *map(str, words)], check=True, capture_output=True,
                          text=True).stdout


class Panel:
    """What one profile decided."""

    def __init__(self, program, path, scenario, profile):
        self.profile = profile
        plan = json.loads(muster(program, "run", path, "--profile", profile, "--json"))
        self.size = {}  # GPUs of a task, by job
        self.count = {}
        for job in scenario["jobs"]:
            (group,) = job["groups"]
            self.size[job["name"]] = group["shape"]["request"].get(GPU, 0)
            self.count[job["name"]] = group["count"]
        self.placed = collections.Counter()
        self.held = collections.defaultdict(list)  # node -> jobs, one for each GPU
        for decision in plan["decisions"]:
            if decision["kind"] != "bind":
                continue
            job = decision["job"]
            self.placed[job] += 1
            self.held[decision["node"]] += [job] * self.size[job]
        self.words = {}
        for job in scenario["jobs"]:
            text = muster(program, "explain", path, job["name"], "--profile", profile)
            lines = [line.strip() for line in text.splitlines()]
            self.words[job["name"]] = lines[1] if len(lines) > 1 else ""

    def summary(self, scenario):
        whole = sum(self.placed[job["name"]] >= job["min_available"] for job in scenario["jobs"])
        stuck = sum(self.placed[job["name"]] * self.size[job["name"]] for job in scenario["jobs"]
                    if self.placed[job["name"]] < job["min_available"])
        words = f"{whole} of {len(scenario['jobs'])} jobs start"
        return words + (f"; {stuck} GPUs held in vain" if stuck else "")


def nodes_of(scenario):
    """(name, GPUs) of each node."""
    for node in scenario["nodes"]:
        count = node.get("count")
        for i in range(count or 1):
            name = node["name"] + (str(i) if count else "")
            yield name, int(node["capacity"].get(GPU, 0))


def text(x, y, words, style):
    return f'<text x="{x}" y="{y}" class="{style}">{html.escape(words)}</text>'


def draw_panel(panel, scenario, color, x):
    out = [text(x, 26, panel.profile, "name"), text(x, 46, panel.summary(scenario), "soft")]
    y = TOP
    for name, gpus in nodes_of(scenario):
        out.append(text(x, y + 15, name, "soft"))
        held = panel.held[name]
        for i in range(gpus):
            fill = color[held[i]] if i < len(held) else "none"
            stuck = i < len(held) and panel.placed[held[i]] < next(
                job["min_available"] for job in scenario["jobs"] if job["name"] == held[i])
            look = ' class="stuck"' if stuck else ""
            out.append(f'<rect x="{x + 48 + i * CELL}" y="{y}" width="{CELL - 4}" '
                       f'height="{CELL - 4}" rx="3" fill="{fill}"{look}/>')
        y += CELL + 4
    y += 16
    for job in scenario["jobs"]:
        name = job["name"]
        out.append(f'<rect x="{x}" y="{y - 11}" width="12" height="12" rx="2" '
                   f'fill="{color[name]}"/>')
        out.append(text(x + 20, y, f"{name}: {panel.placed[name]} of {panel.count[name]}", "job"))
        for line in textwrap.wrap(panel.words[name], 42)[:2]:
            y += 16
            out.append(text(x + 20, y, line, "soft"))
        y += 24
    return "\n".join(out), y


def draw(scenario, panels):
    color = {job["name"]: COLORS[i % len(COLORS)] for i, job in enumerate(scenario["jobs"])}
    drawn = [draw_panel(panel, scenario, color, LEFT + i * PANEL)
             for i, panel in enumerate(panels)]
    width, height = LEFT + len(panels) * PANEL, max(y for _, y in drawn)
    body = "\n".join(part for part, _ in drawn)
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" \
width="{width}" height="{height}" role="img">
<title>{html.escape(", ".join(panel.profile for panel in panels))} on one scenario</title>
<style>
text {{ font: 13px system-ui, sans-serif; fill: #1d2330; }}
.name {{ font-size: 18px; font-weight: 700; }}
.soft {{ font-size: 12px; fill: #5d6678; }}
rect[fill="none"] {{ stroke: #b9c0cd; }}
.stuck {{ fill-opacity: .35; stroke: #b3261e; stroke-dasharray: 3 2; }}
</style>
<rect width="{width}" height="{height}" fill="#fff"/>
{body}
</svg>
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("scenario", type=pathlib.Path)
    parser.add_argument("-o", "--out", type=pathlib.Path, required=True)
    parser.add_argument("--profile", action="append", help="kube-scheduler, volcano and muster")
    parser.add_argument("--muster", default="build/release/muster", help="the program")
    arguments = parser.parse_args()
    scenario = json.loads(arguments.scenario.read_text(encoding="utf-8"))
    profiles = arguments.profile or ["kube-scheduler", "volcano", "muster"]
    panels = [Panel(arguments.muster, arguments.scenario, scenario, profile)
              for profile in profiles]
    arguments.out.write_text(draw(scenario, panels), encoding="utf-8")


if __name__ == "__main__":
    main()
