"""The report of many runs: distributions, outliers, failure patterns, and what differs when tasks are solved.

It is made from rows of scores, and so from whatever scored them: this machine, or many.

    >>> import json
    >>> rows = [{"place": f"runs/{n}.jsonl", "trace_id": f"run {n}", "task_id": f"t{n}", "errors": 0, "problems": [],
    ...          "outcome": {"success": n % 2 == 0}, "measures": {"steps": n}} for n in range(1, 21)]
    >>> found = summary(table(json.dumps(row).encode() for row in rows))
    >>> found.solved, found.distributions["steps"].median, round(found.contrasts[0].superiority, 2)
    (10, 10.5, 0.55)
"""

from survey.traces.exporters.report.runs.page import html
from survey.traces.exporters.report.runs.summary import Summary, summary
from survey.traces.exporters.report.runs.table import Table, table
from survey.traces.exporters.report.runs.text import text

__all__ = ["Summary", "Table", "html", "summary", "table", "text"]
