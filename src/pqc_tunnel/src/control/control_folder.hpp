// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__CONTROL__CONTROL_FOLDER_HPP_
#define PQC_TUNNEL__CONTROL__CONTROL_FOLDER_HPP_

#include <filesystem>
#include <string>

#include "base/result.hpp"

namespace pqc_tunnel::cli
{

// The user of the systemd unit.
inline constexpr const char * service_folder = "/run/pqc";
inline constexpr const char * service_user = "pqc";

// Control sockets are at FOLDER/NAME.sock. FOLDER is $PQC_RUN_DIR if it is set, for root and the unit's user /run/pqc,
// otherwise pqc in $XDG_RUNTIME_DIR or /run/user/UID, or /tmp/pqc-UID without either.
std::filesystem::path control_folder();
std::filesystem::path control_path(const std::string & tunnel);

// An error unless the folder belongs to this user (or is the unit's, for root) and is closed to all others.
Result<void> check_control_folder();
// Makes the folder if it is not there, and checks it.
Result<void> make_control_folder();

}  // namespace pqc_tunnel::cli

#endif  // PQC_TUNNEL__CONTROL__CONTROL_FOLDER_HPP_
