// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TOOLS__SPEED__SUBJECT_HPP_
#define PQC_TOOLS__SPEED__SUBJECT_HPP_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "pqc_tunnel/crypto/suites/algorithms.hpp"
#include "samples.hpp"

namespace pqc_tunnel::speed
{

// A timed operation. Only `run` is timed; `prepare` runs before it and `check` after it, and both may be empty.
struct Operation
{
  std::string name = {};              // keygen, sign, seal, …
  std::size_t text_bytes = 0;         // plaintext of seal and open, bytes
  std::uint32_t runs_per_sample = 1;  // operations per call of `run`
  std::function<void()> prepare = {};
  std::function<void()> run = {};
  std::function<bool()> check = {};  // whether the result was right

  Samples samples = {};
  std::uint64_t done = 0;    // operations, including untimed ones
  std::uint64_t failed = 0;  // calls of `run` with a wrong result
  bool cut = false;          // has fewer samples because it took too long
};

enum class Kind
{
  kem,
  signature,
  aead,
};

// An algorithm with its operations, in an order in which each has its inputs.
struct Subject
{
  Kind kind = Kind::kem;
  std::string token = {};
  std::string name = {};
  std::string unavailable = {};  // the reason why, in one sentence; empty if it is available
  std::vector<Operation> operations = {};
  // Returns its sizes and other properties as a JSON object. Called after the last run.
  std::function<std::string()> properties = {};
};

// The subjects use the kernel's random numbers, as the tunnel does.
Subject make_subject(KemAlgorithm algorithm);
Subject make_subject(SignatureAlgorithm algorithm);
Subject make_subject(AeadAlgorithm algorithm);

// Returns the algorithms of the registry whose token matches one of the shell patterns (* ? []); all without patterns.
std::vector<Subject> make_subjects(const std::vector<std::string> & patterns);

}  // namespace pqc_tunnel::speed

#endif  // PQC_TOOLS__SPEED__SUBJECT_HPP_
