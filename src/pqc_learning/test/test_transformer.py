# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The shipped transformer gives the probabilities that another program gave."""

from __future__ import annotations

import numpy as np
import pytest
from pqc_learning.transformer import BINS, Transformer, shapes, to_bytes
from pqc_policy.sensing.advisor_settings import AdvisorSettings
from pqc_policy.sensing.detectors.detector_fault import DetectorFault
from pqc_policy.sensing.model_folder import find_model, read_model
from pqc_policy.sensing.traffic.features import FEATURES

# onnxruntime 1.32.0 gives this for the windows of `windows`.
EXPECTED = (
    (0.0005483, 0.9897808, 0.0036548, 0.0019291, 0.0030081, 0.0010789),
    (0.0074813, 0.3496017, 0.1374544, 0.0599592, 0.4113469, 0.0341564),
    (0.0089868, 0.2189296, 0.0825913, 0.0495324, 0.6014674, 0.0384924),
    (0.0032781, 0.9322770, 0.0032262, 0.0082408, 0.0512161, 0.0017616),
)


def windows(low: tuple[float, ...], high: tuple[float, ...], count: int = 4) -> np.ndarray:
    """Return windows within the usual ranges, one value of ten unknown."""
    rng = np.random.default_rng(7)
    shape = (count, BINS, len(FEATURES))
    middle = rng.uniform(np.maximum(low, -9.0), np.minimum(high, 9.0), (count, 1, len(FEATURES)))
    values = middle + rng.normal(0.0, 0.05, shape)
    return np.where(rng.random(shape) < 0.1, np.nan, values).astype(np.float32)


def test_the_shipped_model_gives_what_another_program_gives() -> None:
    folder = find_model("transformer")
    assert folder is not None
    model = read_model(folder)
    found = Transformer("transformer", BINS, model.content).probabilities(
        windows(model.card.low, model.card.high)
    )
    assert found == pytest.approx(np.array(EXPECTED), abs=1e-5)


def test_the_advisor_finds_it_by_its_name() -> None:
    detectors, missing = AdvisorSettings(detector="transformer").find_detectors()
    assert missing == ()
    assert [one.name for one in detectors] == ["transformer", "counters", "baseline"]


def test_a_file_that_is_not_as_it_must_be_is_refused() -> None:
    arrays = {name: np.zeros(shape, dtype=np.float32) for name, shape in shapes().items()}
    Transformer("tiny", BINS, to_bytes(arrays))
    for bins, content in ((BINS, to_bytes(arrays)[:-4]), (BINS - 1, to_bytes(arrays))):
        with pytest.raises(DetectorFault, match="has not the size of the transformer"):
            Transformer("tiny", bins, content)
    arrays["1.wide"][3, 4] = np.inf
    with pytest.raises(DetectorFault, match="has a number that is not finite"):
        Transformer("tiny", BINS, to_bytes(arrays))
