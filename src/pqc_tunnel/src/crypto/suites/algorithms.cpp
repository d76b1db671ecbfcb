// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "algorithms.hpp"

#include <vector>

#include "algorithm_table.hpp"

namespace pqc_tunnel
{
namespace
{

// In the order of KemFamily.
constexpr Problem problems[] = {
  Problem::structured_lattices, Problem::quasi_cyclic_codes, Problem::goppa_codes,
  Problem::plain_lattices};

// In the order of Problem.
constexpr ProblemNames problem_names[] = {
  {"lattices", "structured"},
  {"lattices", "plain"},
  {"codes", "goppa"},
  {"codes", "quasi_cyclic"},
  {"curves", "x25519"}};

template <class Spec>
auto list_algorithms(std::span<const Spec> specs)
{
  std::vector<decltype(Spec::algorithm)> algorithms;
  for (const Spec & spec : specs) {
    algorithms.push_back(spec.algorithm);
  }
  return algorithms;
}

}  // namespace

const KemSpec & spec(KemAlgorithm algorithm)
{
  return kem_specs[static_cast<std::size_t>(algorithm)];
}

const SignatureSpec & spec(SignatureAlgorithm algorithm)
{
  return signature_specs[static_cast<std::size_t>(algorithm)];
}

const AeadSpec & spec(AeadAlgorithm algorithm)
{
  return aead_specs[static_cast<std::size_t>(algorithm)];
}

std::span<const KemAlgorithm> all_kems()
{
  static const auto algorithms = list_algorithms(kem_specs);
  return algorithms;
}

std::span<const SignatureAlgorithm> all_signatures()
{
  static const auto algorithms = list_algorithms(signature_specs);
  return algorithms;
}

std::span<const AeadAlgorithm> all_aeads()
{
  static const auto algorithms = list_algorithms(aead_specs);
  return algorithms;
}

std::string_view token(KemAlgorithm algorithm) { return spec(algorithm).token; }
std::string_view token(SignatureAlgorithm algorithm) { return spec(algorithm).token; }
std::string_view token(AeadAlgorithm algorithm) { return spec(algorithm).token; }

std::string_view display_name(KemAlgorithm algorithm) { return spec(algorithm).display_name; }
std::string_view display_name(SignatureAlgorithm algorithm) { return spec(algorithm).display_name; }
std::string_view display_name(AeadAlgorithm algorithm) { return spec(algorithm).display_name; }

KemFamily family(KemAlgorithm algorithm) { return spec(algorithm).family; }
SignatureFamily family(SignatureAlgorithm algorithm) { return spec(algorithm).family; }
SecurityLevel level(KemAlgorithm algorithm) { return spec(algorithm).level; }
Problem problem(KemAlgorithm algorithm)
{
  return problems[static_cast<std::size_t>(family(algorithm))];
}
const ProblemNames & names(Problem problem)
{
  return problem_names[static_cast<std::size_t>(problem)];
}
SecurityLevel level(SignatureAlgorithm algorithm) { return spec(algorithm).level; }

bool signs_slowly(SignatureAlgorithm algorithm)
{
  return family(algorithm) == SignatureFamily::sphincs ||
         family(algorithm) == SignatureFamily::slh_dsa;
}

const KemSizes & kem_sizes(KemAlgorithm algorithm) { return spec(algorithm).sizes; }
const SignatureSizes & signature_sizes(SignatureAlgorithm algorithm)
{
  return spec(algorithm).sizes;
}
WireCode wire_code(KemAlgorithm algorithm) { return spec(algorithm).wire_code; }
WireCode wire_code(SignatureAlgorithm algorithm) { return spec(algorithm).wire_code; }
std::string_view specification(KemAlgorithm algorithm) { return spec(algorithm).specification; }
std::string_view specification(SignatureAlgorithm algorithm)
{
  return spec(algorithm).specification;
}

std::size_t key_size(AeadAlgorithm algorithm) { return spec(algorithm).key_size; }
std::size_t iv_size(AeadAlgorithm algorithm) { return spec(algorithm).iv_size; }
std::uint8_t wire_code(AeadAlgorithm algorithm) { return spec(algorithm).wire_code; }

}  // namespace pqc_tunnel
