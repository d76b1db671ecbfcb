# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Helpers that actions and substitutions share."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..substitution import Substitution

if TYPE_CHECKING:
    from ..launch_context import LaunchContext
    from ..launch_description_entity import LaunchDescriptionEntity
    from ..some_substitutions_type import SomeSubstitutionsType

__all__ = [
    "ensure_argument_type",
    "is_a_subclass",
    "normalize_to_list_of_entities",
    "normalize_to_list_of_substitutions",
    "perform_substitutions",
    "visit_all_entities_and_collect_futures",
]


def normalize_to_list_of_substitutions(subs: SomeSubstitutionsType) -> list[Substitution]:
    """Return text, a substitution or a mixture of both as a list of substitutions."""
    from ..substitutions import TextSubstitution

    if isinstance(subs, (str, Substitution)):
        subs = [subs]
    normalized = []
    for sub in subs:
        if isinstance(sub, str):
            sub = TextSubstitution(text=sub)
        if not isinstance(sub, Substitution):
            raise TypeError(
                f"expected 'str' or 'launch.Substitution', got '{sub}' of type '{type(sub)}'"
            )
        normalized.append(sub)
    return normalized


def perform_substitutions(context: LaunchContext, subs: Iterable[Substitution]) -> str:
    """Return the joined values of the substitutions."""
    return "".join(context.perform_substitution(sub) for sub in subs)


def normalize_to_list_of_entities(entities: Iterable[Any]) -> list[LaunchDescriptionEntity]:
    """Return entities and lists of entities as one flat list."""
    from ..launch_description_entity import LaunchDescriptionEntity

    flat: list[LaunchDescriptionEntity] = []
    for entity in entities:
        if isinstance(entity, LaunchDescriptionEntity):
            flat.append(entity)
        else:
            flat.extend(entity)
    return flat


def ensure_argument_type(
    argument: Any, types: Any, argument_name: str, caller: str | None = None
) -> None:
    """Raise TypeError unless the argument is an instance of one of the types."""
    allowed = tuple(types) if isinstance(types, (list, tuple)) else (types,)
    if not isinstance(argument, allowed):
        where = "" if caller is None else f"'{caller}': "
        names = ", ".join(str(item) for item in allowed)
        raise TypeError(
            f"{where}expected '{argument_name}' to be one of [{names}], "
            f"but got '{argument}' of type '{type(argument)}'"
        )


def is_a_subclass(obj: Any, entity_type: type) -> bool:
    """Return whether obj is an instance or a sub-class of the type."""
    return isinstance(obj, entity_type) or (isinstance(obj, type) and issubclass(obj, entity_type))


def visit_all_entities_and_collect_futures(
    entity: LaunchDescriptionEntity,
    context: LaunchContext,
    futures: list[tuple[LaunchDescriptionEntity, asyncio.Future]] | None = None,
) -> list[tuple[LaunchDescriptionEntity, asyncio.Future]]:
    """Visit an entity and, depth first, all it yields; return the futures of unfinished work.

    They are appended to `futures`, so that nothing is forgotten when a later entity raises.
    """
    futures = [] if futures is None else futures
    sub_entities = entity.visit(context)
    future = entity.get_asyncio_future()
    if future is not None:
        futures.append((entity, future))
    for sub_entity in sub_entities or ():
        visit_all_entities_and_collect_futures(sub_entity, context, futures)
    return futures
