# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
#
# Gives the targets pqc_tunnel::pqc_tunnel_core and pqc_tunnel::pqc_tunnel_net, and what they link.

include(CMakeFindDependencyMacro)
find_dependency(Threads)
find_dependency(OpenSSL 3.0)
find_dependency(liboqs_vendor HINTS "${CMAKE_CURRENT_LIST_DIR}/../../../lib/pqc-mav")
find_dependency(yaml-cpp)
include("${CMAKE_CURRENT_LIST_DIR}/pqc_tunnelTargets.cmake")
