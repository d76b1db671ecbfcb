# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The report: a run's folder in, one page and its tables out.

`run_data` reads, `statistics` and `planner` compute, `sections` turn that into sentences, charts
and tables, `page` writes them down. Every number of the page is a link to the cell it came from.
"""
