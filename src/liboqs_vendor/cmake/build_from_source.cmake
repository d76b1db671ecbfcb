# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
#
# Builds the sources in LIBOQS_VENDOR_SOURCE and installs them with this package.

include(ExternalProject)
include(ProcessorCount)

set(stage "${CMAKE_CURRENT_BINARY_DIR}/stage")
set(jobs "$ENV{CMAKE_BUILD_PARALLEL_LEVEL}")
if(NOT jobs)
  ProcessorCount(jobs)
  if(jobs EQUAL 0)
    set(jobs 1)
  endif()
endif()

# liboqs' own SHA-2, SHA-3 and AES (with run-time detection of CPU features) instead of OpenSSL's:
# thread-safe, as fast, and no second OpenSSL can get into a process by this road.
set(arguments
  -DCMAKE_BUILD_TYPE=Release
  -DCMAKE_INSTALL_PREFIX=${stage}
  -DCMAKE_INSTALL_LIBDIR=lib
  -DCMAKE_C_COMPILER=${CMAKE_C_COMPILER}
  -DBUILD_SHARED_LIBS=ON
  -DOQS_BUILD_ONLY_LIB=ON
  -DOQS_DIST_BUILD=ON
  -DOQS_USE_OPENSSL=OFF
  -DOQS_ENABLE_KEM_HQC=ON)
foreach(name IN LISTS LIBOQS_VENDOR_FAULTY)
  list(APPEND arguments -DOQS_ENABLE_${name}=OFF)
endforeach()
foreach(variable CMAKE_TOOLCHAIN_FILE CMAKE_C_COMPILER_LAUNCHER CMAKE_SYSTEM_NAME
    CMAKE_SYSTEM_PROCESSOR)
  if(DEFINED ${variable} AND (CMAKE_CROSSCOMPILING OR NOT variable MATCHES "SYSTEM"))
    list(APPEND arguments -D${variable}=${${variable}})
  endif()
endforeach()
# CVE-2025-52473: some versions of clang compile HQC of 2023 with branches on secrets.
if(CMAKE_C_COMPILER_ID MATCHES Clang)
  list(FILTER LIBOQS_VENDOR_ALGORITHMS EXCLUDE REGEX "^KEM_hqc_(128|192|256)$")
endif()
string(REPLACE ";" "|" algorithms "${LIBOQS_VENDOR_ALGORITHMS}")

ExternalProject_Add(liboqs
  SOURCE_DIR "${LIBOQS_VENDOR_SOURCE}"
  BINARY_DIR "${CMAKE_CURRENT_BINARY_DIR}/liboqs"
  INSTALL_DIR "${stage}"
  LIST_SEPARATOR "|"
  CMAKE_ARGS ${arguments} "-DOQS_MINIMAL_BUILD=${algorithms}"
  BUILD_COMMAND "${CMAKE_COMMAND}" --build <BINARY_DIR> --parallel ${jobs}
  DOWNLOAD_COMMAND "" UPDATE_COMMAND "" PATCH_COMMAND ""
  BUILD_BYPRODUCTS "${stage}/lib/liboqs.so"
  LOG_CONFIGURE ON LOG_BUILD ON LOG_INSTALL ON LOG_OUTPUT_ON_FAILURE ON)

file(MAKE_DIRECTORY "${stage}/include" "${stage}/lib")
# Components as in pqc_tunnel's install.cmake.
install(DIRECTORY "${stage}/lib/" DESTINATION lib USE_SOURCE_PERMISSIONS COMPONENT programs
  FILES_MATCHING PATTERN "liboqs.so*" PATTERN cmake EXCLUDE PATTERN pkgconfig EXCLUDE)
install(DIRECTORY "${stage}/lib/" DESTINATION lib COMPONENT development PATTERN "liboqs.so*" EXCLUDE)
install(DIRECTORY "${stage}/include/" DESTINATION include COMPONENT development)
install(FILES "${LIBOQS_VENDOR_SOURCE}/LICENSE.txt" DESTINATION share/liboqs_vendor RENAME liboqs-license.txt
  COMPONENT files)
file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/built_from_source" "liboqs was built by this package.\n")
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/built_from_source" DESTINATION share/liboqs_vendor COMPONENT development)
