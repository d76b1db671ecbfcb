# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Describe a set of processes and the events between them, and run it."""

from . import logging
from .action import Action
from .condition import Condition
from .event import Event
from .event_handler import BaseEventHandler, EventHandler
from .launch_context import LaunchContext
from .launch_description import LaunchDescription
from .launch_description_entity import LaunchDescriptionEntity
from .launch_description_source import LaunchDescriptionSource
from .some_entities_type import SomeEntitiesType
from .some_substitutions_type import SomeSubstitutionsType
from .substitution import Substitution

from . import substitutions  # isort: skip
from . import conditions  # isort: skip
from . import events  # isort: skip
from . import event_handlers  # isort: skip
from . import launch_description_sources  # isort: skip
from . import actions  # isort: skip
from . import frontend  # isort: skip
from .launch_introspector import LaunchIntrospector  # isort: skip
from .launch_service import LaunchService  # isort: skip

__all__ = [
    "Action",
    "BaseEventHandler",
    "Condition",
    "Event",
    "EventHandler",
    "LaunchContext",
    "LaunchDescription",
    "LaunchDescriptionEntity",
    "LaunchDescriptionSource",
    "LaunchIntrospector",
    "LaunchService",
    "SomeEntitiesType",
    "SomeSubstitutionsType",
    "Substitution",
    "actions",
    "conditions",
    "event_handlers",
    "events",
    "frontend",
    "launch_description_sources",
    "logging",
    "substitutions",
]
