# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Tests of learned detectors: what is refused before use, and what the others judge."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiny_models
from pqc_policy.policy.inputs import Verdict
from pqc_policy.policy.responses import RESPONSES
from pqc_policy.sensing.advisor_settings import AdvisorSettings
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

pytest.importorskip("onnxruntime")


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
    content = bytearray((place / "model.onnx").read_bytes())
    content[len(content) // 2] ^= 1
    (place / "model.onnx").write_bytes(content)


def truncated(place: Path) -> None:
    content = (place / "model.onnx").read_bytes()
    (place / "model.onnx").write_bytes(content[:-1])


def huge(place: Path) -> None:
    # A hole in a file takes no room on the disk.
    os.truncate(place / "model.onnx", MOST_MODEL_BYTES + 1)
    change(place, bytes=MOST_MODEL_BYTES)


def piped(place: Path) -> None:
    (place / "model.onnx").unlink()
    os.mkfifo(place / "model.onnx")


def other_class(place: Path) -> None:
    change(place, classes=["calm", *CLASSES[1:]])


FEATURES_AND_ONE = [*FEATURES, "phase_of_moon"]


@pytest.mark.parametrize(
    ("spoil", "text"),
    [
        (altered, "The model tiny is not the file that its card describes (SHA-256)."),
        (truncated, "bytes in place of the"),
        (huge, f"model.onnx has more than {MOST_MODEL_BYTES} bytes."),
        (piped, "The model tiny can't be used: model.onnx can't be read: it is no regular file."),
        (lambda p: (p / "model.onnx").unlink(), "model.onnx can't be read: No such file"),
        (lambda p: (p / "card.json").unlink(), "card.json can't be read: No such file"),
        (lambda p: (p / "card.json").write_text("{"), "The card of the model tiny is not JSON"),
        (lambda p: (p / "card.json").write_text("[" * 99999), "nested too deeply."),
        (lambda p: (p / "card.json").write_bytes(b"\xff\xfe"), "card.json is no text."),
        (lambda p: (p / "card.json").write_text("[]"), "tiny is no JSON object."),
        (lambda p: os.truncate(p / "card.json", MOST_CARD_BYTES + 1), "card.json has more than"),
        (tiny_models.infinite_card, "The card of the model tiny is not JSON"),
        (lambda p: change(p, format=2), "has format 2, and this program reads 1."),
        (lambda p: change(p, format="2\n" * 999), "The card of the model tiny has format 2 2 "),
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
        (lambda p: change(p, bins=6), f"of 6 bins by {len(FEATURES)} features."),
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


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"no model", "The model tiny is damaged, or has a sparse tensor."),
        (b"", "has a model of 0 bytes"),
        (tiny_models.model(features=30), f"of 5 bins by {len(FEATURES)} features."),
        (tiny_models.model(classes=5), "has no single output probabilities of 6 classes."),
        (tiny_models.model(output="scores"), "has no single output probabilities of 6 classes."),
        (tiny_models.model(bias=[float("nan")] * 6), "gives no finite number in a trial."),
        (tiny_models.model(kind="Relu"), "gives no probabilities in a trial."),
        (tiny_models.model(kind="Invented"), "can't be read by onnxruntime."),
    ],
)
def test_a_file_with_another_model_is_refused_although_its_card_agrees(
    content: bytes, text: str, tmp_path: Path
) -> None:
    with pytest.raises(DetectorFault, match=text):
        load_learned(tiny_models.folder(tmp_path, content=content))


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("constant", "The model bomb gives an error in a trial."),
        ("doubled", "The model bomb gives an error in a trial."),
        ("sparse", "The model bomb is damaged, or has a sparse tensor."),
        ("endless", "The model bomb gives an error in a trial."),
    ],
)
def test_a_small_model_takes_neither_gigabytes_nor_for_ever(
    kind: str, text: str, tmp_path: Path
) -> None:
    place = tiny_models.folder(tmp_path, "bomb", tiny_models.bomb(kind))
    code = (
        "import resource, sys, pathlib\n"
        "resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))\n"
        "from pqc_policy.sensing.learned_detector import load_learned\n"
        "try:\n    load_learned(pathlib.Path(sys.argv[1]))\n"
        "except ValueError as fault:\n    print(fault)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    words = [sys.executable, "-c", code, str(place)]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=60)
    sentence, kib = done.stdout.splitlines()
    assert sentence == text
    assert int(kib) < 500_000


def test_a_model_reads_no_other_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bias.bin").write_bytes(tiny_models.floats(0, -8, -8, -8, -8, -8))
    content = tiny_models.model(bias_file="bias.bin")
    with pytest.raises(DetectorFault, match=r"can.t be read by onnxruntime"):
        load_learned(tiny_models.folder(tmp_path, content=content))


def test_only_a_learned_detector_imports_onnxruntime() -> None:
    code = (
        "import sys; from pqc_policy.sensing.advisor_settings import AdvisorSettings; "
        "AdvisorSettings(detector='heuristic').make_advisor(); print('onnxruntime' in sys.modules)"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "False"


def test_without_onnxruntime_the_heuristic_takes_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny_models.folder(tmp_path)
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    advisor, missing = settings_of(tmp_path).make_advisor()
    text = "which is not installed: install it, or set detector to heuristic."
    assert missing == (f"The model tiny needs onnxruntime, {text}",)
    assert [one.name for one in advisor.detectors] == ["heuristic", "counters"]


def test_an_onnxruntime_that_can_not_be_loaded_is_no_end_of_the_advisor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny_models.folder(tmp_path)
    broken = tmp_path / "onnxruntime.py"
    broken.write_text("raise ImportError('numpy.core.multiarray failed to import')")
    monkeypatch.delitem(sys.modules, "onnxruntime")
    monkeypatch.syspath_prepend(str(tmp_path))
    advisor, missing = settings_of(tmp_path).make_advisor()
    assert missing == ("The model tiny needs onnxruntime, which can't be loaded.",)
    assert [one.name for one in advisor.detectors] == ["heuristic", "counters"]


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
    place = tiny_models.folder(tmp_path)
    with pytest.raises(DetectorFault, match=r"needs bins of 0.6 s, and bin_s is 0.5\."):
        load_learned(place, bin_s=0.5)


def test_a_calm_flight_is_clear_and_an_attack_has_class_probability_and_evidence(
    tmp_path: Path,
) -> None:
    tiny_models.folder(tmp_path)
    settings = settings_of(tmp_path)
    states = flown(settings, (60, calm()), (5, calm(unknown_per_s=99.0)))
    assert {state.verdict for state in states[:60]} == {Verdict.CLEAR}
    fields = verdict_fields(settings.make_advisor()[0], states[-1])
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
    advisor, _ = settings.make_advisor()
    states = flown(settings, (60, calm()), (5, calm(unknown_per_s=99.0)), (9, calm()))
    assert states[-1].verdict is Verdict.ATTACK
    assert verdict_fields(advisor, states[-1])["attack_class"] in ("volumetric", "flood")
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
    assert found is not None
    assert found.probability == pytest.approx(probability, abs=1e-5)
    assert found.score == pytest.approx(score, abs=1e-4)


def test_there_is_no_judgement_before_five_bins_and_missing_ones_are_unknown(
    tmp_path: Path,
) -> None:
    content = tiny_models.model(bins=40)
    detector = load_learned(tiny_models.folder(tmp_path, content=content, bins=40))
    assert isinstance(detector, Detector)
    assert detector.judge([calm()] * 4, Usual()) is None
    assert detector.judge([calm()] * 5, Usual()) is not None


def test_the_heuristic_judges_while_there_are_too_few_bins_for_the_model(tmp_path: Path) -> None:
    tiny_models.folder(tmp_path)
    settings = replace(settings_of(tmp_path), heuristic=Heuristic(window=2))
    lost = Bin(up=Way(4.0, 32.0), down=Way(32.0, 32.0))
    names = [[name for name, _ in state.findings] for state in flown(settings, (6, lost))]
    assert names == [[], *[["heuristic"]] * 3, *[["tiny"]] * 2]


def test_a_result_that_is_no_number_is_no_verdict_and_the_heuristic_judges(
    tmp_path: Path,
) -> None:
    tiny_models.folder(tmp_path, content=tiny_models.model(fills=False))
    state = flown(settings_of(tmp_path), (10, Bin(up=Way(4.0, 32.0))))[-1]
    assert state.doubts == ("The model tiny gives no finite number.",)
    assert state.findings[-1][0] == "heuristic"
    assert state.verdict is Verdict.ATTACK


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
    assert found is not None
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


def test_the_entry_points_of_this_package_are_its_models(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pqc_policy.sensing import model_folder, shipped_detectors

    monkeypatch.setattr(model_folder, "shipped_models", lambda: [tmp_path])
    tiny_models.folder(tmp_path, "trees")
    assert shipped_detectors.trees().name == "trees"
    with pytest.raises(DetectorFault, match=r"The model transformer is not installed\."):
        shipped_detectors.transformer()


@pytest.mark.parametrize("name", ["trees", "transformer"])
def test_the_shipped_models_are_as_their_cards_say(name: str) -> None:
    place = find_model(name)
    if place is None:
        pytest.skip(f"there is no model {name} yet")
    detector = load_learned(place, bin_s=AdvisorSettings().config.bin_s)
    found = detector.judge([calm() for _ in range(detector.card.bins)], Usual())
    assert isinstance(detector, LearnedDetector)
    assert found is not None and found.probability is not None and not found.doubt
