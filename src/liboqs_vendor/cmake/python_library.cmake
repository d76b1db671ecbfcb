# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
#
# Builds opt/liboqs_vendor/lib/liboqs.so: liboqs, and what liboqs-python misses in it. Programs never link to it;
# it is no larger than what it adds, because it is linked to the liboqs that they use.

set(folder "opt/${PROJECT_NAME}")
add_library(liboqs_python SHARED python/liboqs_python.c)
if(LIBOQS_VENDOR_INSTALLED)
  target_link_libraries(liboqs_python PRIVATE OQS::oqs)
else()
  add_dependencies(liboqs_python liboqs)
  target_include_directories(liboqs_python SYSTEM PRIVATE "${stage}/include")
  target_link_libraries(liboqs_python PRIVATE "${stage}/lib/liboqs.so")
endif()
# Linked to liboqs even where nothing is missing, and never mistaken for it by the dynamic linker.
target_link_options(liboqs_python PRIVATE "LINKER:--no-as-needed")
set_target_properties(liboqs_python PROPERTIES
  C_STANDARD 11 C_EXTENSIONS OFF
  OUTPUT_NAME oqs NO_SONAME ON
  LIBRARY_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/python"
  INSTALL_RPATH "$ORIGIN/../../../lib" INSTALL_RPATH_USE_LINK_PATH ${LIBOQS_VENDOR_INSTALLED})
target_compile_options(liboqs_python PRIVATE -Wall -Wextra)
install(TARGETS liboqs_python LIBRARY DESTINATION "${folder}/lib")
set(AMENT_CMAKE_ENVIRONMENT_HOOKS_DESC_liboqs_python "set-if-unset;OQS_INSTALL_PATH;${folder}")
ament_environment_hooks("${CMAKE_CURRENT_SOURCE_DIR}/environment/liboqs_python.sh")
