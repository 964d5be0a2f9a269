# SPDX-License-Identifier: GPL-2.0-only
"""The end of a campaign: tables, score, figures and one HTML page that needs no other file.

The same results give the same bytes: times and places are in runs.csv only.
"""

import base64
import os
from typing import List, Optional, Sequence, Tuple

import roce_results as rr
from roce_files import OwnFiles, write_whole

from . import figures, grades, score
from .estimates import Results
from .experiment import Experiment
from .grid import seed_count, selects
from .metrics import Metric
from .plan import HASH_DIGITS, Plan
from .tables import interval, number


PIXELS_PER_PIXEL = 1.4  # of a figure for one of the page, for sharp text


def definition_text(metric: Metric) -> str:
    """A metric's definition in a line."""
    parts = []
    for key, value in metric.fields.items():
        if key == "size":
            low, high = value
            value = f"{'' if low is None else f'above {low:,} B'}" \
                    f"{'' if high is None else f' up to {high:,} B'}".strip()
        elif key == "where":
            value = ", ".join(f"{k}={v}" for k, v in value.items()) or "all rows"
        elif key == "at":
            value = "; ".join(f"{axis} {', '.join(labels)}" for axis, labels in value.items())
        elif key in ("after", "before", "bin"):
            value = f"{value / 1000:g} us"
        elif key == "summary":
            value = ".".join(value)
        elif isinstance(value, list):
            value = ", ".join(map(str, value))
        parts.append(f"{key} {value}")
    return "; ".join(parts) + ("; flows of all seeds pooled" if metric.pool else "")


def metric_tables(results: Results) -> List[dict]:
    """What the page shows of each metric."""
    tables = []
    for metric in results.experiment.metrics.values():
        rows = []
        for i, point in enumerate(results.points):
            if not selects(metric.fields.get("at", {}), point.coordinates):
                continue
            e = results.estimate(i, metric)
            counts = results.counts(i, metric)
            rows.append({
                "labels": list(point.coordinates.values()),
                "mean": number(e.value if e else None),
                "interval": interval(e),
                "seeds": e.seeds if e else 0,
                "flows": f"{counts[0]:,}" if counts else "-",
                "unfinished": f"{counts[1]:,}" if counts else "-"})
        tables.append({"name": metric.name, "label": metric.label, "unit": metric.unit,
                       "definition": definition_text(metric), "rows": rows,
                       "flows": metric.source == "flows"})
    return tables


PUBLISHED_HEADER = ["id", "claim", "reported", "ours", "95 % interval", "grade", "note", "size",
                    "seeds", "commit", "source"]


def score_rows(scores: List[score.Score]) -> List[dict]:
    """What the page shows of each claim."""
    rows = []
    for s in scores:
        unit = s.claim.unit if s.claim else ""
        band = s.claim.band if s.claim else None
        with_unit = f" {unit}" if unit else ""
        number_reported = grades.reported_number(s.reported) is not None
        rows.append({"id": s.id, "grade": s.grade, "text": s.text, "note": s.note, "source": s.source,
                     "reported": s.reported + (with_unit if number_reported else ""),
                     "seeds": s.seeds, "ours": shorter(s.ours) + (with_unit if s.ours and "/" not in s.ours else ""),
                     "interval": score.interval(s.low, s.high),
                     "band": f"{band[0]:g} to {band[1]:g}" if band else "-"})
    return rows


def shorter(ours: str) -> str:
    """Four digits are enough on the page."""
    try:
        return f"{float(ours):.4g}"
    except ValueError:
        return ours


def runs_table(plan: Plan) -> rr.Table:
    """runs.csv: also what depends on time and place."""
    rows = []
    axes = list(plan.runs[0].point)
    for run in plan.runs:
        record = plan.record(run)
        row = [run.key] + [run.point[a] for a in axes] + [str(run.seed), run.hash]
        if record is None:
            rows.append(row + ["missing", "", "", ""])
        else:
            rows.append(row + [state(record), str(record["elapsedSeconds"]),
                               record["slurmJob"] or "", record["commit"] or ""])
    return ["run"] + axes + ["seed", "hash", "state", "elapsed_s", "slurm_job", "commit"], rows


def state(record: Optional[dict]) -> str:
    """How a run ended."""
    if record is None:
        return "missing"
    return "complete" if record["exitStatus"] == 0 else "complete, flows unfinished"


def unfinished_flows(plan: Plan) -> int:
    """Unfinished flows of all runs."""
    total = 0
    for run in plan.complete():
        count = rr.read_summary(plan.run_folder(run)).get("flows", {}).get("unfinished", 0)
        total += count if isinstance(count, int) else 0
    return total


def render(results: Results, plan: Plan, scores: List[score.Score],
           drawn: List[figures.Figure], failed: Sequence[str] = ()) -> str:
    """The page."""
    try:
        import jinja2
    except ImportError:
        raise rr.ResultError("the page needs jinja2: apt install python3-jinja2") from None
    experiment: Experiment = results.experiment
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(os.path.dirname(os.path.abspath(__file__))),
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True)
    complete = plan.complete()
    summary = rr.read_summary(plan.run_folder(complete[0])) if complete else {}
    options = [(k, v) for k, v in sorted(summary.get("configuration", {}).items())
               if k not in ("out", "progress")]
    warmup = experiment.warmup_ns
    if warmup is None:
        warmup = summary.get("statistics", {}).get("warmupNs") or 0
    shown = []
    for figure in drawn:
        data, width = "", 0
        if figure.file and not figure.table:
            with open(figure.file, "rb") as stream:
                png = stream.read()
            width = round(int.from_bytes(png[16:20], "big") / PIXELS_PER_PIXEL)
            data = base64.b64encode(png).decode("ascii")
        shown.append({"title": figure.title, "data": data, "width": width,
                      "why_not": figure.why_not, "table": figure.table,
                      "file": os.path.basename(figure.file or "")})
    return environment.get_template("page.html.j2").render(
        title=experiment.title, name=experiment.name, size=experiment.size,
        description=[p for p in experiment.description.strip().split("\n\n") if p],
        program=os.path.basename(experiment.program), points=len(experiment.points),
        seed_sets=sorted(experiment.seed_sets().items(), key=lambda s: -s[1]),
        seed_count=seed_count(experiment.points), axes=list(experiment.axes),
        missing=len(plan.by_key) - len(complete), distinct=len(plan.by_key),
        unfinished=unfinished_flows(plan),
        figures=shown, scores=score_rows(scores), grades=grades.GRADES,
        sources=score.SOURCES, count_lines=score.count_lines(scores), failed=failed,
        reduced=experiment.reduced, only=experiment.only, metrics=metric_tables(results),
        percentile_note=rr.PERCENTILE_NOTE, warmup=f"{warmup / 1000:g} us" if warmup else "",
        versions=sorted(summary.get("versions", {}).items()), commit=plan.data["commit"],
        code=sorted(plan.data["code"].items()), file=os.path.basename(experiment.file),
        text=experiment.text, options=options,
        runs=[{"labels": list(r.point.values()), "seed": r.seed, "hash": r.hash[:HASH_DIGITS],
               "state": state(plan.record(r)),
               "options": " ".join(f"--{k}={shown_value(v)}" for k, v in r.options.items())}
              for r in plan.runs])


def shown_value(value: str) -> str:
    """An option's value; of a file its name only."""
    return os.path.basename(value) if os.path.isabs(value) else value


def write_tables(results: Results, plan: Plan) -> List[str]:
    """metrics.csv, metrics-by-seed.csv and runs.csv."""
    tables = (("metrics.csv", results.table()), ("metrics-by-seed.csv", results.seed_table()),
              ("runs.csv", runs_table(plan)))
    return [write_table(plan, name, table) for name, table in tables]


def write_table(plan: Plan, name: str, table: rr.Table) -> str:
    """A CSV file in the campaign's folder."""
    return OwnFiles(plan.folder).write(name, rr.csv_text(table))


def write_published(results: Results, plan: Plan, path: str) -> None:
    """The score as it can stand by itself: with the claims' text, the seeds and the commit."""
    if len(plan.complete()) < len(plan.by_key):
        raise rr.ResultError(f"{plan.folder}: {len(plan.by_key) - len(plan.complete())} runs are "
                             "missing, expected a complete campaign to publish")
    commit = plan.data["commit"] or "unknown"
    rows = [[row["id"], row["text"], row["reported"], row["ours"], row["interval"], row["grade"],
             row["note"], plan.data["size"], row["seeds"], commit, row["source"]]
            for row in score_rows(score.Scorer(results).all())]
    write_whole(path, rr.csv_text((PUBLISHED_HEADER, rows)))


def write_score(results: Results, plan: Plan) -> Tuple[List[score.Score], str]:
    """score.csv."""
    scores = score.Scorer(results).all()
    return scores, write_table(plan, "score.csv", score.table(scores))


def write_page(results: Results, plan: Plan, failed: Sequence[str] = ()) -> List[str]:
    """Figures and index.html; both after the tables.

    @param failed what is to be said of runs that have failed
    """
    drawn = figures.Drawer(results, plan).all()
    path = OwnFiles(plan.folder).write(
        "index.html", render(results, plan, score.Scorer(results).all(), drawn, failed))
    return [f.file for f in drawn if f.file] + [path]
