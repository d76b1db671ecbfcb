// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "identity_layout.hpp"

#include <memory>
#include <optional>

namespace pqc_tunnel
{

namespace
{

constexpr std::size_t psk_size = 32;
constexpr std::size_t gcs_id_size = 32;

tl::unexpected<Error> ill_formed()
{
  return fail(ErrorCode::invalid_argument, "its parts don't fit together");
}

std::optional<SignatureAlgorithm> find_algorithm(WireCode code)
{
  for (const SignatureAlgorithm algorithm : all_signatures()) {
    if (wire_code(algorithm) == code) {
      return algorithm;
    }
  }
  return std::nullopt;
}

// Writes pieces in sequence.
class Filler
{
public:
  explicit Filler(MutableBytes out) : out_(out) {}
  template <class Range>
  Filler & put(const Range & range)
  {
    std::copy(range.begin(), range.end(), out_.begin());
    out_ = out_.subspan(range.size());
    return *this;
  }

private:
  MutableBytes out_;
};

std::string to_name(ByteView bytes) { return std::string(bytes.begin(), bytes.end()); }

}  // namespace

KeyFile encode_drone_identity(
  const std::string & name, const DroneId & id, const Psk & psk, const GcsId & gcs_id)
{
  KeyFile file;
  file.kind = KeyFileKind::drone_identity;
  file.owner = to_owner(id);
  file.payload = SecretBytes(psk_size + gcs_id_size + name.size());
  Filler(file.payload.span()).put(psk.view()).put(gcs_id.bytes).put(name);
  return file;
}

Result<void> decode_drone_identity(const KeyFile & file, DroneIdentity & into)
{
  const ByteView payload = file.payload.view();
  if (payload.size() < psk_size + gcs_id_size) {
    return ill_formed();
  }
  into.id = from_owner<DroneId>(file.owner);
  into.psk = Psk(payload.first<psk_size>());
  std::copy_n(payload.begin() + psk_size, gcs_id_size, into.gcs_id.bytes.begin());
  into.name = to_name(payload.subspan(psk_size + gcs_id_size));
  return {};
}

KeyFile encode_drone_record(const DroneRecord & record)
{
  Bytes keys;
  for (const auto & [algorithm, key] : record.drone_keys) {
    const WireCode code = wire_code(algorithm);
    const auto size = static_cast<std::uint32_t>(key->size());
    keys.insert(keys.end(), {code.family, code.parameter});
    for (int shift = 24; shift >= 0; shift -= 8) {
      keys.push_back(static_cast<std::uint8_t>(size >> shift));
    }
    keys.insert(keys.end(), key->begin(), key->end());
  }
  KeyFile file;
  file.kind = KeyFileKind::drone_record;
  file.owner = to_owner(record.id);
  file.payload = SecretBytes(psk_size + 1 + record.name.size() + keys.size());
  const std::array<std::uint8_t, 1> name_size{static_cast<std::uint8_t>(record.name.size())};
  Filler(file.payload.span()).put(record.psk.view()).put(name_size).put(record.name).put(keys);
  return file;
}

Result<DroneRecord> decode_drone_record(const KeyFile & file)
{
  ByteView rest = file.payload.view();
  if (rest.size() < psk_size + 1 || rest.size() < psk_size + 1U + rest[psk_size]) {
    return ill_formed();
  }
  DroneRecord record;
  record.id = from_owner<DroneId>(file.owner);
  record.psk = Psk(rest.first<psk_size>());
  const std::size_t name_size = rest[psk_size];
  record.name = to_name(rest.subspan(psk_size + 1, name_size));
  rest = rest.subspan(psk_size + 1 + name_size);
  while (!rest.empty()) {
    if (rest.size() < 6) {
      return ill_formed();
    }
    const auto algorithm = find_algorithm({rest[0], rest[1]});
    std::size_t size = 0;
    for (const std::uint8_t byte : rest.subspan(2, 4)) {
      size = size << 8 | byte;
    }
    rest = rest.subspan(6);
    if (size > rest.size() || !algorithm || size != signature_sizes(*algorithm).public_key) {
      return ill_formed();
    }
    record.drone_keys[*algorithm] =
      std::make_shared<const Bytes>(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(size));
    rest = rest.subspan(size);
  }
  return record;
}

}  // namespace pqc_tunnel
