# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Results of full runs, published beside those of quick ones: results/full/NAME.json. Only what was measured is kept, so
that the words of a study may change without a run of hours; pages take them from the quick results."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

FOLDER = "full"  # within the folder of the quick results
_MEASURED = ("id", "native", "interval", "iss", "interval_iss", "difference", "state", "verdict", "experiment", "note")

Report = dict[str, Any]
Row = dict[str, Any]


def published(report: Report) -> Report:
    """What is kept of a report."""
    kept = {name: report[name] for name in ("study", "quick", "image", "original_traces")}
    figures = [{name: row[name] for name in _MEASURED} for row in report["figures"]]
    return {**kept, "figures": figures, "tables": report["tables"]}


@dataclasses.dataclass(frozen=True)
class FullRuns:
    """Those that are published, by study."""

    reports: dict[str, Report] = dataclasses.field(default_factory=dict)

    @staticmethod
    def read(results: Path) -> "FullRuns":
        """`results`: the folder of the quick results."""
        reports = [json.loads(path.read_text()) for path in sorted((results / FOLDER).glob("*.json"))]
        return FullRuns({report["study"]: report for report in reports})

    def __contains__(self, study: str) -> bool:
        return study in self.reports

    def image(self, study: str) -> str:
        return self.reports[study]["image"]

    def figure(self, study: str, figure: str) -> Row | None:
        """None: there is no full run, or it is older than the figure."""
        rows = self.reports[study]["figures"] if study in self.reports else []
        return next((row for row in rows if row["id"] == figure), None)

    def others(self, quick: Report) -> list[tuple[Row, Row]]:
        """Figures whose verdict is another than in the quick run: quick and full."""
        pairs = [(row, self.figure(quick["study"], row["id"])) for row in quick["figures"]]
        return [(row, full) for row, full in pairs if full is not None and full["verdict"] != row["verdict"]]
