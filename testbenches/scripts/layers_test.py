# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Which folder may include which: the layers of ARCHITECTURE.md, the floors within them, and blocks that shall stay of use
outside of this drive.

usage: layers_test.py ROOT
"""

import ast
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1))

# Includes in quotes name a path from the root, or one that is generated: registers/, ecc/, nand/.
MODELS = ("models/", "registers/", "ecc/", "nand/")
RULES = {
    "models": MODELS,
    "models/riscv": ("models/riscv/", "models/units/"),  # a general instruction-set model
    "models/units": ("models/units/",),
}
SYSTEMC = {"systemc", "systemc.h", "tlm", "tlm.h"}
# Floors, the lowest first. A folder includes those of lower floors: not of its own, so there is no circle. A folder
# stands for what lies in it unless that has a line of its own; firmware_rooms_test.py has the floors of the firmware.
FLOORS = {
    "models": (
        ("models/units", "models/firmware/contract", "models/registers"),
        (
            "models/data",
            "models/engines/table",
            "models/firmware",
            "models/workload",
            "models/ecc/code",
            "models/riscv",
            "models/served",
        ),
        (
            "models/config",
            "models/results",
            "models/workload/trace",
            "models/workload/statistics",
            "models/ecc/decoders",
        ),
        ("models/engines", "models/nand", "models/workload/fio", "models/workload/profile")
        + ("models/ecc/retry", "models/ecc/calibration"),
        ("models/onfi", "models/checks", "models/workload/fit", "models/workload/load", "models/ecc/design"),
        ("models/partition", "models/precondition", "models/nand/curves"),
    ),
    "tlm": (
        ("tlm/protocol",),
        ("tlm/observe", "tlm/host/memory")
        + ("tlm/device/cpu", "tlm/device/dma", "tlm/device/ecc", "tlm/device/engines", "tlm/device/flash/bus")
        + ("tlm/device/link", "tlm/device/memory"),
        ("tlm/device/mover", "tlm/device/flash/die", "tlm/device/flash/channel"),
        ("tlm/device/flash",),
        ("tlm/device",),
        ("tlm/device/nvme",),
        ("tlm/device/direct", "tlm/host/driver"),
        ("tlm/host", "tlm/serve"),
        ("tlm/host/direct", "tlm/host/nvme_driver", "tlm/platform"),
    ),
}
# Of the Python package, in the same way. `wordline` itself has both its ground (errors, places) and its top (drives and
# studies as objects), so it has no floor; no two of its modules need each other all the same.
PYTHON_FLOORS = (
    ("wordline.studies.framework",),
    ("wordline.report",),
    ("wordline.studies.papers",),
    ("wordline.studies",),  # the commands
)
SOURCES = (".h", ".c", ".cpp", ".in", ".S", ".def")
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)


def breaches(text: str, allowed: tuple[str, ...]) -> list[str]:
    """Includes of a source text that reach elsewhere. A name without a folder is a generated header or a sibling."""
    found = []
    for own, system in INCLUDE.findall(text):
        if (own and "/" in own and not own.startswith(allowed)) or system in SYSTEMC or system.startswith("tlm_"):
            found.append(own or system)
    return found


def climbs(tree: str, path: str, text: str) -> list[str]:
    """Includes of a source text in `path` that go up, or to another folder of the same floor."""
    floor_of = {folder: number for number, floor in enumerate(FLOORS[tree]) for folder in floor}

    def folder_of(name: str) -> str:
        """The nearest folder that has a floor."""
        folder = str(Path(name).parent)
        while folder not in floor_of:
            if "/" not in folder:
                raise KeyError(f"{name}: no floor has its folder")
            folder = str(Path(folder).parent)
        return folder

    own = folder_of(path)
    found = []
    for include, _ in INCLUDE.findall(text):
        if not include.startswith(f"{tree}/"):
            continue
        other = folder_of(include)
        if other != own and floor_of[other] >= floor_of[own]:
            found.append(include)
    return found


def imports(module: str, is_package: bool, text: str, modules: set[str]) -> set[str]:
    """Modules of the package that a module imports, wherever in its text."""
    parts = module.split(".") if is_package else module.split(".")[:-1]
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = parts[: len(parts) - node.level + 1] if node.level else []
            name = ".".join([*base, *([node.module] if node.module else [])])
            found |= {f"{name}.{alias.name}" if f"{name}.{alias.name}" in modules else name for alias in node.names}
    return (found & modules) - {module}


def circle(graph: dict[str, set[str]]) -> list[str]:
    """Nodes of a circle, in order; empty: there is none."""
    done: set[str] = set()

    def walk(node: str, way: list[str]) -> list[str]:
        if node in way:
            return [*way[way.index(node) :], node]
        if node in done:
            return []
        for other in sorted(graph.get(node, ())):
            if found := walk(other, [*way, node]):
                return found
        done.add(node)
        return []

    for node in sorted(graph):
        if found := walk(node, []):
            return found
    return []


def climbing_imports(graph: dict[str, set[str]]) -> list[str]:
    floor_of = {package: number for number, floor in enumerate(PYTHON_FLOORS) for package in floor}
    found = []
    for module, others in sorted(graph.items()):
        own = module.rsplit(".", 1)[0]
        for other in sorted(others):
            package = other if other in floor_of else other.rsplit(".", 1)[0]
            if own in floor_of and package in floor_of and own != package and floor_of[package] >= floor_of[own]:
                found.append(f"{module} imports {other}")
    return found


def python_graph() -> dict[str, set[str]]:
    files = {}
    for path in sorted((ROOT / "python/wordline").rglob("*.py")):
        parts = path.relative_to(ROOT / "python").with_suffix("").parts
        files[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    modules = set(files)
    return {
        module: imports(module, path.stem == "__init__", path.read_text(), modules) for module, path in files.items()
    }


class Python(unittest.TestCase):
    def test_no_module_needs_itself(self):
        graph = python_graph()
        self.assertGreater(len(graph), 60)
        self.assertEqual(circle(graph), [])
        self.assertEqual(climbing_imports(graph), [])

    def test_a_circle_is_found(self):
        modules = {"p.a", "p.b", "p.c"}
        graph = {
            "p.a": imports("p.a", False, "from . import b\nimport json\n", modules),
            "p.b": imports("p.b", False, "def f():\n    from .c import g\n", modules),
            "p.c": imports("p.c", False, "from p.a import h\n", modules),
        }
        self.assertEqual(circle(graph), ["p.a", "p.b", "p.c", "p.a"])
        graph["p.c"] = set()
        self.assertEqual(circle(graph), [])
        up = {"wordline.studies.framework.x": {"wordline.studies.papers.ppb", "wordline.studies.framework.y"}}
        self.assertEqual(climbing_imports(up), ["wordline.studies.framework.x imports wordline.studies.papers.ppb"])


# What stands at the top of the tree; anything else there is output of a run that was added by mistake.
TOP = set(
    ".ci .clang-format .clang-tidy .dockerignore .gitattributes .gitignore ARCHITECTURE.md CHANGELOG.md CITATION.cff "
    "CMakeLists.txt CMakePresets.json CONTRIBUTING.md Dockerfile LICENSE README.md cmake configs docs examples "
    "mkdocs.yml models pyproject.toml python rtl scripts testbenches tlm waves".split()
)
LARGEST = 1_000_000  # bytes of a file; pictures have a quarter of that


class Tracked(unittest.TestCase):
    def test_nothing_is_there_by_mistake(self):
        if not (ROOT / ".git").exists() or shutil.which("git") is None:
            self.skipTest("no checkout, or no git: what is tracked is not known")
        # The tree may belong to somebody else than who runs the tests.
        command = ["git", "-c", "safe.directory=*", "-C", str(ROOT), "ls-files", "-z"]
        listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        files = [Path(name) for name in listed.split("\0") if name]
        self.assertGreater(len(files), 1000)
        self.assertLessEqual({path.parts[0] for path in files}, TOP)
        large = [path for path in files if (ROOT / path).is_file() and (ROOT / path).stat().st_size > LARGEST]
        self.assertEqual(large, [])


class Layers(unittest.TestCase):
    def test_folders_keep_to_their_layer(self):
        for folder, allowed in RULES.items():
            files = [path for path in (ROOT / folder).rglob("*") if path.suffix in SOURCES]
            self.assertGreater(len(files), 2, f"{folder}: no sources here")
            for path in files:
                with self.subTest(file=str(path.relative_to(ROOT))):
                    self.assertEqual(breaches(path.read_text(), allowed), [])

    def test_folders_include_lower_floors_alone(self):
        for tree in FLOORS:
            for path in sorted((ROOT / tree).rglob("*")):
                if path.suffix not in SOURCES:
                    continue
                name = str(path.relative_to(ROOT))
                with self.subTest(file=name):
                    self.assertEqual(climbs(tree, name, path.read_text()), [])

    def test_the_device_knows_nothing_of_a_host(self):
        sources = [p for p in (ROOT / "tlm/device").rglob("*") if p.suffix in SOURCES]
        self.assertGreater(len(sources), 100)
        found = [
            f"{path.relative_to(ROOT)}: {own}"
            for path in sources
            for own, _ in INCLUDE.findall(path.read_text())
            if own.startswith(("tlm/host/", "tlm/platform/"))
        ]
        self.assertEqual(found, [])

    def test_each_folder_of_a_floor_is_there_once(self):
        for tree, floors in FLOORS.items():
            folders = [folder for floor in floors for folder in floor]
            self.assertEqual(len(folders), len(set(folders)))
            for folder in folders:
                self.assertTrue((ROOT / folder).is_dir(), f"{folder}: in FLOORS[{tree!r}], and not in the tree")

    def test_a_climb_is_found(self):
        text = '#include "models/checks/load.h"\n#include "models/units/text.h"\n#include "models/nand/vth.h"\n'
        self.assertEqual(
            climbs("models", "models/config/config.h", text), ["models/checks/load.h", "models/nand/vth.h"]
        )
        self.assertEqual(climbs("models", "models/nand/vth.cpp", text), ["models/checks/load.h"])
        self.assertEqual(climbs("models", "models/results/steady/x.h", '#include "models/results/registry.h"\n'), [])
        self.assertEqual(
            climbs("models", "models/engines/x.h", '#include "models/nand/vth.h"\n'), ["models/nand/vth.h"]
        )
        self.assertEqual(
            climbs("tlm", "tlm/device/nvme/x.h", '#include "tlm/host/host_ends.h"\n'), ["tlm/host/host_ends.h"]
        )
        with self.assertRaises(KeyError):
            climbs("models", "models/other/x.h", '#include "models/units/text.h"\n')

    def test_a_breach_is_found(self):
        text = '#include "models/riscv/hart.h"\n#include <cstdint>\n# include "models/firmware/contract/ring.h"\n#include <systemc>\n'
        self.assertEqual(breaches(text, RULES["models/riscv"]), ["models/firmware/contract/ring.h", "systemc"])
        self.assertEqual(
            breaches('#include "tlm/device/cpu/core.h"\n#include <tlm_utils/x.h>\n', MODELS),
            ["tlm/device/cpu/core.h", "tlm_utils/x.h"],
        )


if __name__ == "__main__":
    unittest.main()
