# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Workloads that a study makes or shortens."""

from __future__ import annotations

import dataclasses
import json
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from .points import StudyError, Workload

_COUNTS = re.compile(r"\s*(number_ios|io_size)\s*=")


def fio(name: str, **options: object) -> Workload:
    """A job file of one job. Options as fio spells them; None leaves one out, True writes it without a value."""
    lines = [f"[{name}]"]
    for key, value in options.items():
        if value is not None:
            lines.append(key if value is True else f"{key}={value}")
    return Workload(name, text="\n".join(lines) + "\n")


def jobs(name: str, parts: Sequence[tuple[str, Mapping[str, object]]], at_once: bool = False) -> Workload:
    """A job file of several jobs, one after the other unless `at_once`."""
    texts = []
    for number, (job, options) in enumerate(parts):
        after = {} if at_once or number == 0 else {"stonewall": True}
        texts.append(fio(job, **after, **options).text)
    return Workload(name, text="".join(texts))


def shortened(workload: Workload, requests: int) -> Workload:
    """The same fio job file with so many requests for each of its jobs."""
    if workload.path is None or workload.path.suffix != ".fio":
        raise StudyError(f"{workload.file_name()}: --requests shortens fio job files (NAME.fio) only")
    lines = []
    for line in Path(workload.path).read_text().splitlines():
        if _COUNTS.match(line):
            continue
        lines.append(line)
        header = re.match(r"\s*\[(.+)\]", line)
        if header and header[1] != "global":
            lines.append(f"number_ios={requests}")
    return Workload(workload.name, text="\n".join(lines) + "\n")


# Jobs that follow each other or check what they wrote end, whatever the drive has come to.
_ENDS = re.compile(r"^\s*(stonewall|wait_for\w*|verify\w*|create_only|steadystate|ss)\b", re.MULTILINE)


def text_of_jobs(workload: Workload) -> str:
    """The jobs of a fio job file; empty: it is a trace or a profile."""
    if workload.path is None:
        return workload.text if workload.suffix == ".fio" else ""
    return workload.path.read_text(errors="replace") if workload.path.suffix == ".fio" else ""


def may_go_on(workload: Workload) -> bool:
    """Whether run.until can end it, in place of its jobs."""
    return not _ENDS.search(text_of_jobs(workload))


def count_of_jobs(workload: Workload) -> int:
    headers = re.findall(r"^\s*\[(.+)\]", text_of_jobs(workload), re.MULTILINE)
    return sum(header != "global" for header in headers) or 1


def profile_text(name: str, generator: Mapping[str, Any]) -> str:
    """A profile as `wordline run --workload` takes it, of the parameters of its generator."""
    lines: list[str] = ["[profile]", f"name = {json.dumps(name)}"]

    def table(header: str, values: Mapping[str, Any]) -> None:
        lines.append(f"[{header}]")
        lines.extend(f"{key} = {json.dumps(value)}" for key, value in values.items() if not isinstance(value, dict))
        for key, value in values.items():
            if isinstance(value, dict):
                table(f"{header}.{key}", value)

    table("generator", generator)
    return "\n".join(lines) + "\n"


class Profiles:
    """Published workloads: configs/workloads/profiles of a tree, made to fit a study; or, where a folder has them, the
    original traces (a file whose name begins as the profile's after its source: web_0.csv for msr_web_0)."""

    def __init__(self, root: Path, traces: Path | None = None):
        self.folder, self.traces = root / "configs/workloads/profiles", traces
        self.originals: dict[str, Path] = {}  # that were taken instead of profiles
        if traces is not None and not traces.is_dir():
            raise StudyError(f"--traces {traces}: no such folder")

    def within(self, name: str, requests: int, most_pages: int) -> Workload:
        """The profile with so many requests; the footprint, in pages of 4 KiB, as published, or scaled down to
        `most_pages`."""
        return self._scaled(name, requests, lambda published: min(published, most_pages))

    def over(self, name: str, requests: int, pages: int, *options: str) -> Workload:
        """The workload with so many requests; the footprint scaled to so many pages of 4 KiB; more options of `wordline
        run`."""
        workload = self._scaled(name, requests, lambda _: pages)
        return dataclasses.replace(workload, options=(*workload.options, *options))

    def without_pauses(self, name: str, requests: int, pages: int, **arrival: Any) -> Workload:
        """The same as over(), as fast as the drive takes it: no think time, and what else of the arrivals is given."""
        return self.arriving(name, requests, pages, **{"burst": 1, "think": "0s", **arrival})

    def arriving(self, name: str, requests: int, pages: int, **arrival: Any) -> Workload:
        """The same as over(), with other arrivals. Original traces have their own."""
        own = self.generator(name).get("arrival", {})
        return self.changed(self.over(name, requests, pages), name, arrival={**own, **arrival})

    def changed(self, made: Workload, name: str, **changes: Any) -> Workload:
        """The same workload with other parameters of its generator. An original trace stays as it is."""
        if made.path is None or made.path.parent != self.folder:
            return made
        text = profile_text(name, {**self.generator(name), **changes})
        return dataclasses.replace(made, path=None, text=text, suffix=".toml")

    def file(self, name: str, most: int = 0) -> tuple[Path, int]:
        """The profile as published, or its original, and how many requests tell what it is like, up to `most`; 0 for
        all."""
        workload = self._scaled(name, 1, lambda published: published)
        assert workload.path is not None
        published = workload.path.parent == self.folder
        requests = self.generator(name)["requests"] if published else 0
        return workload.path, min(requests or most, most) if most else requests

    def generator(self, name: str) -> dict[str, Any]:
        """What makes the profile's requests."""
        path = self.folder / f"{name}.toml"
        try:
            return tomllib.loads(path.read_text())["generator"]
        except (OSError, tomllib.TOMLDecodeError, KeyError) as error:
            raise StudyError(f"{path}: no profile: {error}") from error

    def dense(self, name: str, requests: int, least_pages: int, *options: str) -> Workload:
        """The workload with so many requests, over as much less of the footprint: a page is accessed as often as
        published. But no class of pages (read, written, both) has fewer than `least_pages` of 4 KiB, unless it is
        published with fewer."""
        generator = self.generator(name)
        smallest = min(generator["pages"].values())
        share = min(1.0, max(requests / generator["requests"], least_pages / smallest))
        workload = self._scaled(name, requests, lambda published: max(1, round(published * share)))
        return dataclasses.replace(workload, options=(*workload.options, *options))

    def _scaled(self, name: str, requests: int, pages: Callable[[int], int]) -> Workload:
        if self.traces is not None:
            for original in sorted(self.traces.glob(name.partition("_")[2] + "*")):
                self.originals[name] = original
                return Workload(name, original)  # whole: beyond the end of the drive it begins again at its begin
        found = self.generator(name)["pages"]
        published = sum(found.get(kind, 0) for kind in ("read_only", "write_only", "both"))
        options = ("--requests", str(requests), "--footprint", f"{pages(published) / published:.6f}")
        return Workload(name, self.folder / f"{name}.toml", options=options)
