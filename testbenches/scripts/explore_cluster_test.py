# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""python/wordline/studies: `explore --cluster dask`, on workers of this machine, with a program that makes up its results.

usage: explore_cluster_test.py SOURCE_FOLDER
"""

import shutil
import unittest

from distributed import LocalCluster
from explore_bench import Bench


class Cluster(Bench):
    def setUp(self):
        super().setUp()
        self.study = self.folder / "cells.toml"
        self.study.write_text(
            'drive = "drive.toml"\nworkloads = ["read.fio"]\n[grid]\nchannels.count = [1, 2, 4, 7, 9]\n'
        )

    def explored_on(self, *words):
        process = self.explore_study(self.study, "-o", "out", *words)
        _, errors = process.communicate(timeout=1200)
        self.assertEqual(process.returncode, 1, errors)  # 7 fails, 9 is refused
        files = self.files(self.folder / "out")
        shutil.rmtree(self.folder / "out")
        return files

    def test_the_same_bytes_from_two_workers(self):
        whole = self.explored_on()
        self.assertEqual(len([name for name in whole if name.endswith("result.json")]), 3)
        self.assertEqual(self.explored_on("--cluster", "dask", "-j", "2"), whole)
        options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None, "silence_logs": "ERROR"}
        with LocalCluster(**options, processes=False, protocol="tcp://") as cluster:
            found = self.explored_on("--cluster", f"dask={cluster.scheduler_address}")
        self.assertEqual(found, whole)
        self.assertEqual(sorted(self.runs()), sorted(3 * ["1x1", "2x1", "4x1", "7x1"]))

    def test_wrong_clusters_are_refused(self):
        for words, message in (
            ("ray", "--cluster ray: expected dask, or the address"),
            ("dask=here", "--cluster dask=here: expected dask"),
        ):
            code, _, errors = self.wordline(self.study, "-o", "out", "--cluster", words)
            self.assertEqual(code, 2)
            self.assertIn(message, errors)
        self.study.write_text(self.study.read_text() + "[optimise]\nobjectives = ['iops max']\ntrials = 2\n")
        code, _, errors = self.wordline(self.study, "-o", "out", "--cluster", "dask")
        self.assertEqual(code, 2)
        self.assertIn("runs on this machine", errors)


if __name__ == "__main__":
    unittest.main()
