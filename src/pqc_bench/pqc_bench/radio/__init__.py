# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What an autopilot and its ground programs do over a radio, bare and through the tunnel."""
