# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The card of a learned detector's model: what it was trained on, and what it must be read with."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

from pqc_policy.named_files import FileFault, from_json
from pqc_policy.sensing.detectors.detector_fault import DetectorFault
from pqc_policy.sensing.traffic.features import FEATURES

FORMAT = 2
NORMAL = "normal"
CLASSES = (NORMAL, "volumetric", "jamming", "timing", "protocol", "creeping")
MOST_CARD_BYTES = 256 * 1024
MOST_MODEL_BYTES = 16 * 1024 * 1024
_MOST_BINS = 1000
_LONGEST = 120  # characters of a fault
_FARTHEST = 1e6  # end of a range: no feature gets so far
_MEMBERS = {
    "format": int,
    "name": str,
    "kind": str,
    "bin_s": float,
    "bins": int,
    "features": list,
    "classes": list,
    "sha256": str,
    "bytes": int,
    "training": dict,
    "metrics": dict,
    "thresholds": dict,
    "usual_range": dict,
}


@dataclass(frozen=True)
class ModelCard:
    """A card that fits this program."""

    name: str
    kind: str  # of the model, which says how its file is read
    bin_s: float  # length of a bin in s
    bins: int  # that the model looks at
    classes: tuple[str, ...]  # of its probabilities, in their order
    sha256: str  # of the model's file, in hexadecimal digits
    size: int  # of the model's file in bytes
    threshold: float  # probability of an attack from which there is one, 0 to 1
    suspicious: float | None  # ... from which a bin counts among those in a row; None: about half
    low: tuple[float, ...]  # usual range of each feature, in the order of FEATURES ...
    high: tuple[float, ...]  # ... infinite where the training data did not know the feature
    document: Mapping[str, Any]  # the whole card, with training and metrics


def parse_card(text: str, name: str) -> ModelCard:
    """Return the card of the model `name`; raise DetectorFault if it is none for this program."""
    try:
        document = from_json(text, finite=True)
    except FileFault as fault:
        raise _fault(name, str(fault)) from fault
    if not isinstance(document, dict):
        raise _fault(name, "is no JSON object")
    if document.get("format") != FORMAT:
        raise _fault(name, f"has format {document.get('format')}, and this program reads {FORMAT}")
    for member, kind in _MEMBERS.items():
        if not _is(document.get(member), kind):
            raise _fault(name, f"has no {member}, or one of a wrong type")
    if document["name"] != name:
        raise _fault(name, f"is that of the model {document['name'][:40]}")
    if not re.fullmatch(r"[a-z_]{1,40}", document["kind"]):
        raise _fault(name, "has a kind that is none")
    if list(document["features"]) != list(FEATURES):
        raise _fault(name, f"has other features: {_difference(document['features'], FEATURES)}")
    if list(document["classes"]) != list(CLASSES):
        raise _fault(name, f"has other classes: {_difference(document['classes'], CLASSES)}")
    bins, bin_s, size = document["bins"], float(document["bin_s"]), document["bytes"]
    if not (1 <= bins <= _MOST_BINS and 0.0 < bin_s <= 60.0):
        raise _fault(name, f"has {bins} bins of {bin_s:g} s")
    if not 0 < size <= MOST_MODEL_BYTES:
        raise _fault(name, f"has a model of {size} bytes, and {MOST_MODEL_BYTES} are the most")
    if not re.fullmatch(r"[0-9a-f]{64}", document["sha256"]):
        raise _fault(name, "has a sha256 that is none")
    threshold = document["thresholds"].get("attack")
    if not _is(threshold, float) or not 0.0 < threshold < 1.0:
        raise _fault(name, "has no threshold of an attack between 0 and 1")
    low, high = _ranges(name, document["usual_range"])
    return ModelCard(
        name,
        document["kind"],
        bin_s,
        bins,
        CLASSES,
        document["sha256"],
        size,
        float(threshold),
        _suspicious(name, document["thresholds"], float(threshold)),
        low,
        high,
        document,
    )


def _suspicious(name: str, given: Mapping[str, Any], threshold: float) -> float | None:
    if "suspicious" not in given:
        return None
    suspicious = given["suspicious"]
    if not _is(suspicious, float) or not 0.0 < suspicious <= threshold:
        raise _fault(name, "has a suspicious probability that is not from 0 to that of an attack")
    return float(suspicious)


def _ranges(name: str, given: Mapping[str, Any]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    low, high = [], []
    for feature in FEATURES:
        ends = given.get(feature, 0)
        if ends is None:
            ends = [None, None]
        if not isinstance(ends, list) or len(ends) != 2:
            raise _fault(name, f"has no usual range of {feature}")
        if not all(end is None or _is(end, float) for end in ends):
            raise _fault(name, f"has no usual range of {feature}")
        low.append(-inf if ends[0] is None else float(ends[0]))
        high.append(inf if ends[1] is None else float(ends[1]))
        if low[-1] > high[-1] or any(_FARTHEST < abs(one) < inf for one in (low[-1], high[-1])):
            raise _fault(name, f"has no usual range of {feature}")
    return tuple(low), tuple(high)


def _is(value: Any, kind: type) -> bool:
    if kind is float:
        return type(value) in (int, float)
    return type(value) is kind


def _difference(given: Sequence[Any], own: Sequence[str]) -> str:
    if len(given) != len(own):
        return f"{len(given)} instead of {len(own)}"
    one, other = next((a, b) for a, b in zip(given, own, strict=True) if a != b)
    return f"{str(one)[:40]} in place of {other}"


def _fault(name: str, why: str) -> DetectorFault:
    # A card may have anything in it.
    text = " ".join(why.split())
    return DetectorFault(f"The card of the model {name} {text[:_LONGEST]}.")
