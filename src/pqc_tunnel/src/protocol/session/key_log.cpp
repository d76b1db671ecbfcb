// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "key_log.hpp"

#ifdef NDEBUG
#error "A release writes no keys: configure PQC_TUNNEL_KEY_LOG with CMAKE_BUILD_TYPE=Debug."
#endif

#include <fcntl.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "crypto/suites/algorithm_table.hpp"

namespace pqc_tunnel
{
namespace
{

std::string hex(ByteView bytes)
{
  constexpr const char * digits = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : bytes) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

}  // namespace

void log_keys(const Suite & suite, Epoch epoch, const EpochSecrets & secrets)
{
  const char * const path = std::getenv("PQC_KEY_LOG");  // NOLINT(concurrency-mt-unsafe)
  if (path == nullptr) {
    return;
  }
  const int opened = ::open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const std::unique_ptr<std::FILE, int (*)(std::FILE *)> file(
    opened < 0 ? nullptr : ::fdopen(opened, "a"), &std::fclose);
  if (!file) {
    return;
  }
  const auto write = [&](FrameKeyId id, const SecretBytes & key, const SecretBytes & iv) {
    std::fprintf(
      file.get(), "PQC_MAV %06x %u %u %s %s\n", static_cast<unsigned>(id),
      static_cast<unsigned>(epoch), static_cast<unsigned>(spec(suite.aead).wire_code),
      hex(key.view()).c_str(), hex(iv.view()).c_str());
  };
  write(secrets.drone_to_gcs_id, secrets.drone_to_gcs_key, secrets.drone_to_gcs_iv);
  write(secrets.gcs_to_drone_id, secrets.gcs_to_drone_key, secrets.gcs_to_drone_iv);
}

}  // namespace pqc_tunnel
