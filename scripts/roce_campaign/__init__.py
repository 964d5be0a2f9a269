# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Campaigns: an experiment is a small YAML file, described in contrib/roce/doc/howto/campaigns.rst.

experiment   reads and checks the file, makes the list of runs
yamlread     YAML with strict types and line numbers
program      the program and its options
grid         axes, points and seeds
metrics      definitions of metrics
statistic    means, percentiles, Jain's index
rates        throughput over time and its fairness
claims       claims and tables of targets
plots        which figures are asked for
expression   the small language of claims and derived metrics
identity     what a result depends on, as hashes
only         a part of an experiment: what some figures or claims need
absolute     whether a claim states a number for one size
provenance   what a run's files were, and what it has read
sizes        what the quick size has less of than the full one
plan         results/NAME/plan.json: the runs of one campaign, for all processes that take part
run          one run, as a process of its own (here or on a cluster node)
measure      metrics of single runs
estimates    metrics over the seeds, with confidence intervals
score        claims against metrics
figure_list  which figures there are, and their names
figures      the standard figures
claim_figures    figures of effects and claims
run_figures      figures of single runs: queues, throughput, distributions
seed_figures     how a metric is distributed over the seeds
tables       tables of metrics
page         the HTML page
valid        options judged by the program before the first run
workspace    which files of a campaign's folder are its own
driver       starts Snakemake and shows its progress
regress      metrics of two versions compared within bounds
same_runs    whether two runs can be compared: workloads, options
regress_report   what changed, a row for each fact: text, Markdown, JUnit XML
baseline     the file of scripts/regress record
recheck      its runs made again and compared
"""
