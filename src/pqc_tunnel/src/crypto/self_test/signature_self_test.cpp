// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "signature_self_test.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "crypto/hkdf.hpp"
#include "self_test_answers.hpp"
#include "signature_forgeries.hpp"

namespace pqc_tunnel
{
namespace
{

// A signature of ML-DSA ends with its hints: the indices of all polynomials in sequence, filled up with zeros, and for each
// polynomial the number of indices up to its end.
struct HintSizes
{
  std::size_t indices;      // omega in FIPS 204
  std::size_t polynomials;  // k
};

std::optional<HintSizes> hint_sizes(SignatureAlgorithm algorithm)
{
  switch (algorithm) {
    case SignatureAlgorithm::ml_dsa_44:
      return HintSizes{80, 4};
    case SignatureAlgorithm::ml_dsa_65:
      return HintSizes{55, 6};
    case SignatureAlgorithm::ml_dsa_87:
      return HintSizes{75, 8};
    default:
      return std::nullopt;
  }
}

// The same hints, those of each polynomial from the last to the first.
Bytes with_hints_reversed(Bytes signature, const HintSizes & sizes)
{
  const auto ends = MutableBytes(signature).last(sizes.polynomials);
  const auto indices = MutableBytes(signature).last(sizes.indices + sizes.polynomials);
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    std::ranges::reverse(indices.subspan(begin, end - begin));
    begin = end;
  }
  return signature;
}

// The same hints, the first one twice. Nothing if there is no room.
std::optional<Bytes> with_hint_repeated(Bytes signature, const HintSizes & sizes)
{
  const auto ends = MutableBytes(signature).last(sizes.polynomials);
  const auto indices = MutableBytes(signature).last(sizes.indices + sizes.polynomials);
  if (ends.back() == 0 || ends.back() >= sizes.indices) {
    return std::nullopt;
  }
  std::copy_backward(
    indices.begin(), indices.begin() + ends.back(), indices.begin() + ends.back() + 1);
  for (std::uint8_t & end : ends) {
    end = static_cast<std::uint8_t>(end + (end == 0 ? 0 : 1));
  }
  return signature;
}

class RepeatedByte final : public RandomSource
{
public:
  explicit RepeatedByte(std::uint8_t byte) : byte_(byte) {}
  void fill(MutableBytes out) override { std::ranges::fill(out, byte_); }

private:
  std::uint8_t byte_;
};

std::string test_forgery(const SignatureForgery & forgery, const Verifier & verifier)
{
  RepeatedByte seed(forgery_seed_byte);
  const auto pair = generate_signing_key(forgery.algorithm, seed);
  if (!pair) {
    return pair.error().message;
  }
  if (!std::ranges::equal(sha256(pair->public_key), from_hex(forgery.public_key_sha256))) {
    return "key generation did not give the known answer";
  }
  if (verifier(
        forgery.algorithm, from_hex(forgery_message), from_hex(forgery.signature),
        pair->public_key))
  {
    return "a signature with a vector that is too long was accepted";
  }
  return "";
}

}  // namespace

std::string test_signature(
  SignatureAlgorithm algorithm, RandomSource & random, const Verifier & verifier)
{
  const auto pair = generate_signing_key(algorithm, random);
  if (!pair) {
    return pair.error().message;
  }
  Bytes message(64);
  random.fill(message);
  const auto signature = sign(algorithm, message, pair->secret_key, random);
  if (!signature) {
    return signature.error().message;
  }
  const auto accepts = [&](const Bytes & shown) {
    return verifier(algorithm, message, shown, pair->public_key);
  };
  if (!accepts(*signature)) {
    return "a genuine signature was refused";
  }
  Bytes altered = *signature;
  altered[altered.size() / 2] ^= 1;
  if (accepts(altered)) {
    return "an altered signature was accepted";
  }
  if (const auto sizes = hint_sizes(algorithm)) {
    if (accepts(with_hints_reversed(*signature, *sizes))) {
      return "a signature with hints out of order was accepted";
    }
    if (const auto repeated = with_hint_repeated(*signature, *sizes);
        repeated && accepts(*repeated)) {
      return "a signature with a repeated hint was accepted";
    }
  }
  message.front() ^= 1;
  if (accepts(*signature)) {
    return "a signature of another message was accepted";
  }
  const auto forgery =
    std::ranges::find(signature_forgeries, algorithm, &SignatureForgery::algorithm);
  return forgery == signature_forgeries.end() ? "" : test_forgery(*forgery, verifier);
}

}  // namespace pqc_tunnel
