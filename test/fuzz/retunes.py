# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Random networks whose parameters take random values while flows run: nothing stalls, and stations may be lazy or eager."""

from networks import Network, Networks

# What each law can change while it runs: rows of Paraleon's attribute Tuned, in ranges with which flows still come to an end.
LAWS = {
    "Dcqcn": ["TimeReset:us:-:50:1:600:300", "AiRate:Mbps:+:50:1:5000:5", "HaiRate:Mbps:+:50:1:5000:50", "MinRate:Mbps:+:50:500:5000:500",
              "Gd:number:+:1:1:13:11", "MinDecFac:number:+:0.1:0.1:0.9:0.5:fraction", "FractionOnFirstCnp:number:+:0.1:0.1:1:1:fraction",
              "Gain:number:+:0.1:0.001:1:0.1:fraction", "InitialAlpha:number:-:0.1:0:1:1:fraction", "CutPeriod:us:+:8:0:128:4",
              "AlphaPeriod:us:-:8:1:200:55", "MinTimeBetweenCnps:us:+:8:0:400:50", "Threshold:number:-:1:1:10:5",
              "ByteReset:number:+:1000:0:100000:0"],
    "Swift": ["BaseTarget:us:+:10:5:100:25", "Beta:number:-:0.1:0.1:0.9:0.8:fraction", "CwndMax:number:+:1:1:100:50"],
    "Timely": ["TLow:us:+:10:1:100:50:below=THigh", "THigh:us:+:10:100:1000:500", "Beta:number:-:0.1:0.1:0.9:0.8:fraction",
               "Delta:Mbps:+:10:10:2000:100", "MinRate:Mbps:+:50:500:5000:500"],
    "Hpcc": ["Eta:number:+:0.05:0.5:0.99:0.95:fraction", "MinRate:Mbps:+:50:500:5000:500"],
    "PowerTcp": ["Gamma:number:+:0.1:0.1:1:0.9:fraction"],
    "Dctcp": ["Gain:number:-:0.1:0.01:1:0.06:fraction", "MinRate:Mbps:+:50:500:5000:500"],
    "UnoCc": ["AlphaFraction:number:+:0.01:0.0001:0.05:0.001:fraction", "MaxCwndBdp:number:+:0.1:0.5:4:1:fraction"],
    "MpRdma": ["Decrease:number:-:0.1:0.1:2:0.5:fraction"],
    "Bbr": ["MaxCwndBdp:number:+:0.1:0.5:3:2:fraction"],
    "none": [],
}
MARKER = ["Kmin:KB:+:10:0:400:100:below=Kmax", "Kmax:KB:+:10:1:800:400", "Pmax:number:-:0.1:0:1:0.2:fraction"]


class RetunedNetwork(Network):
    """A network with a tuner that goes anywhere, in steps of up to half of each range."""

    def transport(self):
        """A law and the tuner of its parameters."""
        rng = self.rng
        law = rng.choice(["Dcqcn"] * 6 + sorted(LAWS))
        rows = [f"{law}.{row}" for row in rng.sample(LAWS[law], rng.randint(min(1, len(LAWS[law])), len(LAWS[law])))]
        if not any(".THigh:" in row for row in rows):
            rows = [row for row in rows if ".TLow:" not in row]
        if rng.random() < 0.5 or not rows:
            rows += ["EcnMarker." + row for row in MARKER]
        options = ["Profile=naive-sa", "MutationBase=current", f"MonitorInterval={rng.choice([2, 5, 11, 30])}us", f"ControlDelay={rng.choice([0, 0, 3, 17])}us",
                   f"DispatchLoss={rng.choice([0, 0, 0.2])}", f"ReportLoss={rng.choice([0, 0, 0.2])}", "Tuned=" + ";".join(rows)]
        self.options += ["--cc=" + law, "--tuner=Paraleon[" + "|".join(options) + "]"]
        self.add(0.3, "--ns3::roce::Nic::AckEveryN=4", "--ns3::roce::Nic::AckEveryN=16")
        self.add(0.3, "--ns3::roce::Nic::PathMtu=1000", "--ns3::roce::Nic::PathMtu=256")
        self.add(0.2, "--ns3::roce::EcnMarker::MarkAtEnqueue=1")
        self.options.append(f"--ns3::roce::Nic::RtoMin={rng.choice(['200us', '500us', '2ms'])}")


class Retunes(Networks):
    """Random networks with a tuner."""

    name = "retunes"
    network = RetunedNetwork


def main(argv):
    """Run."""
    return Retunes().main(argv)
