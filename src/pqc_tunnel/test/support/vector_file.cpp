// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/vector_file.hpp"

#include <fstream>
#include <stdexcept>
#include <utility>

#include "support/hex.hpp"

namespace pqc_tunnel::test
{

const std::string & VectorRecord::text(const std::string & name) const { return fields_.at(name); }

Bytes VectorRecord::bytes(const std::string & name) const { return from_hex(text(name)); }

std::vector<VectorRecord> read_vectors(const std::string & path)
{
  std::ifstream file(path);
  std::vector<VectorRecord> records;
  VectorRecord record;
  for (std::string line; std::getline(file, line);) {
    const auto equals = line.find(" =");
    if (line.starts_with('#')) {
      continue;
    }
    if (equals != std::string::npos) {
      const auto value = equals + 3;
      record.fields_[line.substr(0, equals)] = value < line.size() ? line.substr(value) : "";
    } else if (!record.fields_.empty()) {
      records.push_back(std::exchange(record, {}));
    }
  }
  if (!record.fields_.empty()) {
    records.push_back(record);
  }
  if (records.empty()) {
    throw std::runtime_error("no vectors in " + path);
  }
  return records;
}

}  // namespace pqc_tunnel::test
