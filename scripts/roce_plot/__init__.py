# SPDX-License-Identifier: GPL-2.0-only
"""What all figures are drawn with.

look     colours, fonts, units, logarithmic axes, legend, caption, saving
axes     a function for each kind of axis, which draws a data frame
series   tables over time as data frames
"""

import importlib.util
import sys

if not all(map(importlib.util.find_spec, ("matplotlib", "pandas"))):
    sys.exit("error: plots need matplotlib and pandas: apt install python3-matplotlib python3-pandas")
