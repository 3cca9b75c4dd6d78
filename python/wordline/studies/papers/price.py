# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""What a policy costs on a drive whose cores can be the limit (REF-TLC32), as the part `price` of a study: random reads
and writes of 4 KiB with one and three cores, and with one core and the engines that the policy can live with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..framework.jobs import fio
from ..framework.points import Point
from ..framework.study import CPUS, Results, StudyFile, ask

Sets = Mapping[str, Any]
CORES = {1: "[0,0,0]", 3: "[0,1,2]"}
# Engines by whether reads are looked up in hardware: a policy that notices reads refuses that, and what needs it.
LOOKED_UP = ("l2p", "buffer", "job", "completion", "gc", "victim")
NOTICED = ("gc", "victim")


def points(study: StudyFile, requests: int, policies: Mapping[str, tuple[Sets, tuple[str, ...]]]) -> Iterable[Point]:
    """`policies`: keys and engines of each, by the name that the table has."""
    config = study.config.with_name("ref_tlc32.toml")
    for op in ("read", "write"):
        workload = fio(op, rw=f"rand{op}", bs="4k", iodepth=256, norandommap=True, number_ios=requests)
        for policy, (sets, engines) in policies.items():
            for cores, on in ((1, ()), (3, ()), (1, engines)):
                for cpu in CPUS:
                    hardware = {f"engines.{name}": "on" for name in on}
                    keys = {"cpu.cores": cores, "cpu.task_core": CORES[cores], **sets, **hardware, **CPUS[cpu]}
                    labels = {"op": op, "policy": policy, "cores": cores, "engines": bool(on), "cpu": cpu}
                    yield Point.make(config, workload, keys, {"part": "price", **labels})


def table(results: Results, policies: Iterable[str], drive: str = "REF-TLC32") -> dict[str, Any]:
    def row(op: str, cores: int, engines: bool, policy: str) -> list[Any]:
        labels = {"part": "price", "op": op, "cores": cores, "engines": engines, "policy": policy}
        runs = [results.get(**labels, cpu=cpu) for cpu in CPUS]
        cycles = sum(runs[1]["firmware_cycles"].values()) / runs[1]["ios"][op]["count"]
        return [*(round(run["ios"][op]["iops"]) for run in runs), round(cycles), runs[1]["bottleneck"]["resource"]]

    return {
        "title": "The price",
        "text": f"{drive}, 4 KiB at random, 256 outstanding. Cycles of all cores per request, boot and GC "
        "included; free: firmware that takes no time. Engines: lookup, buffer, jobs, completion, scan and victim; "
        "where the policy notices reads, scan and victim.",
        "head": ["requests", "cores", "engines", "policy", "IOPS, free", "IOPS, iss", "cycles per request", "limit"],
        "rows": [
            [op, cores, "on" if engines else "-", policy, *(ask(row, op, cores, engines, policy) or [None] * 4)]
            for op in ("read", "write")
            for cores, engines in ((1, False), (3, False), (1, True))
            for policy in policies
        ],
    }
