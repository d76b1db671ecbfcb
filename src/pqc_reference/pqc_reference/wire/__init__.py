# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The formats on the wire: messages, control frames, streams, fragments."""
