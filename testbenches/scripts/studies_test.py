# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""python/wordline/studies/papers: the equations of the design-parameter study against what the paper prints, what the studies
measure, and that every figure of a study's file has an answer.

usage: studies_test.py SOURCE_FOLDER
"""

import dataclasses
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1)).resolve()
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "python"))

from wordline.studies.papers import (
    agcr,
    agcr_answers,
    cube_answers,
    cube_device,
    nand_cost,
    params,
    params_answers,
)  # noqa: E402
from wordline.studies.framework import study  # noqa: E402
from wordline.studies.papers import mpnfm, mpnfm_answers, ppb_answers  # noqa: E402
from wordline.studies.framework.jobs import Profiles  # noqa: E402
from wordline.studies.framework.workload_statistics import WorkloadStatistics  # noqa: E402
from wordline.studies.framework.points import Program, Workload  # noqa: E402
from wordline.studies.papers.nand_cost import MLC, SLC  # noqa: E402
from wordline.studies.framework.study import StudyFile, with_seeds  # noqa: E402


class NandCost(unittest.TestCase):
    """Identifiers are those of the statements in the paper."""

    def test_table_2(self):  # params.table2.mlc_larger
        self.assertEqual(
            (SLC.t_r, SLC.t_prog, SLC.t_bers, SLC.t_byte, SLC.i_active, SLC.i_standby), (25, 200, 2000, 0.03, 8, 1)
        )
        self.assertEqual(
            (MLC.t_r, MLC.t_prog, MLC.t_bers, MLC.t_byte, MLC.i_active, MLC.i_standby), (60, 1200, 3000, 0.06, 15, 1)
        )

    def test_area(self):  # params.eq2.cost, params.eq2.capacity
        # 512 pages of 16: 16 x (512 / 4 + 2 + 1 / 512); at equal capacity twice the pages are half the blocks.
        self.assertAlmostEqual(nand_cost.area(MLC, 16, 512, 512), 16 * (128 + 2 + 1 / 512))
        for overheads in ((2, 1), (5, 10)):
            ratio = nand_cost.area(MLC, 16, 512, 512, *overheads) / nand_cost.area(SLC, 16, 512, 512, *overheads)
            self.assertTrue(0.504 <= round(ratio, 3) <= 0.510, ratio)
        self.assertGreater(nand_cost.area_per_bit(MLC, 16, 64, 4096), nand_cost.area_per_bit(MLC, 16, 512, 512))

    def test_area_without_overheads(self):
        # params.example.area.slc, params.example.area.mlc: 4 GB of SLC take the area of 8 GB of MLC.
        self.assertEqual(
            nand_cost.area_per_bit(SLC, 16, 512, 512, 0, 0), 2 * nand_cost.area_per_bit(MLC, 16, 512, 512, 0, 0)
        )

    def test_energy_of_operations(self):  # params.eq4.read, params.eq5.program, params.eq8.erase
        for cell, energies in ((SLC, (0.58, 4.62, 46.2)), (MLC, (2.77, 55.4, 138.6))):
            found = [nand_cost.energy_of(cell, time) for time in (cell.t_r, cell.t_prog, cell.t_bers)]
            for energy, expected in zip(found, energies):
                self.assertAlmostEqual(energy, expected, delta=0.006 * expected)

    def test_transfer(self):  # params.eq3.transfer, params.eq6.read_total, params.eq7.program_total
        self.assertAlmostEqual(nand_cost.transfer_energy(MLC, 4096), 3.3 * 50 * 4096 * 0.06 / 1000)  # 40.6 uJ
        one_read = nand_cost.Operations(reads=1, programs=0, bus_bytes=4096, copies=0, erases=0)
        self.assertAlmostEqual(nand_cost.total_energy(MLC, one_read), 2.772 + 40.55, places=2)
        one_program = dataclasses.replace(one_read, reads=0, programs=1)
        self.assertAlmostEqual(nand_cost.total_energy(MLC, one_program), 55.44 + 40.55, places=2)

    def test_page_size_does_not_move_energy_per_byte(self):  # params.page.current: the current scales with the page
        def per_byte(size):
            cell = dataclasses.replace(MLC, i_active=MLC.i_standby + 14 * size / 4096)
            return nand_cost.energy_of(cell, cell.t_prog) / size

        self.assertAlmostEqual(per_byte(4096), per_byte(16384))

    def test_collection(self):  # params.eq9.gc, params.eq13.gc_time, params.eq14.erase_ratio, params.gc.high_re
        self.assertEqual(nand_cost.collection_time(MLC, 10), 3000 + 10 * 1260)
        self.assertAlmostEqual(nand_cost.collection_energy(MLC, 10), 10 * (2.772 + 55.44) + 138.6)
        self.assertEqual(nand_cost.erase_ratio(MLC, 0), 1)
        self.assertAlmostEqual(nand_cost.erase_ratio(MLC, 128), 0.018, places=3)
        self.assertEqual(nand_cost.collection_time(SLC, 0), SLC.t_bers)

    def test_total(self):  # params.eq10.idle, params.eq11.requests, params.eq12.total
        done = nand_cost.Operations(reads=3, programs=5, bus_bytes=8 * 4096, copies=7, erases=2, idle=1000)
        parts = 3 * (2.772 + 40.5504) + 5 * (55.44 + 40.5504) + 7 * (2.772 + 55.44) + 2 * 138.6 + 3.3 * 1 * 1000 / 1000
        self.assertAlmostEqual(nand_cost.total_energy(MLC, done), parts, places=6)

    def test_victims(self):  # params.fig4.case1.victims, params.fig4.case2.victims, params.block.erase
        # 16 KB of pages of 2 KB: two blocks of four pages, or one of eight. Each erase takes the same time.
        erases = [-(-16 // (2 * block)) for block in (4, 8)]
        self.assertEqual(erases, [2, 1])
        self.assertEqual(
            nand_cost.collection_time(MLC, 0) * erases[0], 2 * nand_cost.collection_time(MLC, 0) * erases[1]
        )

    def test_programs_of_a_file(self):  # params.example.100k.2k, params.example.100k.4k, params.page.too_small
        self.assertEqual([-(-100 // page) for page in (2, 4)], [50, 25])

    def test_throughput(self):  # params.eq1.throughput
        result = {"ios": {"read": {"bytes_per_s": 2e6}, "write": {"bytes_per_s": 1e6}}}
        self.assertEqual(params_answers.throughput(result), 3.0)


class Geometry(unittest.TestCase):
    def test_capacity_and_block_stay(self):
        for size, block in ((4, 512), (16, 64), (64, 512)):
            keys = params.geometry(4, size, block)
            self.assertEqual(size * 1024 * keys["nand.blocks_per_plane"] * block, 4 << 30)
            self.assertEqual(keys["nand.spare"], f"{size // 4 * 552}B")
        self.assertEqual(params.geometry(4, 16, 512, bits=1)["nand.wls_per_layer"], 512)
        self.assertAlmostEqual(params.spare(0.8)["ftl.over_provisioning"], 0.25)


class Curves(unittest.TestCase):
    def test_sizes_that_are_as_good_are_no_best_size(self):
        self.assertTrue(params_answers.is_best(8, {4: 1.0, 8: 2.0, 16: 1.5}))
        self.assertTrue(params_answers.is_best(8, {4: 1.0, 8: 1.995, 16: 2.0}))
        self.assertFalse(params_answers.is_best(8, {4: 1.0, 8: 1.98, 16: 2.0}))
        self.assertFalse(params_answers.is_best(8, {4: 1.999, 8: 2.0, 16: 1.998}))  # none is better than the others

    def test_a_level_curve_does_not_fall(self):
        self.assertTrue(params_answers.falls([4.0, 3.0, 2.9]))
        self.assertTrue(params_answers.falls([4.0, 4.001, 2.9]))
        self.assertFalse(params_answers.falls([4.0, 4.1, 2.9]))
        self.assertFalse(params_answers.falls([4.0, 3.999, 3.998]))

    def test_savings_and_intervals(self):
        before, after = ({"pages": {"moved_programs": number}} for number in (200, 150))
        self.assertEqual(ppb_answers.saving("copies", before, after), 25.0)
        self.assertEqual(ppb_answers.saving("copies", {"pages": {"moved_programs": 0}}, after), 0.0)
        # 1, 2, 3: mean 2, deviation 1, t = 4.303 with 2 degrees of freedom: 4.303 / sqrt(3).
        self.assertEqual(ppb_answers.interval([1.0, 2.0, 3.0]), "2.00 +- 2.48")


class Agcr(unittest.TestCase):
    RUN = {
        "ios": {"read": {"count": 30, "bytes": 30 * 8192, "lat_ps": {"mean": 100}},
                "write": {"count": 10, "bytes": 10 * 4096, "lat_ps": {"mean": 500}}},
        "gc": {"idle_sectors": 7},
        "steps": {"read": {"default": 30, "fine": 10}, "judged": 50, "judged_right": 45},
    }  # fmt: skip

    def test_shares_are_of_all_that_was_done(self):
        self.assertEqual(agcr_answers.of_all(self.RUN), (30 * 100 + 10 * 500) / 40)
        self.assertEqual(agcr_answers.share(self.RUN["steps"]["read"], "fine"), 25)
        self.assertEqual(agcr_answers.share(self.RUN["steps"]["read"], "coarse"), 0)
        self.assertEqual(agcr_answers.rewrites(self.RUN), 10)  # of 70 pages
        self.assertEqual(agcr_answers.accuracy(self.RUN), 90)

    def test_points_are_those_of_the_techniques(self):
        file = StudyFile.read(ROOT / "configs/studies/agcr.toml", quick=True)
        study = agcr.Study(file, Profiles(ROOT))
        points = study.points()
        self.assertEqual(len({frozenset(point.labels) for point in points}), len(points), "a label for each point")
        for point in points:
            sets, technique = dict(point.sets), dict(point.labels).get("technique")
            rewrites = sets.get("ftl.agcr.rewrite", "off") != "off"
            self.assertEqual("ftl.idle_after" in sets, rewrites, point.title())
            if technique == "li":
                self.assertEqual(sets["ftl.policy"], "agcr_li")
                self.assertNotIn("ftl.agcr.window", sets)
            self.assertEqual(technique not in ("agcr", "busy") and rewrites, False)
        self.assertEqual(agcr.milliseconds("143.852ms"), 143.852)

    def test_a_profile_in_whole_pages_has_no_parts(self):
        study = agcr.Study(StudyFile.read(ROOT / "configs/studies/agcr.toml", quick=True), Profiles(ROOT))
        text = study.workload("hm_0", 60000, 1.0, whole_pages=True).text
        self.assertIn("misaligned = 0.0", text)
        self.assertNotIn("2560B", text)


class SimilarWordLines(unittest.TestCase):
    """Spreads and savings of the chip, on rows made by hand."""

    def test_table_of_offsets(self):  # cube.ort.bits, cube.ort.bytes, cube.ort.ratio, cube.ort.mb_per_tb
        bits = (2**3 - 1) * 2  # 7 references, 4 levels each
        self.assertEqual((bits, -(-bits // 8)), (14, 2))
        self.assertAlmostEqual(2 / (16384 * 3 * 4), 1.02e-5, delta=0.01e-5)
        self.assertAlmostEqual(2 / (16384 * 3 * 4) * 1e12 / 1e6, 10, delta=0.2)  # MB per TB

    def test_spreads(self):
        rates = {("0", "0"): 1.0, ("0", "1"): 1.1, ("1", "0"): 2.0, ("1", "1"): 2.2}  # by layer, v-layer

        class Curves:
            def rows(self, section, device, nand=None):
                noise = {"horizontal": 1.0, "vertical": 1.02, "mixed": 1.0}[nand["program_order"]]
                return [
                    {
                        "pe_cycles": pe,
                        "days": days,
                        "block": block,
                        "layer": layer,
                        "v_layer": v,
                        "rber": str(r * noise),
                    }
                    for pe, days in cube_device.AGES.values()
                    for block in "01"
                    for (layer, v), r in rates.items()
                ]

        device = cube_device.DeviceAnswers(Path("x"), Curves())
        self.assertEqual([round(value, 6) for value in device.within_layers("1y")], [1.1] * 4)
        self.assertEqual(device.between_layers("1y"), {0: 2.0, 1: 2.0})
        self.assertAlmostEqual(device.between_orders(), 2)

    def test_followers(self):
        row = {"t_prog_us": "560", "t_prog_default_us": "700", "rber": "3e-3", "rber_default": "2e-3"}
        self.assertAlmostEqual(cube_device.saving(row), 20)
        self.assertAlmostEqual(cube_device.harm(row), 1.5)
        # 10 programs take 8,500 in all; five with the device's parameters 1,000 each: 3,500 for the other five.
        word_lines = {"host_leaders": 1, "host_followers": 5, "moved_leaders": 2, "moved_followers": 2}
        result = {
            "energy_pj": {"nand_array_by_operation": {"program": 8500}},
            "flash": {"programs": 10},
            "programs": {"with_parameters": 5, **word_lines},
        }
        self.assertEqual(cube_answers.followers_energy(result, 1000), 700)
        self.assertEqual(cube_answers.followers_share(result), 70)

    def test_retries_are_counted_over_what_was_asked_for(self):
        flash = {"reads": 160, "retries": 50, "soft_reads": 10}
        self.assertEqual(cube_answers.retries_per_read({"flash": flash}), 0.5)


class AnyCurves:
    """Two blocks of two layers of two word lines, at all ages alike, and followers that save a tenth."""

    def rows(self, section, device, nand=None):
        if section == "followers":
            times = {"t_prog_us": "630", "t_prog_default_us": "700", "rber": "2e-3", "rber_default": "1e-3"}
            sides = ("Vstart 320 mV", "Vfinal 320 mV", "both 320 mV", "Vfinal 130 mV")
            names = ("default", "skip", "skip and both 320 mV", "step 4/3", *sides)
            return [{"program": name, "block": "0", "layer": "0", **times} for name in names]
        if section == "pages":
            names = ("t_r_us", "t_prog_us", "t_bers_us")
            return [{"page_kib": size, **{name: str(900 + int(size)) for name in names}} for size in ("2", "64")]
        return [
            {"pe_cycles": pe, "days": days, "block": block, "layer": layer, "v_layer": v_layer, "rber": "1e-3"}
            for pe, days in cube_device.AGES.values()
            for block in "01"
            for layer in "01"
            for v_layer in "01"
        ]


class AnyWorkload:
    def of(self, path, requests):
        shares = {"reads_to_read_only": 0.9, "writes_to_write_only": 0.9, "share_lt_8KiB": 0.5, "random_share": 0.5}
        return {**shares, "R_u_2KiB": 0.5}

    def of_all(self, files):
        return [self.of(*file) for file in files]


class AnyResult:
    """Results that hold for every point: a drive that does some of everything."""

    curves = AnyCurves()
    workloads = AnyWorkload()

    def get(self, **labels):
        latency = {"mean": 50_000_000, "p50": 50_000_000, "p80": 60_000_000, "p90": 70_000_000, "p99_9": 90_000_000}
        op = {"count": 5, "bytes": 4096, "iops": 10.0, "bytes_per_s": 1e6, "lat_ps": latency}
        return {
            "ios": {"read": op, "write": op},
            "pages": {
                "host_programs": 10,
                "modify_reads": 1,
                "moved_programs": 3,
                "modify_ratio": 0.1,
                "unusable_sectors": 7,
                "erased_sectors": 64,
            },
            "small_pages": {"host_programs": 5, "superblock_erases": 1},
            "flash": {
                "reads": 5,
                "erases": 1,
                "programs": 13,
                "host_bytes_written": 4096,
                "waf": 1.3,
                "retries": 1,
                "soft_reads": 0,
            },
            "programs": {
                "host_leaders": 1,
                "host_followers": 5,
                "moved_leaders": 2,
                "moved_followers": 2,
                "with_parameters": 5,
            },
            "blocks": {"superblock_erases": 1},
            "gc": {"superblocks": 3, "sectors_copied": 12, "copied_per_superblock": 4.0, "idle_sectors": 1},
            "steps": {"programmed": {"fine": 1}, "read": {"fine": 1}, "judged": 2, "judged_right": 1},
            "utilisation": {"dies": [0.5], "cores": [0.1, 0.2]},
            "energy_pj": {"total": 1000, "nand_array_by_operation": {"program": 500}},
            "firmware_cycles": {"loop": 10},
            "firmware_instructions": 8,
            "bottleneck": {"resource": "dies"},
            "stages": {"read": {"mean": [{"stage": "array", "service_ps": 49_000_000}]}},
        }

    def failed(self):
        return []


class AnyProfile:
    """Profiles of any name."""

    def within(self, name, requests, most_pages, *options):
        return Workload(name, text=f"{requests} {most_pages}")

    over = within

    def without_pauses(self, name, requests, pages, **arrival):
        return Workload(name, text=f"{requests} {pages} {arrival}")

    arriving = without_pauses

    def file(self, name, most=0):
        return Path(f"{name}.toml"), most or 1000

    def generator(self, name):
        pages = {"read_only": 10, "write_only": 10, "both": 10}
        return {"requests": 1000, "pages": pages, "arrival": {"interarrival": "1ms"}, "reads": {}, "writes": {}}

    def dense(self, name, requests, least_pages, *options):
        return Workload(name, text=f"{requests} {options}")

    def changed(self, made, name, **changes):
        return dataclasses.replace(made, text=f"{made.text} {changes}")


class ProfilesAndTraces(unittest.TestCase):
    def test_an_original_trace_is_taken_instead_of_a_profile(self):
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch) / "configs/workloads/profiles"
            folder.mkdir(parents=True)
            (folder / "msr_web_0.toml").write_text("[generator.pages]\nread_only = 300\nboth = 100\n")
            profiles = Profiles(Path(scratch))
            made = profiles.within("msr_web_0", 50, 200)
            self.assertEqual(made.options, ("--requests", "50", "--footprint", "0.500000"))
            self.assertEqual(profiles.within("msr_web_0", 50, 900).options[3], "1.000000")
            self.assertEqual(
                profiles.over("msr_web_0", 50, 800, "--speedup", "2").options[3:], ("2.000000", "--speedup", "2")
            )
            (folder / "msr_hm_0.toml").write_text("[generator]\nrequests = 500\n[generator.pages]\nboth = 400\n")
            dense = ("--requests", "50", "--footprint", "0.100000")
            self.assertEqual(profiles.dense("msr_hm_0", 50, 0).options, dense)
            self.assertEqual(profiles.dense("msr_hm_0", 50, 40).options, dense)
            self.assertEqual(profiles.dense("msr_hm_0", 50, 80).options, (*dense[:3], "0.200000"))
            self.assertEqual(profiles.dense("msr_hm_0", 50, 800).options, (*dense[:3], "1.000000"))
            self.assertEqual(profiles.file("msr_hm_0"), (folder / "msr_hm_0.toml", 500))
            self.assertEqual(profiles.file("msr_hm_0", 200)[1], 200)
            self.assertEqual(profiles.file("msr_hm_0", 900)[1], 500)
            with self.assertRaisesRegex(study.StudyError, "no profile"):
                profiles.within("msr_web_1", 50, 200)
            paused = profiles.arriving("msr_web_0", 50, 800, burst=7)
            self.assertEqual(paused.options, ("--requests", "50", "--footprint", "2.000000"))
            self.assertIn("[generator.arrival]\nburst = 7\n", paused.text)
            self.assertIn('think = "0s"', profiles.without_pauses("msr_web_0", 50, 800).text)
            (Path(scratch) / "web_0.csv").write_text("")
            original = Profiles(Path(scratch), Path(scratch)).without_pauses("msr_web_0", 50, 800)
            self.assertEqual((original.path.name, original.options), ("web_0.csv", ()))
            original = Profiles(Path(scratch), Path(scratch)).within("msr_web_0", 50, 200)
            self.assertEqual((original.path.name, original.options), ("web_0.csv", ()))
            self.assertEqual(Profiles(Path(scratch), Path(scratch)).file("msr_web_0"), (Path(scratch) / "web_0.csv", 0))
            self.assertEqual(Profiles(Path(scratch), Path(scratch)).file("msr_web_0", 9)[1], 9)


class StatisticsOfWorkloads(unittest.TestCase):
    def test_are_asked_for_once_and_a_refusal_is_an_error(self):
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            program, asked = folder / "wordline", folder / "asked"
            program.write_text(
                f'#!/bin/sh\necho "$@" >> {asked}\n[ -f "$3" ] || {{ echo "$3: no such file" >&2; exit 1; }}\n'
                'echo \'{"statistics": {"R_u_2KiB": 0.25}}\' > "$7"\n'
            )
            program.chmod(0o755)
            (folder / "some.toml").write_text("")
            statistics = WorkloadStatistics(Program(program))
            for _ in range(2):
                self.assertEqual(statistics.of(folder / "some.toml", 40)["R_u_2KiB"], 0.25)
            both = statistics.of_all([(folder / "some.toml", 40)] * 2)
            self.assertEqual([row["R_u_2KiB"] for row in both], [0.25, 0.25])
            (words,) = asked.read_text().splitlines()
            self.assertTrue(words.startswith(f"workload stats {folder}/some.toml --requests 40 --json "))
            with self.assertRaisesRegex(study.StudyError, "other.toml: no such file"):
                statistics.of(folder / "other.toml", 40)


class PageSizes(unittest.TestCase):
    """mpnfm: memories of equal capacity, and what is saved."""

    def setUp(self):
        self.study = mpnfm.Study(StudyFile.read(ROOT / "configs/studies/mpnfm.toml", quick=False), Profiles(ROOT))

    def test_memories_have_the_same_capacity(self):
        for pages in self.study.memories():
            with self.subTest(pages=pages):
                keys = self.study.memory(pages)
                large, _, small = pages.partition("+")
                kib = self.study.block * int(large) * keys["nand.blocks_per_plane"]
                kib += self.study.block * int(small or 0) * keys["nand.region.blocks_per_plane"]
                self.assertAlmostEqual(kib / self.study.capacity, 1, delta=0.002)
                if small:
                    self.assertEqual(keys["nand.blocks_per_plane"], keys["nand.region.blocks_per_plane"])
        shared = self.study.memory("32+4", 0.25)
        blocks = shared["nand.region.blocks_per_plane"] / shared["nand.blocks_per_plane"]
        self.assertAlmostEqual(blocks, 8 / 3, delta=0.01)

    def test_what_is_written_fills_what_it_should(self):
        pages = self.study.pages("Financial1", 0.6)
        self.assertAlmostEqual((pages["write_only"] + pages["both"]) * 4 / self.study.capacity, 0.6, delta=0.001)
        kinds = ("read_only", "write_only", "both")
        self.assertLess(sum(pages[kind] for kind in kinds) * 4, 0.75 * self.study.capacity)

    def test_means_are_of_latencies_over_those_of_2_kib(self):
        class Some(AnyResult):
            def get(self, **labels):
                latency = {"2": 100, "4": 80, "64": 200, "32+4": 40}[labels["pages"]] * 1_000_000
                slow = 3 if labels["workload"] == "MSR" else 1  # of all its memories: normalised away
                return {"ios": {"write": {"lat_ps": {"mean": latency * slow}}}}

        answers = mpnfm_answers.Answers(self.study, Some())
        self.assertAlmostEqual(answers.mean_saved("2", "native"), 60)
        self.assertAlmostEqual(answers.mean_saved("4", "native"), 50)
        self.assertAlmostEqual(answers.mean_saved("64", "native"), 80)


def model_of(path, file, profiles):
    module = __import__(f"wordline.studies.papers.{path.stem}", fromlist=["Study"])
    return module.Study(file, profiles)


class Runs(unittest.TestCase):
    """A full run is the better answer: it has all that a quick one has, and nothing of it is smaller or shorter."""

    def points(self, path, quick):
        file = StudyFile.read(path, quick)
        points = with_seeds(model_of(path, file, Profiles(ROOT, None)).points(), file.parameters)
        return {frozenset((name, str(value)) for name, value in point.labels): point for point in points}

    def test_a_full_run_has_every_point_of_a_quick_one(self):
        for path in sorted((ROOT / "configs/studies").glob("*.toml")):
            with self.subTest(study=path.stem):
                quick, full = (self.points(path, quick) for quick in (True, False))
                self.assertEqual([sorted(labels) for labels in quick if labels not in full], [])
                for labels, point in quick.items():
                    self.assertGreaterEqual(self.requests(full[labels]), self.requests(point), sorted(labels))

    def test_no_length_or_size_of_a_full_run_is_less_than_that_of_a_quick_one(self):
        for path in sorted((ROOT / "configs/studies").glob("*.toml")):
            quick, full = (StudyFile.read(path, quick).parameters for quick in (True, False))
            for name, value in quick.items():
                if type(value) in (int, float) and name != "statistics_requests":  # 0: a whole profile
                    with self.subTest(study=path.stem, parameter=name):
                        self.assertGreaterEqual(full[name], value)

    @staticmethod
    def requests(point):
        """0: the workload says itself how many."""
        options = dict(zip(point.workload.options, point.workload.options[1:]))
        return int(options.get("--requests", 0))


class Checklist(unittest.TestCase):
    def test_every_figure_has_an_answer_or_says_why_not(self):
        for path in sorted((ROOT / "configs/studies").glob("*.toml")):
            for quick in (False, True):
                file = StudyFile.read(path, quick)
                model = model_of(path, file, AnyProfile())
                report = study.judged(file, model.answers(AnyResult()))
                for row in report["figures"]:
                    with self.subTest(figure=row["id"], quick=quick):
                        answered = row["verdict"] != "not measurable"
                        self.assertTrue(answered or row["cause"] != "not explained", "neither an answer nor a reason")
                self.assertTrue(all([*file.platform.values(), *file.mechanism.values()]))
                names = [*file.figures, *file.platform, *file.mechanism]
                self.assertEqual(len(set(names)), len(names), "a statement of the paper stands twice")
                published = (ROOT / f"docs/results/{file.name}.json").read_text()
                for name in names:
                    self.assertTrue(
                        f'"{name}"' in published, f"docs/results/{file.name}.json is older than its study: {name}"
                    )
                points = with_seeds(model.points(), file.parameters)
                self.assertEqual(
                    len({point.labels for point in points}), len(points), "two points with the same labels"
                )


if __name__ == "__main__":
    unittest.main()
