# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""No object of models/ and tlm/ that changes belongs to the whole program: several drives in it, each on a thread of its
own, share constants only. Read from the symbol table: what lies in memory that the program may write, and is no
constant that its first use has made.

A constant is taken at its word: what it points to, and members of its class that are mutable, are not looked at.

usage: static_objects_test.py ROOT PROGRAM COMPILER
"""

import functools
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1))
PROGRAM = Path(sys.argv.pop(1))
COMPILER = sys.argv.pop(1)

# Symbols that are no constants, and why they may stay.
EXCEPTIONS = {
    "wordline::platform::(anonymous namespace)::g_received": "a signal is one for the process, and its handler is told "
    "nothing but the number: a volatile sig_atomic_t",
    "wordline::platform::(anonymous namespace)::g_youngest": "exit() is one for the process, and what it calls is told "
    "nothing",
}

# Constants with addresses in them are in .data.rel.ro, which nobody writes once the program runs.
WRITTEN = re.compile(r"\.(t?bss|t?data)(\..*)?$|COM$")
READ_ONLY = ".data.rel.ro"
FOLDERS = ("models", "tlm")
OUTSIDE = ("rtl",)  # blocks of gates: theirs are not those of a drive


def symbols(binary: Path) -> list[str]:
    """Names of objects in memory that is written, demangled; of namespace wordline."""
    sections = {"COM": "COM"}
    for line in readelf("-SW", binary):
        if match := re.match(r"\s*\[\s*(\d+)\]\s+(\S+)", line):
            sections[match[1]] = match[2]
    mangled = set()
    for line in readelf("-sW", binary):
        fields = line.split()
        if len(fields) < 8 or fields[3] not in ("OBJECT", "TLS", "COMMON"):
            continue
        section = sections.get(fields[6], "")
        if WRITTEN.match(section) and not section.startswith(READ_ONLY):
            mangled.add(fields[7])
    plain = subprocess.run(["c++filt"], input="\n".join(sorted(mangled)), check=True, capture_output=True, text=True)
    names = {name.replace("[abi:cxx11]", "") for name in plain.stdout.splitlines()}
    return sorted(name for name in names if name.startswith("wordline::"))


def readelf(what: str, binary: Path) -> list[str]:
    return subprocess.run(["readelf", what, binary], check=True, capture_output=True, text=True).stdout.splitlines()


def without(text: str, opening: str, closing: str, instead: str = "") -> str:
    """The text without what stands in brackets."""
    out, depth = [], 0
    for c in text:
        if c == opening:
            if depth == 0:
                out.append(instead)
            depth += 1
        elif c == closing and depth > 0:
            depth -= 1
        elif depth == 0:
            out.append(c)
    return "".join(out)


def name_of(symbol: str) -> tuple[str, str]:
    """The identifier, and the function that it is in or "": of a lambda, the function around it."""
    text = symbol.replace("(anonymous namespace)", "")
    text = re.sub(r"\{(lambda|unnamed)[^}]*\}(::operator\(\)\([^)]*\)( const)?)?", "", text)
    text = without(without(text, "<", ">"), "(", ")", "()")
    *scopes, name = [part.strip() for part in text.split("::")]
    functions = [scope for scope in scopes if "()" in scope]
    return name, functions[-1].split("()")[0].split()[-1] if functions else ""


def statement(lines: list[str], at: int) -> str:
    """What is declared in this line, with the lines before it that belong to the statement."""
    first = at
    while first > 0 and lines[first - 1].strip() and not re.search(r"[;{}:]\s*(//.*)?$|^\s*(#|//)", lines[first - 1]):
        first -= 1
    return " ".join(line.strip() for line in lines[first : at + 1])


def is_constant(declaration: str, name: str) -> bool:
    before = without(re.split(rf"\b{re.escape(name)}\b\s*[\[={{(;]", declaration)[0], "<", ">")
    if "constexpr" in before.split():
        return True
    # The object itself: a pointer is constant by the word behind its last star.
    return re.search(r"\bconst\b", before.rsplit("*", 1)[-1]) is not None


def declarations(root: Path, folders: tuple[str, ...], symbol: str) -> list[tuple[str, str]]:
    """(place, text) of every object with static storage that may be this one: in files of its namespace; of locals, in
    those that have the function."""
    name, function = name_of(symbol)
    declares = re.compile(rf"(?<![\w.>]){re.escape(name)}\s*[\[={{;{'(' if function else ''}]")
    scope = re.compile(rf"^namespace wordline(::{symbol.split('::')[1]}\b| \{{)", re.MULTILINE)
    found = []
    for path, text in sources(root, folders):
        if name not in text or not scope.search(text) or not re.search(rf"\b{re.escape(function)}\b", text):
            continue
        lines = text.splitlines()
        for at, line in enumerate(lines):
            if not declares.search(line) or line.lstrip().startswith(("//", "return ")):
                continue
            whole = statement(lines, at)
            kept = re.match(r"(\[\[\w+\]\] )?(static|thread_local|inline|constexpr|const static)\b", whole)
            # Namespaces are not indented.
            if kept is not None or (not function and re.match(r"[A-Za-z]", line)):
                found.append((f"{path.relative_to(root)}:{at + 1}", whole))
    return found


@functools.lru_cache
def sources(root: Path, folders: tuple[str, ...]) -> list[tuple[Path, str]]:
    files = [path for folder in folders for path in sorted((root / folder).rglob("*"))]
    return [(path, path.read_text()) for path in files if path.suffix in (".h", ".cpp")]


def breaches(root: Path, binary: Path, exceptions: dict[str, str]) -> list[str]:
    out = []
    for symbol in symbols(binary):
        if symbol in exceptions:
            continue
        found, name = declarations(root, FOLDERS, symbol), name_of(symbol)[0]
        if not found:
            if not declarations(root, OUTSIDE, symbol):
                out.append(f"{symbol}: declared nowhere in {', '.join(FOLDERS)}")
            continue
        out += [
            f"{place}: {symbol} changes and belongs to the whole program: make it a member of what a drive owns"
            for place, text in found
            if not is_constant(text, name)
        ]
    return out


BREACH = """
#include <map>
#include <string>
namespace wordline::nand {
namespace {
const std::map<int, std::string> kNames{{1, "one"}};
int calls = 0;
const char* last = "none";
}  // namespace
inline thread_local int depth = 0;
struct Table {
  static int made;
  static const std::map<int, std::string>& all() {
    static const std::map<int, std::string> all{{2, "two"}};
    return all;
  }
};
int Table::made = 0;
template <class T>
int count(T more) {
  static std::map<std::string,
                  int> counts;
  return counts[kNames.at(1)] += more;
}
int use(int i) {
  const char* const one = last;
  last = kNames.at(i).c_str();
  Table::made += ++calls + ++depth + one[0];
  static constexpr int kSteps[] = {1, 2, 3};
  return Table::all().at(i)[0] + count(i) + Table::made + kSteps[i];
}
}  // namespace wordline::nand
"""


class StaticObjects(unittest.TestCase):
    def test_drives_share_constants_only(self) -> None:
        found = breaches(ROOT, PROGRAM, EXCEPTIONS)
        self.assertFalse(found, "\n" + "\n".join(found))

    def test_each_exception_is_there(self) -> None:
        self.assertEqual(sorted(EXCEPTIONS), [name for name in symbols(PROGRAM) if name in EXCEPTIONS])

    def test_a_breach_is_named_with_its_place(self) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            root = Path(scratch)
            source = root / "models" / "breach.cpp"
            source.parent.mkdir()
            source.write_text(BREACH)
            lines = BREACH.splitlines()
            for optimise in ("-O0", "-O2"):
                compiled = root / "breach.o"
                subprocess.run([COMPILER, "-std=c++17", optimise, "-c", source, "-o", compiled], check=True)
                found = breaches(root, compiled, {})
                expected = {
                    "calls": "int calls = 0;",
                    "last": 'const char* last = "none";',
                    "depth": "inline thread_local int depth = 0;",
                    "made": "int Table::made = 0;",
                    "counts": "                  int> counts;",
                }
                for name, line in expected.items():
                    place = f"models/breach.cpp:{lines.index(line) + 1}: wordline::nand::"
                    self.assertTrue(
                        any(f.startswith(place) and re.search(rf"\b{name} changes", f) for f in found), (name, found)
                    )
                for constant in ("kNames", "::all changes", "kSteps"):
                    self.assertFalse(any(constant in f for f in found), (constant, found))
                symbol = "wordline::nand::(anonymous namespace)::calls"
                self.assertFalse(any("::calls " in f for f in breaches(root, compiled, {symbol: "excused"})))


if __name__ == "__main__":
    unittest.main()
