# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Random drives: geometries, policies, engines, cores, buses, wear and faults, and something to do for each: among it
commands that overlap.

Drive number i of a seed is the same however many are drawn. Policies and engines, and what they need, are those of the
program (drive_runs.tables)."""

from __future__ import annotations

import random
import zlib

CELLS = {"slc": 1, "mlc": 2, "tlc": 3, "qlc": 4}
PARTS = ("512", "2560", "4k", "8k", "8k", "16k")
RAW_MIB = 16  # at most: overwritten in some hundred requests
# That fill superblocks row by row, which parity and an SLC cache need.
ROW_POLICIES = ("page_greedy", "page_cost_benefit", "page_d_choices", "page_fifo", "page_hot_cold", "sepbit")


def geometry(draw: random.Random) -> dict:
    while True:
        cell = draw.choice(list(CELLS))
        page = draw.choice((2, 4, 8, 16))
        sets = {
            "channels.count": draw.choice((1, 1, 2, 4)),
            "channels.packages": draw.choice((1, 1, 2)),
            "channels.dies_per_package": draw.choice((1, 2, 3)),
            "nand.cell": cell,
            "nand.timing.senses_per_page": "[]",
            "nand.planes": draw.choice((1, 2, 2, 4)),
            "nand.blocks_per_plane": draw.randint(8, 48),
            "nand.layers": draw.randint(1, 5),
            "nand.wls_per_layer": draw.randint(1, 4),
            "nand.page": f"{page}KiB",
            "nand.spare": f"{page * 138 + draw.choice((0, 0, 64))}B",
            "nand.program": draw.choice(("page", "wordline")),
            "nand.program_order": draw.choice(("horizontal", "vertical", "mixed")),
        }
        dies = sets["channels.count"] * sets["channels.packages"] * sets["channels.dies_per_package"]
        pages = sets["nand.layers"] * sets["nand.wls_per_layer"] * CELLS[cell]
        raw = dies * sets["nand.planes"] * sets["nand.blocks_per_plane"] * pages * page / 1024
        if 1 <= raw <= RAW_MIB:
            return sets


def power_of_two(draw: random.Random, low: int, high: int) -> int:
    return 1 << draw.randint(low, high)


def controller(draw: random.Random, tables: dict) -> dict:
    cores = draw.randint(1, 4)
    start = draw.randint(2, 5)
    return {
        "host.model": draw.choice(("nvme", "nvme", "direct")),
        "host.queue_entries": draw.choice((2, 3, 16, 64, 1024)),
        "nvme.tags": draw.choice((1, 2, 7, 64, 1024)),
        "nvme.fetch_burst": draw.choice((1, 2, 16, 64)),
        "nvme.max_transfer_sectors": power_of_two(draw, 1, 9),
        "cpu.model": draw.choice(("native", "native", "iss")),
        "cpu.cores": cores,
        "cpu.task_core": str([draw.randrange(cores) for _ in range(3)]),
        "cpu.quantum": draw.choice(("0ns", "100ns", "1us", "1us", "3us", "10us", "100us", "1ms")),
        "cpu.clock": draw.choice(("50MHz", "500MHz", "2GHz")),
        "ftl.policy": draw.choice(list(tables["policies"])),
        "ftl.map": draw.choice(("sector", "sector", "sector", "page")),
        "ftl.packing": draw.choice(("true", "true", "false")),
        "ftl.write_back": draw.choice(("true", "true", "false")),
        **draw.choice(
            (
                {},
                {},
                {"ftl.idle_after": "1us", "ftl.idle_free_superblocks": start + 2},
                {"ftl.idle_after": "100us", "ftl.idle_free_superblocks": 20},
            )
        ),
        "ftl.over_provisioning": round(draw.choice((0.1, 0.3, 0.6, 1.0, 2.0)) * draw.uniform(0.8, 1.2), 3),
        "ftl.gc_start_superblocks": start,
        "ftl.gc_reserve_superblocks": draw.randint(2, start),
        "ftl.write_buffer": f"{power_of_two(draw, 5, 12)}KiB",
        "ftl.read_buffer": f"{power_of_two(draw, 3, 11)}KiB",
        "ftl.gc_buffer": f"{power_of_two(draw, 5, 11)}KiB",
        "ftl.power_safe": draw.choice(("true", "false")),
        "precondition.fill": draw.choice(("none", "sequential", "random", "steady")),
    }


def engines(draw: random.Random, tables: dict) -> dict:
    rows = tables["engines"]
    on = {name for name in rows if draw.random() < 0.5}
    if draw.random() < 0.8:  # an engine may lack one that it needs, and is then refused
        for _ in rows:
            on |= {need for name in on for need in rows[name]["needs"]}
    sets = {f"engines.{name}": "on" if name in on else "off" for name in rows}
    for name in draw.sample([name for name, row in rows.items() if row["timed"]], 2):
        sets[f"engines.{name}_latency"] = draw.choice(("0ns", "50ns", "5us"))
        sets[f"engines.{name}_interval"] = draw.choice(("0ns", "20ns", "2us"))
        sets[f"engines.{name}_depth"] = draw.choice((1, 2, 64))
    return sets


def without(refused: list[str], tables: dict) -> dict:
    """Engines off that a policy refuses, and those that need them."""
    off = set(refused)
    for _ in tables["engines"]:
        off |= {name for name, row in tables["engines"].items() if off & set(row["needs"])}
    return {f"engines.{name}": "off" for name in sorted(off)}


def flash(draw: random.Random, harsh: bool) -> dict:
    sets = {
        "channels.pair_planes": draw.choice(("true", "false")),
        "channels.cache_read": draw.choice(("true", "false")),
        "channels.cache_program": draw.choice(("true", "false")),
        "channels.suspend": draw.choice(("never", "program", "erase", "both")),
        "channels.suspend_limit": draw.choice((1, 4, 255)),
        "channels.starvation_bound": draw.choice((0, 1, 16)),
        "ecc.max_retries": draw.randint(0, 6),
        "ecc.max_soft": draw.randint(0, 2),
        "ecc.ort": draw.choice(("off", "retry", "first")),
    }
    if draw.random() < 0.3:
        sets["channels.mode"] = draw.choice(("sdr-0", "sdr-5", "nv-ddr2-8", "nv-ddr3-5", "nv-lpddr4-19"))
    if draw.random() < 0.4:
        sets |= {
            "nand.aging.pe_cycles": draw.choice((500, 3000, 10000)),
            "nand.aging.retention_days": draw.choice((0.0, 30.0, 365.0)),
            "nand.aging.early_loss": draw.choice(("true", "false")),
            "nand.aging.page_age": draw.choice(("true", "false")),
        }
    if draw.random() < 0.3:
        sets |= {
            "nand.faults.program_failures": draw.choice((0.0, 1e-4, 1e-2)),
            "nand.faults.erase_failures": draw.choice((0.0, 1e-3, 1e-1)),
            "nand.faults.bad_blocks": draw.choice((0.0, 0.005, 0.05)),
        }
        if not harsh:  # failures at times: a drive keeps the superblocks that it cannot do without
            sets |= {
                "nand.faults.program_failures": 1e-6,
                "nand.faults.erase_failures": 1e-5,
                "nand.faults.bad_blocks": 0.0,
            }
    if draw.random() < 0.4:
        sets |= {
            "ftl.spare_blocks": draw.choice((1, 3, 8)),
            "ftl.wear_levelling": draw.choice(("fifo", "dynamic")),
            "nand.plane_blocks": draw.choice(("same", "any")),
        }
    if draw.random() < 0.1:
        sets["nand.faults.unreadable_pages"] = draw.choice((1e-4, 1e-2))
    sets["channels.register_hits"] = draw.choice(("true", "false"))
    if draw.random() < 0.1:
        sets |= {
            "nand.faults.moved_references": draw.choice((0.1, 1.0)),
            "ecc.max_retries": draw.choice((7, 8)),
            "nand.faults.moved_steps": draw.choice((1, 3, 7)),
        }
    if draw.random() < 0.1:
        sets["ecc.model"] = "rtl"
        sets["ecc.rtl_every"] = draw.choice((20, 100))
    return sets


def read_path(draw: random.Random) -> dict:
    """Drawn last: what else a drive of a seed is does not depend on it."""
    sets = {}
    if draw.random() < 0.3:
        sets["channels.read_ahead"] = draw.choice(("8KiB", "64KiB", "256KiB", "2MiB"))
        sets["channels.read_ahead_after"] = draw.choice((1, 2, 16, 255))
    if draw.random() < 0.3:
        sets["channels.page_engine"] = draw.choice(("1ps", "500ns", "20us"))
    if draw.random() < 0.3:
        sets["link.requests_first"] = draw.choice(("true", "false"))
        sets["link.dma_setup"] = draw.choice(("0ps", "300ns", "20us"))
        sets["nvme.write_latency"] = draw.choice(("0ps", "3us", "1ms"))
    return sets


def around_reads(draw: random.Random) -> dict:
    """Drawn last, as read_path()."""
    if draw.random() < 0.7:
        return {}
    return {
        "channels.hand_over": draw.choice(("0ps", "1ps", "3us", "1ms")),
        "channels.split_data_out": draw.choice(("true", "false")),
        "channels.page_latency": draw.choice(("0ps", "6us", "1ms")),
    }


def workload(draw: random.Random) -> str:
    text = "[global]\nnorandommap\n"
    for number in range(draw.randint(1, 3)):
        kind = draw.choice(("randread", "randwrite", "randrw", "randtrim", "write", "read"))
        text += (
            f"[job{number}]\nrw={kind}\nbs={draw.choice(('512', '2560', '4k', '16k', '128k'))}\n"
            f"iodepth={draw.choice((1, 4, 32))}\nnumber_ios={draw.randint(10, 60)}\n"
        )
    return text + (
        f"[overwrite]\nrw=randwrite\nbs={draw.choice(('16k', '64k'))}\niodepth={draw.choice((1, 8, 64))}\n"
        f"io_size={draw.choice((30, 100, 200))}%\n"
    )


def overlapping(draw: random.Random, sets: dict) -> str:
    """Jobs at once on the same few logical pages, so that most of their commands overlap with others in flight; the
    longer with a slow link. Drawn last, too."""
    if draw.random() < 0.3:
        sets["link.bandwidth"] = draw.choice(("20MB/s", "200MB/s", "1GB/s"))
    size = draw.choice(("16k", "16k", "32k", "128k"))
    text = ""
    for number in range(draw.randint(1, 3)):
        kind = draw.choice(("randrw", "randrw", "randrw", "randread", "randwrite", "write", "trimwrite", "randtrim"))
        text += (
            f"[hot{number}]\nrw={kind}\nbs={draw.choice(('4k', '8k', '16k') if 'trim' in kind else PARTS)}\n"
            f"iodepth={draw.choice((8, 32, 64))}\nnumber_ios={draw.randint(100, 500)}\nsize={size}\n"
            f"io_size=100000%\n" + draw.choice(("", "", f"fsync={draw.choice((1, 8, 50))}\n"))
        )
    return text


def pages_of_block(sets: dict) -> int:
    return sets["nand.layers"] * sets["nand.wls_per_layer"] * CELLS[sets["nand.cell"]]


def two_page_sizes(draw: random.Random, sets: dict) -> None:
    sets |= {"ftl.map": "page", "ftl.packing": "true", "ftl.gc_pacing": "false"}
    sets.pop("ftl.spare_blocks", None)
    if sets["precondition.fill"] != "none":
        sets["precondition.fill"] = "sequential"
    if sets["nand.page"] == "2KiB":
        sets |= {"nand.page": "8KiB", "nand.spare": "1104B"}
    unit = CELLS[sets["nand.cell"]] if sets["nand.program"] == "wordline" else 1
    blocks = draw.randint(3, 12)
    sets |= {
        "nand.region.page": "2KiB" if sets["nand.page"] == "4KiB" else draw.choice(("2KiB", "4KiB")),
        "nand.region.blocks_per_plane": blocks,
        "nand.region.pages_per_block": unit * draw.randint(0, pages_of_block(sets) // unit),
        "ftl.mpnfm.gc_start_blocks": draw.randint(1, blocks - 2),
        "ftl.mpnfm.threshold": draw.choice(("0B", "0B", "512B", "4KiB")),
    }
    sets["nand.blocks_per_plane"] += 8


def small_capacity(sets: dict) -> float:
    """Of nand.region, in blocks of nand.blocks_per_plane."""
    if "nand.region.page" not in sets:
        return 0
    pages = pages_of_block(sets)
    size = int(sets["nand.region.page"][:-3]) / int(sets["nand.page"][:-3])
    return sets["nand.region.blocks_per_plane"] * size * (sets["nand.region.pages_per_block"] or pages) / pages


def fit(draw: random.Random, sets: dict, harsh: bool, tables: dict) -> None:
    """What a user would mend after `check`, or most drives would be refused. Buffers and spare superblocks are often as
    few as `check` takes."""
    if sets["nand.program"] == "page" and sets["nand.program_order"] == "mixed":
        sets["nand.program_order"] = "vertical"
    if sets["engines.victim"] == "on":
        sets["ftl.policy"] = "page_greedy"
    policy = tables["policies"][sets["ftl.policy"]]
    host, moved = policy["host_streams"], policy["move_streams"]
    sets |= without(policy["refuses"], tables)
    sets["nand.blocks_per_plane"] += 4 * (host + moved - 2)
    if policy["chooses_word_lines"]:
        sets |= {"nand.program": "wordline", "nand.program_order": "mixed"}
    parts = sets["ftl.policy"].split("+")
    if "ppb" in parts:
        sets["nand.layers"] = max(sets["nand.layers"], 2)
        sets |= {
            "ftl.ppb.half_full_blocks": draw.choice((0, 1) if "cube" in parts else (0, 1, 1, 2, 4)),
            "ftl.ppb.table": draw.choice(("flat", "bounded")),
            "ftl.ppb.hot_list": draw.choice((0.25, 0.0, 0.02, 1.0)),
            "ftl.ppb.cold_share": draw.choice((0.5, 0.5, 0.05, 0.95)),
            "ftl.ppb.aging_reads": draw.choice((4, 4, 1, 256)),
        }
        sets["nand.blocks_per_plane"] += 4 * max(0, sets["ftl.ppb.half_full_blocks"] - 1)
        if sets["nand.program_order"] == "vertical":
            sets["nand.program_order"] = "horizontal"
    if "cube" in parts:
        sets |= {
            "ftl.cube.gc_uses": draw.choice(("any", "leaders", "stock")),
            "ftl.cube.allocation": draw.choice(("demand", "demand", "horizontal")),
            "ftl.cube.programs": draw.choice(("both", "both", "skip", "window", "default")),
        }
        if draw.random() < 0.3:
            sets["nand.faults.program_disturb"] = draw.choice((0.001, 0.05, 1.0))
    if "agcr" in parts or "agcr_li" in parts:
        sets |= {"ftl.agcr.coarse_step": draw.choice((1.0, 1.333)), "ftl.agcr.fine_step": draw.choice((0.5, 0.75))}
        sets |= draw.choice(
            (
                {},
                {
                    "ftl.agcr.read_levels": "assumed",
                    "ftl.agcr.coarse_senses": draw.choice((3, 5, 7)),
                    "ftl.agcr.initial": draw.choice(("default", "coarse", "fine")),
                },
            )
        )
    if sets["ftl.policy"] == "agcr_li":
        sets["ftl.agcr.queue"] = draw.choice((1, 2, 8))
    if "agcr" in parts:
        sets |= draw.choice(
            (
                {
                    "ftl.agcr.window": draw.choice((2, 3, 8)),
                    "ftl.agcr.rewrite": draw.choice(("coarse", "all")),
                    "ftl.idle_after": draw.choice(("1us", "50us")),
                },
                {"ftl.agcr.classes": draw.choice(("default", "coarse", "fine"))},
            )
        )
    if sets["ftl.policy"] == "agcr" and draw.random() < 0.3:
        sets |= {"ftl.agcr.busy_only": "true", "ftl.agcr.queue": draw.choice((1, 2, 8))}
    if "ppb" in parts and sets["nand.layers"] >= 4 and draw.random() < 0.5:
        sets |= {"ftl.ppb.virtual_blocks": 4, "ftl.ppb.two_above": draw.choice((0.0, 0.5, 1.0))}
    if policy["small_pages"]:
        two_page_sizes(draw, sets)
    if sets.get("nand.faults.bad_blocks") and "ftl.spare_blocks" not in sets:
        sets["precondition.fill"] = "none"
    if sets["engines.retry"] == "off" and sets["engines.job"] == "on" and sets["ecc.ort"] == "first":
        sets["ecc.ort"] = "retry"
    by_level = sets["ecc.ort"] == "first" and sets.get("ecc.model") == "rtl" and sets["engines.retry"] == "on"
    if sets["ecc.ort"] != "off" and sets["ecc.max_retries"] % 2 == 1 and not by_level:
        sets["ecc.ort_scope"] = "block"
    if sets["engines.parse"] == "off":
        sets["host.model"] = "nvme"
    if sets["nand.cell"] == "qlc":
        sets |= {"nand.ispp.step": "90mV", "nand.ispp.window": "2900mV", "nand.ispp.state_loops": 6}
    pages = CELLS[sets["nand.cell"]] if sets["nand.program"] == "wordline" else 1
    unit = sets["nand.planes"] * int(sets["nand.page"][:-3]) * pages
    small = 2 * sets["nand.planes"] * int(sets.get("nand.region.page", "0KiB")[:-3]) * pages
    for key, least in (("ftl.write_buffer", (host + 1) * unit + small), ("ftl.gc_buffer", moved * unit)):
        drawn = max(least, int(sets[key][:-3]))
        if key == "ftl.gc_buffer" and not harsh:
            drawn = 2 * least
        sets[key] = f"{draw.choice((least, least + 4, drawn))}KiB"
    blocks = sets["nand.blocks_per_plane"] - sets.get("ftl.spare_blocks", 0)
    more = 4 * max(0, sets.get("ftl.ppb.half_full_blocks", 1) - 1)  # open superblocks
    spare = sets["ftl.gc_start_superblocks"] + host + moved + more + draw.choice((0 if harsh else 1, 1, 2, 8))
    if blocks > spare:
        least = (blocks + small_capacity(sets)) / (blocks - spare) - 1 + 1e-3
        sets["ftl.over_provisioning"] = round(max(sets["ftl.over_provisioning"], least), 3)


def host(draw: random.Random) -> dict:
    """Cores and queues of the host, and how the controller chooses among these."""
    cores = draw.choice((1, 2, 3, 8))
    pairs = draw.randint(1, cores)
    sets = {
        "host.cores": cores,
        "host.queue_pairs": pairs,
        "host.completion_queues": draw.choice((0, 1, pairs)),
        "host.submission_cost": draw.choice(("0ps", "300ns", "5us")),
        "host.completion_cost": draw.choice(("0ps", "200ns", "3us")),
        "nvme.queue_tags": draw.choice((0, 1, 5)),
    }
    if draw.random() < 0.4:
        sets |= {
            "nvme.ready_time": draw.choice(("0ps", "3ms")),
            "host.data_pointers": "sgl",
            "host.buffers": draw.choice(("scattered", "contiguous")),
        }
    if draw.random() < 0.3:
        sets |= {"host.submission_queues": "controller", "nvme.cmb": "8MiB"}
    if draw.random() < 0.4:
        sets |= {"host.completion": "polling", "host.polling_period": draw.choice(("1ns", "100ns", "30us"))}
    elif draw.random() < 0.5:
        sets |= {
            "host.interrupt_cost": draw.choice(("0ps", "2us")),
            "host.coalescing_entries": draw.choice((2, 9)),
            "host.coalescing_time": "100us",
        }
    if draw.random() < 0.4:
        classes = [draw.choice(("urgent", "high", "medium", "low")) for _ in range(pairs)]
        sets |= {
            "host.arbitration": "weighted",
            "host.arbitration_burst": draw.choice((0, 2, 7)),
            "host.weights": str([draw.choice((1, 3, 256)) for _ in range(3)]),
            "host.priorities": f"[{', '.join(classes)}]",
        }
    return sets


def upkeep(draw: random.Random, sets: dict, tables: dict) -> None:
    """Data moved for other reasons than GC's, where the policy has one class of them. Drawn last."""
    policy = tables["policies"][sets["ftl.policy"]]
    if policy["move_streams"] != 1 or policy["small_pages"] or draw.random() < 0.6:
        return
    on = {name.split(".")[1] for name, value in sets.items() if name.startswith("engines.") and value == "on"}
    if not {"l2p", "job", "completion"} <= on and draw.random() < 0.6:
        sets["ftl.read_reclaim"] = draw.choice((30, 200, 2000))
    if draw.random() < 0.5:
        sets |= {"ftl.reclaim_errors": draw.choice((5, 20, 60)), "ftl.patrol": draw.choice((0.5, 20.0))}
        sets |= {"nand.aging.page_age": "true", "nand.aging.acceleration": draw.choice((1e6, 1e7))}
    if draw.random() < 0.4:
        sets |= {"nand.aging.page_age": "true", "nand.aging.acceleration": draw.choice((1e6, 1e7))}
        sets["ftl.refresh_after"] = draw.choice((5.0, 60.0))
    if draw.random() < 0.3:
        sets["nand.aging.wear_times"] = draw.choice(("true", "false"))
        sets["nand.aging.young_cycles"] = draw.choice((0.0, 500.0, 3000.0))
    if "copy" not in on and draw.random() < 0.5:
        sets |= {"ftl.wear_levelling": "static", "ftl.wear_levelling_gap": draw.choice((1, 3, 16))}
        sets["ftl.gc_buffer"] = f"{int(sets['ftl.gc_buffer'][:-3]) * 2}KiB"
        blocks = sets["nand.blocks_per_plane"]
        sets["ftl.over_provisioning"] = round((1 + sets["ftl.over_provisioning"]) * blocks / (blocks - 2) - 1, 3)


def pace(draw: random.Random, sets: dict, tables: dict) -> None:
    """Who waits for whom, and parity over dies where the drive may have it. Drawn behind all else."""
    if draw.random() < 0.3:
        sets["ftl.who_waits"] = "both"
    if draw.random() < 0.5:
        sets["channels.queue_order"] = draw.choice(("arrival", "alternate", "kind"))
    small = tables["policies"][sets["ftl.policy"]]["small_pages"]
    if sets["ftl.write_back"] == "true" and not small and draw.random() < 0.3:
        sets["ftl.admission"] = "mean_rate"
        sets["ftl.write_buffer"] = f"{4 * int(sets['ftl.write_buffer'][:-3])}KiB"
    if not small and draw.random() < 0.3:
        sets |= {"ftl.gc_pacing": "true", "ftl.pace.gain": draw.choice((0.0, 0.25, 2.0, 8.0))}
        sets["ftl.pace.lead"] = draw.choice((0.0625, 0.5, 8.0, 64.0))
    dies = sets["channels.count"] * sets["channels.packages"] * sets["channels.dies_per_package"]
    if dies >= 4 and sets["ftl.policy"] in ROW_POLICIES and draw.random() < 0.5:
        sets |= {"ftl.parity": "dies", "ftl.spare_blocks": 0, "ftl.word_line_order": "horizontal"}
        sets |= {"ftl.map": "sector", "ftl.recovery": "none", "ecc.model": "calibrated", "nvme.metadata": "none"}
        sets |= {"precondition.fill": draw.choice(("none", "sequential")), "precondition.overwrites": 0}
        sets["ftl.over_provisioning"] = round((1 + sets["ftl.over_provisioning"]) * 1.3 - 1, 3)
        sets |= {name: "off" for name in sets if name.startswith("engines.") and sets[name] == "on"}
        sets["engines.retry"] = draw.choice(("on", "off"))
        if draw.random() < 0.7:
            sets["nand.faults.dead_dies"] = f"[{draw.randrange(dies)}]"
            sets["nand.faults.dead_at"] = f'["{draw.uniform(0, 100):.3f}ms"]'


def slc_cache(draw: random.Random, sets: dict) -> None:
    """An SLC cache where the drive may have one. Drawn behind all else."""
    if draw.random() < 0.5 or "ftl.parity" in sets or sets["ftl.policy"] not in ROW_POLICIES:
        return
    if sets["nand.cell"] == "slc" or sets["nand.program"] == "page" or "nand.region.page" in sets:
        return
    superblocks = draw.choice((1, 2, 5))
    sets |= {"ftl.slc_cache": draw.choice(("static", "dynamic")), "ftl.slc_superblocks": superblocks}
    sets |= {"nand.plane_blocks": "same", "nand.slc_mode.t_prog": draw.choice(("20us", "200us"))}
    sets |= {"nand.slc_mode.t_r": draw.choice(("5us", "25us", "80us"))}
    sets["ftl.recovery"] = "none"
    if not sets.get("ftl.idle_free_superblocks"):
        sets["ftl.idle_after"] = draw.choice(("0ps", "30us", "2ms"))
    unit = sets["nand.planes"] * int(sets["nand.page"][:-3]) * CELLS[sets["nand.cell"]]
    sets["ftl.write_buffer"] = f"{int(sets['ftl.write_buffer'][:-3]) + unit}KiB"
    blocks = sets["nand.blocks_per_plane"]
    more = 1 + (superblocks if sets["ftl.slc_cache"] == "static" else 0)
    if blocks > more + 4:
        sets["ftl.over_provisioning"] = round((1 + sets["ftl.over_provisioning"]) * blocks / (blocks - more) - 1, 3)


def hash_of(sets: dict) -> int:
    """For what is drawn of a drive later on: what else is drawn stays."""
    return zlib.crc32(repr(sorted(sets.items())).encode())


def logical_kib(sets: dict) -> int:
    """Of a logical page."""
    return int(sets.get("ftl.logical_page", "2KiB" if sets["nand.page"] == "2KiB" else "4KiB")[:-3])


def map_unit(sets: dict) -> str:
    """One that the pages take."""
    page, logical = sets["nand.planes"] * int(sets["nand.page"][:-3]), logical_kib(sets)
    units = [unit for unit in (4, 8, 16, 32, 64) if page % unit == 0 and logical <= unit <= 16 * logical]
    choices = ["page", *(f"{unit}KiB" for unit in units)]
    return choices[hash_of(sets) % len(choices)]


def logical_page(sets: dict, small_pages: bool) -> None:
    """A larger one, in half of the drives whose pages take it, and what counts in logical pages with it."""
    sizes = [size for size in (8, 16) if int(sets["nand.page"][:-3]) % size == 0]
    draw = hash_of(sets) // 64
    if "ftl.logical_page" in sets or small_pages or not sizes or draw % 2 != 0:
        return
    size = sizes[draw // 2 % len(sizes)]
    sets["ftl.logical_page"] = f"{size}KiB"
    sets["nvme.max_transfer_sectors"] = min(sets["nvme.max_transfer_sectors"], 2048 // size)
    for key in ("ftl.write_buffer", "ftl.gc_buffer", "ftl.read_buffer"):
        sets[key] = f"{int(sets[key][:-3]) * size // 4}KiB"


def agree(sets: dict, tables: dict) -> None:
    """What one key of a drive refuses of another. Last, as what is drawn late changes what was mended before."""
    rows, policy = tables["engines"], tables["policies"][sets["ftl.policy"]]
    off = set(policy["refuses"]) | {name for name in rows if sets[f"engines.{name}"] == "off"}
    logical_page(sets, policy["small_pages"])
    if sets["ftl.map"] == "page":
        sets["ftl.packing"] = "true"
        if not policy["small_pages"] and sets.get("ftl.read_modify") != "die":
            sets["ftl.map_unit"] = map_unit(sets)
        begins_with_state = sets["precondition.fill"] in ("random", "steady") or "precondition.overwrites" in sets
        if not policy["small_pages"] and not begins_with_state and hash_of(sets) % 2 == 0:
            sets["ftl.map_access"] = "port"
        off |= {name for name, row in rows.items() if row["maps_lpages"]}
    sets |= without(sorted(off), tables)
    if sets["engines.parse"] == "off":
        sets["host.model"] = "nvme"
    if sets.get("ecc.model") != "rtl":
        sets.pop("ecc.rtl_every", None)
    elif sets["engines.retry"] == "on":
        for key in ("read_levels", "coarse_senses", "initial"):
            sets.pop(f"ftl.agcr.{key}", None)
    if sets.get("nand.faults.bad_blocks") and not sets.get("ftl.spare_blocks"):
        sets["precondition.fill"] = "none"
    least = 16 if sets.get("engines.completion") == "on" else 4
    for key in ("ftl.write_buffer", "ftl.gc_buffer", "ftl.read_buffer"):
        size = max(4, logical_kib(sets))
        sets[key] = f"{max(least * size // 4, (int(sets[key][:-3]) + size - 1) // size * size)}KiB"
    spare = sets["ftl.gc_start_superblocks"] + policy["host_streams"] + policy["move_streams"]
    spare += max(0, sets.get("ftl.ppb.half_full_blocks", 1) - 1) + 2 * sets.get("ftl.slc_superblocks", 0)
    spare += 2 * (sets.get("ftl.wear_levelling") == "static") + 2 * (sets.get("ftl.checkpoint_after", 0) != 0)
    spare += sets.get("ftl.recovery") == "scan"
    sets["nand.blocks_per_plane"] = max(sets["nand.blocks_per_plane"], 2 * spare + sets.get("ftl.spare_blocks", 0))
    blocks = sets["nand.blocks_per_plane"] - sets.get("ftl.spare_blocks", 0)
    least = (blocks + small_capacity(sets)) / (blocks - spare) - 1 + 1e-3
    sets["ftl.over_provisioning"] = min(10.0, max(sets["ftl.over_provisioning"], round(least, 3)))
    if not sets.get("ftl.idle_free_superblocks") and not sets.get("ftl.slc_cache") and "ftl.agcr.window" not in sets:
        sets.pop("ftl.idle_after", None)
    if sets["nand.page"] == "2KiB":  # a logical page
        sets["nvme.max_transfer_sectors"] = max(4, sets["nvme.max_transfer_sectors"])


def drive(seed: int, number: int, tables: dict, harsh: bool = False) -> tuple[dict, str]:
    draw = random.Random(f"{seed}/{number}")
    sets = {
        **geometry(draw),
        **controller(draw, tables),
        **engines(draw, tables),
        **flash(draw, harsh),
        "run.seed": number,
    }
    fits = draw.random() < 0.97
    if fits:
        fit(draw, sets, harsh, tables)
    jobs = workload(draw)
    sets |= read_path(draw)
    jobs += overlapping(draw, sets)
    if sets["host.model"] == "nvme" and draw.random() < 0.5:
        sets |= host(draw)
    upkeep(draw, sets, tables)
    pace(draw, sets, tables)
    slc_cache(draw, sets)
    if sets["channels.suspend"] in ("erase", "both") and draw.random() < 0.5:
        sets["channels.suspended_by"] = "all"
        if sets["channels.suspend"] == "both":
            sets["channels.suspend_depth"] = draw.choice((1, 2))
    if sets["channels.suspend"] in ("erase", "both"):
        sets["channels.cut_erase_pulse"] = draw.choice(("true", "false"))
    sets |= around_reads(draw)
    if fits:
        agree(sets, tables)
    return sets, jobs
