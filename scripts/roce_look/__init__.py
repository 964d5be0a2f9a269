# SPDX-License-Identifier: GPL-2.0-only
"""The page of one run, which scripts/look makes: data reads the run's folder, page.html and page.js show what it found."""
