# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
#
# bash-completion sources this file at the first completion of pqc, which knows its own words.
# shellcheck source=/dev/null
source <(pqc completion bash)
