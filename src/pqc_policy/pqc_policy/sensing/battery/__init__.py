# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The battery: readings, rates, and a prediction of charge and time left."""
