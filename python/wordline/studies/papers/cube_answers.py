# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""What the runs of the study of process similarity say to each figure of the thesis; cube_device.py has the figures of
the chip."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import Any, Protocol

from .cube_bursts import Percentiles
from .cube_device import DeviceAnswers, free
from ..framework.study import Answer, NotMeasured, Results, StudyFile, ask


class Asked(Protocol):
    """What the answers need of the study."""

    study: StudyFile
    fills: list[str]
    states: list[str]
    bursts: list[int]
    write_bursts: list[int]
    burst_lengths: list[int]
    calm_rates: list[int]
    reads_per_layer: list[int]
    retry_blocks: int
    saturated: dict[str, Any]
    variants: dict[str, list[Any]]


APPLICATIONS = {
    "mail": "cube_mail",
    "web": "cube_web",
    "proxy": "cube_proxy",
    "oltp": "cube_oltp",
    "rocks": "cube_rocksdb",
    "mongo": "cube_mongodb",
}
ASSUMPTIONS = {
    "drive": "the drive as it is",
    "margin": "320 mV on every layer",
    "bus": "a bus of 4,800 MT/s",
    "thesis": "both, as the thesis has it",
}
STATES = ("fresh", "1m", "1y")
AGED = STATES[1:]
THESIS = "full; calm, then burst; thesis' times"
SMALL = 10  # %: the gain of the off-line scheme, 8 % of tPROG, is at most 8.7 %


def iops(result: dict[str, Any]) -> float:
    return sum(result["ios"][op]["iops"] for op in ("read", "write"))


def retries_per_read(result: dict[str, Any]) -> float:
    """Over the reads that were asked for: by the host and by GC."""
    flash = result["flash"]
    return flash["retries"] / (flash["reads"] - flash["retries"] - flash["soft_reads"])


def program_energy(result: dict[str, Any]) -> float:
    """Of one program: Vcc x Icc x time, so in proportion to the mean program time."""
    return result["energy_pj"]["nand_array_by_operation"]["program"] / result["flash"]["programs"]


def followers_energy(result: dict[str, Any], default: float) -> float:
    """Of one program with parameters, where the others take `default` each."""
    flash, faster = result["flash"], result["programs"]["with_parameters"]
    return (program_energy(result) * flash["programs"] - default * (flash["programs"] - faster)) / faster


def followers_share(result: dict[str, Any]) -> float:
    """Per cent of the programs that were on other word lines than the first of their layer."""
    programs = result["programs"]
    followers = programs["host_followers"] + programs["moved_followers"]
    return 100 * followers / (followers + programs["host_leaders"] + programs["moved_leaders"])


def _of_burst(result: dict[str, Any]) -> float:
    """IOPS of the job `burst`, or of all."""
    rows = [job["iops"] for job in result.get("jobs", []) if job["name"] == "burst"]
    return rows[0] if rows else iops(result)


class Answers:
    """Reads the results of the study."""

    def __init__(self, study: Asked, results: Results):
        self.study, self.results = study, results
        self.bursts = study.bursts[0]

    # ---- what runs say

    def run(self, ftl: str, application: str, state: str, cpu: str, mode: str = "drawn") -> dict[str, Any]:
        mode = "drawn" if state == "fresh" else mode
        return self.results.get(part="main", application=application, mode=mode, state=state, ftl=ftl, cpu=cpu)

    def gain(self, ftl: str, base: str, application: str, state: str, cpu: str, mode: str = "drawn") -> float:
        """Per cent of IOPS above those of `base`."""
        runs = [self.run(name, application, state, cpu, mode) for name in (base, ftl)]
        return 100 * (iops(runs[1]) / iops(runs[0]) - 1)

    def gains(self, ftl: str, base: str, state: str, cpu: str, mode: str = "drawn") -> dict[str, float]:
        return {name: self.gain(ftl, base, name, state, cpu, mode) for name in APPLICATIONS}

    def writes(self, ftl: str, workload: str, fill: str, cpu: str) -> dict[str, Any]:
        return self.results.get(part="writes", load=workload, fill=fill, ftl=ftl, cpu=cpu)

    def stages(self, ftl: str, assumed: str, cpu: str = "native", stages: str = "calm first") -> float:
        """IOPS of the burst."""
        return _of_burst(self.results.get(part="stages", stages=stages, assumed=assumed, ftl=ftl, cpu=cpu))

    def state_gain(self, ftl: str, base: str, assumed: str, state: str) -> float:
        """The same on a drive that held something else, per cent above that of `base`."""
        labels = {"part": "states", "state": state, "assumed": assumed, "cpu": "native"}
        found = [_of_burst(self.results.get(ftl=name, **labels)) for name in (base, ftl)]
        return 100 * (found[1] / found[0] - 1)

    def stage_gain(self, ftl: str, base: str, assumed: str, cpu: str = "native", stages: str = "calm first") -> float:
        """Per cent of the burst's IOPS above those of `base`."""
        found = [self.stages(name, assumed, cpu, stages) for name in (base, ftl)]
        return 100 * (found[1] / found[0] - 1)

    def steady_burst_us(self, ftl: str, cpu: str) -> float:
        """Mean latency of a write of the bursts on a steady drive: what 32 outstanding ones are done in."""
        result = self.results.get(part="beyond", ftl=ftl, cpu=cpu)
        return next(job["lat_ps"]["mean"] for job in result["jobs"] if job["name"] == "burst") / 1e6

    def steady_gain(self, ftl: str, base: str, cpu: str = "native") -> float:
        """Per cent that the bursts are faster than with `base`."""
        return 100 * (self.steady_burst_us(base, cpu) / self.steady_burst_us(ftl, cpu) - 1)

    def overlapped(self, ftl: str, assumed: str) -> float:
        """IOPS of the burst where a die takes the next unit while it programs."""
        return _of_burst(self.results.get(part="overlap", assumed=assumed, ftl=ftl, cpu="native"))

    def burst(
        self, ftl: str, op: str, which: str, cpu: str, assumed: str = "thesis", burst: int | None = None
    ) -> float:
        """Of writes in bursts over a calm stream, in ms."""
        length = burst or self.study.write_bursts[0]
        result = self.results.get(part="bursts", burst=length, assumed=assumed, ftl=ftl, cpu=cpu)
        return result["ios"][op]["lat_ps"][which] / 1e9

    def latency(self, ftl: str, op: str, which: str, cpu: str, burst: int | None = None) -> float:
        """Of Rocks with bursts, in ms."""
        result = self.results.get(part="latency", burst=burst or self.bursts, ftl=ftl, cpu=cpu)
        return result["ios"][op]["lat_ps"][which] / 1e9

    def fewer_retries(self, mode: str, cpu: str) -> float:
        """Per cent that cubeFTL saves of the retries per read, in the mean over applications and aged states."""
        saved = []
        for state in AGED:
            for name in APPLICATIONS:
                before, after = (retries_per_read(self.run(ftl, name, state, cpu, mode)) for ftl in ("page", "cube"))
                if before > 0:
                    saved.append(100 * (1 - after / before))
        if not saved:
            raise NotMeasured
        return statistics.fmean(saved)

    def random_reads(self, mode: str, state: str, table: str, reads: int) -> float:
        """Retries per read of the host."""
        result = self.results.get(
            part="retries", mode=mode, state=state, table=table, reads=reads, ftl="page", cpu="native"
        )
        return retries_per_read(result)

    def wrong_offsets(self) -> float:
        """Per cent of the reads beyond the first ones of their layer that need a retry: those of the longest run, less
        what the run of half of its length has. Where nine of ten layers have moved."""
        few, many = self.study.reads_per_layer[-2:]
        layers = 8 * self.study.retry_blocks * 48
        more = (
            self.random_reads("drawn", "1y", "block", many) * many
            - self.random_reads("drawn", "1y", "block", few) * few
        )
        return 100 * more * layers / ((many - few) * layers)

    def cost(self, ftl: str, cpu: str) -> float:
        """us that are added to a program, one after the other on one die: what a write takes longer than with pageFTL,
        beyond what its program takes."""
        page, cube = (self.results.get(part="cost", ftl=name, cpu=cpu) for name in ("page", ftl))
        default = self.device.default_program_us()
        longer = (cube["ios"]["write"]["lat_ps"]["mean"] - page["ios"]["write"]["lat_ps"]["mean"]) / 1e6
        return longer - default * (program_energy(cube) / program_energy(page) - 1)

    # ---- figures

    @property
    def percentiles(self) -> Percentiles:
        return Percentiles(self.study, self.results)

    @property
    def device(self) -> DeviceAnswers:
        return DeviceAnswers(self.study.study.config, self.results.curves)

    def all(self) -> dict[str, Answer]:
        return {
            **self.device.all(),
            **self._largest(),
            **self._figure_23(),
            **self._programs(),
            **self._reads(),
            **self._latencies(),
        }

    def _largest(self) -> dict[str, Answer]:
        def most(base: str) -> str:
            found = ask(self.gains, "cube", base, "fresh", "native")
            if found is None:
                return "not measured"
            name = max(found, key=found.get)
            return f"{found[name]:+.1f} % ({name})"

        def of(base: str, paper: float) -> Answer:
            calm = {name: ask(self.stage_gain, "cube", base, name) for name in ASSUMPTIONS}
            alone = ask(self.stage_gain, "cube", base, "drive", "native", "burst alone")
            seen = ", ".join(f"{ASSUMPTIONS[name]} {_signed(gain)}" for name, gain in calm.items())
            without = ask(self.stage_gain, "cube-", base, "thesis")
            return Answer.within(
                paper,
                5,
                lambda cpu: self.stage_gain("cube", base, "thesis", cpu),
                f"A burst after a calm stage: {seen}; the burst alone {_signed(alone)}; the largest of the six applications, "
                f"saturated: {most(base)}. cubeFTL-: {_signed(without)}.",
                state=THESIS,
                experiment=f"calm stage first {_signed(calm['drive'])}, without {_signed(alone)}",
            )

        return {"cube.iops.vs_page.max": of("page", 48), "cube.iops.vs_vert.max": of("vert", 36)}

    def _figure_23(self) -> dict[str, Answer]:
        answers: dict[str, Answer] = {}
        for base in ("page", "vert"):
            for state in STATES:
                for name in APPLICATIONS:
                    answers[f"cube.iops.vs_{base}.{name}.{state}"] = self._one_gain(base, name, state)
        for state in STATES:
            answers[f"cube.iops.vert_vs_page.{state}"] = Answer.of(
                lambda found: -0.5 <= min(found.values()) and max(found.values()) <= SMALL,
                lambda cpu, state=state: self.gains("vert", "page", state, cpu),
                _by_name,
                note=f"Small: at most {SMALL} %.",
            )
        largest = {
            state: lambda cpu, state=state: max(found := self.gains("cube", "page", state, cpu), key=found.get)
            for state in STATES
        }
        answers |= {
            "cube.iops.fresh_cause": Answer.of(
                lambda retries: retries == 0,
                lambda cpu: sum(
                    self.run(ftl, name, "fresh", cpu)["flash"]["retries"]
                    for ftl in ("page", "cube")
                    for name in APPLICATIONS
                ),
                lambda retries: f"{retries} retries",
            ),
            "cube.iops.age_grows": Answer.of(
                lambda means: min(means[1:]) > means[0],
                lambda cpu: [statistics.fmean(self.gains("cube", "page", state, cpu).values()) for state in STATES],
                lambda means: ", ".join(f"{mean:.1f}" for mean in means) + " %",
                note=f"Mean over the applications: fresh, 1 month, 1 year. Retries by the cells: {self._physical()}.",
            ),
            "cube.iops.largest_fresh": Answer.of(lambda name: name == "oltp", largest["fresh"]),
            "cube.iops.largest_aged": Answer.of(
                lambda names: names == ["proxy", "proxy"],
                lambda cpu: [largest[state](cpu) for state in AGED],
                ", ".join,
                note="1 month, 1 year.",
                state="1 month and 1 year, retries drawn",
            ),
        }
        return answers

    def _one_gain(self, base: str, name: str, state: str) -> Answer:
        def gain(cpu: str) -> float:
            return self.gain("cube", base, name, state, cpu)

        if (base, name, state) == ("page", "oltp", "fresh"):
            calm, alone = (
                ask(self.stage_gain, "cube", "page", "drive", "native", s) for s in ("calm first", "burst alone")
            )
            isolated = f"writes in a calm stage before the burst {_signed(calm)}, without {_signed(alone)}"
            return Answer.within(48, 5, gain, experiment=isolated)
        cells = "" if state == "fresh" else ask(self.gain, "cube", base, name, state, "native", "physical")
        note = "" if state == "fresh" else f"Retries by the cells: {_signed(cells)}."
        aged = {"1m": "1 month, retries drawn", "1y": "1 year, retries drawn"}.get(state, "")
        return Answer.of(lambda found: found > 0.5, gain, lambda found: round(found, 1), note=note, state=aged)

    def _physical(self) -> str:
        means = [
            ask(lambda state=state: statistics.fmean(self.gains("cube", "page", state, "native", "physical").values()))
            for state in AGED
        ]
        return ", ".join(_signed(mean) for mean in means)

    def _programs(self) -> dict[str, Answer]:
        def shorter(ftl: str, cpu: str) -> float:
            runs = [self.run(name, "oltp", "fresh", cpu) for name in ("page", ftl)]
            return 100 * (1 - program_energy(runs[1]) / program_energy(runs[0]))

        def followers(cpu: str, application: str = "oltp") -> float:
            page, cube = (self.run(name, application, "fresh", cpu) for name in ("page", "cube"))
            default = program_energy(page)
            return 100 * (1 - followers_energy(cube, default) / default)

        def share(cpu: str) -> float:
            return followers_share(self.run("cube", "oltp", "fresh", cpu))

        def set_cost(cpu: str) -> float:
            return self.cost("cube-", cpu) - self.cost("reports", cpu)

        all_programs, of_followers = ask(shorter, "cube", "native"), ask(share, "native")
        return {
            "cube.tprog.vert.gain": Answer.within(8, 1, lambda cpu: shorter("vert", cpu), "All programs of OLTP."),
            "cube.tprog.cube.avg": Answer.within(
                30,
                4,
                followers,
                f"Followers of OLTP, fresh. All programs: {_plain(all_programs)}, {_plain(of_followers)} of them on "
                "followers.",
            ),
            "cube.opm.set_cost": Answer.of(
                lambda us: us < 1,
                set_cost,
                lambda us: round(us, 2),
                note="Added to a program in the mean of leaders and followers, layer by layer.",
            ),
            "cube.safety.overhead": Answer.of(
                lambda us: us < 1,
                lambda cpu: self.cost("reports", cpu),
                lambda us: round(us, 2),
                note="Each program in the mean: six GET FEATURES after a leader, one after a follower.",
            ),
        }

    def _reads(self) -> dict[str, Answer]:
        def by_reads() -> str:
            parts = []
            for reads in self.study.reads_per_layer:
                off, block = (ask(self.random_reads, "drawn", "1y", table, reads) for table in ("off", "block"))
                saved = None if not off or block is None else 100 * (1 - block / off)
                parts.append(f"{reads}: {_plain(saved)}")
            return ", ".join(parts)

        def at_three() -> float:
            """Per cent of the retries that a table by block saves."""
            saved = []
            for state in AGED:
                off, block = (self.random_reads("drawn", state, table, 3) for table in ("off", "block"))
                if not off:
                    raise NotMeasured
                saved.append(100 * (1 - block / off))
            return statistics.fmean(saved)

        def offline(mode: str = "physical", state: str = "1y") -> tuple[float, float]:
            most = self.study.reads_per_layer[-1]
            off, die, block = (self.random_reads(mode, state, table, most) for table in ("off", "die", "block"))
            if not off:
                raise NotMeasured
            return 100 * (1 - die / off), 100 * (1 - block / off)

        def elsewhere() -> str:
            """What a table by layer is worth at other ages, and where offsets are drawn for each block."""
            kinds = {
                ("physical", "1y"): "by the cells at 1 year",
                ("physical", "2y"): "at 2 years",
                ("drawn", "1y"): "drawn",
            }
            found = [(text, ask(offline, *kind)) for kind, text in kinds.items()]
            texts = [f"{text} by layer {two[0]:.0f} %, by block and layer {two[1]:.0f} %" for text, two in found if two]
            return ", ".join(texts) if len(texts) > 1 else ""

        return {
            "cube.numretry.reduction": Answer.within(
                66,
                10,
                free(at_three),
                "Random reads of 4 KiB, three for each h-layer, mean of 1 month and 1 year. By reads for each h-layer at 1 "
                f"year: {by_reads()}. Mean over the applications, {_plain(ask(self.fewer_retries, 'drawn', 'native'))}; "
                f"iss, {_plain(ask(self.fewer_retries, 'drawn', 'iss'))}; retries by the cells: "
                f"{_plain(ask(self.fewer_retries, 'physical', 'native'))}.",
                state="aged, 3 reads of each h-layer",
                experiment=f"reads for each h-layer {by_reads()}",
            ),
            "cube.read.accuracy": Answer.of(
                lambda share: share <= 5,
                free(self.wrong_offsets),
                lambda share: f"{abs(share):.1f} % of later reads",
                note="Rarely: up to 5 %. Random reads at 1 year, after the first ones of each layer.",
            ),
            "cube.related.ref_offline": Answer.of(
                lambda saved: saved[1] > saved[0],
                free(offline),
                lambda saved: f"by layer {saved[0]:.0f} %, by block and layer {saved[1]:.0f} %",
                note="Retries saved at 1 year by the cells: a value for each layer of a die, whatever the block, and "
                "one for each layer of each block.",
                state="1 year, retries by the cells",
                experiment=elsewhere(),
            ),
        }

    def _latencies(self) -> dict[str, Answer]:
        """Of writes in bursts over a calm stream with the thesis' times; reads are those of Rocks."""

        def four(of: Callable[..., float], op: str, which: str) -> Callable[[str], dict[str, float]]:
            return lambda cpu: {ftl: of(ftl, op, which, cpu) for ftl in ("page", "vert", "cube-", "cube")}

        def show(found: dict[str, float]) -> str:
            return ", ".join(f"{name} {value:.3g}" for name, value in found.items()) + " ms"

        def shorter(cpu: str, assumed: str = "thesis", burst: int | None = None) -> float:
            cubes = [self.burst(ftl, "write", "p80", cpu, assumed, burst) for ftl in ("cube-", "cube")]
            return 100 * (1 - cubes[1] / cubes[0])

        def ratio(cpu: str, assumed: str = "thesis", burst: int | None = None) -> float:
            found = [self.burst(ftl, "write", "p90", cpu, assumed, burst) for ftl in ("page", "cube")]
            return found[0] / found[1]

        def by_burst(value: Callable[..., float], shown: Callable[[float | None], str], assumed: str) -> str:
            found = ((b, ask(value, "native", assumed, b)) for b in self.study.write_bursts)
            return ", ".join(f"{burst}: {shown(seen)}" for burst, seen in found)

        def both(value: Callable[..., float], shown: Callable[[float | None], str]) -> str:
            return (
                f"By writes of a burst: {by_burst(value, shown, 'thesis')}; the drive as it is: "
                f"{by_burst(value, shown, 'drive')}."
            )

        def p90(ftl: str, paper: float) -> Answer:
            def found(cpu: str, assumed: str = "thesis", burst: int | None = None) -> float:
                return self.burst(ftl, "write", "p90", cpu, assumed, burst)

            return Answer.within(paper, 0.1 * paper, found, f"{both(found, _number)[:-1]}, ms.", state=THESIS)

        drive = ask(ratio, "native", "drive")
        thesis = ask(ratio, "native")
        return {
            "cube.lat.write.p90.cube": p90("cube", 0.72),
            "cube.lat.write.p90.page": p90("page", 1.10),
            "cube.lat.write.p90.ratio": Answer.within(
                1.53,
                0.15,
                ratio,
                both(ratio, _number),
                state=THESIS,
                experiment=f"the thesis' times {_number(thesis)}, the drive as it is {_number(drive)}",
            ),
            "cube.lat.write.p80.vs_cubeminus": Answer.within(
                42.26, 5, shorter, both(shorter, _plain), state=THESIS, experiment=self.percentiles.summary()
            ),
            "cube.lat.write.order": Answer.of(
                lambda found: found["cube"] < found["cube-"] < min(found["vert"], found["page"]),
                four(self.burst, "write", "mean"),
                show,
                note="Means.",
                state=THESIS,
            ),
            "cube.lat.read.order": Answer.of(
                lambda found: found["cube"] < min(value for name, value in found.items() if name != "cube"),
                four(self.latency, "read", "mean"),
                show,
                note="Means, of Rocks.",
            ),
        }


def _by_name(found: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:.1f}" for name, value in found.items()) + " %"


def _number(value: float | None) -> str:
    return "not measured" if value is None else f"{value:.2f}"


def _signed(value: float | None) -> str:
    return "not measured" if value is None else f"{value:+.1f} %"


def _plain(value: float | None) -> str:
    return "not measured" if value is None else f"{value:.0f} %"
