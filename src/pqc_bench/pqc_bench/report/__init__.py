# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The report: one page and its tables, from the folder of a run.

`run_data` reads, `analysis` computes, `choice` chooses the suite to fly, `sections` make sentences,
charts and tables of that, and `page` writes HTML. Every number of the page links to the cell that
it comes from.
"""
