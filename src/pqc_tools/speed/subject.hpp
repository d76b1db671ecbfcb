// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TOOLS__SPEED__SUBJECT_HPP_
#define PQC_TOOLS__SPEED__SUBJECT_HPP_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "pqc_tunnel/crypto/algorithms.hpp"
#include "samples.hpp"

namespace pqc_tunnel::speed
{

// What is timed. Only `run` is; the others, which may be empty, come before and after it.
struct Operation
{
  std::string name = {};              // keygen, sign, seal, …
  std::size_t text_bytes = 0;         // of what is sealed or opened
  std::uint32_t runs_per_sample = 1;  // operations that one call of `run` does
  std::function<void()> prepare = {};
  std::function<void()> run = {};
  std::function<bool()> check = {};  // whether the outcome was right

  Samples samples = {};
  std::uint64_t done = 0;    // operations, those that weren't timed included
  std::uint64_t failed = 0;  // calls of `run` with a wrong outcome
  bool cut = false;          // short of samples because it took too long
};

enum class Kind
{
  kem,
  signature,
  aead,
};

// An algorithm with its operations, in an order in which each finds what it needs.
struct Subject
{
  Kind kind = Kind::kem;
  std::string token = {};
  std::string name = {};
  std::string unavailable = {};  // the reason why, in one sentence; empty if it is available
  std::vector<Operation> operations = {};
  // Its sizes, and whatever else is told of it: members of a JSON object. Called last.
  std::function<std::string()> properties = {};
};

// They use the kernel's random numbers, as the tunnel does.
Subject make_subject(KemAlgorithm algorithm);
Subject make_subject(SignatureAlgorithm algorithm);
Subject make_subject(AeadAlgorithm algorithm);

// All of the registry's whose token fits one of the patterns (as of the shell: * ? []); all without
// patterns.
std::vector<Subject> make_subjects(const std::vector<std::string> & patterns);

}  // namespace pqc_tunnel::speed

#endif  // PQC_TOOLS__SPEED__SUBJECT_HPP_
