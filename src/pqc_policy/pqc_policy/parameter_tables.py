# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The parameters of every node of this package, for generators and checks; needs no ROS."""

from __future__ import annotations

from collections.abc import Mapping

from pqc_policy.parameters import Parameter, table
from pqc_policy.policy.settings import PolicySettings
from pqc_policy.sensing.advisor_settings import AdvisorSettings
from pqc_policy.sensing.sensing_settings import SensingSettings

TABLES: Mapping[str, tuple[Parameter, ...]] = {
    "policy": table(PolicySettings),
    "sensing": table(SensingSettings),
    "advisor": table(AdvisorSettings),
}
