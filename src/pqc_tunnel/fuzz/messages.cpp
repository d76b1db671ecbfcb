// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "byte_program.hpp"
#include "property.hpp"
#include "protocol/handshake/hello_messages.hpp"
#include "protocol/handshake/key_messages.hpp"

// Hellos, and the messages in streams under every suite and mode: what is understood is encoded to the same bytes.

namespace pqc_tunnel::fuzz
{
namespace
{

bool same(Bytes again, ByteView tail, ByteView message)
{
  again.insert(again.end(), tail.begin(), tail.end());
  return std::ranges::equal(again, message);
}

void check_hello(ByteView frame)
{
  const auto type = hello_type(frame);
  if (!type) {
    return;
  }
  must(is_hello(frame), "a hello has the form of one");
  if (*type == HelloType::client_hello) {
    must(
      same(encode(parse_client_hello(frame)), mac_of(frame), frame),
      "a ClientHello is encoded as it was");
  } else if (*type == HelloType::hello_retry) {
    must(
      same(encode_hello_retry(parse_hello_retry(frame)), mac_of(frame), frame),
      "a HelloRetry is encoded as it was");
  } else if (const auto reason = parse_reject(frame)) {
    must(same(encode_reject(*reason), mac_of(frame), frame), "a Reject is encoded as it was");
  }
}

void check_prekey(ByteView message, const Suite & suite, HandshakeMode mode)
{
  const auto prekey = parse_prekey(message, suite, mode);
  if (!prekey) {
    return;
  }
  must(std::ranges::equal(encode(*prekey, mode), message), "a Prekey is encoded as it was");
  const SizeRange size = prekey_size(suite, mode);
  must(message.size() >= size.min && message.size() <= size.max, "a Prekey has a size foreseen");
  must(code_of_prekey(message) == prekey_code(suite.wire_id), "a Prekey has the suite's code");
}

void check_finish(ByteView finish, const Suite & suite, HandshakeMode mode, std::size_t anchor_size)
{
  const auto parsed = parse_finish(finish, suite, mode, anchor_size);
  if (!parsed) {
    return;
  }
  const SizeRange size = finish_size(suite, mode);
  const std::size_t rest = finish.size() - anchor_size;
  must(rest >= size.min && rest <= size.max, "a Finish has a size foreseen");
  must(
    anchor_size == 0 || parsed->anchor.size() == anchor_size - AnchorId::size,
    "the ciphertext for the anchor has its size");
  const auto macs = split_macs(finish);
  must(
    macs && std::ranges::equal(macs->before, parsed->before_macs), "a Finish ends with its MACs");
  Bytes again(parsed->before_macs.begin(), parsed->before_macs.end());
  again.insert(again.end(), parsed->psk_mac.begin(), parsed->psk_mac.end());
  must(same(again, parsed->finish_mac, finish), "a Finish consists of its parts");
  must(
    parsed->signed_part.size() <= parsed->before_macs.size(),
    "what the drone signs ends before the MACs");
}

void check_rekey(ByteView message)
{
  if (const auto opening = parse_rekey_opening(message)) {
    must(
      std::ranges::equal(encode(*opening), message.first(rekey_opening_size)),
      "a Rekey is encoded as it was");
  }
}

void run(ByteProgram program)
{
  const auto suites = registry().all();
  const Suite & suite = suites[program.u16() % suites.size()];
  const std::uint8_t bits = program.u8();
  const HandshakeMode mode{(bits & 1) != 0, (bits & 2) != 0};
  const ByteView message = program.rest();
  check_hello(message);
  check_prekey(message, suite, mode);
  check_finish(message, suite, mode, (bits & 4) != 0 ? longest_anchor() : 0);
  check_rekey(message);
}

}  // namespace
}  // namespace pqc_tunnel::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t * data, std::size_t size)
{
  pqc_tunnel::fuzz::run(pqc_tunnel::fuzz::ByteProgram({data, size}));
  return 0;
}
