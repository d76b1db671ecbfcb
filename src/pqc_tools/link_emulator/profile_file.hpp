// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TOOLS__LINK_EMULATOR__PROFILE_FILE_HPP_
#define PQC_TOOLS__LINK_EMULATOR__PROFILE_FILE_HPP_

#include <filesystem>
#include <string>

#include "pqc_tunnel/base/result.hpp"
#include "settings.hpp"

namespace pqc_tunnel::link_emulator
{

// Reads a link profile in YAML; links/clean.yaml describes the fields. Absent fields have their defaults; unknown or
// repeated fields and values out of range are errors.
Result<Profile> load_profile(const std::filesystem::path & file);

// Parses the text of a profile in the same way.
Result<Profile> parse_profile(const std::string & text);

}  // namespace pqc_tunnel::link_emulator

#endif  // PQC_TOOLS__LINK_EMULATOR__PROFILE_FILE_HPP_
