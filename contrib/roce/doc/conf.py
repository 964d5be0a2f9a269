# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""What Sphinx needs to know; scripts/build-doc.py calls it, and gives the version."""

import re
from pathlib import Path

project = "ns-3 RoCE"
author = "The ns-3 RoCE authors"
copyright = "2026, the ns-3 RoCE authors"  # pylint: disable=redefined-builtin
exclude_patterns = ["README*"]
highlight_language = "none"
html_theme = "alabaster"
html_theme_options = {"description": "RDMA congestion control inside and between datacenters",
                      "page_width": "1320px", "body_max_width": "1040px", "font_size": "16px", "code_font_size": "0.8em",
                      "sidebar_width": "240px", "fixed_sidebar": False, "show_relbars": True,
                      "font_family": "sans-serif", "head_font_family": "sans-serif"}
html_sidebars = {"**": ["about.html", "searchbox.html", "navigation.html"]}
html_copy_source = False
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_search_summary = False  # it would need a server
html_use_index = False
nitpick_ignore_regex = [("cpp:.*", ".*")]  # classes that have no page


def link_chapters(app, docname, source):
    """roce.rst names other chapters by their files, since it is to be of use alone, in ns-3's own manual. Here these are links,
    but for chapters of systems that are not built."""
    def link(match):
        return f":doc:`{match[1]}`" if (Path(app.srcdir) / f"{match[1]}.rst").exists() else match[0]

    if docname == "roce":
        source[0] = re.sub(r"``((?:howto/|papers/)?[a-z0-9-]+)\.rst``", link, source[0])


def setup(app):
    """Called by Sphinx."""
    app.connect("source-read", link_chapters)
