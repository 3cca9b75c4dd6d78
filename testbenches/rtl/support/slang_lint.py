# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Elaborates a top by slang, a reader of SystemVerilog that has nothing in common with Verilator; a warning fails.

usage: slang_lint.py TOP SOURCE...     (files of Verilator's own, *.vlt, are left out)
"""

import sys

from pyslang.driver import Driver

# -Wextra and -Wpedantic are on, but for what is meant as it stands.
OFF = [
    "unused-parameter",  # a generated package holds what some block needs, not what every block needs
    "case-redundant-default",  # lowRISC's guide wants a default in a unique case, too
]


def main():
    top, sources = sys.argv[1], [source for source in sys.argv[2:] if not source.endswith(".vlt")]
    driver = Driver()
    driver.addStandardArgs()
    options = ["slang", "--top", top, "-Wextra", "-Wpedantic", "-Werror", *(f"-Wno-{name}" for name in OFF), *sources]
    if not driver.parseCommandLine(" ".join(options)) or not driver.processOptions():
        return 1
    if not driver.parseAllSources():
        return 1
    compilation = driver.createCompilation()
    driver.reportCompilation(compilation, True)
    driver.runAnalysis(compilation)
    return 0 if driver.reportDiagnostics(True) else 1


if __name__ == "__main__":
    sys.exit(main())
