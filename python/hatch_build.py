# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Puts an installed program into the wheel: WORDLINE_STAGE names its prefix. Without one the wheel is Python alone, and
takes the program that WORDLINE_PROGRAM or PATH names."""

import os
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Program(BuildHookInterface):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        stage = os.environ.get("WORDLINE_STAGE")
        if not stage:
            return
        if not (Path(stage) / "bin/wordline").is_file():
            raise FileNotFoundError(f"WORDLINE_STAGE={stage}: no bin/wordline there; scripts/wheel installs it")
        build_data["force_include"][stage] = "wordline/_program"
        build_data["pure_python"] = False
        build_data["tag"] = "py3-none-" + sysconfig.get_platform().replace("-", "_").replace(".", "_")
