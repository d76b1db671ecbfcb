// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <openssl/crypto.h>
#include <oqs/oqs.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "algorithm_resolution.hpp"
#include "crypto/suites/algorithm_table.hpp"
#include "crypto/suites/algorithms.hpp"
#include "oqs_random.hpp"

namespace pqc_tunnel
{
namespace
{

std::optional<KemSizes> offered_sizes(const Revision<KemSizes> & revision)
{
  const std::unique_ptr<OQS_KEM, decltype(&OQS_KEM_free)> kem(
    OQS_KEM_new(revision.oqs_name), &OQS_KEM_free);
  if (!kem) {
    return std::nullopt;
  }
  return KemSizes{
    kem->length_public_key, kem->length_secret_key, kem->length_ciphertext,
    kem->length_shared_secret};
}

std::optional<SignatureSizes> offered_sizes(const Revision<SignatureSizes> & revision)
{
  const std::unique_ptr<OQS_SIG, decltype(&OQS_SIG_free)> signature(
    OQS_SIG_new(revision.oqs_name), &OQS_SIG_free);
  if (!signature) {
    return std::nullopt;
  }
  return SignatureSizes{
    signature->length_public_key, signature->length_secret_key, signature->length_signature,
    revision.sizes.variable};
}

template <class Specs>
auto resolve_all(const Specs & specs)
{
  initialize_oqs();
  const std::string version = std::string("liboqs ") + OQS_version();
  std::vector<Resolved<decltype(specs[0].revisions[0].sizes)>> resolved;
  resolved.reserve(specs.size());
  for (const auto & spec : specs) {
    resolved.push_back(resolve(
      spec, [](const auto & revision) { return offered_sizes(revision); }, version));
  }
  return resolved;
}

const auto & resolved(KemAlgorithm algorithm)
{
  static const auto all = resolve_all(kem_specs);
  return all[static_cast<std::size_t>(algorithm)];
}

const auto & resolved(SignatureAlgorithm algorithm)
{
  static const auto all = resolve_all(signature_specs);
  return all[static_cast<std::size_t>(algorithm)];
}

}  // namespace

std::string loaded_libraries()
{
  return std::string("liboqs ") + OQS_version() + ", OpenSSL " +
         OpenSSL_version(OPENSSL_VERSION_STRING);
}

const KemSizes & kem_sizes(KemAlgorithm algorithm) { return resolved(algorithm).revision->sizes; }

const SignatureSizes & signature_sizes(SignatureAlgorithm algorithm)
{
  return resolved(algorithm).revision->sizes;
}

WireCode wire_code(KemAlgorithm algorithm) { return resolved(algorithm).wire_code; }
WireCode wire_code(SignatureAlgorithm algorithm) { return resolved(algorithm).wire_code; }

const AlgorithmAvailability & availability(KemAlgorithm algorithm)
{
  return resolved(algorithm).availability;
}

const AlgorithmAvailability & availability(SignatureAlgorithm algorithm)
{
  return resolved(algorithm).availability;
}

const char * oqs_name(KemAlgorithm algorithm) { return resolved(algorithm).revision->oqs_name; }

const char * oqs_name(SignatureAlgorithm algorithm)
{
  return resolved(algorithm).revision->oqs_name;
}

std::string_view specification(KemAlgorithm algorithm)
{
  return resolved(algorithm).revision->specification;
}

std::string_view specification(SignatureAlgorithm algorithm)
{
  return resolved(algorithm).revision->specification;
}

}  // namespace pqc_tunnel
