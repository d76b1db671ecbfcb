# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A published folder is complete, valid, and tells nothing of where it was made."""

from __future__ import annotations

import argparse
import csv
import gzip
import hashlib
import json
import shlex
from dataclasses import replace
from pathlib import Path

import pytest
from pqc_bench.bench_command import make_parser
from pqc_bench.cell.suite_set import choose_suites
from pqc_bench.metrics import write_metrics
from pqc_bench.publish.data_package import column_type, faults_of
from pqc_bench.publish.folder import command_of, publish
from pqc_bench.publish.plain_bag import copy_bag
from pqc_bench.publish.privacy import found_in, local_names, traces_of
from pqc_bench.report.run_data import read_run_folder
from pqc_sim.processes.run_fault import RunFault
from pyarrow import parquet
from report_run import make_run, raw_cells
from rosbags.rosbag2 import Reader, StoragePlugin, Writer
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

SUITES = "ML-512-AG-MD-44,ML-768-AG-MD-65"
TRACE = "power.csv.gz"
TYPE = "test_msgs/msg/Place"
ADDRESSES = ("192.168.1.139:46011", "192.168.1.139", "[fe80::1]:46011")
HARMLESS = ("udp", "127.0.0.1:46011", "::1", "0.3.1", "12:30:05", "")


def write_bag(folder: Path, texts: tuple[str, ...]) -> None:
    store = get_typestore(Stores.EMPTY)
    store.register(get_types_from_msg("string address\nstring[] more", TYPE))
    place = store.types[TYPE]
    with Writer(folder, version=9, storage_plugin=StoragePlugin.MCAP) as writer:
        connection = writer.add_connection("/pqc/status", TYPE, typestore=store)
        for stamp, text in enumerate(texts):
            message = place(text, [text, "wlan"])
            writer.write(connection, stamp, store.serialize_cdr(message, TYPE))


def read_bag(folder: Path) -> list[str]:
    store = get_typestore(Stores.EMPTY)
    store.register(get_types_from_msg("string address\nstring[] more", TYPE))
    with Reader(folder) as reader:
        return [store.deserialize_cdr(data, TYPE).address for _, _, data in reader.messages()]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose cells have traces, and one of them a bag."""
    folder = tmp_path_factory.mktemp("run") / "run"
    make_run(folder, SUITES, ("baseline",), power_w=4.0, repeat=2)
    for file in folder.glob("cells/**/metrics.json"):
        metrics = json.loads(file.read_text())
        metrics["p_power_energy"]["trace"] = TRACE
        del metrics["metric_status"]["p_power_energy.trace"]
        write_metrics(file, metrics)
        trace = b"seconds,utc_s,power_w\n0.0,5.0,4.0\n0.1,5.1,4.5\n"
        file.with_name(TRACE).write_bytes(gzip.compress(trace))
        (file.parent / "logs").mkdir()
        (file.parent / "logs" / "launch.log").write_text("by me@myhost\n")
    write_bag(next(iter(sorted(folder.glob("cells/baseline/**/*mldsa65")))) / "bag", ADDRESSES)
    return folder


@pytest.fixture(scope="module")
def published(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("out") / "published"
    publish(read_run_folder(source), out)
    return out


def test_the_description_and_the_data_are_valid_by_frictionless_itself(published: Path) -> None:
    assert faults_of(published) == []
    package = json.loads((published / "datapackage.json").read_text())
    names = {resource["name"] for resource in package["resources"]}
    assert {"tables/cells", "tables/traffic_by_condition"} <= names
    (cells,) = (one for one in package["resources"] if one["name"] == "tables/cells")
    fields = {field["name"]: field for field in cells["schema"]["fields"]}
    assert fields["d_handshake.total_ms"]["type"] == "number"
    assert fields["d_handshake.total_ms"]["description"]
    assert sum(name.startswith("cells/") and name.endswith("/power") for name in names) == 4


def test_an_altered_table_is_a_fault(published: Path) -> None:
    file = published / "tables" / "phi.csv"
    before = file.read_text()
    file.write_text(before.replace("\n", "\nmore,", 1))
    try:
        assert any("phi" in fault for fault in faults_of(published))
    finally:
        file.write_text(before)


def test_every_cell_is_a_row_with_each_metric(source: Path, published: Path) -> None:
    with (published / "tables" / "cells.csv").open(encoding="utf-8") as file:
        rows = {row["a_run_context.cell"]: row for row in csv.DictReader(file)}
    cells = raw_cells(source)
    assert len(rows) == len(cells)
    for cell in cells:
        row = rows[cell["a_run_context"]["cell"]]
        assert float(row["d_handshake.total_ms"]) == cell["d_handshake"]["total_ms"]
        assert float(row["n_system_drone.cpu_percent.max"]) > 0.0
        assert row["code"].startswith("ML-")


def test_parquet_has_the_rows_and_columns_of_csv(published: Path) -> None:
    tables = list((published / "tables").glob("*.parquet"))
    assert len(tables) >= 15
    for file in tables:
        with file.with_suffix(".csv").open(encoding="utf-8") as text:
            head, *rows = csv.reader(text)
        found = parquet.read_table(file)
        assert found.column_names == head
        assert found.num_rows == len(rows)


def test_every_file_has_its_hash_and_no_log_is_published(published: Path) -> None:
    lines = (published / "SHA256SUMS").read_text().splitlines()
    hashes = {name: digest for digest, name in (line.split("  ", 1) for line in lines)}
    files = {str(f.relative_to(published)) for f in published.rglob("*") if f.is_file()}
    assert files == {*hashes, "SHA256SUMS"}
    for name, digest in hashes.items():
        assert hashlib.sha256((published / name).read_bytes()).hexdigest() == digest
    assert not any("logs" in name for name in files)
    assert {"LICENSE", "README.md", "environment.json", "report.html", "bag/bag.mcap"} <= files


def test_the_published_run_is_a_run_that_reports_and_comparisons_read(published: Path) -> None:
    again = read_run_folder(published)
    assert len(again.samples()) == 4
    assert again.troubles == []


def test_the_command_repeats_the_run(source: Path) -> None:
    run = replace(read_run_folder(source).file, suites_asked="")
    words = shlex.split(command_of(run))
    assert words[:3] == ["./dev", "bench", "matrix"]
    options = make_parser().parse_args(words[2:])
    assert isinstance(options, argparse.Namespace)
    assert (options.suites, options.repeat) == (run.suites, 2)
    assert (options.scenario, options.order_seed) == (run.scenarios, run.order_seed)
    measured = replace(run, power="--source i2c --bus 1", fix_clock=True)
    options = make_parser().parse_args(shlex.split(command_of(measured))[2:])
    assert (options.power, options.fix_clock) == ("--source i2c --bus 1", True)
    assert "--suites seed003 " in command_of(replace(run, suites=choose_suites("seed003")))


def test_no_published_file_names_a_host_a_user_or_an_address(published: Path) -> None:
    assert list(traces_of(published, {**local_names(), "myhost": "this host"})) == []
    assert read_bag(published / "bag") == [""] * len(ADDRESSES)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("ssh pilot@hangar", "this host (hangar)"),
        ("peer 192.168.1.139:46011", "the address 192.168.1.139"),
        ("peer [2001:db8::17]:9", "the address 2001:db8::17"),
        ("link/ether b8:27:eb:12:34:56 brd", "the hardware address b8:27:eb:12:34:56"),
        ("model at /home/ada/model.onnx", "the folder /home/ada"),
        ("-----BEGIN PRIVATE KEY-----", "a key: -----BEGIN PRIVATE KEY-----"),
    ],
)
def test_what_tells_of_a_place_or_a_person_is_found(text: str, what: str) -> None:
    assert what in list(found_in(text.encode(), {"hangar": "this host"}))


def test_versions_times_and_the_loopback_interface_tell_nothing() -> None:
    text = "0.12.0 1.2.3.4.5 12:30:05 20:00:00 a::before 127.0.0.1:46011 ::1 hangars 300.1.1.1"
    assert list(found_in(text.encode(), {"hangar": "this host"})) == []


def test_a_bag_keeps_all_but_foreign_addresses(tmp_path: Path) -> None:
    write_bag(tmp_path / "bag", (*HARMLESS, *ADDRESSES))
    assert copy_bag(tmp_path / "bag", tmp_path / "plain") == len(HARMLESS) + len(ADDRESSES)
    assert read_bag(tmp_path / "plain") == [*HARMLESS, *([""] * len(ADDRESSES))]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1", "", "2"], "integer"),
        (["1", "2.5"], "number"),
        (["true", "false"], "boolean"),
        (["3", "≤4"], "string"),
        (["", ""], "string"),
    ],
)
def test_a_column_has_the_type_of_all_its_values(values: list[str], kind: str) -> None:
    assert column_type(values) == kind


def test_a_cell_without_a_bag_cant_give_one(source: Path, tmp_path: Path) -> None:
    run = read_run_folder(source)
    without = next(one.id for one in run.samples() if "mldsa44" in one.id)
    with pytest.raises(RunFault, match="has no bag"):
        publish(run, tmp_path / "out", without)
    with pytest.raises(RunFault, match="there is no cell with results"):
        publish(run, tmp_path / "out", "baseline/none")
    assert not (tmp_path / "out").exists()
