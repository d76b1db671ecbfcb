// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__COMMAND__TERMINAL_HPP_
#define PQC_TUNNEL__COMMAND__TERMINAL_HPP_

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "crypto/secret.hpp"

namespace pqc_tunnel::cli
{

// The person at the terminal of this process, whatever its output is redirected to: a secret that is shown here is in no
// log and no history.
Result<void> show_on_terminal(ByteView text);
// Asks for a line, which is not shown while it is typed.
Result<SecretBytes> ask_on_terminal(std::string_view question);

// Draws a QR code of the text with half blocks, dark on light; empty if this build has no library for that.
SecretBytes qr_code(ByteView text);

}  // namespace pqc_tunnel::cli

#endif  // PQC_TUNNEL__COMMAND__TERMINAL_HPP_
