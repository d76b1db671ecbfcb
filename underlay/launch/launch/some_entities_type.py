# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What an argument that takes entities accepts."""

from collections.abc import Iterable
from typing import Union

from .launch_description_entity import LaunchDescriptionEntity

SomeEntitiesType = Union[LaunchDescriptionEntity, Iterable[LaunchDescriptionEntity]]  # noqa: UP007
SomeEntitiesType_types_tuple = (LaunchDescriptionEntity, Iterable)
