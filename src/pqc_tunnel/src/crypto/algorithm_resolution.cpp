// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "algorithm_resolution.hpp"

#include <openssl/crypto.h>
#include <oqs/oqs.h>

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "primitives.hpp"

namespace pqc_tunnel
{
namespace
{

constexpr int by_the_table = -1;
std::atomic<int> preferred = by_the_table;

template <class Specs>
std::vector<Resolved> resolve_all(const Specs & specs)
{
  std::vector<Resolved> resolved;
  resolved.reserve(specs.size());
  for (const auto & spec : specs) {
    resolved.push_back(resolve(
      spec, [&spec](const Implementation & one) { return offer(one, spec.sizes); }, version));
  }
  return resolved;
}

const Resolved & resolved(KemAlgorithm algorithm)
{
  static const auto all = resolve_all(kem_specs);
  return all[static_cast<std::size_t>(algorithm)];
}

const Resolved & resolved(SignatureAlgorithm algorithm)
{
  static const auto all = resolve_all(signature_specs);
  return all[static_cast<std::size_t>(algorithm)];
}

const Implementation * serving(const Resolved & resolved)
{
  const auto & all = resolved.implementations;
  const auto found = std::ranges::find_if(all, [](const Implementation * one) {
    return static_cast<int>(one->library) == preferred.load();
  });
  return found != all.end() ? *found : all.empty() ? nullptr : all.front();
}

}  // namespace

std::string version(Library library)
{
  return library == Library::openssl
           ? std::string("OpenSSL ") + OpenSSL_version(OPENSSL_VERSION_STRING)
           : std::string("liboqs ") + OQS_version();
}

void prefer(std::optional<Library> library)
{
  preferred = library ? static_cast<int>(*library) : by_the_table;
}

std::string loaded_libraries()
{
  return version(Library::liboqs) + ", " + version(Library::openssl);
}

const AlgorithmAvailability & availability(KemAlgorithm algorithm)
{
  return resolved(algorithm).availability;
}

const AlgorithmAvailability & availability(SignatureAlgorithm algorithm)
{
  return resolved(algorithm).availability;
}

const Implementation * implementation(KemAlgorithm algorithm)
{
  return serving(resolved(algorithm));
}

const Implementation * implementation(SignatureAlgorithm algorithm)
{
  return serving(resolved(algorithm));
}

}  // namespace pqc_tunnel
