# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""The API reference: pages of the classes that users derive from or call, from the comments of their headers.

Doxygen reads the headers, Breathe puts them into Sphinx's pages. Without these two, which the build does not need, there is a list
of the headers.
"""

import importlib.util
import re
import shutil
import subprocess
from pathlib import Path

from tables import MODULE, fail, title

# Title of the page, what it is for, and what it shows of which headers.
PAGES = (
    ("Rate laws", "how fast a sender sends", {
        "host/roce-congestion-control.h": "CongestionControl AckInfo SendInfo CnpInfo Notification ControlVariable",
        "host/roce-law-of.h": "LawOf", "host/roce-path-info.h": "PathInfo"}),
    ("Parameters", "attributes, profiles and their checks", {
        "params/roce-parameters.h": "ParameterTable Parameters", "params/roce-parameters-base.h": "OutsideProfile",
        "params/roce-option-table.h": "OptionPreset"}),
    ("Frame extensions", "what frames carry in addition", {"frame/roce-frame-extension.h": "FrameExtension ExtensionView"}),
    ("Feedback of receivers", "what a receiver sends back", {
        "host/roce-receiver-feedback.h": "ReceiverFeedback NicFeedback ReplySink NicReplySink FeedbackTimer FeedbackChain"}),
    ("Loss recovery", "what is sent again", {
        "host/roce-loss-recovery.h": "LossRecovery", "host/roce-message-layout.h": "MessageLayout"}),
    ("Path selection", "which path a packet or a frame takes", {
        "host/roce-path-selector.h": "PathSelector", "switch/roce-path-policy.h": "PathPolicy"}),
    ("Switch stages", "what switches do with frames", {
        "switch/roce-switch-stage.h": "SwitchStage", "switch/roce-stage-of.h": "StageOf"}),
    ("Egress schedulers", "which queue of a port sends", {"engine/roce-egress-scheduler.h": "EgressScheduler"}),
    ("Control shims", "what acts between a sender and its rate law", {"host/roce-control-shim.h": "ControlShim"}),
    ("Loss models", "what links lose", {"loss/roce-loss-model.h": "LossModel"}),
    ("Tuners", "what changes parameters during a run", {"tuning/roce-tuner.h": "Tuner"}),
    ("Host programs", "what answers events of a NIC at once", {"host/roce-host-program.h": "HostProgram"}),
    ("Networks", "NICs, switches and links, joined by hand or by a topology", {
        "network/roce-network.h": "Network", "network/roce-topology.h": "Topology", "network/roce-station-handle.h": "StationHandle",
        "host/roce-flow-spec.h": "FlowSpec"}),
    ("Programs", "options, workload, run and files of a whole program", {
        "run/roce-scenario.h": "RunScenario ScenarioOptions", "run/roce-station-series.h": "StationSeries"}),
)
DOXYGEN = """
GENERATE_HTML = NO
GENERATE_LATEX = NO
GENERATE_XML = YES
XML_PROGRAMLISTING = NO
HIDE_UNDOC_MEMBERS = YES
QUIET = YES
WARNINGS = NO
"""


def page_name(name):
    """@return the file of a page"""
    return name.lower().replace(" ", "-")


def read_headers(folder):
    """Let doxygen read them. @return kind of each class: class or struct"""
    folder.mkdir(parents=True, exist_ok=True)
    headers = [MODULE / header for _, _, shown in PAGES for header in shown]
    settings = DOXYGEN + f"OUTPUT_DIRECTORY = {folder}\nINPUT = {' '.join(map(str, headers))}\n"
    done = subprocess.run(["doxygen", "-"], input=settings, capture_output=True, text=True, check=False)
    if done.returncode:
        fail(1, f"doxygen: {done.stderr.strip()}")
    names = {name for _, _, shown in PAGES for some in shown.values() for name in some.split()}
    kinds = {}
    for path in [*(folder / "xml").glob("class*.xml"), *(folder / "xml").glob("struct*.xml")]:
        text = path.read_text(encoding="utf-8")
        kind, name = re.search(r'<compounddef id="[^"]+" kind="(\w+)".*?<compoundname>ns3::roce::([^<]+)<', text, re.S).groups()
        kinds[name] = kind

        def link(found):
            """Only what is on a page can be linked to."""
            return found[0] if re.sub(r"(_1\w{33})?$|^(class|struct)ns3_1_1roce_1_1", "", found[1]).split("_1_1")[0] in names else found[2]
        text = re.sub(r"<derivedcompoundref .*</derivedcompoundref>\n", "", text)
        path.write_text(re.sub(r'<ref refid="([^"]+)"[^>]*>([^<]*)</ref>', link, text), encoding="utf-8")
    return kinds


def entry(name, kind):
    """@return a class with its members, or a function. @param kind class, struct or function"""
    return f".. doxygen{kind}:: ns3::roce::{name}\n" + "   :members:\n   :protected-members:\n" * (kind != "function") + "\n"


def write(source, folder):
    """Write the pages into a folder of chapters. @param folder for doxygen's output @return options for Sphinx"""
    (source / "api").mkdir()
    there = shutil.which("doxygen") and importlib.util.find_spec("breathe")
    kinds = read_headers(folder) if there else {}
    rows = ""
    for name, what, shown in PAGES:
        page = name.lower().replace(" ", "-")
        names = " ".join(shown.values()).split()
        if there:
            headers = ", ".join(f"``ns3/{Path(header).name}``" for header in shown)
            (source / "api" / f"{page}.rst").write_text(
                title(name) + f"{what[0].upper()}{what[1:]}. In {headers}.\n\n"
                + "".join(entry(n, kinds.get(n, "function")) for n in names), encoding="utf-8")
        rows += f"   * - {f':doc:`{name} <{page}>`' if there else name}\n     - {what}\n     - " \
            + ", ".join(f"``{n}``" for n in (names if there else shown)) + "\n"
    index = title("API reference") + (
        "The classes to derive from and to call, with what their headers say of them. :ref:`doors` says which one is for what, and "
        "which line makes a program find a new class. All are in the namespace ``ns3::roce``.\n\n")
    if there:
        index += ".. toctree::\n   :hidden:\n   :glob:\n\n   *\n\n"
    else:
        index += ("This site was made without doxygen and Breathe (Debian: ``doxygen python3-breathe``). With them, this page "
                  "leads to the members of these classes. Headers are those of ``contrib/roce``.\n\n")
    index += f".. list-table::\n   :header-rows: 1\n   :widths: 22, 38, 40\n\n   * - page\n     - for\n     - {'names' if there else 'headers'}\n"
    (source / "api" / "index.rst").write_text(index + rows, encoding="utf-8")
    return ["-D", "extensions=breathe", "-D", f"breathe_projects.roce={folder / 'xml'}", "-D", "breathe_default_project=roce"] \
        if there else []
