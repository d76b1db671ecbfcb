// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__CONFIG__PROFILES_HPP_
#define PQC_TUNNEL__CONFIG__PROFILES_HPP_

#include <optional>
#include <string>
#include <vector>

#include "crypto/aead.hpp"
#include "parameter_file.hpp"

namespace pqc_tunnel
{

// A profile is a set of defaults that belong together. What the parameters give counts more, except where the profile
// `cnsa2` refuses it.

inline constexpr const char * cnsa2 = "cnsa2";

// default, cnsa2, layered, research, paper_2025.
std::vector<std::string> profile_names();
// Returns the defaults that replace those of parameter_table(); none for an unknown profile. Without instructions for AES the
// first suite has ChaCha20-Poly1305, unless the profile names a suite.
ParameterValues profile_defaults(const std::string & profile, bool has_aes = processor_has_aes());
// Returns the profile that the parameters name; "default" if they name none.
std::string profile_of(const ParameterValues & values);

// Takes out of `values`, which are complete, what the profile refuses, in favour of its own. Returns one sentence about all
// of it; none: it refuses nothing.
std::optional<std::string> apply_refusals(const std::string & profile, ParameterValues & values);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__CONFIG__PROFILES_HPP_
