# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Draws write amplification of the study in this folder; runs what the output folder does not have yet."""

import argparse
from pathlib import Path

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("folder", type=Path, metavar="DIR", help="folder of the runs, the tables and the figure, waf.png")
folder = parser.parse_args().folder

import matplotlib  # noqa: E402
import wordline  # noqa: E402

matplotlib.use("agg")
table = wordline.explore(Path(__file__).with_name("study.toml"), out=folder).table
waf, spread = (
    table.pivot(index="ftl.over_provisioning", columns="ftl.policy", values=name) for name in ("waf", "waf +-")
)
axes = waf.plot.bar(yerr=spread, capsize=3, rot=0, xlabel="over-provisioning", ylabel="write amplification")
axes.figure.savefig(folder / "waf.png", dpi=120)
print(waf.round(2))
