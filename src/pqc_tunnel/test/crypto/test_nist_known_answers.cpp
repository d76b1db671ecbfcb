// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "crypto/hkdf.hpp"
#include "crypto/kem.hpp"
#include "crypto/signature.hpp"
#include "crypto/suites/algorithm_table.hpp"
#include "support/hex.hpp"
#include "support/known_answers/nist_random.hpp"
#include "support/known_answers/served.hpp"
#include "support/known_answers/vector_file.hpp"
#include "support/large_stack.hpp"

// The response files of the NIST submissions, generated and compared by their hashes: a different bit in any key,
// ciphertext or signature changes them.

namespace pqc_tunnel
{
namespace
{

using test::to_hex;

constexpr std::size_t seed_size = 48;
// The submissions: Classic McEliece's have ten cases.
std::size_t cases_in_full_file(KemAlgorithm algorithm)
{
  return family(algorithm) == KemFamily::classic_mceliece ? 10 : 100;
}
std::size_t cases_in_full_file(SignatureAlgorithm) { return 100; }

struct KnownHashes
{
  std::string one_case;
  std::string full_file;
};

const KnownHashes * known_hashes(const std::string & name)
{
  static const auto all = [] {
    std::map<std::string, KnownHashes> hashes;
    for (const auto & record :
         test::read_vectors(std::string(PQC_TUNNEL_TEST_VECTORS) + "/nist_kat_hashes.txt"))
    {
      hashes[record.text("name")] = {record.text("single"), record.text("all")};
    }
    return hashes;
  }();
  const auto found = all.find(name);
  return found != all.end() ? &found->second : nullptr;
}

std::string hash_of(const std::string & text)
{
  std::string hash =
    to_hex(sha256({reinterpret_cast<const std::uint8_t *>(text.data()), text.size()}));
  std::ranges::transform(
    hash, hash.begin(), [](unsigned char letter) { return std::tolower(letter); });
  return hash;
}

std::unique_ptr<RandomSource> generator(KemAlgorithm algorithm, ByteView seed)
{
  if (family(algorithm) != KemFamily::hqc) {
    return std::make_unique<test::NistDrbg>(seed);
  }
  const std::uint8_t domain = spec(algorithm).revision == Revision::former ? 1 : 0;
  return std::make_unique<test::HqcPrng>(seed, domain);
}

std::unique_ptr<RandomSource> generator(SignatureAlgorithm, ByteView seed)
{
  return std::make_unique<test::NistDrbg>(seed);
}

// That of the file, which liboqs 0.13 and the HQC of 0.16 have.
template <class Algorithm>
std::string name_in_file(Algorithm algorithm)
{
  const auto & names = spec(algorithm).implementations;
  return names.back().name != nullptr ? names.back().name : names.front().name;
}

Bytes first_seed()
{
  Bytes seed(seed_size);
  for (std::size_t i = 0; i < seed.size(); ++i) {
    seed[i] = static_cast<std::uint8_t>(i);
  }
  return seed;
}

std::string line(const std::string & name, const std::string & value)
{
  return name + " = " + value + "\n";
}

std::string response_file(KemAlgorithm algorithm, std::size_t cases)
{
  const auto kem = Kem::open(algorithm).value();
  const auto seeds = generator(algorithm, first_seed());
  std::string file;
  for (std::size_t count = 0; count < cases; ++count) {
    Bytes seed(seed_size);
    seeds->fill(seed);
    const auto random = generator(algorithm, seed);
    const auto pair = kem.keygen(*random).value();
    const auto sent = kem.encapsulate(pair.public_key, *random).value();
    file += (count > 0 ? "\n" : "") + line("count", std::to_string(count));
    file += line("seed", to_hex(seed)) + line("pk", to_hex(pair.public_key));
    file += line("sk", to_hex(pair.secret_key.view())) + line("ct", to_hex(sent.ciphertext));
    file += line("ss", to_hex(sent.shared_secret.view()));
    const auto received = kem.decapsulate(sent.ciphertext, pair.secret_key);
    EXPECT_TRUE(constant_time_equal(received->view(), sent.shared_secret.view()));
  }
  return file;
}

// The submissions' "signed message": signature ‖ message, but for Falcon
// size ‖ nonce ‖ message ‖ header ‖ compressed signature.
Bytes signed_message(SignatureAlgorithm algorithm, const Bytes & message, const Bytes & signature)
{
  if (family(algorithm) != SignatureFamily::falcon) {
    Bytes out = signature;
    out.insert(out.end(), message.begin(), message.end());
    return out;
  }
  constexpr std::ptrdiff_t nonce_end = 41;
  const std::size_t size = signature.size() - 40;
  Bytes out = {static_cast<std::uint8_t>(size >> 8), static_cast<std::uint8_t>(size)};
  out.insert(out.end(), signature.begin() + 1, signature.begin() + nonce_end);
  out.insert(out.end(), message.begin(), message.end());
  out.push_back(algorithm == SignatureAlgorithm::falcon_512 ? 0x29 : 0x2a);
  out.insert(out.end(), signature.begin() + nonce_end, signature.end());
  return out;
}

std::string response_file(SignatureAlgorithm algorithm, std::size_t cases)
{
  const auto seeds = generator(algorithm, first_seed());
  std::string file;
  for (std::size_t count = 0; count < cases; ++count) {
    Bytes seed(seed_size);
    seeds->fill(seed);
    Bytes message(33 * (count + 1));
    seeds->fill(message);
    const auto random = generator(algorithm, seed);
    const auto pair = generate_signing_key(algorithm, *random).value();
    const auto signature = sign(algorithm, message, pair.secret_key, *random).value();
    const Bytes combined = signed_message(algorithm, message, signature);
    file += (count > 0 ? "\n" : "") + line("count", std::to_string(count));
    file += line("seed", to_hex(seed)) + line("mlen", std::to_string(message.size()));
    file += line("msg", to_hex(message)) + line("pk", to_hex(pair.public_key));
    file += line("sk", to_hex(pair.secret_key.view()));
    file += line("smlen", std::to_string(combined.size())) + line("sm", to_hex(combined));
    EXPECT_TRUE(verify(algorithm, message, signature, pair.public_key));
  }
  return file;
}

// Of the slow ones the first case only; of the others the whole file.
bool takes_long(KemAlgorithm algorithm)
{
  return family(algorithm) == KemFamily::hqc && level(algorithm) != SecurityLevel::l1;
}
bool takes_long(SignatureAlgorithm algorithm)
{
  return signs_slowly(algorithm) || algorithm == SignatureAlgorithm::falcon_1024;
}

template <class Algorithm>
void check(const test::Served<Algorithm> & served)
{
  const Algorithm algorithm = served.algorithm;
  const test::ServedBy by(served);
  if (!by.reason().empty()) {
    GTEST_SKIP() << by.reason();
  }
  const auto * known = known_hashes(name_in_file(algorithm));
  if (known == nullptr) {
    GTEST_SKIP() << "no known answers of " << specification(algorithm);
  }
  test::run_with_large_stack([&] {
    if (takes_long(algorithm)) {
      EXPECT_EQ(hash_of(response_file(algorithm, 1)), known->one_case);
    } else {
      EXPECT_EQ(hash_of(response_file(algorithm, cases_in_full_file(algorithm))), known->full_file);
    }
  });
}

class NistKem : public testing::TestWithParam<test::Served<KemAlgorithm>>
{
};

TEST_P(NistKem, response_file_is_that_of_the_submission) { check(GetParam()); }

INSTANTIATE_TEST_SUITE_P(
  All, NistKem, testing::ValuesIn(test::served(all_kems())), test::name_of_served<KemAlgorithm>);

class NistSignature : public testing::TestWithParam<test::Served<SignatureAlgorithm>>
{
};

TEST_P(NistSignature, response_file_is_that_of_the_submission) { check(GetParam()); }

INSTANTIATE_TEST_SUITE_P(
  All, NistSignature, testing::ValuesIn(test::served(all_signatures())),
  test::name_of_served<SignatureAlgorithm>);

}  // namespace
}  // namespace pqc_tunnel
