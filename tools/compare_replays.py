#!/usr/bin/env python3
# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Replays traces under several profiles; prints a table for each and writes a page with pictures.

    tools/compare_replays.py build/release/muster build/replays
    tools/compare_replays.py build/release/muster build/replays --profiles easy,muster

The recorded traces openb and Philly are read from MUSTER_TRACES, or from ../shared/traces, and cut
to what a few seconds allow: fewer jobs on fewer nodes, so crowded that profiles differ. Without
them the jobs are made up from mixes. Needs nothing but the command line and Python's standard
library. FOLDER receives the cut traces, the wait of each job, and index.html.
"""

import argparse
import csv
import gzip
import html
import json
import math
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PROFILES = "muster,volcano,kube-batch,fcfs,easy"
COLORS = ("#1b6ca8", "#c8553d", "#3c8d40", "#8e5ea2", "#b8860b", "#555555", "#00868b", "#a0522d")


def rows_of(path):
    """The header and the rows of a CSV file, plain or gzip; an empty line is no row."""
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", newline="") as file:
        header, *rows = filter(None, csv.reader(file))
    return header, rows


def write_rows(path, header, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(",".join(row) + "\n" for row in (header, *rows)).encode()
    # Without the time of its making: the same bytes every time.
    path.write_bytes(gzip.compress(text, mtime=0) if path.suffix == ".gz" else text)


def cut_openb(source, folder):
    """openb as recorded, without its first 1,000 pods, on every 128th node."""
    header, nodes = rows_of(source / "openb_node_list_gpu_node.csv")
    write_rows(folder / "openb_node_list_gpu_node.csv", header, nodes[::128])
    header, pods = rows_of(source / "pods/openb_pod_list_default.csv.gz")
    pods.sort(key=lambda row: int(row[header.index("creation_time")]))
    write_rows(folder / "pods/openb_pod_list_default.csv.gz", header, pods[1000:])
    return "openb, as recorded, on every 128th node", [
        "openb", "--dir", str(folder), "--list", "default", "--recorded"]


def cut_philly(source, folder):
    """5,000 jobs of Philly on an eighth of its nodes."""
    header, clusters = rows_of(source / "vc_nodes.csv")
    count = header.index("nodes")
    for row in clusters:
        row[count] = str(math.ceil(int(row[count]) / 8))
    write_rows(folder / "vc_nodes.csv", header, clusters)
    header, jobs = rows_of(source / "philly_jobs.csv.gz")
    jobs.sort(key=lambda row: row[header.index("timestamp")])
    write_rows(folder / "philly_jobs.csv.gz", header, jobs[40000:45000])
    return "Philly, an eighth of its nodes", [
        "philly", "--file", str(folder / "philly_jobs.csv.gz"),
        "--vcs", str(folder / "vc_nodes.csv")]


def traces(folder):
    """(name, arguments of `muster replay`) of each trace."""
    recorded = pathlib.Path(os.environ.get("MUSTER_TRACES") or ROOT.parent / "shared/traces")
    out = []
    if (recorded / "openb").is_dir():
        out.append(cut_openb(recorded / "openb", folder / "openb"))
    if (recorded / "philly").is_dir():
        out.append(cut_philly(recorded / "philly", folder / "philly"))
    if out:
        return out
    print(f"No recorded traces in {recorded} (or MUSTER_TRACES): these are made from mixes.")

    def mix(name, jobs, nodes):
        return ["mix", "--mix", name, "--jobs", str(jobs), "--nodes", str(nodes), "--mix-load",
                "1.1"]

    return [("openb, made up, 40 nodes", mix("openb", 1500, 40)),
            ("Philly, made up, an eighth of its nodes", mix("philly", 1500, 44))]


def replay(cli, arguments, profile, waits):
    """What `muster replay --json` prints; the wait of each job goes to the file `waits`."""
    command = [cli, "replay", *arguments, "--policy", profile, "--json", "--decisions", str(waits)]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}\n{done.stderr.strip()}")
    return json.loads(done.stdout)


def gpu_utilisation(result):
    for resource in result["resources"]:
        if "gpu" in resource["name"]:
            return resource["utilisation"]
    return result["utilisation"]


def row(profile, result):
    jobs = result["all"]
    return {
        "profile": profile,
        "ended": result["ended"],
        "mean wait h": f"{jobs['wait']['mean'] / 3600:.2f}",
        "p95 wait h": f"{jobs['wait']['p95'] / 3600:.2f}",
        "bounded slowdown": f"{jobs['bounded_slowdown']['mean']:.1f}",
        "GPU utilisation": f"{gpu_utilisation(result):.3f}",
        "evictions": result["evictions"],
        "seconds": f"{result['seconds']:.2f}",
    }


def text_table(rows):
    """Rows of equal keys, aligned; the first column left, the others right."""
    lines = [list(rows[0]), *([str(value) for value in row.values()] for row in rows)]
    width = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return "\n".join(
        "  ".join([line[0].ljust(width[0]), *(w.rjust(n) for w, n in zip(line[1:], width[1:]))])
        for line in lines)


def html_table(rows):
    def line(tag, cells):
        return "<tr>" + "".join(f"<{tag}>{html.escape(str(c))}</{tag}>" for c in cells) + "</tr>"

    return ("<table>" + line("th", rows[0]) + "".join(line("td", row.values()) for row in rows)
            + "</table>")


def curve(waits, submitted):
    """Points (log10 of seconds, share of jobs that waited no longer), 200 at most."""
    waits = sorted(waits)
    step = max(1, len(waits) // 200)
    return [(math.log10(max(1, waits[i])), (i + 1) / submitted)
            for i in range(0, len(waits), step)]


def picture(curves):
    """An SVG: for each profile the share of jobs (y) that waited at most so long (x)."""
    width, height, decades = 640, 300, 7

    def point(x, y):
        return f"{50 + x / decades * (width - 170):.1f},{height - 30 - y * (height - 50):.1f}"

    marks = [(0, "1 s"), (math.log10(60), "1 min"), (math.log10(3600), "1 h"),
             (math.log10(86400), "1 d"), (math.log10(864000), "10 d")]
    parts = [f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}">']
    for x, word in marks:
        at = point(x, 0).split(",")[0]
        parts.append(f'<line x1="{at}" y1="20" x2="{at}" y2="{height - 30}" class="grid"/>'
                     f'<text x="{at}" y="{height - 12}" text-anchor="middle">{word}</text>')
    for share in (0, 0.25, 0.5, 0.75, 1):
        left, y = point(0, share).split(",")
        parts.append(f'<line x1="{left}" y1="{y}" x2="{width - 120}" y2="{y}" class="grid"/>'
                     f'<text x="44" y="{float(y) + 4}" text-anchor="end">{share:.0%}</text>')
    for i, (profile, points) in enumerate(curves):
        color = COLORS[i % len(COLORS)]
        line = " ".join(point(x, y) for x, y in points)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{color}" stroke-width="2"/>'
                     f'<text x="{width - 110}" y="{32 + 18 * i}" fill="{color}">'
                     f"{html.escape(profile)}</text>")
    return "".join(parts) + "</svg>"


STYLE = """body{font:15px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em}
table{border-collapse:collapse}td,th{padding:.2em .7em;border-bottom:1px solid #ddd;text-align:right}
td:first-child,th:first-child{text-align:left}.grid{stroke:#ddd}svg text{font-size:12px}
code{background:#f4f4f4}"""


def section(name, arguments, rows, curves):
    command = " ".join(["muster replay", *arguments, "--policy", "PROFILE"])
    return (f"<h2>{html.escape(name)}</h2>{html_table(rows)}"
            f"<p>Share of the jobs that had started after a wait of at most so long:</p>"
            f"{picture(curves)}<p>Again: <code>{html.escape(command)}</code></p>")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cli", help="the command line, build/release/muster")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--profiles", default=PROFILES,
                        help="comma-separated (default: %(default)s)")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    sections = []
    for name, words in traces(arguments.folder):
        rows, curves = [], []
        for number, profile in enumerate(arguments.profiles.split(",")):
            print(f"  {name}: {profile}", flush=True)
            file = arguments.folder / f"waits_{len(sections)}_{number}.csv"
            result = replay(arguments.cli, words, profile, file)
            waits = [int(wait) for _, wait in rows_of(file)[1] if wait]
            rows.append(row(profile, result))
            curves.append((profile, curve(waits, result["submitted"])))
        print(f"\n{name}, {result['submitted']:,} jobs\n{text_table(rows)}\n", flush=True)
        sections.append(section(name, words, rows, curves))
    page = arguments.folder / "index.html"
    page.write_text(f'<!DOCTYPE html><meta charset="utf-8"><title>Replays</title>'
                    f"<style>{STYLE}</style><h1>Replays</h1>{''.join(sections)}\n",
                    encoding="utf-8")
    print(f"Page with pictures: {page.resolve()}")


if __name__ == "__main__":
    main()
