# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""liboqs-python loads the liboqs that the environment names; it never clones or builds another."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.bindings import _rust as some_library
from pqc_reference.crypto import liboqs
from pqc_reference.crypto.suites import KEMS, SIGNATURES

# Loads liboqs-python in a process of its own. Prints the outcome, and every event that is part of
# cloning or building: a program that is started, a connection.
PROBE = """
import json, sys
watched = ("subprocess.", "os.exec", "os.fork", "os.posix_spawn", "os.system", "socket.connect")
seen = []
sys.addaudithook(lambda event, _: seen.append(event) if event.startswith(watched) else None)
from pqc_reference.crypto import liboqs
outcome = {"seen": seen}
try:
    oqs = liboqs.load()
    outcome |= {"version": oqs.oqs_version(), "path": oqs.native()._name}
except liboqs.Unavailable as unavailable:
    outcome["error"] = str(unavailable)
print(json.dumps(outcome))
"""
SEARCH_FINDS = "import ctypes.util; ctypes.util.find_library = lambda name: {!r}\n"


@pytest.fixture
def prefix() -> Path:
    """Where the workspace has installed liboqs for liboqs-python."""
    if "OQS_INSTALL_PATH" not in os.environ:
        pytest.skip("needs the environment of the built workspace")
    return Path(os.environ["OQS_INSTALL_PATH"])


def probe(install_path: Path | None, before: str = "") -> dict[str, Any]:
    """Run the probe with an OQS_INSTALL_PATH, after some lines of Python."""
    environment = {k: v for k, v in os.environ.items() if k != "OQS_INSTALL_PATH"}
    if install_path is not None:
        environment["OQS_INSTALL_PATH"] = str(install_path)
    command = [sys.executable, "-W", "default", "-c", before + PROBE]
    run = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    assert run.stderr == ""
    return json.loads(run.stdout)  # and nothing else is on the standard output


def test_the_liboqs_of_the_environment_is_loaded_silently_and_no_program_is_started(
    prefix: Path,
) -> None:
    outcome = probe(prefix)
    assert outcome["path"] == str(prefix / "lib" / "liboqs.so")
    assert outcome["version"].count(".") == 2
    assert outcome["seen"] == []


def test_the_liboqs_of_the_environment_precedes_what_the_linker_finds(prefix: Path) -> None:
    outcome = probe(prefix, SEARCH_FINDS.format("liboqs.so.7"))
    assert outcome["path"] == str(prefix / "lib" / "liboqs.so")


def test_a_liboqs_of_the_machine_is_loaded_if_the_environment_names_none(prefix: Path) -> None:
    machines_own = str(prefix / "lib" / "liboqs.so")
    assert probe(None, SEARCH_FINDS.format(machines_own))["path"] == machines_own


def test_without_liboqs_one_sentence_is_reported_and_nothing_is_built(tmp_path: Path) -> None:
    outcome = probe(tmp_path)
    assert outcome == {
        "error": f"OQS_INSTALL_PATH is {tmp_path}, which holds no lib/liboqs.so",
        "seen": [],
    }
    outcome = probe(None, SEARCH_FINDS.format(None))
    assert outcome == {
        "error": "liboqs isn't installed, and OQS_INSTALL_PATH isn't set",
        "seen": [],
    }


@pytest.mark.parametrize("kind", ["text", "another library"])
def test_another_file_is_rejected_and_nothing_is_cloned_or_built(kind: str, tmp_path: Path) -> None:
    file = tmp_path / "lib" / "liboqs.so"
    file.parent.mkdir()
    if kind == "text":
        file.write_text(kind, encoding="utf-8")
    else:
        file.symlink_to(some_library.__file__)
    outcome = probe(tmp_path)
    assert outcome["error"].startswith(str(file))
    assert outcome["seen"] == []


def test_without_liboqs_python_one_sentence_is_reported(prefix: Path) -> None:
    outcome = probe(prefix, "import sys; sys.modules['oqs'] = None\n")
    assert outcome == {
        "error": "liboqs-python isn't installed: run pip install liboqs-python",
        "seen": [],
    }


def test_algorithms_of_other_sizes_or_unknown_names_are_refused(prefix: Path) -> None:
    kem, signature = KEMS[0], SIGNATURES[0]
    with pytest.raises(liboqs.Unavailable, match="another revision of ML-KEM-512"):
        liboqs.generate_key(replace(kem, public_key=kem.public_key + 1))
    with pytest.raises(liboqs.Unavailable, match="this liboqs has no ML-KEM-0"):
        liboqs.generate_key(replace(kem, oqs_name="ML-KEM-0"))
    with pytest.raises(liboqs.Unavailable, match="this liboqs has no ML-DSA-0"):
        liboqs.sign(replace(signature, oqs_name="ML-DSA-0"), b"text", bytes(2560))


def test_an_invalid_public_key_is_reported_in_one_sentence(prefix: Path) -> None:
    # FIPS 203, 7.2: coefficients of a public key are below 3329.
    with pytest.raises(liboqs.Unavailable, match="encapsulation failed with ML-KEM-512"):
        liboqs.encapsulate(KEMS[0], b"\xff" * KEMS[0].public_key)


@pytest.mark.parametrize("change", [-1, 1])
def test_keys_and_ciphertexts_of_another_size_are_refused_in_one_sentence(
    prefix: Path, change: int
) -> None:
    kem, signature = KEMS[0], SIGNATURES[0]
    public, secret = liboqs.generate_key(kem)

    def refused(what: str, size: int, name: str) -> AbstractContextManager[object]:
        sentence = f"the {what} has {size + change} bytes, but {name} prescribes {size}$"
        return pytest.raises(liboqs.Unavailable, match=sentence)

    with refused("public key", len(public), "ML-KEM-512"):
        liboqs.encapsulate(kem, bytes(len(public) + change))
    with refused("ciphertext", kem.ciphertext, "ML-KEM-512"):
        liboqs.decapsulate(kem, bytes(kem.ciphertext + change), secret)
    with refused("secret key", len(secret), "ML-KEM-512"):
        liboqs.decapsulate(kem, bytes(kem.ciphertext), bytes(len(secret) + change))
    with refused("secret key", signature.secret_key, "ML-DSA-44"):
        liboqs.sign(signature, b"text", bytes(signature.secret_key + change))
    with refused("public key", signature.public_key, "ML-DSA-44"):
        key = bytes(signature.public_key + change)
        liboqs.verify(signature, b"text", bytes(signature.signature), key)
    key = bytes(signature.public_key)
    assert not liboqs.verify(signature, b"text", bytes(signature.signature + change), key)
