# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The bill of materials of an image (docker/sbom.py)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

_TOP = Path(__file__).parents[4]
_SCRIPT = _TOP / "docker" / "sbom.py"
_PACKAGES = (
    ("pqc-mav", "0.2.0", "amd64", ",libc6 (>= 2.36), libssl3 (>= 3.0.0), systemd | other"),
    ("libc6", "2.36-9+deb12u10", "amd64", "libgcc-s1,"),
    ("libssl3", "3.0.17-1~deb12u3", "amd64", ",libc6 (>= 2.34)"),
    ("base-passwd", "3.6.1", "amd64", "libc6 (>= 2.34), libdebconfclient0,"),
)
_ALGORITHMS = [
    {"kind": "kem", "name": "ML-KEM-768", "library": "liboqs 0.13.0", "token": "mlkem768",
     "level": 3, "specification": "FIPS 203", "available": True},
    {"kind": "kem", "name": "HQC-192", "library": "liboqs 0.13.0", "token": "hqc192",
     "level": 3, "specification": "HQC, draft of 2025", "available": False},
    {"kind": "signature", "name": "ML-DSA-44", "library": "liboqs 0.13.0", "token": "mldsa44",
     "level": 1, "specification": "FIPS 204", "available": True},
    {"kind": "aead", "name": "AES-256-GCM", "library": "OpenSSL 3.0.17", "token": "aesgcm",
     "key_bits": 256, "available": True},
    {"kind": "aead", "name": "Ascon-128a", "library": "this program", "token": "ascon128a",
     "key_bits": 128, "available": True},
    *({"kind": kind, "name": name, "library": "OpenSSL 3.0.17", "available": True}
      for kind, name in (("hash", "SHA-256"), ("hash", "SHA-384"), ("hash", "SHA-512"),
                         ("mac", "HMAC"), ("kdf", "HKDF"), ("key-agree", "X25519"))),
    {"kind": "drbg", "name": "random numbers", "library": "Linux", "available": True},
]  # fmt: skip
_SUITES = [
    {"id": "cs-mlkem768-aesgcm-mldsa44", "level": 3, "available": True},
    {"id": "cs-hqc192-aesgcm-mldsa44", "level": 3, "available": False},
]
_BUILT_WITH = "Installed:\n libcli11-dev (= 2.3.1-1),\n libexpected-dev (= 1.0.0-2),\n"
_DIGEST = "5" * 64


def _run(folder: Path, algorithms: list[dict[str, Any]]) -> subprocess.CompletedProcess[str]:
    folder.mkdir(exist_ok=True)
    rows = "".join("\t".join(row) + "\n" for row in _PACKAGES)
    for name, text in (
        ("packages", rows),
        ("os-release", 'ID=debian\nVERSION_ID="12"\nVERSION="12 (bookworm)"\n'),
        ("version", "pqc 0.2.0 (protocol 4)\n"),
        ("algorithms.json", json.dumps(algorithms)),
        ("suites.json", json.dumps(_SUITES)),
        ("built", _BUILT_WITH),
    ):
        (folder / name).write_text(text, encoding="utf-8")
    return subprocess.run(
        [sys.executable, _SCRIPT, folder, "--digest", _DIGEST, "--built-with", folder / "built",
         "--out", folder / "bill"],
        env={"SOURCE_DATE_EPOCH": "1700000000"}, capture_output=True, text=True,
    )  # fmt: skip


@pytest.fixture(scope="module")
def bill(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("bill")
    assert _run(folder, _ALGORITHMS).returncode == 0
    return json.loads((folder / "bill").read_text(encoding="utf-8"))


def _by_reference(bill: dict[str, Any]) -> dict[str, Any]:
    found = {one["bom-ref"]: one for one in bill["components"]}
    assert len(found) == len(bill["components"])
    return found


def test_the_bill_is_valid_cyclonedx(bill: dict[str, Any]) -> None:
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(json.dumps(bill)) is None
    broken = bill | {"specVersion": "1.6", "components": [{"type": "box"}]}
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(json.dumps(broken)) is not None


def test_packages_of_the_image_and_what_is_inside_the_programs_are_listed(
    bill: dict[str, Any],
) -> None:
    components = _by_reference(bill)
    assert components["libssl3"]["purl"] == (
        "pkg:deb/debian/libssl3@3.0.17-1~deb12u3?arch=amd64&distro=debian-12"
    )
    assert components["libc6"]["purl"].startswith("pkg:deb/debian/libc6@2.36-9%2Bdeb12u10?")
    assert components["liboqs"]["version"] == "0.13.0"
    assert components["libcli11-dev"]["version"] == "2.3.1-1"
    edges = {one["ref"]: one for one in bill["dependencies"]}
    assert edges["pqc-mav"]["dependsOn"] == [
        "libc6", "libcli11-dev", "libexpected-dev", "liboqs", "libssl3",
    ]  # fmt: skip
    assert edges["libc6"]["dependsOn"] == []
    assert bill["metadata"]["component"]["hashes"] == [{"alg": "SHA-256", "content": _DIGEST}]
    assert bill["metadata"]["timestamp"] == "2023-11-14T22:13:20Z"


def test_each_algorithm_has_its_category_and_what_computes_it(bill: dict[str, Any]) -> None:
    components = _by_reference(bill)
    levels = {
        name: components[f"crypto/{name}"]["cryptoProperties"]["algorithmProperties"].get(
            "nistQuantumSecurityLevel"
        )
        for name in ("mlkem768", "mldsa44", "aesgcm", "ascon128a", "x25519", "sha-256")
    }
    assert levels == {
        "mlkem768": 3, "mldsa44": 2, "aesgcm": 5, "ascon128a": 1, "x25519": 0, "sha-256": None,
    }  # fmt: skip
    assert "crypto/hqc192" not in components
    provides = {one["ref"]: one.get("provides", []) for one in bill["dependencies"]}
    assert provides["liboqs"] == ["crypto/mldsa44", "crypto/mlkem768"]
    assert provides["pqc-mav"] == ["crypto/ascon128a", "crypto/protocol"]
    assert "crypto/aesgcm" in provides["libssl3"]


def test_the_protocol_has_the_suites_that_are_available(bill: dict[str, Any]) -> None:
    protocol = _by_reference(bill)["crypto/protocol"]["cryptoProperties"]["protocolProperties"]
    assert protocol["version"] == "4"
    (suite,) = protocol["cipherSuites"]
    assert suite == {
        "name": "cs-mlkem768-aesgcm-mldsa44",
        "algorithms": [
            "crypto/mlkem768", "crypto/aesgcm", "crypto/mldsa44", "crypto/sha-256",
            "crypto/sha-512", "crypto/hmac", "crypto/hkdf",
        ],
    }  # fmt: skip


def test_an_algorithm_of_an_unknown_library_is_an_error(tmp_path: Path) -> None:
    unknown = [one | {"library": "wolfSSL 5"} for one in _ALGORITHMS]
    run = _run(tmp_path, unknown)
    assert run.returncode != 0
    assert "no package of the image is known to be wolfSSL 5" in run.stderr


def test_the_same_image_gives_the_same_bill(tmp_path: Path) -> None:
    texts = []
    for name in ("one", "two"):
        assert _run(tmp_path / name, _ALGORITHMS).returncode == 0
        texts.append((tmp_path / name / "bill").read_text(encoding="utf-8"))
    assert texts[0] == texts[1]
