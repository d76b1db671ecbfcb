// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "pqc_tunnel/protocol/handshake_messages.hpp"
#include "support/identities.hpp"

// Sizes and places are typed anew from the protocol's page and the algorithms' specifications.

namespace pqc_tunnel::test
{
namespace
{

const Suite & ml_kem_suite() { return suite("cs-mlkem768-aesgcm-mldsa65"); }
const Suite & falcon_suite() { return suite("cs-mlkem512-aesgcm-falcon512"); }

// Bytes counting up, so that a field that slips is seen.
template <std::size_t N>
std::array<std::uint8_t, N> counting(std::uint8_t from)
{
  std::array<std::uint8_t, N> bytes;
  std::iota(bytes.begin(), bytes.end(), from);
  return bytes;
}

void put_mac(Bytes & body, std::uint8_t value = 0xcc) { body.insert(body.end(), 32, value); }

Bytes part(const Bytes & body, std::size_t from, std::size_t size)
{
  const auto first = body.begin() + static_cast<std::ptrdiff_t>(from);
  return Bytes(first, first + static_cast<std::ptrdiff_t>(size));
}

template <std::size_t N>
Bytes bytes_of(const std::array<std::uint8_t, N> & array)
{
  return Bytes(array.begin(), array.end());
}

ClientHello example_client_hello()
{
  ClientHello hello;
  hello.drone_id.bytes = counting<8>(0x10);
  hello.client_random = counting<32>(0x20);
  hello.suite = {0xa1, 0xa2, 0xa3, 0xa4, 0xa5};
  hello.mode = 3;
  hello.previous_session.bytes = counting<8>(0x50);
  hello.previous_epoch = Epoch{7};
  hello.next_epoch = Epoch{8};
  hello.reason = 9;
  hello.policy_hash.bytes = counting<32>(0x60);
  hello.challenge = counting<32>(0x90);
  return hello;
}

Bytes client_hello_body()
{
  Bytes body = encode(example_client_hello());
  put_mac(body);
  return body;
}

Bytes server_hello_body(const Suite & of, std::size_t signature_size, bool ahead = false)
{
  const Bytes key(kem_sizes(of.kem).public_key, 0x77);
  const Bytes signature(signature_size, 0x55);
  ServerHello hello;
  hello.signed_ahead = ahead;
  hello.server_random = counting<32>(0x10);
  hello.mode = 1;
  hello.key_id.bytes = counting<16>(0x40);
  hello.x25519_key = counting<32>(0x60);
  hello.public_key = key;
  hello.signature = signature;
  Bytes body = encode(hello);
  put_mac(body);
  return body;
}

Bytes client_finish_body(const Suite & of, std::size_t signature_size)
{
  const Bytes ciphertext(kem_sizes(of.kem).ciphertext, 0x33);
  Bytes body = encode_client_finish_head(ciphertext, counting<32>(0x70));
  append_client_finish_signature(body, Bytes(signature_size, 0x55));
  put_mac(body, 0xc1);
  put_mac(body, 0xc2);
  return body;
}

Bytes hello_retry_body()
{
  Bytes body = encode_hello_retry(counting<32>(0x90));
  put_mac(body);
  return body;
}

Bytes server_finish_body()
{
  Bytes body = encode_server_finish();
  put_mac(body);
  return body;
}

Bytes reject_body(RejectReason reason)
{
  Bytes body = encode_reject(reason);
  put_mac(body);
  return body;
}

TEST(HandshakeMessage, begins_with_magic_type_version_and_flags)
{
  const Bytes first = {'P', 'Q', 'M', '2', 1, 2, 0, 0};
  EXPECT_EQ(part(client_hello_body(), 0, 8), first);
  const Suite & of = ml_kem_suite();
  const Bytes bodies[] = {client_hello_body(),         hello_retry_body(),
                          server_hello_body(of, 3309), client_finish_body(of, 0),
                          server_finish_body(),        reject_body(RejectReason::failed)};
  for (std::uint8_t type = 1; type <= 6; ++type) {
    EXPECT_EQ(bodies[type - 1][4], type);
    EXPECT_EQ(message_type(bodies[type - 1]), MessageType{type});
  }
  EXPECT_EQ(part(server_hello_body(of, 3309, true), 4, 4), Bytes({3, 2, 0, 1}));
}

TEST(HandshakeMessage, types_beyond_the_known_ones_have_no_meaning)
{
  Bytes body = server_finish_body();
  for (unsigned type = 0; type < 256; ++type) {
    body[4] = static_cast<std::uint8_t>(type);
    EXPECT_EQ(message_type(body).has_value(), type >= 1 && type <= 6) << type;
  }
}

TEST(HandshakeMessage, is_framed_by_its_length_in_four_bytes)
{
  EXPECT_EQ(with_length(Bytes(0x010203, 9)).size(), 0x010203u + 4);
  EXPECT_EQ(part(with_length(Bytes(0x010203, 9)), 0, 4), Bytes({0, 1, 2, 3}));
}

TEST(ServerHelloDraft, gives_the_same_message_and_transcript_as_encode)
{
  const Suite & of = falcon_suite();
  const Bytes body = server_hello_body(of, 666, true);
  ServerHello hello = *parse_server_hello(body, of);
  const Random32 random = std::exchange(hello.server_random, {});
  Digest key_digest;
  key_digest.fill(0xdd);
  ServerHelloDraft draft(hello, key_digest);
  draft.set_random(random);
  EXPECT_EQ(
    draft.for_transcript(), encode_for_transcript(*parse_server_hello(body, of), key_digest));
  Mac mac;
  std::ranges::copy(mac_of(body), mac.begin());
  EXPECT_EQ(std::move(draft).finish(mac), with_length(body));
}

TEST(ClientHello, is_161_bytes_with_every_field_in_its_place)
{
  const Bytes body = client_hello_body();
  ASSERT_EQ(body.size(), 161u);
  EXPECT_EQ(client_hello_size, 161u);
  EXPECT_EQ(part(body, 8, 8), bytes_of(counting<8>(0x10)));     // drone
  EXPECT_EQ(part(body, 16, 32), bytes_of(counting<32>(0x20)));  // random
  EXPECT_EQ(part(body, 48, 5), Bytes({0xa1, 0xa2, 0xa3, 0xa4, 0xa5}));
  EXPECT_EQ(body[53], 3);                                       // mode
  EXPECT_EQ(part(body, 54, 8), bytes_of(counting<8>(0x50)));    // previous session
  EXPECT_EQ(part(body, 62, 3), Bytes({7, 8, 9}));               // epochs, reason
  EXPECT_EQ(part(body, 65, 32), bytes_of(counting<32>(0x60)));  // policy
  EXPECT_EQ(part(body, 97, 32), bytes_of(counting<32>(0x90)));  // challenge
  EXPECT_EQ(mac_of(body).data(), body.data() + 129);
  EXPECT_EQ(without_mac(body).size(), 129u);
}

TEST(ClientHello, is_read_back_as_it_was_written)
{
  const ClientHello expected = example_client_hello();
  const auto hello = parse_client_hello(client_hello_body());
  ASSERT_TRUE(hello);
  EXPECT_EQ(hello->drone_id, expected.drone_id);
  EXPECT_EQ(hello->client_random, expected.client_random);
  EXPECT_EQ(hello->suite, expected.suite);
  EXPECT_EQ(hello->mode, expected.mode);
  EXPECT_EQ(hello->previous_session, expected.previous_session);
  EXPECT_EQ(hello->previous_epoch, expected.previous_epoch);
  EXPECT_EQ(hello->next_epoch, expected.next_epoch);
  EXPECT_EQ(hello->reason, expected.reason);
  EXPECT_EQ(hello->policy_hash, expected.policy_hash);
  EXPECT_EQ(hello->challenge, expected.challenge);
}

TEST(HelloRetry, is_72_bytes)
{
  const Bytes body = hello_retry_body();
  ASSERT_EQ(body.size(), 72u);
  EXPECT_EQ(hello_retry_size, 72u);
  EXPECT_EQ(part(body, 8, 32), bytes_of(counting<32>(0x90)));
  EXPECT_EQ(parse_hello_retry(body), counting<32>(0x90));
}

TEST(ServerHello, has_every_field_in_its_place)
{
  const Suite & of = ml_kem_suite();  // ML-KEM-768 key: 1184, ML-DSA-65 signature: 3309
  const Bytes body = server_hello_body(of, 3309);
  ASSERT_EQ(body.size(), 8u + 32 + 1 + 16 + 32 + 4 + 1184 + 4 + 3309 + 32);
  EXPECT_EQ(server_hello_size(of).min, body.size());
  EXPECT_EQ(server_hello_size(of).max, body.size());
  EXPECT_EQ(part(body, 8, 32), bytes_of(counting<32>(0x10)));
  EXPECT_EQ(body[40], 1);
  EXPECT_EQ(part(body, 41, 16), bytes_of(counting<16>(0x40)));
  EXPECT_EQ(part(body, 57, 32), bytes_of(counting<32>(0x60)));
  EXPECT_EQ(part(body, 89, 4), Bytes({0, 0, 0x04, 0xa0}));
  EXPECT_EQ(part(body, 93, 1184), Bytes(1184, 0x77));
  EXPECT_EQ(part(body, 1277, 4), Bytes({0, 0, 0x0c, 0xed}));
  EXPECT_EQ(part(body, 1281, 3309), Bytes(3309, 0x55));

  const auto hello = parse_server_hello(body, of);
  ASSERT_TRUE(hello);
  EXPECT_FALSE(hello->signed_ahead);
  EXPECT_EQ(hello->key_id.bytes, counting<16>(0x40));
  EXPECT_EQ(hello->x25519_key, counting<32>(0x60));
  EXPECT_TRUE(parse_server_hello(server_hello_body(of, 3309, true), of)->signed_ahead);
}

TEST(ServerHello, may_have_a_falcon_signature_of_any_size_up_to_its_maximum)
{
  const Suite & of = falcon_suite();  // Falcon-512 signatures: at most 752 bytes in liboqs
  const std::size_t most = signature_sizes(SignatureAlgorithm::falcon_512).signature_max;
  EXPECT_EQ(most, 752u);
  EXPECT_EQ(server_hello_size(of).max - server_hello_size(of).min, most - 1);
  for (const std::size_t size : {std::size_t{1}, std::size_t{650}, most}) {
    EXPECT_TRUE(parse_server_hello(server_hello_body(of, size), of)) << size;
  }
  EXPECT_FALSE(parse_server_hello(server_hello_body(of, 0), of));
  EXPECT_FALSE(parse_server_hello(server_hello_body(of, most + 1), of));
}

TEST(ServerHello, with_a_key_or_signature_of_another_size_is_refused)
{
  const Suite & of = ml_kem_suite();
  EXPECT_FALSE(parse_server_hello(server_hello_body(of, 3308), of));
  EXPECT_FALSE(parse_server_hello(server_hello_body(of, 3310), of));
  EXPECT_FALSE(
    parse_server_hello(server_hello_body(suite("cs-mlkem1024-aesgcm-mldsa87"), 3309), of));
  // Lengths that add up but divide the message differently.
  Bytes shifted = server_hello_body(of, 3309);
  shifted[92] = 0xa1;
  EXPECT_FALSE(parse_server_hello(shifted, of));
  // A length beyond the message.
  for (const std::size_t at : {89u, 1277u}) {
    Bytes beyond = server_hello_body(of, 3309);
    std::fill_n(beyond.begin() + static_cast<std::ptrdiff_t>(at), 4, std::uint8_t{0xff});
    EXPECT_FALSE(parse_server_hello(beyond, of)) << at;
  }
}

TEST(ClientFinish, has_every_field_in_its_place)
{
  const Suite & of = ml_kem_suite();  // ML-KEM-768 ciphertext: 1088
  const Bytes body = client_finish_body(of, 0);
  ASSERT_EQ(body.size(), 8u + 4 + 1088 + 32 + 4 + 64);
  EXPECT_EQ(client_finish_size(of, false).min, body.size());
  EXPECT_EQ(client_finish_size(of, false).max, body.size());
  EXPECT_EQ(part(body, 8, 4), Bytes({0, 0, 0x04, 0x40}));
  const auto finish = parse_client_finish(body, of, false);
  ASSERT_TRUE(finish);
  EXPECT_EQ(finish->ciphertext.data(), body.data() + 12);
  EXPECT_EQ(finish->x25519_key, counting<32>(0x70));
  EXPECT_EQ(finish->signed_size, 8u + 4 + 1088 + 32);
  EXPECT_EQ(finish->psk_mac.data(), body.data() + body.size() - 64);
  EXPECT_EQ(finish->finish_mac.data(), body.data() + body.size() - 32);
}

TEST(ClientFinish, carries_a_signature_exactly_in_mutual_mode)
{
  const Suite & of = ml_kem_suite();
  EXPECT_TRUE(parse_client_finish(client_finish_body(of, 3309), of, true));
  EXPECT_FALSE(parse_client_finish(client_finish_body(of, 0), of, true));
  EXPECT_FALSE(parse_client_finish(client_finish_body(of, 3309), of, false));
  EXPECT_EQ(client_finish_size(of, true).max - client_finish_size(of, false).max, 3309u);
}

TEST(ServerFinish, is_40_bytes)
{
  EXPECT_EQ(server_finish_body().size(), 40u);
  EXPECT_EQ(server_finish_size, 40u);
  EXPECT_TRUE(parse_server_finish(server_finish_body()));
}

TEST(Reject, is_41_bytes_and_names_a_known_reason)
{
  EXPECT_EQ(reject_size, 41u);
  for (unsigned reason = 0; reason < 256; ++reason) {
    const Bytes body = reject_body(RejectReason{static_cast<std::uint8_t>(reason)});
    ASSERT_EQ(body.size(), 41u);
    EXPECT_EQ(parse_reject(body).has_value(), reason >= 1 && reason <= 5) << reason;
  }
}

TEST(HandshakeMessage, cut_short_or_too_long_is_refused)
{
  const Suite & of = ml_kem_suite();
  const auto refused = [](const Bytes & whole, auto && parses) {
    ASSERT_TRUE(parses(whole));
    for (std::size_t size = 0; size < whole.size(); ++size) {
      ASSERT_FALSE(parses(part(whole, 0, size))) << size;
    }
    Bytes longer = whole;
    longer.push_back(0);
    ASSERT_FALSE(parses(longer));
  };
  refused(client_hello_body(), [](const Bytes & b) { return parse_client_hello(b).has_value(); });
  refused(hello_retry_body(), [](const Bytes & b) { return parse_hello_retry(b).has_value(); });
  refused(server_hello_body(of, 3309), [&](const Bytes & b) {
    return parse_server_hello(b, of).has_value();
  });
  refused(client_finish_body(of, 3309), [&](const Bytes & b) {
    return parse_client_finish(b, of, true).has_value();
  });
  refused(server_finish_body(), [](const Bytes & b) { return parse_server_finish(b); });
  refused(
    reject_body(RejectReason::busy), [](const Bytes & b) { return parse_reject(b).has_value(); });
}

TEST(HandshakeMessage, with_another_magic_type_version_or_unknown_flag_is_refused)
{
  const Suite & of = ml_kem_suite();
  const auto refuses_changes = [](const Bytes & whole, std::uint8_t known_flags, auto && parses) {
    for (std::size_t at = 0; at < 8; ++at) {
      for (unsigned bit = 0; bit < 8; ++bit) {
        Bytes changed = whole;
        changed[at] ^= static_cast<std::uint8_t>(1u << bit);
        const bool known = at == 7 && (known_flags >> bit & 1) != 0;
        EXPECT_EQ(parses(changed), known) << at << ' ' << bit;
      }
    }
  };
  refuses_changes(
    client_hello_body(), 0, [](const Bytes & b) { return parse_client_hello(b).has_value(); });
  refuses_changes(
    hello_retry_body(), 0, [](const Bytes & b) { return parse_hello_retry(b).has_value(); });
  refuses_changes(server_hello_body(of, 3309), 1, [&](const Bytes & b) {
    return parse_server_hello(b, of).has_value();
  });
  refuses_changes(client_finish_body(of, 0), 0, [&](const Bytes & b) {
    return parse_client_finish(b, of, false).has_value();
  });
  refuses_changes(server_finish_body(), 0, [](const Bytes & b) { return parse_server_finish(b); });
  refuses_changes(reject_body(RejectReason::busy), 0, [](const Bytes & b) {
    return parse_reject(b).has_value();
  });
}

}  // namespace
}  // namespace pqc_tunnel::test
