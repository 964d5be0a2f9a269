# SPDX-License-Identifier: GPL-2.0-only
"""scripts/look and the page of a campaign: what they hold, and in Chromium that they fit, say nothing on the console, and answer."""

import json
import re

import pytest

import roce_results as rr
from roce_campaign import page
from roce_look import data
from support import LEAF_SPINE, SCRIPTS, refused, rows, run, summary
from support.browser import PROGRAM, Browser
from support.campaigns import EXPERIMENT, good, write_program
from support.campaigns import run as run_script

OPTIONS = ["--progress=none", "--pattern=poisson+incast", "--load=0.3", "--duration=300us", "--spines=2", "--leaves=2", "--hostsPerLeaf=4",
           "--incastSenders=6", "--incastBytes=300000", "--incastReceiver=1", "--leafBuffer=2MiB"]
SERIES = ["--queues=10us", "--rates=10us", "--transport=10us", "--utilisation=10us", "--pauses=change", "--pfc=1", "--hpccPfc=1"]
needs_browser = pytest.mark.skipif(PROGRAM is None, reason="no Chromium; scripts/install.sh --with-chromium installs one")


def look(folder, out):
    """@return what a page that scripts/look made holds"""
    done = run(SCRIPTS / "look", folder, "--out", out)
    assert done.stdout.split() == [str(out)] and not done.stderr, f"scripts/look: {done}"
    text = out.read_text(encoding="utf-8")
    assert not re.search(r"(src|href)=\"(?!data:|#)|https?://", text), "not self-contained"
    return json.loads(re.search('<script type="application/json" id="data">(.*?)</script>', text, re.S)[1])


@pytest.fixture(scope="module")
def made(programs, shared_folder):
    """Runs with and without series, their pages' contents, and the pages."""
    found = {}
    for name, options in (("full", SERIES), ("bare", [])):
        programs.run(LEAF_SPINE, *OPTIONS, *options, f"--out={shared_folder}/{name}")
        path = shared_folder / f"{name}.html"
        found[name] = shared_folder / name, look(shared_folder / name, path), path
    return found


@pytest.fixture(scope="module")
def campaign(shared_folder):
    """The page of a campaign with claims of all grades."""
    experiment = write_program(shared_folder / "campaign", experiment=EXPERIMENT + (
        "plots:\n  - {kind: table, metric: [average, pauses], rows: law}\n"
        "description: |\n  What it is.\n\n  Read into it:\n\n  * first, in\n    two lines;\n  * second.\n"))
    good(run_script("reproduce", experiment, "--out", shared_folder / "results"), "campaign")
    return shared_folder / "results" / "index.html"


@pytest.fixture(scope="module")
def browser():
    """Chromium for all tests of this file."""
    with Browser() as found:
        yield found


def values(found, table, subject, of, name):
    """A line's times (ns) and values."""
    lines = [line[4:] for line in found["lines"] if line[:4] == [table, subject, of, name]]
    assert len(lines) == 1, f"{table} {of} {name}: {len(lines)} lines"
    return dict(zip(*lines[0]))


def test_numbers(made):
    """Flows, slowdowns, links and pauses are those of the run; queues and rates those of its tables."""
    folder, found, _ = made["full"]
    flows, said = rows(folder / "flows.csv"), summary(folder)
    columns = found["flows"]
    assert columns["bytes"] == [int(f["bytes"]) for f in flows] and columns["slowdown"] == [float(f["slowdown"]) for f in flows]
    assert columns["fct"] == [round(float(f["fct_ns"])) for f in flows] and columns["src"] == [int(f["src"]) for f in flows]
    assert found["slowdowns"][1][0][3] == f"{said['statistics']['all']['slowdown']['mean']:.2f}", f"{found['slowdowns']}"
    assert {tuple(pair) for pair in found["links"]} == {tuple(sorted(pair)) for pair in said["neighbours"].items()}, "links"
    longest = max(rows(folder / "queues.csv"), key=lambda row: int(row["queue_bytes"]))
    name = "queue_bytes" + (f" class {longest['class']}" if len({r["class"] for r in rows(folder / "queues.csv")}) > 1 else "")
    queue = values(found, "queues.csv", "port", longest["port_name"], name)
    assert max(queue.values()) == pytest.approx(int(longest["queue_bytes"]), rel=1e-4), "the longest queue"
    assert found["heat"]["kinds"]["queue"]["most"] == int(longest["queue_bytes"]), "scale of the map"
    largest = max(flows, key=lambda f: int(f["bytes"]))
    goodput = sorted(values(found, "rates.csv", "flow", largest["id"], "goodput_bps").items())
    sent = sum(rate * (after - time) for (time, rate), (after, _) in zip(goodput, goodput[1:])) / 8e9
    assert sent == pytest.approx(int(largest["bytes"]), rel=0.01), "goodput over time is the flow's bytes"
    paused = found["pauses"]
    assert paused["source"] == "pauses.csv" and len(paused["rows"]) > 0, f"{paused}"
    assert sum(row[2] for row in paused["rows"]) == pytest.approx(said["counters"]["pausedNs"], abs=len(paused["rows"])), f"{paused}"


def test_pause_sources(made):
    """The frames that ports sent (pfc.csv), and HPCC's list (pfc.txt), say the same of who was paused, and about how long."""
    folder, found, _ = made["full"]
    exact = {row[0]: row for row in found["pauses"]["rows"]}
    for leave in (("pauses.csv",), ("pauses.csv", "pfc.csv")):
        other = folder.parent / "-".join(("without", *leave))
        other.mkdir()
        for file in folder.iterdir():
            if file.name not in leave:
                (other / file.name).symlink_to(file)
        source, lines = data.pause_events(str(other), summary(other))
        rest = {row[0]: row for row in data.pauses_table(lines)}
        assert source == ("pfc.csv" if len(leave) == 1 else "pfc.txt") and rest.keys() == exact.keys(), f"{source}: {rest}"
        for port, row in rest.items():
            assert row[1] == exact[port][1] and row[2] == pytest.approx(exact[port][2], rel=0.02, abs=100), f"{source}: {row} {exact[port]}"


def test_thinned():
    """Of many rows the extremes and the last of each part remain; of too many lines those with fewest rows go, which is said."""
    ns = data.np.arange(100_000.0)
    line = data.Line("t.csv", "port", "p", "v", ns, data.np.where(ns == 54_321, 9.0, ns % 3))
    (thin,), note = data.fitting([line], 1e5)
    assert len(thin.ns) <= 3 * data.BINS + 3 and thin.values.max() == 9 and thin.ns[-1] == ns[-1] and "800 parts" in note, note
    short = line._replace(ns=ns[:3], values=data.np.array([1.0, 2.0, 1.0]))
    kept, note = data.fitting([short] * 60_000, 1e5)
    assert sum(len(k.ns) for k in kept) <= data.MOST_POINTS and "are left out" in note, note
    (same,), note = data.fitting([short], 1e5)
    assert list(same.ns) == list(short.ns) and not note, "what is small stays"


def test_without_series(made, folder):
    """A run without series has its flows and network; what is no run is refused in one line."""
    _, found, _ = made["bare"]
    assert found["flows"]["id"] and found["links"] and not found["lines"] and not found["heat"]["kinds"] and not found["files"], f"{found['files']}"
    done = run(SCRIPTS / "look", folder, status=2)
    assert "no flows.csv" in refused(done) and not list(folder.iterdir()), f"{done}"
    refused(run(SCRIPTS / "look", folder / "none", status=2), "none: expected a run folder")
    (folder / "pfc.txt").write_text("1 2 3\n")
    with pytest.raises(rr.ResultError, match="pfc.txt:1: expected time"):
        data.pause_events(str(folder), {})


def test_lists():
    """Lines with a star are a list, also after a paragraph and over several lines."""
    assert page.blocks_of("A\nb.\n\n* one\n  more\n\n* two\n\nC:\n* three") == ["A\nb.", ["one\n  more", "two"], "C:", ["three"]], \
        page.blocks_of("A\nb.\n\n* one\n  more\n\n* two\n\nC:\n* three")


@needs_browser
@pytest.mark.parametrize("width", [390, 1300, 1920])
@pytest.mark.parametrize("which", ["full", "bare", "campaign"])
def test_fits(made, campaign, browser, which, width):
    """No errors, nothing asked of a network, nothing wider than the window, light and dark, folded and unfolded."""
    for dark in (False, True):
        browser.open(campaign if which == "campaign" else made[which][2], width, dark=dark)
        browser.run("document.querySelectorAll('details').forEach(part => part.open = true)")
        wide = browser.run("document.scrollingElement.scrollWidth - innerWidth")
        assert wide <= 0 and not browser.errors, f"{wide} pixels too wide; {browser.errors}"
        colours = browser.run("(s => [s.color, s.backgroundColor].map(c => c.match(/\\d+/g)[1] > 128).join())(getComputedStyle(document.body))")
        assert colours == ("true,false" if dark else "false,true"), f"text and page are light: {colours}"


@needs_browser
def test_look_answers(made, browser):
    """A filter changes what is counted; a click on a flow, a port of the map or a link chooses it and shows its lines."""
    _, found, path = made["full"]
    browser.open(path, 1300)

    def click(canvas, x, y):
        left, top = browser.run(f"(c => {{ c.scrollIntoView(); const r = c.getBoundingClientRect(); return [r.left, r.top]; }})($('{canvas}'))")
        browser.click(left + x, top + y)

    inter = sum(found["flows"]["inter"])
    browser.run("$('scope').value = 'inter'; $('scope').oninput()")
    assert browser.run("$('flowsText').textContent").startswith(f"{inter} flows"), "the scope"
    browser.run("$('scope').value = 'all'; $('nic').value = '3'; $('nic').oninput()")
    of_nic = sum(3 in pair for pair in zip(found["flows"]["src"], found["flows"]["dst"]))
    assert browser.run("$('flowsText').textContent").startswith(f"{of_nic} flows"), "the NIC"
    browser.run("$('nic').value = ''; $('size').value = '1MB-'; $('size').oninput()")
    assert browser.run("$('flowsText').textContent").startswith(f"{sum(b >= 1e6 for b in found['flows']['bytes'])} flows"), "the size"
    browser.run("$('size').value = ''; $('size').oninput()")

    largest = found["flows"]["bytes"].index(max(found["flows"]["bytes"]))
    click("flows", *browser.run(f"[plane.px(flows.bytes[{largest}]), plane.py(flows.slowdown[{largest}])]"))
    assert browser.run("$('flow').value") == str(found["flows"]["id"][largest]), "a click on a flow"
    assert browser.run("$('flowLines').querySelectorAll('canvas').length") > 2, "rates and variables of the flow"
    port = found["heat"]["kinds"]["busy"]["ports"][-1]
    click("heat", 400, browser.run("$('heat').clientHeight - BOTTOM - 1"))
    assert browser.run("$('port').value") == port and browser.run("chosen.at") > 0, f"a click on the map: {browser.run('chosen.port')}"
    before = browser.run("chosen.to - chosen.from")
    browser.run("$('flowTime').click()")
    assert browser.run("chosen.to - chosen.from") < before, "zoom to the flow"
    x, y = browser.run("(n => [8 + n.x * ($('network').clientWidth - 16), 30 + n.y * ($('network').clientHeight - 60)])"
                       "(network.nodes.find(n => n.name === 'nic5'))")
    click("network", x, y)
    assert browser.run("$('port').value") == "nic5" and not browser.errors, f"a click on a NIC: {browser.errors}"


@needs_browser
def test_bare_hints(made, browser):
    """What was not recorded is named with the option that records it."""
    browser.open(made["bare"][2], 1300)
    text = browser.run("document.body.innerText")
    for option in ("--queues=10us", "--rates=10us", "--utilisation=10us", "--pauses=10us", "--transport=10us"):
        assert option in text, option


@needs_browser
def test_claims_answer(campaign, browser):
    """The filter of claims by grade and by text; lists are lists."""
    browser.open(campaign, 1300)
    shown = "[...document.querySelectorAll('#claims tr[data-grade]')].filter(row => row.offsetHeight).map(row => row.dataset.grade).join('')"
    grades = browser.run(shown)
    assert len(grades) > 20 and {"A", "F", "U"} <= set(grades), grades
    browser.run("document.querySelector('#filter [value=A]').click()")
    assert browser.run(shown) == grades.replace("A", ""), "without A"
    browser.run("(i => { i.value = 'open-ZERO'; i.dispatchEvent(new Event('input', {bubbles: true})); })(document.querySelector('#filter [type=search]'))")
    assert len(browser.run(shown)) == 1 and "1 of " in browser.run("document.querySelector('#filter').innerText"), "by text"
    assert browser.run("[...document.querySelectorAll('#readings li')].map(li => li.textContent.replace(/\\s+/g, ' ').trim()).join('|')") == \
        "first, in two lines;|second."
