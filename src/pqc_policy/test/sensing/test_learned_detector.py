# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from math import inf, nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiny_models
from pqc_policy.policy.inputs import Verdict
from pqc_policy.policy.responses import RESPONSES
from pqc_policy.sensing.advisor_settings import AdvisorSettings
from pqc_policy.sensing.boosted_trees import STATISTICS
from pqc_policy.sensing.detectors.advisor import AdvisorState
from pqc_policy.sensing.detectors.detector_fault import DetectorFault
from pqc_policy.sensing.detectors.drift import drift
from pqc_policy.sensing.detectors.finding import Finding
from pqc_policy.sensing.detectors.heuristic import Detector, Heuristic
from pqc_policy.sensing.detectors.verdict_fields import verdict_fields
from pqc_policy.sensing.learned_detector import LearnedDetector, LearnedSettings, load_learned
from pqc_policy.sensing.model_card import CLASSES, MOST_CARD_BYTES, MOST_MODEL_BYTES
from pqc_policy.sensing.model_folder import find_model
from pqc_policy.sensing.traffic.bins import Bin, Way
from pqc_policy.sensing.traffic.feature_words import words
from pqc_policy.sensing.traffic.features import FEATURES
from pqc_policy.sensing.traffic.usual_traffic import Usual


def calm(unknown_per_s: float = 0.0, rtt_s: float = 0.05) -> Bin:
    way = Way(32.0, 32.0)
    return Bin(up=way, down=way, dropped={"unknown": 0.6 * unknown_per_s}, rtt_s=rtt_s)


def settings_of(parent: Path, name: str = "tiny", **learned: Any) -> AdvisorSettings:
    return AdvisorSettings(detector=name, learned=LearnedSettings(model_dir=str(parent), **learned))


def flown(settings: AdvisorSettings, *stretches: tuple[int, Bin]) -> list[AdvisorState]:
    advisor, missing = settings.make_advisor()
    assert missing == ()
    states = [AdvisorState()]
    for count, one in stretches:
        for _ in range(count):
            # Every bin of a flight is an object of its own.
            again = Bin(one.up, one.down, one.dropped, rtt_s=one.rtt_s)
            states.append(advisor.judged(states[-1], again))
    return states[1:]


def change(place: Path, **changes: Any) -> None:
    file = place / "card.json"
    file.write_text(json.dumps(json.loads(file.read_text("utf-8")) | changes), "utf-8")


def altered(place: Path) -> None:
    content = bytearray((place / "model.bin").read_bytes())
    content[len(content) // 2] ^= 1
    (place / "model.bin").write_bytes(content)


def truncated(place: Path) -> None:
    content = (place / "model.bin").read_bytes()
    (place / "model.bin").write_bytes(content[:-1])


def huge(place: Path) -> None:
    # A hole in a file takes no room on the disk.
    os.truncate(place / "model.bin", MOST_MODEL_BYTES + 1)
    change(place, bytes=MOST_MODEL_BYTES)


def piped(place: Path) -> None:
    (place / "model.bin").unlink()
    os.mkfifo(place / "model.bin")


def other_class(place: Path) -> None:
    change(place, classes=["calm", *CLASSES[1:]])


FEATURES_AND_ONE = [*FEATURES, "phase_of_moon"]


@pytest.mark.parametrize(
    ("spoil", "text"),
    [
        (altered, "The model tiny is not the file that its card describes (SHA-256)."),
        (truncated, "bytes in place of the"),
        (huge, f"model.bin has more than {MOST_MODEL_BYTES} bytes."),
        (piped, "The model tiny can't be used: model.bin can't be read: it is no regular file."),
        (lambda p: (p / "model.bin").unlink(), "model.bin can't be read: No such file"),
        (lambda p: (p / "card.json").unlink(), "card.json can't be read: No such file"),
        (lambda p: (p / "card.json").write_text("{"), "The card of the model tiny is not JSON"),
        (lambda p: (p / "card.json").write_text("[" * 99999), "nested too deeply."),
        (lambda p: (p / "card.json").write_bytes(b"\xff\xfe"), "card.json is no text."),
        (lambda p: (p / "card.json").write_text("[]"), "tiny is no JSON object."),
        (lambda p: os.truncate(p / "card.json", MOST_CARD_BYTES + 1), "card.json has more than"),
        (tiny_models.infinite_card, "The card of the model tiny is not JSON"),
        (lambda p: change(p, format=1), "has format 1, and this program reads 2."),
        (lambda p: change(p, format="3\n" * 999), "The card of the model tiny has format 3 3 "),
        (lambda p: change(p, kind="network"), "There is no reader of models of the kind network."),
        (lambda p: change(p, kind="tre\nes"), "has a kind that is none."),
        (lambda p: change(p, name="other"), "is that of the model other."),
        (lambda p: change(p, name="an\nother"), "is that of the model an other."),
        (lambda p: change(p, bin_s=10**400), "has a whole number of more than 64 bits."),
        (lambda p: change(p, bin_s=1e308), "The card of the model tiny has 5 bins of 1e+308 s."),
        (lambda p: change(p, thresholds={"attack": 1e308}), "has no threshold of an attack"),
        (
            lambda p: change(p, usual_range={key: [0.0, 1e308] for key in FEATURES}),
            "has no usual range of up_delivered.",
        ),
        (lambda p: change(p, sha256="0" * 64), "is not the file that its card describes"),
        (lambda p: change(p, sha256="abc"), "has a sha256 that is none."),
        (lambda p: change(p, bytes=0), "has a model of 0 bytes"),
        (lambda p: change(p, bytes=True), "has no bytes, or one of a wrong type."),
        (lambda p: change(p, bins=0), "has 0 bins of 0.6 s."),
        (
            lambda p: change(p, features=FEATURES_AND_ONE),
            f"{len(FEATURES) + 1} instead of {len(FEATURES)}.",
        ),
        (
            lambda p: change(p, features=["moon", *FEATURES[1:]]),
            "other features: moon in place of up_delivered.",
        ),
        (other_class, "has other classes: calm in place of normal."),
        (lambda p: change(p, thresholds={}), "has no threshold of an attack between 0 and 1."),
        (lambda p: change(p, thresholds={"attack": 1.0}), "has no threshold of an attack"),
        (
            lambda p: change(p, thresholds={"attack": 0.8, "suspicious": 0.9}),
            "has a suspicious probability that is not from 0 to that of an attack.",
        ),
        (lambda p: change(p, usual_range={}), "has no usual range of up_delivered."),
        (
            lambda p: change(p, usual_range={key: [1.0, 0.0] for key in FEATURES}),
            "has no usual range of up_delivered.",
        ),
        (
            lambda p: change(p, usual_range={key: [1e300, 1e301] for key in FEATURES}),
            "has no usual range of up_delivered.",
        ),
    ],
)
def test_a_folder_that_is_not_as_it_must_be_is_refused_with_one_sentence(
    spoil: Callable[[Path], object], text: str, tmp_path: Path
) -> None:
    place = tiny_models.folder(tmp_path)
    spoil(place)
    with pytest.raises(DetectorFault) as refused:
        load_learned(place)
    sentence = str(refused.value)
    assert text in sentence
    assert sentence.endswith(".") and sentence.count(". ") == 0 and "\n" not in sentence
    assert len(sentence) <= 200


def odd(field: str, value: float) -> bytes:
    """Return a model with a number in one tree that does not belong there."""
    made = tiny_models.trees()
    made[4][field][9] = value
    return tiny_models.model(made=made)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"no model", "has not the size of whole trees."),
        (b"", "has a model of 0 bytes"),
        (tiny_models.model(made=tiny_models.trees()[:5]), "has not the size of whole trees."),
        (tiny_models.model()[:-1], "has not the size of whole trees."),
        (odd("statistic", len(STATISTICS)), "compares a statistic that does not exist."),
        (odd("bound", nan), "has a number that is not finite."),
        (odd("leaf", inf), "has a number that is not finite."),
        (tiny_models.model(scale=nan), "has a number that is not finite."),
    ],
)
def test_a_file_with_another_model_is_refused_although_its_card_agrees(
    content: bytes, text: str, tmp_path: Path
) -> None:
    with pytest.raises(DetectorFault, match=text):
        load_learned(tiny_models.folder(tmp_path, content=content))


def test_a_model_of_the_lab_is_refused_with_the_name_of_its_package_where_that_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pqc_policy.plugins.entry_points", lambda **_: ())
    tiny_models.folder(tmp_path, kind="transformer")
    advisor, missing = settings_of(tmp_path).make_advisor()
    assert missing == (
        "The reader of models of the kind transformer is in the package pqc_learning: install it.",
    )
    assert [one.name for one in advisor.detectors] == ["heuristic", "counters"]
    monkeypatch.setattr("pqc_policy.sensing.model_folder.shipped_models", list)
    _, missing = AdvisorSettings(detector="transformer").make_advisor()
    assert missing[0] == "The detector transformer is in the package pqc_learning: install it."


def test_the_trees_are_the_default_and_counters_and_baseline_judge_beside_them() -> None:
    advisor, missing = AdvisorSettings().make_advisor()
    assert missing == ()
    assert [one.name for one in advisor.detectors] == ["trees", "counters", "baseline"]
    assert advisor.stand_in is not None and advisor.stand_in.name == "heuristic"


def test_a_folder_that_must_not_be_read_holds_no_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(place: object, **_: object) -> os.stat_result:
        raise PermissionError(13, "Permission denied", str(place))

    with monkeypatch.context() as patched:
        patched.setattr(os, "stat", refused)
        assert find_model("tiny", tmp_path) is None


@pytest.mark.parametrize("name", ["../tiny", "", "/", "tiny/../tiny", "."])
def test_a_name_is_no_path(name: str, tmp_path: Path) -> None:
    tiny_models.folder(tmp_path)
    assert find_model(name, tmp_path / "tiny") is None
    _, missing = settings_of(tmp_path, name).make_advisor()
    assert missing == (f"There is no detector {name}.",)


def test_bins_of_another_length_are_refused(tmp_path: Path) -> None:
    place = tiny_models.folder(tmp_path, bin_s=0.5)
    with pytest.raises(DetectorFault, match=r"needs bins of 0.5 s, and they have 0.6 s\."):
        load_learned(place)


def test_a_calm_flight_is_clear_and_an_attack_has_class_probability_and_evidence(
    tmp_path: Path,
) -> None:
    tiny_models.folder(tmp_path)
    settings = settings_of(tmp_path)
    states = flown(settings, (60, calm()), (5, calm(unknown_per_s=99.0)))
    assert {state.verdict for state in states[:60]} == {Verdict.CLEAR}
    fields = verdict_fields(states[-1])
    assert fields["verdict_text"] == "attack"
    assert (fields["attack_class"], fields["detector"]) in (
        ("volumetric", "tiny"),
        ("flood", "counters"),
    )
    found = dict(states[-1].findings)["tiny"]
    assert found.kind == "volumetric"
    assert found.probability == pytest.approx(1.0, abs=1e-2)
    assert "rate of datagrams dropped as unknown 99/s, usually 0/s" in found.evidence


def test_the_class_stays_while_the_verdict_fades(tmp_path: Path) -> None:
    tiny_models.folder(tmp_path)
    settings = settings_of(tmp_path)
    states = flown(settings, (60, calm()), (5, calm(unknown_per_s=99.0)), (9, calm()))
    assert states[-1].verdict is Verdict.ATTACK
    assert verdict_fields(states[-1])["attack_class"] in ("volumetric", "flood")
    assert dict(states[-1].findings)["tiny"].kind == ""


@pytest.mark.parametrize(
    ("probability", "score"), [(0.0, 0.0), (0.4, 0.45), (0.8, 0.9), (0.9, 0.95), (1.0, 1.0)]
)
def test_the_threshold_of_the_card_is_the_score_of_an_attack(
    probability: float, score: float, tmp_path: Path
) -> None:
    odds = np.log(np.array([1.0 - probability + 1e-12, *[probability / 5.0 + 1e-12] * 5]))
    content = tiny_models.model(bias=odds.tolist())
    found = load_learned(tiny_models.folder(tmp_path, content=content)).judge([calm()] * 5, Usual())
    assert found.probability == pytest.approx(probability, abs=1e-5)
    assert found.score == pytest.approx(score, abs=1e-4)


@pytest.mark.parametrize(
    ("probability", "score"), [(0.3, 0.25), (0.6, 0.5), (0.7, 0.7), (0.8, 0.9), (0.9, 0.95)]
)
def test_a_card_can_say_from_which_probability_a_bin_is_suspicious(
    probability: float, score: float, tmp_path: Path
) -> None:
    odds = np.log(np.array([1.0 - probability, *[probability / 5.0] * 5]))
    content = tiny_models.model(bias=odds.tolist())
    thresholds = {"attack": 0.8, "suspicious": 0.6}
    place = tiny_models.folder(tmp_path, content=content, thresholds=thresholds)
    found = load_learned(place).judge([calm()] * 5, Usual())
    assert found.score == pytest.approx(score, abs=1e-4)


def test_there_is_no_judgement_before_five_bins_and_missing_ones_are_unknown(
    tmp_path: Path,
) -> None:
    detector = load_learned(tiny_models.folder(tmp_path, bins=40))
    assert isinstance(detector, Detector)
    assert detector.judge([calm()] * 4, Usual()) is None
    assert detector.judge([calm()] * 5, Usual()) is not None


def test_the_heuristic_judges_while_there_are_too_few_bins_for_the_model(tmp_path: Path) -> None:
    tiny_models.folder(tmp_path)
    settings = replace(settings_of(tmp_path), heuristic=Heuristic(window=2))
    lost = Bin(up=Way(4.0, 32.0), down=Way(32.0, 32.0))
    names = [[name for name, _ in state.findings] for state in flown(settings, (6, lost))]
    assert names == [[], *[["heuristic"]] * 3, *[["tiny"]] * 2]


def test_traffic_unlike_the_training_data_shows_and_the_heuristic_judges_too(
    tmp_path: Path,
) -> None:
    narrow = {key: [-4.0, 4.0] for key in FEATURES} | {"rtt": [-2.0, -1.0]}
    tiny_models.folder(tmp_path, usual_range=narrow)
    settings = settings_of(tmp_path, drift_bins=100)
    usual, far = calm(rtt_s=0.05), calm(rtt_s=0.5)
    states = flown(settings, (100, usual), (49, far), (20, far), (120, usual))
    assert [state.doubts for state in states[:150]] == [()] * 150
    assert states[99].drift == 0.0
    assert states[148].drift == pytest.approx(0.49)
    assert states[168].doubts == (
        "The traffic is unlike the training data of tiny: round trip is not from 0.01 s to 0.1 s "
        "in 69 % of the bins.",
    )
    assert "heuristic" in dict(states[168].findings)
    assert states[-1].doubts == () and "heuristic" not in dict(states[-1].findings)


def test_a_round_trip_that_is_shorter_than_in_the_training_counts_as_the_shortest(
    tmp_path: Path,
) -> None:
    narrow = dict.fromkeys(FEATURES) | {"rtt": [-2.0, -1.0]}
    tiny_models.folder(tmp_path, usual_range=narrow)
    states = flown(settings_of(tmp_path), (260, calm(rtt_s=0.0003)))
    assert {state.doubts for state in states} == {()}
    assert states[-1].drift == 0.0


def test_the_start_of_a_flight_is_no_drift(tmp_path: Path) -> None:
    narrow = dict.fromkeys(FEATURES) | {"rtt": [-2.0, -1.0]}
    tiny_models.folder(tmp_path, usual_range=narrow)
    states = flown(settings_of(tmp_path), (120, calm(rtt_s=0.5)), (400, calm(rtt_s=0.05)))
    assert {state.doubts for state in states} == {()}
    states = flown(settings_of(tmp_path), (260, calm(rtt_s=0.5)))
    assert [bool(state.doubts) for state in states] == [False] * 249 + [True] * 11


def test_drift_is_a_share_however_far_a_value_is_outside() -> None:
    low, high = (np.full(len(FEATURES), end, dtype=np.float32) for end in (0.0, 1.0))
    rows = np.full((100, len(FEATURES)), 0.5, dtype=np.float32)
    rows[:3, 4] = 1e30
    rows[:, 5] = np.nan
    found = drift(rows, low, high, 50)
    assert (found.share, found.feature) == (pytest.approx(0.03), 4)
    assert drift(rows[:49], low, high, 50) is None


def test_any_range_of_a_card_has_words(tmp_path: Path) -> None:
    for low in (-1e6, 9e5):
        far = dict.fromkeys(FEATURES) | {"up_sent": [low, low + 1.0]}
        tiny_models.folder(tmp_path, f"far{low > 0}", usual_range=far)
        (doubt,) = flown(settings_of(tmp_path, f"far{low > 0}"), (260, calm()))[-1].doubts
        assert " is not from " in doubt


def test_what_is_not_known_is_no_drift_and_no_infinite_range_is_left(tmp_path: Path) -> None:
    tiny_models.folder(tmp_path, usual_range=dict.fromkeys(FEATURES, None))
    state = flown(settings_of(tmp_path), (260, calm(rtt_s=30.0)))[-1]
    assert (state.drift, state.doubts) == (0.0, ())


def test_features_are_computed_once_for_each_bin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pqc_policy.sensing import learned_detector

    tiny_models.folder(tmp_path)
    computed: list[Bin] = []
    vector = learned_detector.vector
    monkeypatch.setattr(
        learned_detector, "vector", lambda one: (computed.append(one), vector(one))[1]
    )
    flown(settings_of(tmp_path), (60, calm()))
    assert len(computed) == 60


def test_the_same_bins_give_the_same_findings_whatever_came_before(tmp_path: Path) -> None:
    place = tiny_models.folder(tmp_path)
    bins = [calm(unknown_per_s=float(number)) for number in range(40)]
    used = load_learned(place)
    for end in range(5, 40):
        used.judge(bins[:end], Usual())
    assert used.judge(bins, Usual()) == load_learned(place).judge(bins, Usual())


def test_every_feature_has_words_and_every_class_a_response() -> None:
    assert all(words(feature)[0] != feature for feature in FEATURES)
    assert set(CLASSES[1:]) <= set(RESPONSES)


def test_what_stands_out_is_compared_with_the_flight_before(tmp_path: Path) -> None:
    detector = load_learned(
        tiny_models.folder(tmp_path, content=tiny_models.model(bias=[0, 0, 8, 0, 0, 0]))
    )
    lossy = Bin(up=Way(8.0, 32.0), down=Way(32.0, 32.0), rtt_s=0.05)
    found = detector.judge([*(calm() for _ in range(60)), *[lossy] * 5], Usual())
    assert isinstance(found, Finding)
    assert found.kind == "jamming"
    assert "delivered share of our datagrams 25 %, usually 100 %" in found.evidence
    short = detector.judge([calm()] * 6, Usual())
    assert short is not None and "the flight is too short to compare with" in short.evidence


def test_the_shipped_trees_are_as_their_card_says() -> None:
    place = find_model("trees")
    assert place is not None
    detector = load_learned(place)
    found = detector.judge([calm() for _ in range(detector.card.bins)], Usual())
    assert isinstance(detector, LearnedDetector)
    assert found is not None and found.probability is not None and not found.doubt
