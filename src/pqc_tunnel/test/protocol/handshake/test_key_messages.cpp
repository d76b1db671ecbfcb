// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "protocol/handshake/key_messages.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "protocol/handshake/hello_messages.hpp"
#include "support/identities.hpp"

// Sizes and places are typed anew from the protocol's page and the algorithms' specifications.

namespace pqc_tunnel::test
{
namespace
{

const Suite & ml_kem_suite() { return suite("cs-mlkem768-aesgcm-mldsa65"); }
const Suite & falcon_suite() { return suite("cs-mlkem512-aesgcm-falcon512"); }
constexpr HandshakeMode plain{false, false};
constexpr HandshakeMode hybrid{true, false};
constexpr HandshakeMode mutual{false, true};
constexpr HandshakeMode full{true, true};

// Bytes counting up, so that a field that slips is seen.
template <std::size_t N>
std::array<std::uint8_t, N> counting(std::uint8_t from)
{
  std::array<std::uint8_t, N> bytes;
  std::iota(bytes.begin(), bytes.end(), from);
  return bytes;
}

void put_mac(Bytes & message, std::uint8_t value = 0xcc)
{
  message.insert(message.end(), 32, value);
}

Bytes part(const Bytes & message, std::size_t from, std::size_t size)
{
  const auto first = message.begin() + static_cast<std::ptrdiff_t>(from);
  return Bytes(first, first + static_cast<std::ptrdiff_t>(size));
}

template <std::size_t N>
Bytes bytes_of(const std::array<std::uint8_t, N> & array)
{
  return Bytes(array.begin(), array.end());
}

// --- Hello frames ---

Bytes client_hello()
{
  ClientHello hello;
  hello.drone_id.bytes = counting<8>(0x10);
  hello.client_random = counting<32>(0x20);
  hello.suite = {0xa1, 0xa2, 0xa3, 0xa4, 0xa5};
  hello.mode = 3;
  hello.policy_hash.bytes = counting<32>(0x60);
  hello.former.bytes = counting<8>(0x80);
  hello.challenge = counting<32>(0x90);
  Bytes message = encode(hello);
  put_mac(message);
  return message;
}

TEST(ClientHello, is_152_bytes_with_every_field_in_its_place)
{
  const Bytes message = client_hello();
  ASSERT_EQ(message.size(), 152u);
  EXPECT_EQ(part(message, 0, 2), Bytes({0x81, 4}));
  EXPECT_EQ(part(message, 2, 8), bytes_of(counting<8>(0x10)));     // drone
  EXPECT_EQ(part(message, 10, 32), bytes_of(counting<32>(0x20)));  // random
  EXPECT_EQ(part(message, 42, 6), Bytes({0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 3}));
  EXPECT_EQ(part(message, 48, 32), bytes_of(counting<32>(0x60)));  // policy
  EXPECT_EQ(part(message, 80, 8), bytes_of(counting<8>(0x80)));    // former
  EXPECT_EQ(part(message, 88, 32), bytes_of(counting<32>(0x90)));  // challenge
  EXPECT_EQ(mac_of(message).data(), message.data() + 120);
}

TEST(ClientHello, is_read_back_as_it_was_written)
{
  const ClientHello hello = parse_client_hello(client_hello());
  EXPECT_EQ(hello.drone_id.bytes, counting<8>(0x10));
  EXPECT_EQ(hello.client_random, counting<32>(0x20));
  EXPECT_EQ(hello.suite, (SuiteWireId{0xa1, 0xa2, 0xa3, 0xa4, 0xa5}));
  EXPECT_EQ(hello.mode, 3);
  EXPECT_EQ(hello.policy_hash.bytes, counting<32>(0x60));
  EXPECT_EQ(hello.former.bytes, counting<8>(0x80));
  EXPECT_EQ(hello.challenge, counting<32>(0x90));
}

TEST(HelloRetry, is_66_bytes_and_smaller_than_the_hello_that_it_answers)
{
  Bytes message = encode_hello_retry(counting<32>(0x90));
  put_mac(message);
  ASSERT_EQ(message.size(), 66u);
  EXPECT_EQ(part(message, 0, 2), Bytes({0x82, 4}));
  EXPECT_EQ(hello_type(message), HelloType::hello_retry);
  EXPECT_EQ(parse_hello_retry(message), counting<32>(0x90));
}

TEST(Reject, is_35_bytes_and_names_a_known_reason)
{
  for (unsigned reason = 0; reason < 256; ++reason) {
    Bytes message = encode_reject(RejectReason{static_cast<std::uint8_t>(reason)});
    put_mac(message);
    ASSERT_EQ(message.size(), 35u);
    EXPECT_EQ(hello_type(message), HelloType::reject);
    EXPECT_EQ(parse_reject(message).has_value(), reason >= 1 && reason <= 4) << reason;
  }
}

TEST(HelloFrame, of_another_type_version_or_length_has_no_meaning)
{
  Bytes message = client_hello();
  EXPECT_EQ(hello_type(message), HelloType::client_hello);
  for (unsigned first = 0; first < 256; ++first) {
    message[0] = static_cast<std::uint8_t>(first);
    EXPECT_EQ(hello_type(message).has_value(), first == 0x81) << first;
  }
  message[0] = 0x81;
  for (unsigned version = 0; version < 256; ++version) {
    message[1] = static_cast<std::uint8_t>(version);
    EXPECT_EQ(hello_type(message).has_value(), version == 4) << version;
  }
  message[1] = 4;
  for (std::size_t size = 0; size < 300; ++size) {
    message.resize(size);
    EXPECT_EQ(hello_type(message).has_value(), size == client_hello_size && message[0] == 0x81)
      << size;
    if (size >= 2) {
      message[0] = 0x81;
      message[1] = 4;
    }
  }
}

TEST(HelloFrame, of_another_version_tells_its_version_and_in_a_client_hello_the_drone)
{
  const auto version = [](const Bytes & frame) {
    const auto other = other_version(frame);
    return other ? int{other->version} : 0;
  };
  EXPECT_EQ(version({}), 0);
  EXPECT_EQ(version({0x81}), 0);
  for (const auto & [first, known] : std::initializer_list<std::pair<std::uint8_t, bool>>{
         {0x80, false}, {0x81, true}, {0x82, true}, {0x83, true}, {0x84, false}})
  {
    EXPECT_EQ(version({first, 5}), known ? 5 : 0) << int{first};
    EXPECT_EQ(version({first, 4}), 0) << int{first};
  }
  Bytes frame = client_hello();
  frame[1] = 5;
  EXPECT_EQ(other_version(frame)->drone, DroneId{counting<8>(0x10)});
  EXPECT_EQ(other_version(ByteView(frame).first(10))->drone, DroneId{counting<8>(0x10)});
  EXPECT_EQ(other_version(ByteView(frame).first(9))->drone, std::nullopt);
  frame[0] = 0x82;
  EXPECT_EQ(other_version(frame)->drone, std::nullopt);
}

// --- Prekeys ---

Bytes prekey(const Suite & of, HandshakeMode mode, std::size_t signature_size)
{
  const Bytes key(kem_sizes(of.kem).public_key, 0x77);
  const Bytes signature(signature_size, 0x55);
  PrekeyMessage message;
  message.key_id.bytes = counting<16>(0x40);
  message.suite = prekey_code(of.wire_id);
  message.mode = mode.to_wire();
  if (mode.hybrid_x25519) {
    message.x25519_key = counting<32>(0x60);
  }
  message.public_key = key;
  message.signature = signature;
  return encode(message, mode);
}

TEST(Prekey, takes_no_more_memory_than_its_size)
{
  for (const HandshakeMode mode : {plain, hybrid}) {
    const Bytes message = prekey(ml_kem_suite(), mode, 3309);
    EXPECT_EQ(message.capacity(), message.size());
  }
}

TEST(Prekey, has_every_field_in_its_place)
{
  const Suite & of = ml_kem_suite();  // ML-KEM-768 key: 1184, ML-DSA-65 signature: 3309
  const Bytes message = prekey(of, plain, 3309);
  ASSERT_EQ(message.size(), 1u + 16 + 4 + 1 + 1184 + 3309);
  EXPECT_EQ(prekey_size(of, plain).max, message.size());
  EXPECT_EQ(prekey_size(of, plain).min, message.size());
  EXPECT_EQ(message[0], 1);
  EXPECT_EQ(part(message, 1, 16), bytes_of(counting<16>(0x40)));
  EXPECT_EQ(part(message, 17, 4), bytes_of(prekey_code(of.wire_id)));
  EXPECT_EQ(message[21], 0);
  EXPECT_EQ(part(message, 22, 1184), Bytes(1184, 0x77));
  EXPECT_EQ(part(message, 1206, 3309), Bytes(3309, 0x55));
  const auto read = parse_prekey(message, of, plain);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->key_id.bytes, counting<16>(0x40));
  EXPECT_EQ(read->public_key.data(), message.data() + 22);
  EXPECT_EQ(read->signature.size(), 3309u);
}

TEST(Prekey, carries_an_x25519_key_exactly_in_hybrid_mode)
{
  const Bytes message = prekey(ml_kem_suite(), hybrid, 3309);
  EXPECT_EQ(message.size(), prekey(ml_kem_suite(), plain, 3309).size() + 32);
  EXPECT_EQ(message[21], 1);
  EXPECT_EQ(part(message, 22, 32), bytes_of(counting<32>(0x60)));
  EXPECT_TRUE(parse_prekey(message, ml_kem_suite(), hybrid));
  EXPECT_FALSE(parse_prekey(message, ml_kem_suite(), plain));
}

TEST(Prekey, may_have_a_falcon_signature_of_any_size_up_to_its_maximum)
{
  const Suite & of = falcon_suite();  // Falcon-512 signatures: at most 752 bytes in liboqs
  EXPECT_EQ(prekey_size(of, plain).max - prekey_size(of, plain).min, 751u);
  for (const std::size_t size : {1u, 650u, 752u}) {
    EXPECT_TRUE(parse_prekey(prekey(of, plain, size), of, plain)) << size;
  }
  EXPECT_FALSE(parse_prekey(prekey(of, plain, 0), of, plain));
  EXPECT_FALSE(parse_prekey(prekey(of, plain, 753), of, plain));
}

TEST(Prekey, of_another_suite_mode_or_length_is_refused)
{
  const Suite & of = ml_kem_suite();
  EXPECT_FALSE(parse_prekey(prekey(of, plain, 3308), of, plain));
  EXPECT_FALSE(parse_prekey(prekey(of, plain, 3310), of, plain));
  EXPECT_FALSE(parse_prekey(prekey(of, plain, 3309), suite("cs-hqc192-aesgcm-mldsa65"), plain));
  EXPECT_FALSE(parse_prekey(prekey(of, plain, 3309), of, mutual));
  EXPECT_TRUE(parse_prekey(prekey(of, plain, 3309), suite("cs-mlkem768-ascon128a-mldsa65"), plain));
  for (std::size_t place = 17; place <= 21; ++place) {  // code of the suite, mode
    Bytes other = prekey(of, plain, 3309);
    other.at(place) ^= 1;
    EXPECT_FALSE(parse_prekey(other, of, plain)) << place;
  }
}

TEST(Prekey, names_its_suite_if_it_is_a_prekey_and_long_enough)
{
  const Bytes message = prekey(ml_kem_suite(), plain, 3309);
  const auto code = prekey_code(ml_kem_suite().wire_id);
  constexpr std::size_t end_of_code = 1 + 16 + 4;
  EXPECT_EQ(code_of_prekey(message), code);
  EXPECT_EQ(code_of_prekey(ByteView(message).first(end_of_code)), code);
  EXPECT_EQ(code_of_prekey(ByteView(message).first(end_of_code - 1)), std::nullopt);
  EXPECT_EQ(code_of_prekey({}), std::nullopt);
  Bytes other = message;
  other[0] = static_cast<std::uint8_t>(KeyMessageType::rekey);
  EXPECT_EQ(code_of_prekey(other), std::nullopt);
}

TEST(Prekey, enters_transcripts_with_a_digest_in_place_of_its_key)
{
  const Bytes message = prekey(ml_kem_suite(), plain, 3309);
  Digest digest;
  digest.fill(0xdd);
  const Bytes digested =
    for_transcript(*parse_prekey(message, ml_kem_suite(), plain), plain, digest);
  EXPECT_EQ(digested.size(), message.size() - 1184 + 64);
  EXPECT_EQ(part(digested, 0, 22), part(message, 0, 22));
  EXPECT_EQ(part(digested, 22, 64), Bytes(64, 0xdd));
  EXPECT_EQ(part(digested, 86, 3309), Bytes(3309, 0x55));
}

// --- Rekey and Finish ---

TEST(Rekey, begins_with_63_bytes_that_say_what_it_is_about)
{
  RekeyOpening opening;
  opening.client_random = counting<32>(0x20);
  opening.key_id.bytes = counting<16>(0x40);
  opening.suite = {0xa1, 0xa2, 0xa3, 0xa4, 0xa5};
  opening.mode = 2;
  opening.session.bytes = counting<8>(0x70);
  opening.next_epoch = Epoch{9};
  const Bytes bytes = encode(opening);
  ASSERT_EQ(bytes.size(), 64u);
  EXPECT_EQ(rekey_opening_size, 64u);
  EXPECT_EQ(bytes[0], 3);
  EXPECT_EQ(part(bytes, 1, 32), bytes_of(counting<32>(0x20)));
  EXPECT_EQ(part(bytes, 33, 16), bytes_of(counting<16>(0x40)));
  EXPECT_EQ(part(bytes, 49, 6), Bytes({0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 2}));
  EXPECT_EQ(part(bytes, 55, 8), bytes_of(counting<8>(0x70)));
  EXPECT_EQ(bytes[63], 9);
  const auto read = parse_rekey_opening(bytes);
  ASSERT_TRUE(read);
  EXPECT_EQ(encode(*read), bytes);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(parse_rekey_opening(ByteView(bytes).first(size)));
  }
  for (const int type : {0, 1, 2, 4}) {
    Bytes other = bytes;
    other[0] = static_cast<std::uint8_t>(type);
    EXPECT_FALSE(parse_rekey_opening(other)) << type;
  }
}

Bytes finish(const Suite & of, HandshakeMode mode, std::size_t signature_size)
{
  Bytes message(kem_sizes(of.kem).ciphertext, 0x33);
  if (mode.hybrid_x25519) {
    const auto key = counting<32>(0x70);
    message.insert(message.end(), key.begin(), key.end());
  }
  if (mode.drone_signature) {
    message.push_back(static_cast<std::uint8_t>(signature_size >> 8));
    message.push_back(static_cast<std::uint8_t>(signature_size));
    message.insert(message.end(), signature_size, 0x55);
  }
  put_mac(message, 0xc1);
  put_mac(message, 0xc2);
  return message;
}

TEST(Finish, has_every_field_in_its_place)
{
  const Suite & of = ml_kem_suite();  // ML-KEM-768 ciphertext: 1088
  const Bytes message = finish(of, full, 3309);
  EXPECT_EQ(finish_size(of, plain).max, 1088u + 64);
  EXPECT_EQ(finish_size(of, hybrid).max, 1088u + 32 + 64);
  EXPECT_EQ(finish_size(of, full).max, 1088u + 32 + 2 + 3309 + 64);
  const auto read = parse_finish(message, of, full);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->ciphertext.size(), 1088u);
  EXPECT_EQ(read->x25519_key, counting<32>(0x70));
  EXPECT_EQ(read->signed_part.size(), 1088u + 32);
  EXPECT_EQ(read->signature.size(), 3309u);
  EXPECT_EQ(read->before_macs.size(), message.size() - 64);
  EXPECT_EQ(read->psk_mac.data(), message.data() + message.size() - 64);
  EXPECT_EQ(read->finish_mac.data(), message.data() + message.size() - 32);
}

TEST(Finish, of_another_length_or_mode_is_refused)
{
  const Suite & of = ml_kem_suite();
  for (const HandshakeMode mode : {plain, hybrid, mutual, full}) {
    const Bytes whole = finish(of, mode, 3309);
    EXPECT_TRUE(parse_finish(whole, of, mode));
    for (std::size_t size = 0; size < whole.size(); ++size) {
      ASSERT_FALSE(parse_finish(ByteView(whole).first(size), of, mode)) << size;
    }
    Bytes longer = whole;
    longer.push_back(0);
    EXPECT_FALSE(parse_finish(longer, of, mode));
    for (const HandshakeMode other : {plain, hybrid, mutual, full}) {
      EXPECT_EQ(parse_finish(whole, of, other).has_value(), other == mode);
    }
  }
  EXPECT_FALSE(parse_finish(finish(of, mutual, 3308), of, mutual));
  EXPECT_FALSE(parse_finish(finish(of, mutual, 0), of, mutual));
}

TEST(KeyMessage, types_beyond_the_known_ones_have_no_meaning)
{
  for (unsigned type = 0; type < 256; ++type) {
    EXPECT_EQ(
      key_message_type(Bytes{static_cast<std::uint8_t>(type)}).has_value(), type >= 1 && type <= 3);
  }
  EXPECT_FALSE(key_message_type({}));
}

}  // namespace
}  // namespace pqc_tunnel::test
