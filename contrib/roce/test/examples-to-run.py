#! /usr/bin/env python3
# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""The module's examples for ns-3's test.py: (name and arguments, run it, run it under valgrind)."""

cpp_examples = [
    ("first-flow", "True", "True"),
    ("first-flow --cc=Hpcc --bytes=100000", "True", "True"),
    ("incast-pfc --out=roce-incast-pfc", "True", "False"),
    ("own-stage", "True", "False"),
    ("own-topology", "True", "False"),
    ("own-transport", "True", "False"),
    ("own-tuner", "True", "False"),
    ("tcp-beside-rdma --bytes=100000", "True", "False"),
    ("wireshark-capture --prefix=roce-wireshark", "True", "False"),
]

python_examples = []
