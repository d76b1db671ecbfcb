// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "pqc_tunnel/protocol/handshake_messages.hpp"

#include "base/byte_io.hpp"
#include "byte_program.hpp"
#include "property.hpp"

// Bodies of handshake messages under every suite: each parsed message must encode to the same bytes.

namespace pqc_tunnel::fuzz
{
namespace
{

bool same(Bytes again, std::initializer_list<ByteView> tail, ByteView body)
{
  for (const ByteView part : tail) {
    ByteWriter(again).bytes(part);
  }
  return std::ranges::equal(again, body);
}

void check_fixed(ByteView body)
{
  if (const auto hello = parse_client_hello(body)) {
    must(same(encode(*hello), {mac_of(body)}, body), "a ClientHello is encoded as it was");
  }
  if (const auto challenge = parse_hello_retry(body)) {
    must(
      same(encode_hello_retry(*challenge), {mac_of(body)}, body),
      "a HelloRetry is encoded as it was");
  }
  if (parse_server_finish(body)) {
    must(same(encode_server_finish(), {mac_of(body)}, body), "a ServerFinish is encoded as it was");
  }
  if (const auto reason = parse_reject(body)) {
    must(same(encode_reject(*reason), {mac_of(body)}, body), "a Reject is encoded as it was");
  }
}

void check_of_suite(ByteView body, const Suite & suite, bool drone_signs)
{
  if (const auto hello = parse_server_hello(body, suite)) {
    must(same(encode(*hello), {mac_of(body)}, body), "a ServerHello is encoded as it was");
    must(server_hello_size(suite).contains(body.size()), "a ServerHello has a size foreseen");
  }
  if (const auto finish = parse_client_finish(body, suite, drone_signs)) {
    Bytes again = encode_client_finish_head(finish->ciphertext, finish->x25519_key);
    must(again.size() == finish->signed_size, "what the drone signs ends before its signature");
    append_client_finish_signature(again, finish->signature);
    must(
      same(again, {finish->psk_mac, finish->finish_mac}, body),
      "a ClientFinish is encoded as it was");
    must(
      client_finish_size(suite, drone_signs).contains(body.size()),
      "a ClientFinish has a size foreseen");
  }
}

void run(ByteProgram program)
{
  const auto suites = registry().all();
  const Suite & suite = suites[program.u16() % suites.size()];
  const bool drone_signs = program.flag();
  const ByteView body = program.rest();
  const auto type = message_type(body);
  check_fixed(body);
  check_of_suite(body, suite, drone_signs);
  must(
    type || !(parse_client_hello(body) || parse_server_finish(body) || parse_reject(body)),
    "whatever is understood has a type");
}

}  // namespace
}  // namespace pqc_tunnel::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t * data, std::size_t size)
{
  pqc_tunnel::fuzz::run(pqc_tunnel::fuzz::ByteProgram({data, size}));
  return 0;
}
