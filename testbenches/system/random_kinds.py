# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Kinds of random drives: those of random_drives, changed as a mount, or a map on flash, takes them."""

import random

from random_drives import CELLS, ROW_POLICIES, agree, logical_kib, without


def recovering(draw: random.Random, sets: dict, tables: dict) -> None:
    """The same drive, as ftl.recovery takes it, with what a mount makes more likely to go wrong."""
    if "nand.region.page" not in sets and tables["policies"][sets["ftl.policy"]]["small_pages"]:
        sets["ftl.policy"] = "page_greedy"
        sets["nand.blocks_per_plane"] = max(8, sets["nand.blocks_per_plane"])
    policy = tables["policies"][sets["ftl.policy"]]
    sets |= without([name for name, row in tables["engines"].items() if row["in_engine_block"]], tables)
    for key in ("ftl.spare_blocks", "nand.faults.bad_blocks", "nand.faults.unreadable_pages"):
        sets.pop(key, None)  # what cannot be read is lost, and was promised
    no_mount_knows = ("ftl.slc_", "nand.slc_mode.", "ftl.admission")
    if sets["ftl.policy"] not in ROW_POLICIES:
        no_mount_knows += ("ftl.parity", "nand.faults.dead_")
    for key in [key for key in sets if key.startswith(no_mount_knows)]:
        sets.pop(key)
    sets |= {
        "host.model": "nvme",
        "ftl.recovery": "scan",
        "ftl.map": "page" if policy["small_pages"] else sets["ftl.map"],
        "ftl.write_back": "true",
        "ftl.power_safe": "false",
        "ftl.over_provisioning": round(sets["ftl.over_provisioning"] + draw.choice((0.3, 1.0)), 3),
        "precondition.fill": draw.choice(("none", "none", "sequential", "random", "steady")),
    }
    if policy["host_streams"] > 1:
        sets["nand.program"] = "wordline"
    if sets["ftl.map"] == "page":
        sets.pop("ftl.read_modify", None)
        if sets["precondition.fill"] == "steady":
            sets["precondition.fill"] = "sequential"
    if policy["small_pages"]:
        sets["nand.region.pages_per_block"] -= sets["nand.region.pages_per_block"] % CELLS[sets["nand.cell"]]
        if sets["precondition.fill"] != "none":
            sets["precondition.fill"] = "sequential"
    if sets["nand.program"] == "page" and sets["nand.program_order"] == "mixed":
        sets["nand.program_order"] = "vertical"
    if sets["nand.layers"] * sets["nand.wls_per_layer"] == 1:
        sets["nand.layers"] = 2  # a superblock is more than its closing record
    programs = CELLS[sets["nand.cell"]]
    unit = sets["nand.planes"] * int(sets["nand.page"][:-3]) * programs
    for key, streams in (
        ("ftl.write_buffer", policy["host_streams"] + 1),
        ("ftl.gc_buffer", policy["move_streams"] + 1),
    ):
        sets[key] = f"{max(int(sets[key][:-3]), (streams + 1) * unit)}KiB"
    if draw.random() < 0.3:
        sets |= {"ftl.power_safe": "true", "power.hold_up": "10J"}
    if draw.random() < 0.3 and sets["precondition.fill"] == "none" and sets["ftl.map"] == "sector":
        sets["ftl.checkpoint_after"] = draw.choice((1, 2, 5))
    if sets.get("ftl.parity") == "dies":
        sets |= {"nand.program": "wordline", "precondition.fill": "none", "ftl.checkpoint_after": 0}
        if "nand.faults.dead_dies" in sets:  # without hold-up energy, open rows have no parity yet when a die dies
            sets |= {"ftl.power_safe": "true", "power.hold_up": "10J"}
    agree(sets, tables)


def caching(draw: random.Random, sets: dict, tables: dict) -> None:
    """The same drive with a map that is cached (ftl.map_cache), in few frames, as a drive takes it."""
    refused = ("nand.region.", "ftl.slc_", "nand.slc_mode.", "ftl.parity", "nand.faults.dead_", "ftl.fdp.", "ftl.map_",
               "ftl.read_modify", "ftl.checkpoint", "precondition.overwrites")  # fmt: skip
    recovers = sets.get("ftl.recovery", "none") != "none"
    if recovers:
        sets["nand.program"] = "wordline"
    if sets["ftl.policy"] not in ROW_POLICIES:
        sets["ftl.policy"] = "page_greedy"
        refused += ("ftl.mpnfm.", "ftl.cube.", "ftl.ppb.", "ftl.agcr.")
    sets |= without([name for name, row in tables["engines"].items() if row["maps_lpages"]], tables)
    for key in [key for key in sets if key.startswith(refused)]:
        sets.pop(key)
    if not sets.get("ftl.idle_free_superblocks") and "ftl.agcr.window" not in sets:
        sets.pop("ftl.idle_after", None)
    kib = int(sets["nand.page"][:-3])
    unit = sets["nand.planes"] * kib * (CELLS[sets["nand.cell"]] if sets["nand.program"] == "wordline" else 1)
    logical = logical_kib(sets)
    frames = max(8, 2 * unit // logical)
    lends = sets.get("host.model", "nvme") == "nvme" and logical <= 4
    sets |= {
        "ftl.map": "sector",
        "nand.blocks_per_plane": 2 * sets["nand.blocks_per_plane"] + 12,
        "ftl.over_provisioning": round(sets["ftl.over_provisioning"] + draw.choice((0.0, 0.1, 0.5)), 3),
        "precondition.fill": (
            "none" if sets.get("nand.faults.bad_blocks") else draw.choice(("none", "sequential", "random", "steady"))
        ),
        "ftl.map_cache": f"{draw.choice((1, 1, 1, 3)) * frames * logical}KiB",
        "nvme.hmb": draw.choice(("0B", "4KiB", "64KiB", "16MiB")) if lends else "0B",
        "ftl.gc_buffer": f"{max(int(sets['ftl.gc_buffer'][:-3]), (8 + recovers) * unit + 32 * logical)}KiB",
    }
