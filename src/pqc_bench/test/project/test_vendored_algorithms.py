# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Which algorithms liboqs_vendor builds from which sources with which compiler."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

VENDOR = Path(__file__).parents[3] / "liboqs_vendor"
ALWAYS = [
    *("KEM_ml_kem_512", "KEM_ml_kem_768", "KEM_ml_kem_1024"),
    *(f"KEM_classic_mceliece_{size}" for size in (348864, 460896, 8192128)),
    *("SIG_ml_dsa_44", "SIG_ml_dsa_65", "SIG_ml_dsa_87", "SIG_falcon_512", "SIG_falcon_1024"),
]
SIZES = [f"{size}{variant}" for size in (128, 192, 256) for variant in "sf"]
HQC_OF_2023 = [f"KEM_hqc_{size}" for size in (128, 192, 256)]
FORMER = [
    *HQC_OF_2023,
    *(f"KEM_frodokem_{size}_aes" for size in (640, 976, 1344)),
    *(f"SIG_sphincs_sha2_{size}_simple" for size in SIZES),
]
PRESENT = [
    *("KEM_hqc_1", "KEM_hqc_3", "KEM_hqc_5"),
    *(f"KEM_efrodokem_{size}_aes" for size in (640, 976, 1344)),
    *(f"SIG_slh_dsa_pure_sha2_{size}" for size in SIZES),
]


def built(folder: Path, known: list[str], compiler: str = "cc") -> set[str]:
    """Return what would be built from sources that know these algorithms."""
    if not VENDOR.is_dir() or not shutil.which("cmake") or not shutil.which(compiler):
        pytest.skip(f"needs the source tree, cmake and {compiler}")
    sources = folder / "liboqs"
    for name in (".CMake/alg_support.cmake", "src/oqs.h", "LICENSE.txt"):
        (sources / name).parent.mkdir(parents=True, exist_ok=True)
        (sources / name).write_text("".join(f"option(OQS_ENABLE_{one} )\n" for one in known))
    subprocess.run(
        [
            *("cmake", "-S", VENDOR, "-B", folder / "build", f"-DCMAKE_C_COMPILER={compiler}"),
            *(f"-DLIBOQS_SOURCE_DIR={sources}", "-DLIBOQS_VENDOR_ROS=OFF"),
        ],
        check=True,
        capture_output=True,
        text=True,
    )
    (command,) = (folder / "build").rglob("liboqs-cfgcmd.txt")
    text = command.read_text().partition("OQS_MINIMAL_BUILD=")[2]
    names = text.replace(";", " ").replace("|", " ").replace("'", " ").replace('"', " ")
    return {name for name in names.split() if name.startswith(("KEM_", "SIG_"))}


def test_former_revisions_are_built_where_the_sources_have_them(tmp_path: Path) -> None:
    both = [*ALWAYS, *FORMER, "KEM_bike_l1"]
    assert built(tmp_path, both) == {*ALWAYS, *FORMER}


def test_present_revisions_are_built_where_the_sources_have_no_former_ones(tmp_path: Path) -> None:
    salted = [f"KEM_frodokem_{size}_aes" for size in (640, 976, 1344)]
    assert built(tmp_path, [*ALWAYS, *PRESENT, *salted]) == {*ALWAYS, *PRESENT}


def test_clang_builds_no_hqc_of_2023(tmp_path: Path) -> None:
    """CVE-2025-52473: some versions compile it with branches on secrets."""
    assert built(tmp_path, [*ALWAYS, *FORMER], "clang-14") == {*ALWAYS, *FORMER} - {*HQC_OF_2023}


def test_sources_of_an_unknown_revision_are_refused_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(subprocess.CalledProcessError) as refused:
        built(tmp_path, ALWAYS)
    sentence = " ".join(refused.value.stderr.split())
    assert "do not know SIG_slh_dsa_pure_sha2_256f; versions 0.12 to 0.16 do" in sentence
