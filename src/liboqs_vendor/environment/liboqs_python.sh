# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
#
# Where liboqs-python finds liboqs, unless the user has said so.
if [ -z "${OQS_INSTALL_PATH:-}" ]; then
  export OQS_INSTALL_PATH="$AMENT_CURRENT_PREFIX/opt/liboqs_vendor"
fi
