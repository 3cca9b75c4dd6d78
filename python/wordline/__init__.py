# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs drives and reads what they leave.

    import wordline

    drive = wordline.load("configs/ssds/ref_tlc32.toml").set({"channels.count": 4})
    result = drive.run("configs/workloads/randread_4k.fio", requests=5000)
    print(result.limit_sentence)
    result.latencies()          # DataFrame, microseconds

    study = wordline.explore(drive, {"channels.packages": [1, 2, 4]}, ["configs/workloads/randread_4k.fio"])
    study.table                 # DataFrame, a row for each point and workload

Units: result.json has picoseconds, picojoules and bytes, as the names say (`_ps`, `_pj`); the attributes and tables here
have microseconds (`_us`), nanojoules (`_nj`), and per second. A configuration that the program refuses raises
WordlineError with the program's words: place, key, and what would be right.
"""

from .drive import Drive, load
from .errors import WordlineError
from .result import Operation, Result, diff, read
from .study import Study, explore

__all__ = ["Drive", "Operation", "Result", "Study", "WordlineError", "diff", "explore", "load", "read"]
