// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__SESSION__KEY_LOG_HPP_
#define PQC_TUNNEL__PROTOCOL__SESSION__KEY_LOG_HPP_

#include "base/ids.hpp"
#include "crypto/suites/suite.hpp"
#include "protocol/wire/key_schedule.hpp"

namespace pqc_tunnel
{

// Writes the keys of both directions to the file $PQC_KEY_LOG, for config/wireshark: "PQC_MAV ID EPOCH AEAD KEY IV". Does
// nothing without that variable. Only a debug build with -DPQC_TUNNEL_KEY_LOG=ON has it.
void log_keys(const Suite & suite, Epoch epoch, const EpochSecrets & secrets);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__SESSION__KEY_LOG_HPP_
