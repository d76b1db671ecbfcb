// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__IDENTITY__PAIRING_HPP_
#define PQC_TUNNEL__IDENTITY__PAIRING_HPP_

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "crypto/random.hpp"
#include "crypto/secret.hpp"

namespace pqc_tunnel
{

// A drone's identity in one file, sealed under a code of 160 bits that a person carries: whoever has the file alone has
// nothing.
using PairingCode = SecretArray<20>;

// "ABCD-EFGH-…": eight groups of four letters and digits, in memory that is wiped.
SecretBytes shown_code(const PairingCode & code);
// Takes small letters, spaces and hyphens, too.
Result<PairingCode> read_code(std::string_view text);

// Writes the sealed file, which must be new.
Result<void> seal_identity(
  const std::filesystem::path & folder, const std::filesystem::path & file,
  const PairingCode & code, RandomSource & random);

// Writes a new file that only its owner reads.
Result<void> write_secret_file(const std::filesystem::path & path, ByteView bytes);

// Opens the file into the folder of a drone's identity. One that is there is replaced as a whole if it is the same
// drone's, and its one-time keys that were used stay used. Returns the short code, see short_code().
Result<std::string> take_identity(
  const std::filesystem::path & file, const std::filesystem::path & folder,
  const PairingCode & code);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__IDENTITY__PAIRING_HPP_
