# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""What the page of one run shows: result.json as it is, and what else the run left in its folder."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

from .files import ReportError, need, need_text, read_json, read_text, read_toml

MADE_BY = "./scripts/wordline run CONFIG -w WORKLOAD --out DIR"
NEEDED = (
    "wordline.version",
    "wordline.workload",
    "status",
    "window.length_ps",
    "ios",
    "series.width_ps",
    "series.completed",
    "flash.waf_parts",
    "ecc",
    "utilisation",
    "gc",
    "blocks",
    "buffer",
    "bottleneck.sentence",
    "bottleneck.resource",
    "stages",
    "slowest",
    "energy_pj.total",
    "check",
)
TEXTS = ("wordline.version", "wordline.workload", "status", "bottleneck.sentence", "bottleneck.resource")
MOST_WINDOWS = 240


def read_result(folder: Path) -> dict[str, Any]:
    path = folder / "result.json"
    if not folder.is_dir():
        raise ReportError(f"{folder}: no such folder; expected the folder of a run, as this leaves it: {MADE_BY}")
    result = read_json(path, MADE_BY)
    need(result, NEEDED, path, MADE_BY)
    need_text(result, TEXTS, path, MADE_BY)
    if not isinstance(result["ios"], dict):
        raise ReportError(f"{path}: ios is no object; the file is damaged, make it again: {MADE_BY}")
    for op, values in result["ios"].items():
        need(values, ("count", "iops", "bytes_per_s", "lat_ps"), path, MADE_BY)
        if values["count"]:
            need(result, (f"stages.{op}.mean",), path, MADE_BY)
    return result


def read(folder: Path) -> dict[str, Any]:
    result = read_result(folder)
    config = folder / "config.toml"
    return {
        "kind": "run",
        "title": f"Run of {result['wordline']['workload'].split(':')[0]}",
        "lead": result["bottleneck"]["sentence"],
        "run": result,
        "distribution": distribution(folder, result),
        "cores_over_time": cores_over_time(folder / "profile_utilisation.csv"),
        "waves": (folder / "waves.fst").exists(),
        "config": read_toml(config) if config.exists() else None,
        "config_text": read_text(config) if config.exists() else None,
    }


def distribution(folder: Path, result: dict[str, Any]) -> dict[str, Any] | None:
    """By operation: latencies in ns and the share of requests that are not slower, from the buckets of a file of
    --fio-json-plus in the folder. Of another run (its numbers of requests say so) it is not taken."""
    for path in sorted(folder.glob("*.json")):
        if path.name in ("result.json", "cost.json"):
            continue
        found = read_json(path, f"{MADE_BY} --fio-json-plus {path}")
        if "fio version" not in found or not isinstance(found.get("jobs"), list):
            continue
        curves = {}
        for op, values in result["ios"].items():
            buckets: dict[int, int] = {}
            for job in found["jobs"]:
                part = job.get(op, {})
                lat = next((part[name] for name in ("lat_ns", "clat_ns") if "bins" in part.get(name, {})), {})
                for latency, count in lat.get("bins", {}).items():
                    buckets[int(latency)] = buckets.get(int(latency), 0) + count
            if values["count"] and sum(buckets.values()) == values["count"]:
                curves[op] = cumulated(buckets)
        if curves:
            return {"file": path.name, "curves": curves}
    return None


def cumulated(buckets: dict[int, int]) -> dict[str, list[float]]:
    total, seen = sum(buckets.values()), 0
    latencies, shares = [], []
    for latency in sorted(buckets):
        if not buckets[latency]:
            continue
        seen += buckets[latency]
        latencies.append(latency)
        shares.append(round(seen / total, 9))
    return {"ns": latencies, "share": shares}


def cores_over_time(path: Path) -> dict[str, Any] | None:
    """Busy shares of the cores by window, of a run with --profile; neighbours are joined to at most MOST_WINDOWS."""
    if not path.exists():
        return None
    lines = list(csv.reader(read_text(path).splitlines()))
    try:
        names = lines[0][1:]
        times = [float(line[0]) for line in lines[1:]]
        columns = [[float(line[at + 1]) for line in lines[1:]] for at in range(len(names))]
    except (IndexError, ValueError) as error:
        raise ReportError(f"{path}: no table of numbers ({error}); run again with --profile, or remove it") from error
    step = -(-len(times) // MOST_WINDOWS) if times else 1
    joined = [
        [round(sum(part) / len(part), 6) for at in range(0, len(times), step) if (part := column[at : at + step])]
        for column in columns
    ]
    return {"time_us": times[::step], "cores": dict(zip(names, joined))}


def compact(result: dict[str, Any]) -> dict[str, Any]:
    """What the numbers of a point show inside the page of its study: a tenth of result.json."""
    done = {op: values for op, values in result["ios"].items() if values["count"]}
    return {
        "wordline": {name: result["wordline"][name] for name in ("version", "workload")},
        "status": result["status"],
        "status_reason": result.get("status_reason"),
        "window": {"length_ps": result["window"]["length_ps"]},
        "ios": done,
        "flash": {name: result["flash"].get(name) for name in ("waf", "waf_parts", "host_bytes_written")},
        "utilisation": {name: summary(shares) for name, shares in result["utilisation"].items()},
        "buffer": result["buffer"],
        "bottleneck": result["bottleneck"],
        "what_if": result.get("what_if", []),
        "stages": {
            op: {
                "mean": [stage for stage in result["stages"][op]["mean"] if stage["waiting_ps"] or stage["service_ps"]]
            }
            for op in done
        },
        "energy_pj": result["energy_pj"],
    }


def summary(shares: Any) -> Any:
    """A list of busy shares as least, mean and most."""
    if not isinstance(shares, list) or not shares:
        return shares
    mean = round(sum(shares) / len(shares), 6)
    return {"least": min(shares), "mean": mean, "most": max(shares), "members": len(shares)}


def as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
