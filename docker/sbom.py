# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Write the bill of materials of an image as CycloneDX 1.6: packages, and cryptographic assets.

What is in the image says so itself: dpkg its packages, `pqc` its algorithms and suites.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import uuid
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

Json = dict[str, Any]
OWN = "pqc-mav"
# The programs contain the headers of these libraries, and nothing else of them.
HEADERS = ("libcli11-dev", "libexpected-dev")
PLATFORMS = {"amd64": "x86_64", "arm64": "armv8-a", "armhf": "armv7-a"}
FUNCTIONS = {
    "kem": ("kem", ["keygen", "encapsulate", "decapsulate"]),
    "signature": ("signature", ["keygen", "sign", "verify"]),
    "aead": ("ae", ["encrypt", "decrypt"]),
    "hash": ("hash", ["digest"]),
    "mac": ("mac", ["tag"]),
    "kdf": ("kdf", ["keyderive"]),
    "key-agree": ("key-agree", ["keygen", "keyderive"]),
    "drbg": ("drbg", ["generate"]),
}
# FIPS 204: the smallest parameter set has category 2. Curves have none.
CATEGORY_OF_NAME = {"ML-DSA-44": 2, "X25519": 0}
# The search for a key of so many bits defines a category.
CATEGORY_OF_KEY = {128: 1, 192: 3, 256: 5}
CLASSICAL_BITS = {1: 128, 2: 128, 3: 192, 5: 256}


class Bill:
    """Components and what they depend on, in the order in which they were added."""

    def __init__(self) -> None:
        self.components: list[Json] = []
        self.edges: dict[str, dict[str, set[str]]] = {}

    def add(self, reference: str, **fields: Any) -> str:
        self.components.append({"bom-ref": reference} | fields)
        return reference

    def connect(self, kind: str, origin: str, targets: Iterable[str]) -> None:
        """Note that the origin has targets: kind is dependsOn or provides."""
        self.edges.setdefault(origin, {}).setdefault(kind, set()).update(targets)

    def dependencies(self) -> list[Json]:
        return [
            {"ref": origin} | {kind: sorted(targets) for kind, targets in sorted(kinds.items())}
            for origin, kinds in sorted(self.edges.items())
        ]


def bill_of(folder: Path, digest: str, built_with: str, epoch: int) -> Json:
    """Return the bill of the image with that digest.

    `folder` has what the image said: packages, os-release, version, algorithms.json, suites.json.
    `built_with` is the .buildinfo of its packages.
    """
    bill = Bill()
    packages = [line.split("\t") for line in (folder / "packages").read_text().splitlines()]
    versions = {name: version for name, version, *_ in packages}
    architecture = next(row[2] for row in packages if row[0] == OWN)
    system = dict(re.findall(r'^(\w+)="?([^"\n]*)', (folder / "os-release").read_text(), re.M))
    of_system = f"{system['ID']}-{system['VERSION_ID']}"
    _add_packages(bill, packages, of_system)
    for name in HEADERS:
        version = re.search(rf"^ {re.escape(name)} \(= (\S+)\)", built_with, re.M)
        if version is None:
            raise ValueError(f"the .buildinfo of the packages does not name {name}")
        reference = _add_package(bill, name, version.group(1), architecture, of_system)
        bill.connect("dependsOn", OWN, [reference])
    _add_algorithms(bill, folder, architecture, versions)
    version = versions[OWN]
    image = {
        "bom-ref": "image",
        "type": "container",
        "name": OWN,
        "version": version,
        "purl": f"pkg:oci/{OWN}@sha256%3A{digest}?arch={architecture}",
        "hashes": [{"alg": "SHA-256", "content": digest}],
    }
    bill.connect("dependsOn", "image", versions)
    content = {"components": bill.components, "dependencies": bill.dependencies()}
    number = uuid.uuid5(uuid.NAMESPACE_OID, json.dumps([image, content], sort_keys=True))
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{number}",
        "version": 1,
        "metadata": {
            "timestamp": datetime.fromtimestamp(epoch, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": image,
        },
    } | content


def _add_packages(bill: Bill, packages: list[list[str]], system: str) -> None:
    names = {name for name, *_ in packages}
    for name, version, architecture, depends in packages:
        _add_package(bill, name, version, architecture, system)
        needed = {re.split(r"[\s:(]", one.strip())[0] for one in re.split(r"[,|]", depends)}
        bill.connect("dependsOn", name, needed & names)


def _add_package(bill: Bill, name: str, version: str, architecture: str, system: str) -> str:
    own = name == OWN
    vendor = "" if own else "debian/"
    fields: Json = {"licenses": [{"license": {"id": "Apache-2.0"}}]} if own else {}
    encoded = version.replace("+", "%2B").replace(":", "%3A")
    purl = f"pkg:deb/{vendor}{name}@{encoded}?arch={architecture}&distro={system}"
    kind = "application" if own else "library"
    return bill.add(name, type=kind, name=name, version=version, purl=purl, **fields)


def _add_algorithms(bill: Bill, folder: Path, architecture: str, packages: dict[str, str]) -> None:
    algorithms = json.loads((folder / "algorithms.json").read_text())
    references: dict[str, str] = {}
    for one in filter(lambda one: one["available"], algorithms):
        reference = "crypto/" + one.get("token", one["name"].lower().replace(" ", "-"))
        references[one.get("token", one["name"])] = reference
        bill.add(reference, **_algorithm(one, PLATFORMS.get(architecture, "other")))
        provider = _provider(bill, one["library"], packages)
        if provider:
            bill.connect("provides", provider, [reference])
            bill.connect("dependsOn", OWN, {provider} - {OWN})
    suites = []
    for suite in json.loads((folder / "suites.json").read_text()):
        _, *tokens = suite["id"].split("-")
        if suite["available"]:
            hashing = "SHA-384" if suite["level"] == 5 else "SHA-256"
            used = [*tokens, hashing, "SHA-512", "HMAC", "HKDF"]
            suites.append({"name": suite["id"], "algorithms": [references[one] for one in used]})
    version = re.search(r"\(protocol (\d+)\)", (folder / "version").read_text()).group(1)
    protocol = {
        "type": "other",
        "version": version,
        "cipherSuites": suites,
        "cryptoRefArray": sorted(references.values()),
    }
    properties = {"assetType": "protocol", "protocolProperties": protocol}
    reference = bill.add(
        "crypto/protocol", type="cryptographic-asset", name=f"{OWN} tunnel",
        cryptoProperties=properties,
    )  # fmt: skip
    bill.connect("provides", OWN, [reference])


def _algorithm(one: Json, platform: str) -> Json:
    primitive, functions = FUNCTIONS[one["kind"]]
    properties: Json = {
        "primitive": primitive,
        "executionEnvironment": "software-plain-ram",
        "implementationPlatform": platform,
        "certificationLevel": ["none"],
        "cryptoFunctions": functions,
    }
    parameters = re.search(r"[ -](\d.*)$", one["name"])
    if parameters:
        properties["parameterSetIdentifier"] = parameters.group(1)
    if one["name"].endswith("-GCM"):
        properties["mode"] = "gcm"
    level = CATEGORY_OF_KEY.get(one.get("key_bits"), one.get("level"))
    level = CATEGORY_OF_NAME.get(one["name"], level)
    if level is not None:
        properties["nistQuantumSecurityLevel"] = level
        properties["classicalSecurityLevel"] = CLASSICAL_BITS.get(level, 128)
    fields: Json = {"description": one["specification"]} if one.get("specification") else {}
    return fields | {
        "type": "cryptographic-asset",
        "name": one["name"],
        "cryptoProperties": {"assetType": "algorithm", "algorithmProperties": properties},
        "properties": [{"name": f"{OWN}:library", "value": one["library"]}],
    }


def _provider(bill: Bill, library: str, packages: dict[str, str]) -> str | None:
    """Return the component that computes an algorithm; None for the kernel, which no image has."""
    if library == "Linux":
        return None
    if library == "this program":
        return OWN
    if library.startswith("liboqs "):
        if all(one["bom-ref"] != "liboqs" for one in bill.components):
            version = library.split()[1]
            bill.add(
                "liboqs", type="library", name="liboqs", version=version,
                purl=f"pkg:github/open-quantum-safe/liboqs@{version}",
                licenses=[{"license": {"id": "MIT"}}],
            )  # fmt: skip
        return "liboqs"
    prefix = "libssl" if "OpenSSL" in library else library.split()[0]
    found = [name for name in packages if name.startswith(prefix)]
    if len(found) != 1:
        raise ValueError(f"no package of the image is known to be {library}")
    return found[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--digest", required=True, help="SHA-256 of the image's manifest")
    parser.add_argument("--built-with", type=Path, required=True, help="a .buildinfo")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    epoch = int(os.environ["SOURCE_DATE_EPOCH"])
    bill = bill_of(options.folder, options.digest, options.built_with.read_text(), epoch)
    options.out.write_text(json.dumps(bill, indent=1) + "\n")


if __name__ == "__main__":
    main()
