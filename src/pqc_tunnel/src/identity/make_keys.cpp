// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "make_keys.hpp"

#include <utility>

#include "crypto/signature.hpp"
#include "key_file.hpp"

namespace pqc_tunnel
{

namespace fs = std::filesystem;

Result<std::shared_ptr<const Bytes>> make_signing_key(
  const fs::path & folder, SignatureAlgorithm algorithm, const OwnerId & owner,
  RandomSource & random)
{
  auto pair = generate_signing_key(algorithm, random);
  if (!pair) {
    return tl::make_unexpected(pair.error());
  }
  const KeyFile file{
    KeyFileKind::signing_key, wire_code(algorithm), owner, std::move(pair->secret_key)};
  if (const auto written = write_key_file(signing_key_path(folder, algorithm), file); !written) {
    return tl::make_unexpected(written.error());
  }
  return std::make_shared<const Bytes>(std::move(pair->public_key));
}

Result<void> write_public_keys(
  const fs::path & folder, const PublicKeys & keys, const OwnerId & owner)
{
  if (auto made = make_secret_folder(folder); !made) {
    return made;
  }
  for (const auto & [algorithm, key] : keys) {
    const KeyFile file{
      KeyFileKind::public_key, wire_code(algorithm), owner, SecretBytes::copy_of(*key)};
    if (auto written = write_key_file(public_key_path(folder, algorithm), file); !written) {
      return written;
    }
  }
  return {};
}

}  // namespace pqc_tunnel
