# SPDX-License-Identifier: GPL-2.0-only
"""Numbers that one can see: --PrintProfile, what --help lists, and summary.json's values, ports and commit."""

import json
import re
import subprocess
from pathlib import Path

import pytest
from roce_campaign import program

from support import LEAF_SPINE, ROOT, refused, rows
from support import summary as told

PREFIX = "ns3::roce::"
# Options that name a type, and the class that it derives from.
OPTIONS = {"cc": "CongestionControl", "stages": "SwitchStage", "edge": "SwitchStage", "tuner": "Tuner",
           "lossRecovery": "LossRecovery", "paths": "PathSelector"}
# Shims stand before a rate law; they are none to name.
NOT_NAMED = {"CongestionControl": {"ReflexSender"}}


class Types:
    """What the programs know, with the tutorial's rate law Aimd as a class of one's own if wanted."""

    def __init__(self, programs):
        self.programs, self.build = programs, programs.build
        self.types = json.loads(programs.run("roce-type-tables").stdout)

    def run(self, *options, own=False, status=0):
        """@return the finished process."""
        return self.programs.run(LEAF_SPINE, *options, status=status,
                                 env={"LD_PRELOAD": str(self.build / "lib" / "libroce-tutorial.so")} if own else {})

    def children(self, base):
        """@return names of the types that may be made and derive from a base."""
        names, grown = {PREFIX + base}, True
        while grown:
            more = {t["name"] for t in self.types if t["parent"] in names} - names
            names, grown = names | more, bool(more)
        return {t["name"].replace(PREFIX, "") for t in self.types if t["name"] in names and t["constructor"]}

    def profile(self, text, **options):
        """@return rows of --PrintProfile by parameter: value, from, values."""
        done = self.run(f"--PrintProfile={text}", **options)
        assert not done.stderr, f"--PrintProfile={text}: {done.stderr}"
        lines = done.stdout.splitlines()
        ends = [match.start() for match in re.finditer(r"\S+", lines[1])] + [None]
        assert lines[1].split() == ["parameter", "value", "from", "values", "help"], f"--PrintProfile={text}: columns {lines[1]}"
        return {line[:ends[1]].strip(): [line[a:b].strip() for a, b in zip(ends[1:4], ends[2:5])] for line in lines[2:]}


@pytest.fixture(name="types", scope="module")
def all_types(programs):
    """Of the build."""
    return Types(programs)


def test_profiles(types):
    """Each type with profiles prints its tables; what is given, what is derived and bad names are said."""
    count = 0
    for entry in types.types:
        tables = {a["name"]: a for a in entry["attributes"] if a["profiles"]}
        if "Profile" not in tables or not entry["constructor"]:
            continue
        name = entry["name"].replace(PREFIX, "")
        for i, profile in enumerate(tables["Profile"]["range"].split(", ")):
            rows = types.profile(f"{name}[Profile={profile}]")
            assert rows["Profile"][:2] == [profile, "attribute"], f"{name}: Profile is {rows['Profile']}"
            for attribute, parameter in tables.items():
                if attribute != "Profile":
                    value, origin, _ = rows[attribute]
                    assert origin == "derived" or (origin == "profile" and value == parameter["profiles"][i]), \
                        f"{name}[Profile={profile}]: {attribute} is {value} from {origin}, expected {parameter['profiles'][i]}"
                    count += 1
    assert count > 100, f"values by profile: {count}"
    rows = types.profile("Dcqcn[Profile=paper|AiRate=60Mbps]")
    assert rows["AiRate"] == ["60Mbps", "attribute", "rate, AiRate > 0"], f"AiRate is {rows['AiRate']}"
    assert rows["ByteReset"][:2] == ["10000000", "profile"], f"ByteReset is {rows['ByteReset']}"
    assert types.profile("Nic")["RtoMin"] == ["67108864ns", "default", "time"], "Nic::RtoMin"
    assert types.profile("Switch")["BufferSize"] == ["32MiB", "default", "bytes"], "Switch::BufferSize"
    assert types.profile("Aimd", own=True)["Profile"][0] == "gentle", "the tutorial's Aimd"
    for text, expected in (("Dcqcnn", "expected one of: Acc, Bbr, "), ("Dcqcn[Profile=x]", "expected 'nvidia', 'paper', 'hpcc-sim'"),
                           ("Dcqcn[Foo=1]", "--PrintAttributes="), ("", "expected one of: "), ("SwitchStage", "expected one of: "),
                           ("Dcqcn[TimeReset=0us|ByteReset=0]", "at least one of the two")):
        done = types.run(f"--PrintProfile={text}", status=2)
        refused(done, expected)
        assert not done.stdout, f"--PrintProfile={text}: {done}"


def test_known_types(types):
    """--help and the message for an unknown name list every type there is, one's own included."""
    for own in (False, True):
        text = types.run("--help", own=own).stdout
        for option, base in OPTIONS.items():
            known = types.children(base) - NOT_NAMED.get(base, set()) | ({"Aimd"} if own and option == "cc" else set())
            line = re.search(rf"^ +--{option}: +(.*)$", text, re.M)[1]
            listed = max(re.findall(r"\w+(?:, \w+)*", line), key=lambda names: names.count(","), default="").split(", ")
            assert set(listed) - {"none"} == known, f"--help lists --{option}: {listed}, expected {sorted(known)}"
            done = types.run(f"--{option}=NoSuchType", own=own, status=2)
            expected = f"error: --{option} is 'NoSuchType', expected one of: {', '.join(sorted(known))}\n"
            assert done.stderr == expected, f"--{option}=NoSuchType says {done.stderr}, expected {expected}"
    text = types.run("--help").stdout
    line = re.search(r"^ +--lossModel: +(.*)$", text, re.M)[1]
    ours, others = re.match(r".*by: (.*); or a model of ns-3: (.*); \[Attribute", line).groups()
    assert set(ours.split(", ")) == types.children("LossModel"), f"--help lists --lossModel: {ours}"
    assert {"ns3::RateErrorModel", "ns3::BurstErrorModel", "ns3::ListErrorModel"} <= set(others.split(", ")), f"of ns-3: {others}"


def test_commit(folder):
    """The commit is that of the module's folder, says if files differ from it, and is unknown elsewhere."""
    script = ROOT / "contrib" / "roce" / "commit.cmake"
    work, module, output = Path(folder), Path(folder, "tree", "contrib", "roce"), Path(folder, "roce-commit.cc")
    module.mkdir(parents=True)
    (module / "commit.cmake").write_text(script.read_text(encoding="utf-8"), encoding="utf-8")

    def git(*words):
        done = subprocess.run(["git", "-C", work / "tree", "-c", "user.name=a", "-c", "user.email=a@b", *words],
                              capture_output=True, text=True, check=True)
        return done.stdout.strip()

    def found():
        subprocess.run(["cmake", f"-DOUTPUT={output}", "-P", module / "commit.cmake"], check=True)
        return re.search(r'"ns-3-roce-commit:([^"]+)"', output.read_text(encoding="utf-8"))[1]

    assert found() == "unknown", "commit outside a repository"
    git("init", "-q")
    git("commit", "-q", "--allow-empty", "-m", "Others' tree")
    assert found() == "unknown", "commit of a copy in another project's repository"
    git("add", "-A")
    git("commit", "-q", "-m", "Module")
    assert found() == git("rev-parse", "HEAD"), f"commit: {found()}, expected {git('rev-parse', 'HEAD')}"
    (work / "tree" / "untracked").touch()
    before = output.stat().st_mtime_ns
    assert found() == git("rev-parse", "HEAD") and output.stat().st_mtime_ns == before, "an unchanged commit is written again"
    with open(module / "commit.cmake", "a", encoding="utf-8") as file:
        file.write("# changed\n")
    assert found() == git("rev-parse", "HEAD") + "-dirty", f"commit of changed files: {found()}"


def test_commit_aside(types, folder):
    """Campaigns know results again, whatever the commit; not when any other byte of the code changes."""
    text = (types.build / "contrib" / "roce" / "roce-commit.cc").read_text(encoding="utf-8")
    hashes, contents = set(), set()
    library = Path(folder, "libns3-x.so")
    for commit in ("unknown", 40 * "a", 40 * "b" + "-dirty"):
        Path(folder, "x.cc").write_text(re.sub(r'(ns-3-roce-commit:)[^"]+', rf"\g<1>{commit}", text, count=1), encoding="utf-8")
        subprocess.run(["g++", "-std=c++17", "-O2", "-shared", "-fPIC", f"-I{types.build}/include", Path(folder, "x.cc"), "-o",
                        library], check=True)
        hashes.add(program.code(str(library))[library.name])
        contents.add(library.read_bytes())
    assert len(contents) == 3 and len(hashes) == 1, f"libraries of 3 commits: {len(contents)} contents, {len(hashes)} hashes of code"
    library.write_bytes(library.read_bytes().replace(b"GetCommit", b"GetCommot"))
    assert program.code(str(library))[library.name] not in hashes, "other code has the same hash"


def test_summary(types, folder):
    """summary.json: origins of values, thresholds by port, neighbours, commit; names in the series."""
    types.run("--leaves=2", "--spines=2", "--hostsPerLeaf=2", "--duration=200us", "--progress=none",
                        "--cc=Dcqcn[Profile=paper|AiRate=60Mbps]", "--interCc=Hpcc", "--edge=ReflexNdt",
                        "--ns3::roce::EcnMarker::Kmin=50000", "--leafBuffer=16MiB", "--queues=change", "--utilisation=20us",
                        f"--out={folder}/run")
    summary = told(folder / "run")
    types.run("--datacenters=1", "--pattern=permutation", "--messageBytes=1000", "--tuner=Paraleon[MonitorInterval=70us]",
                 "--progress=none", f"--out={folder}/tuned")
    tuned = told(folder / "tuned")["valuesInForce"]["tuner"][0]
    assert (tuned["values"]["MonitorInterval"], tuned["from"]["MonitorInterval"]) == ("70us", "attribute"), f"tuner: {tuned}"
    queues, busy = rows(f"{folder}/run/queues.csv"), rows(f"{folder}/run/utilisation.csv")
    roles = summary["valuesInForce"]
    expected = {"nic", "switch", "switchPort", "scheduler", "stage"} | {
        f"{scope}.{part}" for scope in ("intra", "inter") for part in
        ("congestionControl", "receiverFeedback", "lossRecovery", "pathSelector")}
    assert expected <= set(roles), f"valuesInForce: {sorted(roles)}, expected {sorted(expected)}"
    for role, entries in roles.items():
        for entry in entries:
            assert (set(entry["from"]) == set(entry["values"]) and
                  set(entry["from"].values()) <= {"attribute", "profile", "default", "derived"}), f"{role}: from {entry['from']}"

    def value(role, kind, name, at=0):
        entry = [e for e in roles[role] if e["type"] == PREFIX + kind][at]
        return entry["values"][name], entry["from"][name]

    for found, wanted in ((value("intra.congestionControl", "Dcqcn", "AiRate"), ("60Mbps", "attribute")),
                          (value("intra.congestionControl", "Dcqcn", "ByteReset"), ("10000000", "profile")),
                          (value("stage", "EcnMarker", "Kmin"), ("50000", "attribute")),
                          (value("stage", "EcnMarker", "Kmax"), ("400000", "profile")),
                          (value("switch", "Switch", "BufferSize"), ("16MiB", "attribute")),
                          (value("switch", "Switch", "BufferSize", 1), ("32MiB", "default")),
                          (value("nic", "Nic", "PathMtu"), ("4096", "default"))):
        assert found == wanted, f"valuesInForce: {found}, expected {wanted}"
    ports = {entry["values"]["DataRate"]: entry["thresholds"] for entry in roles["switchPort"]}
    assert ports["100Gbps"]["ecnKmaxBytes"] == 1600000 and ports["1600Gbps"]["ecnKmaxBytes"] == 25600000, f"thresholds: {ports}"
    # The long port has all that its headroom leaves of 4 BDP and 4 MiB.
    headroom = 2 * 1600 * 500_000 // 8 + 3 * 4304 + 64
    xoff = 4 * 1600 * 500_000 // 8 + (4 << 20) - headroom
    assert {name: ports["1600Gbps"][name] for name in ports["1600Gbps"] if not name.startswith("ecn")} == {
        "linkDelayNs": 500_000, "pfcHeadroomBytes": headroom, "pfcXoffBytes": xoff, "pfcXonBytes": xoff // 2}, f"thresholds: {ports}"
    neighbours = summary["neighbours"]
    assert len(neighbours) == 42 and all(neighbours[b] == a and a != b for a, b in neighbours.items()), f"neighbours: {neighbours}"
    assert neighbours["nic3"] == "dc0-leaf1:1" and neighbours["dc0-dci0:2"] == "dc1-dci0:2", f"neighbours: {neighbours}"
    built = (types.build / "contrib" / "roce" / "roce-commit.cc").read_text(encoding="utf-8")
    commit = summary["versions"]["commit"]
    assert re.fullmatch(r"unknown|[0-9a-f]{40}(-dirty)?", commit) and f':{commit}"' in built, f"commit {commit}, the build has {built}"
    assert len(queues) > 10 and len(busy) > 10, f"series: {len(queues)} and {len(busy)} rows"
    for row in queues + busy:
        host = row["port_name"].startswith("nic")
        assert (row["node_name"] == summary["nodeNames"][row["node"]] and
              (host or row["port_name"] == f"{row['node_name']}:{row['port']}") and row["port_name"] in neighbours), f"series: {row}"
    assert {row["port_name"] for row in busy if row["port_name"].startswith("nic")}, "utilisation.csv names no NIC"


def test_environment(programs, folder):
    """NS_ATTRIBUTE_DEFAULT of ns-3, which reads it once in a process: in the run, in the summary, and refused when it is wrong."""
    options = [LEAF_SPINE, "--leaves=1", "--spines=1", "--hostsPerLeaf=2", "--datacenters=1", "--duration=100us",
               "--progress=none"]
    mtu = "ns3::roce::Nic::PathMtu"
    programs.run(*options, f"--{mtu}=1000", f"--out={folder}/option")
    programs.run(*options, f"--out={folder}/variable", env={"NS_ATTRIBUTE_DEFAULT": f"{mtu}=1000;ns3::roce::Nic::Ttl=9"})
    configuration = told(folder / "variable")["configuration"]
    assert (configuration[mtu], configuration["ns3::roce::Nic::Ttl"]) == ("1000", "9"), f"configuration: {configuration}"
    flows = [(folder / run / "flows.csv").read_bytes() for run in ("option", "variable")]
    assert flows[0] == flows[1], "flows.csv with the variable differs from that with the option"
    programs.refuse(*options, f"--out={folder}/bad", env={"NS_ATTRIBUTE_DEFAULT": f"{mtu}=big"},
                 words=[f"NS_ATTRIBUTE_DEFAULT: {mtu} is 'big'"])


def test_vendor_names(types):
    """NVIDIA's names: each attribute exists, and has the value that the table says in the default profile."""
    table = rows(ROOT / "contrib" / "roce" / "doc" / "howto" / "nvidia-names.csv")
    assert len(table) > 18, f"nvidia-names.csv: {len(table)} rows"
    for row in table:
        kind, name = row["attribute"].split("::")
        found = types.profile(kind).get(name)
        assert found and found[0] == row["value here"], \
            (f"nvidia-names.csv: {row['NVIDIA' + chr(39) + 's name']}: {row['attribute']} "
                                                       f"is {found}, the table says {row['value here']}")


def test_vendor_file(types, folder):
    """--nvidia: a file of all names gives what the table says; other values, precedence, and what is refused."""
    table = rows(ROOT / "contrib" / "roce" / "doc" / "howto" / "nvidia-names.csv")
    name = "NVIDIA's name"
    file, out = Path(folder, "nic.txt"), Path(folder, "out")

    def configuration(text, *options):
        """@return attributes that a run with this file has set, and its warnings."""
        file.write_text(text)
        done = types.run(f"--nvidia={file}", "--duration=100us", f"--out={out}", *options)
        found = told(out)
        return {k.replace(PREFIX, ""): v for k, v in found["configuration"].items()}, done.stderr, found["valuesInForce"]

    defaults = {"kmin": "100000", "kmax": "400000", "pmax": "20"}
    _, warnings, force = configuration("# the firmware's\n" + "".join(
        f"{row[name]} = {row['default there'] or defaults[row[name]]}\n" for row in table))
    assert "warning" not in warnings, f"the firmware's defaults: {warnings}"
    values = {(e["type"].replace(PREFIX, ""), k): v for group in force.values() for e in group for k, v in e.get("values", {}).items()}
    for row in table:
        kind, attribute = row["attribute"].split("::")
        assert values.get((kind, attribute)) == row["value here"], f"--nvidia: {row[name]}: {values.get((kind, attribute))}"
    found, _, _ = configuration("RPG_AI_RATE_P1 50\nrpg_time_reset=100\ndce_tcp_g=1014\nrpg_min_dec_fac=40\nkmin=50000\n"
                                "clamp_tgt_rate_after_time_inc=0\ncnp_802p_prio=7\ninitial_alpha_value=512\n",
                                "--ns3::roce::Dcqcn::TimeReset=77us")
    wanted = {"Dcqcn::AiRate": "50Mbps", "Dcqcn::TimeReset": "77us", "Dcqcn::Gain": "0.009765625", "Dcqcn::MinDecFac": "0.4",
              "EcnMarker::Kmin": "50000", "Dcqcn::ClampTarget": "afterByteInc", "Nic::ControlClass": "7", "Dcqcn::InitialAlpha": "0.5"}
    for attribute, value in wanted.items():
        assert found.get(attribute) == value, f"--nvidia: {attribute} is {found.get(attribute)}, expected {value}"
    for text, clamp in (("clamp_tgt_rate=1\nclamp_tgt_rate_after_time_inc=0\n", "always"),
                        ("clamp_tgt_rate_after_time_inc=0\nclamp_tgt_rate=0\n", "afterByteInc")):
        assert configuration(text)[0]["Dcqcn::ClampTarget"] == clamp, f"--nvidia: {text}"
    found, warnings, _ = configuration("rpg_ai_rate=50\n", "--cc=Hpcc")
    assert "Dcqcn::AiRate" in warnings, f"a name in vain: {warnings}"
    for text, line, word in (("rpg_ai_rat=5\n", 1, "unknown name 'rpg_ai_rat', expected one of: dce_tcp_g, "),
                             ("\n# x\nrpg_gd=5\nrpg_gd=6\n", 4, "rpg_gd is in line 3, too"),
                             ("rpg_ai_rate=0\n", 1, "AiRate"), ("dce_tcp_g=1024\n", 1, "out of range, expected 0..1023"),
                             ("rpg_min_dec_fac=101\n", 1, "expected 0..100"), ("cnp_802p_prio=8\n", 1, "expected 0..7"),
                             ("clamp_tgt_rate=2\n", 1, "expected 0..1"), ("rpg_max_rate=1000\n", 1, "expected 0..0"),
                             ("rpg_time_reset=-1\n", 1, "out of range"), ("rpg_time_reset=1.5\n", 1, "not an integer"),
                             ("rpg_gd\n", 1, "found 1 fields, expected 2"), ("# none\n", 1, "no name in the file"),
                             ("rpg_gd=1001\n", 1, "Gd")):
        file.write_text(text)
        done = types.run(f"--nvidia={file}", "--duration=100us", f"--out={folder}/bad", status=2)
        said = refused(done, word)
        assert said.startswith(f"error: {file}:{line}: ") and not (folder / "bad").exists(), f"--nvidia with {text!r}: {said}"
    refused(types.run(f"--nvidia={folder}/none.txt", status=2), "none.txt")


def test_lengths(types, folder):
    """A delay given as kilometres or metres of fibre is that of light in it, 5 us each."""
    lengths, times = Path(folder, "lengths"), Path(folder, "times")
    for out, options in ((lengths, ("--wanDelay=80km", "--fabricDelay=200m")), (times, ("--wanDelay=400us", "--fabricDelay=1000ns"))):
        types.run("--duration=50us", "--interFraction=1", f"--out={out}", *options)
    found = told(lengths)["configuration"]
    assert (found["wanDelay"], found["fabricDelay"]) == ("400000000ps", "1000000ps"), f"--wanDelay=80km: {found['wanDelay']}"
    assert (lengths / "flows.csv").read_bytes() == (times / "flows.csv").read_bytes(), "kilometres and their delay differ"


MLXCONFIG = """
Device #1:
----------

Device type:        ConnectX5
Name:               MCX516A-CDA_Ax
Description:        ConnectX-5 Ex EN network interface card; 100GbE dual-port QSFP28; PCIe4.0 x16
Device:             /dev/mst/mt4121_pciconf0

Configurations:                                     {columns}
        MEMIC_SIZE_LIMIT                            {_256KB(1)}
        HOST_CHAINING_DESCRIPTORS                   {Array[0..7]}
        ROCE_CC_PRIO_MASK_P1                        {255}
        ROCE_CC_ALGORITHM_P1                        {ECN(0)}
        CLAMP_TGT_RATE_AFTER_TIME_INC_P1            {True(1)}
*       CLAMP_TGT_RATE_P1                           {True(1)}
        RPG_TIME_RESET_P1                           {300}
RO      RPG_MAX_RATE_P1                             {0}
*       RPG_AI_RATE_P1                              {50}
        MIN_TIME_BETWEEN_CNPS_P1                    {2}
        CNP_DSCP_P1                                 {48}
        RPG_AI_RATE_P2                              {50}
The '*' shows parameters with next value different from default/current value.
"""
SYSFS = """/sys/class/net/ens1f0/ecn/roce_np/cnp_802p_prio:6
/sys/class/net/ens1f0/ecn/roce_np/cnp_dscp:48
/sys/class/net/ens1f0/ecn/roce_np/enable/3:1
/sys/class/net/ens1f0/ecn/roce_np/min_time_between_cnps:2
/sys/class/net/ens1f0/ecn/roce_rp/clamp_tgt_rate:1
/sys/class/net/ens1f0/ecn/roce_rp/rpg_ai_rate:50
/sys/class/net/ens1f0/ecn/roce_rp/rpg_time_reset:300
/sys/class/net/ens1f1/ecn/roce_rp/rpg_ai_rate:50
"""


def mlxconfig(others=None):
    """@return what the tool prints: the values of the next boot. @param others those before it, if it prints three columns"""
    text = MLXCONFIG.replace("{columns}", "Default  Current  Next Boot" if others else "Next Boot")
    return re.sub(r"\{(.*?)\}", lambda row: f"9  {row[1]}  {others}" if others else row[1], text)


def test_vendor_dumps(types, folder):
    """--nvidia: what NVIDIA's tool and a NIC's files say, as they say it, and where it cannot be right."""
    file = Path(folder, "nic.txt")
    wanted = {"Dcqcn::AiRate": "50Mbps", "Dcqcn::TimeReset": "300us", "Dcqcn::MinTimeBetweenCnps": "2us", "Dcqcn::ClampTarget": "always"}
    for text in (mlxconfig(), mlxconfig("7"), SYSFS):
        file.write_text(text)
        done = types.run(f"--nvidia={file}", "--duration=100us", f"--out={folder}/out")
        found = told(Path(folder, "out"))["configuration"]
        for attribute, value in wanted.items():
            assert found.get(PREFIX + attribute) == value, f"{attribute} is {found.get(PREFIX + attribute)} after {text}"
        assert "warning" not in done.stderr, done.stderr
    for text, old, new, line, word in (
            (mlxconfig(), "RPG_AI_RATE_P1                              50", "RPG_AI_RATE_P1 N/A", 19, "rpg_ai_rate 'N/A' is not an integer"),
            (mlxconfig(), "RPG_AI_RATE_P2                              50", "RPG_AI_RATE_P2 51", 22,
             "rpg_ai_rate is in line 19 with another value, expected the rows of one port"),
            (mlxconfig(), "ECN(0)", "QCN(1)", 14, "ROCE_CC_ALGORITHM is QCN(1), expected ECN(0)"),
            (mlxconfig(), "RPG_MAX_RATE_P1                             0", "RPG_MAX_RATE_P1 4", 18, "rpg_max_rate 4 out of range"),
            (mlxconfig(), "True(1)", "True(2)", 15, "clamp_tgt_rate_after_time_inc 2 out of range"),
            (SYSFS, "cnp_802p_prio:6", "cnp_802p_prio:8", 1, "cnp_802p_prio 8 out of range"),
            (SYSFS, "ens1f1/ecn/roce_rp/rpg_ai_rate:50", "ens1f1/ecn/roce_rp/rpg_ai_rate:5", 8, "rpg_ai_rate is in line 6 with another value"),
            (SYSFS, "rpg_time_reset:300", "rpg_time_reset:", 7, "rpg_time_reset '' is not an integer"),
            (mlxconfig()[:400], "", "", 12, "no name in the file")):
        file.write_text(text.replace(old, new, 1))
        said = refused(types.run(f"--nvidia={file}", f"--out={folder}/bad", status=2), word)
        assert said.startswith(f"error: {file}:{line}: "), f"{new}: {said}, expected line {line}"
