// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SUPPORT__KNOWN_ANSWERS__VECTOR_FILE_HPP_
#define SUPPORT__KNOWN_ANSWERS__VECTOR_FILE_HPP_

#include <map>
#include <string>
#include <vector>

#include "base/bytes.hpp"

namespace pqc_tunnel::test
{

// One record of a file in test/vectors.
class VectorRecord
{
public:
  bool has(const std::string & name) const { return fields_.contains(name); }
  // Both throw std::out_of_range if there is no such field.
  const std::string & text(const std::string & name) const;
  Bytes bytes(const std::string & name) const;

private:
  friend std::vector<VectorRecord> read_vectors(const std::string & path);
  std::map<std::string, std::string> fields_;
};

// Throws std::runtime_error if the file can't be read or has not as many records as are known, so that no test passes
// for want of vectors.
std::vector<VectorRecord> read_vectors(const std::string & path);

}  // namespace pqc_tunnel::test

#endif  // SUPPORT__KNOWN_ANSWERS__VECTOR_FILE_HPP_
