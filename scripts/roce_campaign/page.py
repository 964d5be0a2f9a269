# SPDX-License-Identifier: GPL-2.0-only
"""The end of a campaign: tables, score, figures and one HTML page that needs no other file.

The same results give the same bytes: times and places are in runs.csv only.
"""

import base64
import os
import re
from collections import Counter
from typing import List, Optional, Sequence, Tuple, Union

import jinja2

import roce_results as rr
from roce_files import OwnFiles, write_whole

from . import figures, grades, score
from .estimates import Results, interval, number
from .grid import seed_count, selects
from .metrics import Metric
from .plan import HASH_DIGITS, Plan


PIXELS_PER_PIXEL = 1.4  # of a figure for one of the page, for sharp text


def definition_text(metric: Metric) -> str:
    """A metric's definition in a line."""
    parts = []
    for key, value in metric.fields.items():
        if key == "size":
            low, high = value
            value = f"{'' if low is None else f'above {low:,} B'}{'' if high is None else f' up to {high:,} B'}".strip()
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


PUBLISHED_HEADER = ["id", "claim", "reported", "ours", "95 % interval", "grade", "note", "size", "seeds", "commit", "source"]


def blocks_of(text: str) -> List[Union[str, List[str]]]:
    """Paragraphs, and as lists those lines that begin with a star."""
    found: List[Union[str, List[str]]] = []
    for paragraph in filter(None, map(str.strip, text.split("\n\n"))):
        before, *items = map(str.strip, re.split(r"^\s*[*-] ", paragraph, flags=re.MULTILINE))
        if before:
            found.append(before)
        if items and not before and found and isinstance(found[-1], list):
            found[-1] += items
        elif items:
            found.append(items)
    return found


def score_rows(scores: List[score.Score]) -> List[dict]:
    """What the page shows of each claim."""
    rows = []
    for s in scores:
        unit = s.claim.unit if s.claim else ""
        band = s.claim.band if s.claim else None
        with_unit = f" {unit}" if unit else ""
        rows.append({"id": s.id, "grade": s.grade, "text": s.text, "note": s.note, "source": s.source, "reported": s.reported
                     + (with_unit if grades.reported_number(s.reported) is not None else ""), "seeds": s.seeds,
                     "ours": f"{float(s.ours):.4g}{with_unit}" if s.ours and "/" not in s.ours else s.ours,
                     "interval": score.interval(s.low, s.high), "band": f"{band[0]:g} to {band[1]:g}" if band else "-"})
    return rows


def runs_table(plan: Plan) -> rr.Table:
    """runs.csv: also what depends on time and place."""
    rows = []
    axes = list(plan.runs[0].point)
    for run in plan.runs:
        record = plan.record(run)
        more = [str(record["elapsedSeconds"]), record["slurmJob"] or "", record["commit"] or ""] if record else [""] * 3
        rows.append([run.key, *(run.point[a] for a in axes), str(run.seed), run.hash, state(record), *more])
    return ["run"] + axes + ["seed", "hash", "state", "elapsed_s", "slurm_job", "commit"], rows


def state(record: Optional[dict]) -> str:
    return "missing" if record is None else "complete" if record["exitStatus"] == 0 else "complete, flows unfinished"


def render(results: Results, plan: Plan, scores: List[score.Score],
           drawn: List[figures.Figure], failed: Sequence[str] = ()) -> str:
    experiment = results.experiment
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(os.path.dirname(os.path.abspath(__file__))), autoescape=True,
                                     undefined=jinja2.StrictUndefined, trim_blocks=True)
    summaries = [rr.read_summary(plan.run_folder(run)) for run in plan.complete()]
    first = summaries[0] if summaries else {}
    unfinished = [s.get("flows", {}).get("unfinished", 0) for s in summaries]
    warmup = experiment.warmup_ns
    if warmup is None:
        warmup = first.get("statistics", {}).get("warmupNs") or 0
    shown = []
    for figure in drawn:
        data, width = "", 0
        if figure.file and not figure.table:
            with open(figure.file, "rb") as stream:
                png = stream.read()
            width = round(int.from_bytes(png[16:20], "big") / PIXELS_PER_PIXEL)
            data = base64.b64encode(png).decode("ascii")
        shown.append({"title": figure.title, "data": data, "width": width, "why_not": figure.why_not, "table": figure.table,
                      "file": os.path.basename(figure.file or "")})
    counts = {heading: Counter(s.grade for s in scores if s.source == source) for source, heading in score.SOURCES.items()}
    return environment.get_template("page.html.j2").render(
        blocks=blocks_of(experiment.description), letters={s.grade for s in scores},
        bars=[(heading, [(g, found[g]) for g in grades.GRADES if found[g]]) for heading, found in counts.items() if found],
        experiment=experiment, results=results, plan=plan, scores=score_rows(scores), figures=shown, failed=failed,
        seed_sets=sorted(experiment.seed_sets().items(), key=lambda s: -s[1]), seed_count=seed_count(experiment.points),
        missing=len(plan.by_key) - len(summaries), unfinished=sum(n for n in unfinished if isinstance(n, int)),
        sources=score.SOURCES, count_lines=score.count_lines(scores), grades=grades.GRADES,
        percentile_note=rr.PERCENTILE_NOTE, warmup=f"{warmup / 1000:g} us" if warmup else "", first=first,
        number=number, interval=interval, selects=selects, definition_text=definition_text, state=state, basename=os.path.basename,
        is_path=os.path.isabs, hash_digits=HASH_DIGITS)


def write_tables(results: Results, plan: Plan) -> Tuple[List[score.Score], str]:
    """metrics.csv, metrics-by-seed.csv, runs.csv and score.csv. @return the scores and the last file"""
    scores, file = score.Scorer(results).all(), ""
    for name, table in (("metrics.csv", results.table()), ("metrics-by-seed.csv", results.seed_table()), ("runs.csv", runs_table(plan)),
                        ("score.csv", score.table(scores))):
        file = OwnFiles(plan.folder).write(name, rr.csv_text(table))
    return scores, file


def write_published(scores: List[score.Score], plan: Plan, path: str) -> None:
    """The score as it can stand by itself: with the claims' text, the seeds and the commit."""
    if len(plan.complete()) < len(plan.by_key):
        raise rr.ResultError(f"{plan.folder}: {len(plan.by_key) - len(plan.complete())} runs are "
                             "missing, expected a complete campaign to publish")
    commit = plan.data["commit"] or "unknown"
    rows = [[row["id"], row["text"], row["reported"], row["ours"], row["interval"], row["grade"], row["note"], plan.data["size"],
             row["seeds"], commit, row["source"]] for row in score_rows(scores)]
    write_whole(path, rr.csv_text((PUBLISHED_HEADER, rows)))


def write_page(results: Results, plan: Plan, scores: List[score.Score], failed: Sequence[str] = ()) -> List[str]:
    """Figures and index.html; both after the tables. @param failed what is to be said of runs that have failed"""
    drawn = figures.Drawer(results, plan).all()
    path = OwnFiles(plan.folder).write("index.html", render(results, plan, scores, drawn, failed))
    return [f.file for f in drawn if f.file] + [path]
