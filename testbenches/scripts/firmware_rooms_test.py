# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""The rooms of the firmware (ARCHITECTURE.md): calls go down only, and a room's state is its own.

usage: firmware_rooms_test.py ROOT GENERATED NM OBJECT...

Held are the includes of every source file, what the compiler refuses, and the calls between OBJECTs, the firmware as compiled for the
host file by file, as NM lists their symbols. GENERATED has the headers of the build.
"""

import re
import subprocess
import sys
import unittest
from pathlib import Path

ROOT, GENERATED, NM, *OBJECTS = (sys.argv.pop(1) for _ in sys.argv[1:])
ROOT = Path(ROOT)
FIRMWARE = ROOT / "models/firmware"

# From the roof down. "" is the folder itself: boot, the layout of memory, the loop that schedules the tasks.
FLOORS = (
    "image",
    "",
    "admin",
    "service",
    "persist",
    "reloc",
    "map",
    "buffer",
    "policy",
    "space",
    "media",
    "host",
    "engines",
    "core",
    "contract",
)
ROOF = ("firmware.h", "context.h")  # of "": what every room may include
ALL_STATES = "rooms.h"  # where they lie in memory: for files of ""
FINDS_STATES = "rooms.c"  # called by all rooms, calls none
SCHEDULER = "firmware.c"  # knows who sleeps
INCLUDE = re.compile(r'^\s*#\s*include\s*"models/firmware/([^"]+)"', re.MULTILINE)


def room_of(path: str) -> str:
    return path.split("/")[0] if "/" in path else ""


def includes_wrong(path: str, text: str) -> list[str]:
    """Includes of a file, named from models/firmware, that reach up, or into another room's state."""
    room, found = room_of(path), []
    for included in INCLUDE.findall(text):
        other = room_of(included)
        state = included.endswith("/state.h")
        if other == "" and included in ROOF and path != "firmware.h":
            continue
        if state and (path == ALL_STATES or (path == SCHEDULER and other == "core")):
            continue
        if (state and other != room) or (included == ALL_STATES and room != ""):
            found.append(f"{path} includes {included}: another room's state")
        elif FLOORS.index(other) < FLOORS.index(room):
            found.append(f"{path} includes {included}: a room above")
    return found


def circles(calls: dict[str, set[str]]) -> list[list[str]]:
    """Files that call each other in a circle."""
    found, done, path = [], set(), []

    def visit(node: str) -> None:
        if node in path:
            found.append(path[path.index(node) :])
            return
        if node in done:
            return
        path.append(node)
        for other in sorted(calls.get(node, ())):
            visit(other)
        path.pop()
        done.add(node)

    for node in sorted(calls):
        visit(node)
    return found


def calls_of(symbols: str, paths: dict[str, str]) -> dict[str, set[str]]:
    """Which file calls, or takes the address of, what of which: from `nm -A` of an archive, paths by the objects' names."""
    defined: dict[str, str] = {}
    wanted: list[tuple[str, str]] = []
    for line in symbols.splitlines():
        name = re.search(r"([^:/]+\.c)\.o:", line).group(1)
        kind, symbol = line.split()[-2:]
        if kind == "U":
            wanted.append((paths[name], symbol))
        elif kind.isupper():
            defined[symbol] = paths[name]
    found: dict[str, set[str]] = {}
    for path, symbol in wanted:
        if symbol in defined:
            found.setdefault(path, set()).add(defined[symbol])
    return found


class FirmwareRooms(unittest.TestCase):
    def setUp(self):
        self.files = {
            str(path.relative_to(FIRMWARE)): path.read_text()
            for path in sorted(FIRMWARE.rglob("*"))
            if path.suffix in (".c", ".h", ".def") and "freestanding" not in path.parts
        }
        self.assertGreater(len(self.files), 60, "no firmware here")

    def test_every_folder_is_a_room(self):
        self.assertEqual({room_of(path) for path in self.files}, set(FLOORS))

    def test_includes_go_down(self):
        self.assertEqual([wrong for path, text in self.files.items() for wrong in includes_wrong(path, text)], [])

    def compiler_says(self, text: str) -> str:
        """The compiler's messages about a file of the firmware."""
        command = [
            "cc",
            "-std=c11",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-DWL_NATIVE",
            "-S",
            "-o",
            "/dev/null",
            "-x",
            "c",
            "-",
        ]
        command += ["-iquote", str(ROOT), "-iquote", GENERATED]
        return subprocess.run(command, input=text, capture_output=True, text=True).stderr

    def test_a_rooms_state_is_its_own(self):
        """Whatever a file of another room writes, it has no name for the state, or no members of it."""
        head = '#include "models/firmware/map/map.h"\n#include "models/firmware/space/state.h"\n'
        own = "uint32_t f(struct wl_firmware* fw) { return wl_space_state(fw)->taken + wl_map_get(fw, 0); }\n"
        self.assertEqual(self.compiler_says(head + own), "")
        breaches = (
            "void f(struct wl_firmware* fw) { fw->map.l2p[0] = 0; }\n",
            "void f(struct wl_firmware* fw) { struct wl_map* m = &fw->map; m->l2p[0] = 0; }\n",
            "void f(struct wl_firmware* firmware) { firmware->map.l2p[0] = 0; }\n",
            "void f(struct wl_firmware* fw) { wl_map_state(fw)->l2p[0] = 0; }\n",
            "uint32_t f(const struct wl_firmware* fw) { return wl_map_view(fw)->l2p[0]; }\n",
        )
        for breach in breaches:
            self.assertRegex(self.compiler_says(head + breach), "no member named|undefined type", breach)

    def test_numbers_of_different_things_are_not_mixed(self):
        head = '#include "models/firmware/map/map.h"\n#include "models/firmware/space/space.h"\n'
        head += "uint32_t f(const struct wl_firmware* fw, wl_lpn_t lpn, wl_ppa_t ppa, wl_slot_t slot) { "
        self.assertEqual(
            self.compiler_says(head + "return wl_superblock_of(fw, ppa + 1) + wl_map_get(fw, lpn) + slot; }\n"), ""
        )
        breaches = (
            "return wl_superblock_of(fw, lpn) + ppa + slot; }\n",
            "return wl_map_get(fw, slot) + ppa + lpn; }\n",
            "const wl_ppa_t at = wl_map_get(fw, lpn); return at + ppa + slot; }\n",
            "return wl_superblock_of(fw, ppa) == ppa && lpn == slot; }\n",
        )
        for breach in breaches:
            self.assertRegex(self.compiler_says(head + breach), "enum-conversion|enum-compare", breach)

    def test_every_change_that_returns_something_is_marked(self):
        """A function of a room's header that changes the state and returns a value, but for those whose value adds nothing."""
        adds_nothing = {"wl_unit_fill", "wl_command_pop", "wl_engine_take", "wl_spares_replace"}
        declared = re.compile(r"^((?:WL_MUST_CHECK )?)(?!void\b|typedef\b)[a-z][\w ]* (\w+)\(([^;{]*)\);", re.MULTILINE)
        found = 0
        for path, text in self.files.items():
            if not path.endswith(".h") or room_of(path) in ("contract", "image", ""):
                continue
            for mark, name, parameters in declared.findall(text):
                if not re.match(r"struct wl_firmware\*", parameters.strip()) or name in adds_nothing:
                    continue
                found += 1
                self.assertTrue(mark, f"{path}: {name} changes the state and its result may be dropped: WL_MUST_CHECK")
        self.assertGreater(found, 50)

    def test_a_result_is_looked_at(self):
        head = '#include "models/firmware/media/media.h"\n'
        ignores = "void f(struct wl_firmware* fw) { wl_job_take(fw, WL_STEP_READ); }\n"
        self.assertRegex(self.compiler_says(head + ignores), "ignoring return value")

    def test_a_flash_job_is_filled_in_media_alone(self):
        """The compiler refuses a write to another room's job, however it is spelt; reads are accepted."""
        head = '#include "models/firmware/media/media.h"\n'
        read = "uint32_t f(struct wl_firmware* fw) { return wl_job(fw, 0)->slot; }\n"
        writes = (
            "void f(struct wl_firmware* fw) { wl_job(fw, 0)->kind = 0; }\n",
            "void f(struct wl_firmware* a) { struct wl_job* job = wl_job(a, 0); job->slot = 0; }\n",
        )
        self.assertEqual(self.compiler_says(head + read), "")
        for write in writes:
            self.assertRegex(self.compiler_says(head + write), "read-only|discards .const. qualifier")

    def test_calls_go_down_and_never_in_a_circle(self):
        sources = [path for path in self.files if path.endswith(".c") and room_of(path) != "image"]
        paths = {Path(path).name: path for path in sources}
        self.assertEqual(len(paths), len(sources), "two files of one name: their objects cannot be told apart")
        symbols = subprocess.run([NM, "-A", *OBJECTS], check=True, capture_output=True, text=True).stdout
        calls = calls_of(symbols, paths)
        self.assertGreater(len(calls), 15, "no calls found")
        up = [
            f"{caller} calls {callee}"
            for caller, callees in calls.items()
            for callee in callees
            if callee != FINDS_STATES and FLOORS.index(room_of(callee)) < FLOORS.index(room_of(caller))
        ]
        self.assertEqual(up, [])
        self.assertNotIn(FINDS_STATES, calls)
        self.assertEqual(circles(calls), [])

    def test_breaches_are_found(self):
        self.assertEqual(len(includes_wrong("space/superblocks.c", '#include "models/firmware/map/map.h"\n')), 1)
        self.assertEqual(len(includes_wrong("map/map.c", '#include "models/firmware/space/state.h"\n')), 1)
        self.assertEqual(len(includes_wrong("core/core.h", '#include "models/firmware/boot.h"\n')), 1)
        self.assertEqual(includes_wrong("map/map.c", '#include "models/firmware/space/space.h"\n'), [])
        self.assertEqual(len(includes_wrong("space/erase.c", '#include "models/firmware/rooms.h"\n')), 1)
        symbols = "x.a:superblocks.c.o:0000 T wl_a\nx.a:superblocks.c.o:     U wl_b\nx.a:erase.c.o:0000 T wl_b\nx.a:erase.c.o:     U wl_a\n"
        calls = calls_of(symbols, {"superblocks.c": "space/superblocks.c", "erase.c": "space/erase.c"})
        self.assertEqual(calls, {"space/superblocks.c": {"space/erase.c"}, "space/erase.c": {"space/superblocks.c"}})
        self.assertEqual(len(circles(calls)), 1)


if __name__ == "__main__":
    unittest.main()
