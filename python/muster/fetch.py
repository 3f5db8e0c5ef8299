# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Public originals of traces, downloaded to where the readers look for them.

    muster traces list
    muster traces fetch philly --to ~/traces

Without --to, the folder is MUSTER_TRACES, else ../shared/traces.

A download is written to FILE.part and moved when it is whole, so every file in place is whole. A
broken download continues if the server supports HTTP ranges, else it begins anew. A file with
another checksum than the one listed here is removed. If none is listed, the checksum of the
download is printed, to be compared by hand.
"""

import argparse
import contextlib
import hashlib
import http.client
import os
import pathlib
import re
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from .arguments import Parser, files
from .errors import Error, InvalidArgument

# What the first word of a trace may be.
KINDS = ("philly", "openb", "hpc", "swf", "itp", "csv", "parquet", "alibaba2020", "alibaba2023",
         "google2019", "mix")
_CHUNK = 1 << 16
_SECONDS = 30  # without a byte


@dataclass(frozen=True)
class File:
    """`path` is relative to the folder of traces. `text`: it is not downloaded but written."""

    path: str
    url: str = ""
    sha256: str | None = None
    text: str | None = None


@dataclass(frozen=True)
class Source:
    about: str
    files: tuple[File, ...]


_ALIBABA = "https://raw.githubusercontent.com/alibaba/clusterdata/master/cluster-trace-gpu-v2023/csv/"
_PAI = "https://aliopentrace.oss-cn-beijing.aliyuncs.com/v2020GPUTraces/"
_ADAPTDL = "https://raw.githubusercontent.com/petuum/adaptdl/osdi21-artifact/simulator/traces/"
_ARCHIVE = "https://www.cs.huji.ac.il/labs/parallel/workload/"

# Nodes of 8 GPUs of each virtual cluster, as the study "Characterization and Prediction of Deep
# Learning Workloads in Large-Scale GPU Datacenters" (SC'21) took them.
_VIRTUAL_CLUSTERS = {
    "6214e9": 64,
    "7f04ca": 32,
    "11cb48": 16,
    "b436b2": 64,
    "ee9e8c": 64,
    "e13805": 16,
    "6c71a0": 32,
    "2869ce": 16,
    "ed69ec": 8,
    "103959": 8,
    "0e4a51": 32,
}


def _log(name: str, folder: str) -> Source:
    return Source(
        f"{name}, a log of the Parallel Workloads Archive: traces.swf",
        (File(f"hpc_swf/{name}.swf.gz", f"{_ARCHIVE}{folder}/{name}.swf.gz"),),
    )


SOURCES = {
    "openb": Source(
        "Alibaba's GPU cluster of 2023, pods as recorded: traces.openb(recorded=True)",
        (
            File(
                "openb/openb_node_list_gpu_node.csv",
                _ALIBABA + "openb_node_list_gpu_node.csv",
                "2beca64b4d3dfa342036a34b56a495c6cef9225db836c81f541282cb1df320b5",
            ),
            File(
                "openb/pods/openb_pod_list_default.csv",
                _ALIBABA + "openb_pod_list_default.csv",
                "1ee7ed79c27a3b0861cda8ddba86a004c6aba904caafa329a76ae93ca63834a8",
            ),
        ),
    ),
    "philly": Source(
        "Microsoft's Philly, 82,247 jobs (CC-BY-4.0): traces.philly",
        (
            File(
                "philly/philly_jobs.csv",
                _ADAPTDL + "philly.csv",
                "ebffb3dd1589bdf4e7bcd74496201c5ded1d557d498ee14f560463f37ec353da",
            ),
            File(
                "philly/vc_nodes.csv",
                text="vc,nodes\n" +
                "".join(f"{vc},{nodes}\n" for vc, nodes in _VIRTUAL_CLUSTERS.items()),
            ),
        ),
    ),
    "alibaba2020": Source(
        "Alibaba's PAI of 2020, 94 MB of .tar.gz to unpack: traces.alibaba2020",
        (
            File(
                "alibaba2020/pai_task_table.tar.gz",
                _PAI + "pai_task_table.tar.gz",
                "cd1d6dc3215d2a8607ccf6b6dd952b5db776df86926c73259fea7c1499ac40e5",
            ),
            File(
                "alibaba2020/pai_machine_spec.tar.gz",
                _PAI + "pai_machine_spec.tar.gz",
                "cc0d38a4045af1b1af8179de8b1b54b1ddd995e6160d6d061a6b1000f1276c2d",
            ),
            File(
                "alibaba2020/pai_job_table.tar.gz",
                _PAI + "pai_job_table.tar.gz",
                "5aad7f7caac501136d14ed6a48e40546f825d7b0617a3a4f337e2348fe0a6cb0",
            ),
        ),
    ),
    "tiresias": Source(
        "60 jobs of the simulator of Tiresias (Apache-2.0): bench/quality_training.py",
        (
            File(
                "tiresias/60_job.csv",
                "https://raw.githubusercontent.com/SymbioticLab/Tiresias/master/simulator/60_job.csv",
                "17575949a6e570960db42bc5576739de9c334ed4c664859841c4f01ede38bd1b",
            ),
        ),
    ),
    "gavel": Source(
        "speeds of 26 models on three types of GPUs, of Gavel (MIT): bench/quality_training.py",
        (
            File(
                "gavel/simulation_throughputs.json",
                "https://raw.githubusercontent.com/stanford-futuredata/gavel/master/scheduler/"
                "simulation_throughputs.json",
                "17111f7295f03265fd9e5118d7eba31e3dd9d6e50a2e215c13ad3d3f91f74381",
            ),
        ),
    ),
    "kth-sp2": _log("KTH-SP2-1996-2.1-cln", "l_kth_sp2"),
    "ctc-sp2": _log("CTC-SP2-1996-3.1-cln", "l_ctc_sp2"),
    "sdsc-sp2": _log("SDSC-SP2-1998-4.2-cln", "l_sdsc_sp2"),
    "sdsc-blue": _log("SDSC-BLUE-2000-4.2-cln", "l_sdsc_blue"),
    "hpc2n": _log("HPC2N-2002-2.2-cln", "l_hpc2n"),
    "ricc": _log("RICC-2010-2", "l_ricc"),
}


def folder(given: str | os.PathLike[str] | None = None) -> pathlib.Path:
    """Where traces lie: `given`, else MUSTER_TRACES, else ../shared/traces."""
    if given is not None:
        return pathlib.Path(given)
    return pathlib.Path(os.environ.get("MUSTER_TRACES") or "../shared/traces")


def packed(path: pathlib.Path) -> pathlib.Path:
    """The file as it is published, where it is there; else packed by gzip."""
    return path if path.exists() else path.with_name(path.name + ".gz")


class FetchError(Error):
    """What could not be downloaded, and why."""


def digest_of(path: pathlib.Path) -> str:
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def _rest(url: str, have: int) -> tuple[http.client.HTTPResponse, int]:
    """An open answer and the byte it begins with: `have`, or 0 where the server begins anew."""
    request = urllib.request.Request(url, headers={"User-Agent": "muster", "Accept-Encoding": "identity"})
    if have:
        request.add_header("Range", f"bytes={have}-")
    try:
        answer = urllib.request.urlopen(request, timeout=_SECONDS)
    except urllib.error.HTTPError as failure:
        failure.close()
        # The file has nothing beyond these bytes; they may be the beginning of another file.
        if failure.code == 416 and have:
            return _rest(url, 0)
        raise
    if answer.status != 206:
        return answer, 0
    told = re.match(r"bytes (\d+)-", answer.headers.get("Content-Range", ""))
    if told is None or int(told[1]) != have:
        answer.close()
        return _rest(url, 0)
    return answer, have


def download(file: File, target: pathlib.Path, tell: Callable[[str], None]) -> None:
    part = target.with_name(target.name + ".part")
    have = part.stat().st_size if part.exists() else 0
    try:
        answer, begin = _rest(file.url, have)
        with answer, open(part, "ab" if begin else "wb") as out:
            if begin:
                tell(f"{file.path}: going on after {begin} bytes")
            length = answer.headers.get("Content-Length")
            want = begin + int(length) if length is not None else None
            while chunk := answer.read(_CHUNK):
                out.write(chunk)
            size = out.tell()
    except (OSError, http.client.HTTPException, ValueError) as failure:
        raise FetchError(f"{file.path}: {file.url}: {failure}; what came is kept in {part}, fetch again to go on") from None
    if want is not None and size != want:
        raise FetchError(
            f"{file.path}: {size} of {want} bytes came from {file.url}; they are kept in {part}, fetch again to go on"
        )
    got = digest_of(part)
    if file.sha256 is not None and got != file.sha256:
        part.unlink()
        raise FetchError(f"{file.path}: the sha256 of {file.url} is {got}, not {file.sha256}; the file is removed")
    os.replace(part, target)
    tell(f"{file.path}: {size} bytes, sha256 {got}" + ("" if file.sha256 else " (nothing to compare it with)"))


def fetch(source: Source,
          folder: pathlib.Path,
          tell: Callable[[str], None] = lambda line: None) -> None:
    """Downloads the files that are missing. Fails if an existing file has another checksum, and
    keeps it."""
    for file in source.files:
        target = folder / file.path
        if target.exists():
            if file.sha256 is not None and (got := digest_of(target)) != file.sha256:
                raise FetchError(f"{target}: it is there, but its sha256 is {got}, not {file.sha256}; move it away")
            tell(f"{file.path}: there already")
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        if file.text is not None:
            part = target.with_name(target.name + ".part")
            try:
                part.write_text(file.text, encoding="utf-8")
                os.replace(part, target)
            finally:
                with contextlib.suppress(FileNotFoundError):
                    part.unlink()
            tell(f"{file.path}: written")
        else:
            download(file, target, tell)


def named(name: str) -> Source:
    if name not in SOURCES:
        raise InvalidArgument(
            f'there is no trace "{name}" to fetch; there are {", ".join(SOURCES)}')
    return SOURCES[name]


def listing(folder: pathlib.Path) -> Iterable[str]:
    width = max(map(len, SOURCES))
    for name, source in SOURCES.items():
        there = sum(packed(folder / file.path).exists() for file in source.files)
        state = (
            "there" if there == len(source.files)
            else f"{there} of {len(source.files)} files" if there else "-")
        yield f"{name:{width}}  {state:14}  {source.about}"


def _parser() -> Parser:
    parser = Parser("muster traces", "Lists the traces that can be fetched, or fetches the public "
                    "originals of some.")
    kinds = parser.add_subparsers(dest="kind", required=True)
    kinds.add_parser("list", help="names, and what is there already")
    fetching = kinds.add_parser("fetch", help="downloads what is not there already, and compares checksums")
    fetching.add_argument("name", nargs="+", metavar="NAME")
    for kind in (kinds.choices["list"], fetching):
        kind.add_argument("--to", metavar="DIR", help="the folder of traces (MUSTER_TRACES or ../shared/traces)")
        kind.values["to"] = files
    fetching.values["name"] = lambda word: [f"{name}\t{one.about}" for name, one in SOURCES.items()]
    return parser


def candidates(words: Sequence[str]) -> list[str]:
    """What may stand in place of the last word of muster traces."""
    return _parser().candidates(words)


def main(words: Sequence[str]) -> int:
    """muster traces: needs no extension module."""
    args = _parser().parse_args(words)
    root = folder(args.to)
    try:
        if args.kind == "list":
            print("\n".join(listing(root)))
        else:
            for source in [named(name) for name in args.name]:
                fetch(source, root, lambda line: print(line, flush=True))
    except (Error, OSError) as failure:
        print(f"muster traces: {failure}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("muster traces: interrupted; fetch again to go on", file=sys.stderr)
        return 130
    return 0
