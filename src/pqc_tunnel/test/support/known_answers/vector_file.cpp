// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/known_answers/vector_file.hpp"

#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <utility>

#include "support/hex.hpp"

namespace pqc_tunnel::test
{

namespace
{

// Records of each file from outside.
const std::map<std::string, std::size_t> known_counts = {
  {"aes_256_gcm", 66},         {"ascon_128a", 192},         {"ascon_128a_lwc", 1089},
  {"ascon_aead128", 252},      {"ascon_aead128_lwc", 1089}, {"chacha20_poly1305", 316},
  {"hkdf_sha256", 86},         {"hkdf_sha384", 83},         {"hmac_sha256", 87},
  {"hmac_sha384", 87},         {"ml_dsa_44_keygen", 25},    {"ml_dsa_44_sign", 174},
  {"ml_dsa_44_verify", 195},   {"ml_dsa_65_keygen", 25},    {"ml_dsa_65_sign", 186},
  {"ml_dsa_65_verify", 225},   {"ml_dsa_87_keygen", 25},    {"ml_dsa_87_sign", 168},
  {"ml_dsa_87_verify", 256},   {"ml_kem_1024_decaps", 214}, {"ml_kem_1024_encaps", 1335},
  {"ml_kem_1024_keygen", 125}, {"ml_kem_512_decaps", 214},  {"ml_kem_512_encaps", 1062},
  {"ml_kem_512_keygen", 125},  {"ml_kem_768_decaps", 214},  {"ml_kem_768_encaps", 1071},
  {"ml_kem_768_keygen", 125},  {"nist_kat_hashes", 26},     {"x25519", 518},
  {"slh_dsa_128s_keygen", 10}, {"slh_dsa_128s_sign", 2},    {"slh_dsa_192s_keygen", 10},
  {"slh_dsa_192s_sign", 2},    {"slh_dsa_256s_keygen", 10}, {"slh_dsa_256s_sign", 2},
  {"slh_dsa_128f_keygen", 10}, {"slh_dsa_128f_sign", 2},    {"slh_dsa_192f_keygen", 10},
  {"slh_dsa_192f_sign", 2},    {"slh_dsa_256f_keygen", 10}, {"slh_dsa_256f_sign", 2},
};

}  // namespace

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
  const auto known = known_counts.find(std::filesystem::path(path).stem().string());
  if (records.empty() || (known != known_counts.end() && records.size() != known->second)) {
    throw std::runtime_error(std::to_string(records.size()) + " vectors in " + path);
  }
  return records;
}

}  // namespace pqc_tunnel::test
