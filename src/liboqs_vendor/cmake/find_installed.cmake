# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
#
# Sets LIBOQS_VENDOR_INSTALLED to ON if a liboqs without faulty algorithms is on the machine already: 0.16 or newer with
# those that every version has, or an older one with every algorithm.

set(LIBOQS_VENDOR_INSTALLED OFF)
find_package(liboqs 0.12 QUIET)
if(NOT liboqs_FOUND)
  return()
endif()

get_target_property(liboqs_include OQS::oqs INTERFACE_INCLUDE_DIRECTORIES)
list(GET liboqs_include 0 liboqs_include)
# What an earlier run of this very package installed is not "the machine's own".
get_filename_component(liboqs_prefix "${liboqs_include}" DIRECTORY)
get_filename_component(liboqs_prefix "${liboqs_prefix}" REALPATH)
get_filename_component(own_prefix "${CMAKE_INSTALL_PREFIX}" REALPATH)
if(liboqs_prefix STREQUAL own_prefix
   AND EXISTS "${own_prefix}/share/liboqs_vendor/built_from_source")
  return()
endif()

liboqs_vendor_missing_algorithms("${liboqs_include}" missing ${LIBOQS_VENDOR_ALWAYS})
if(liboqs_VERSION VERSION_LESS 0.16)
  liboqs_vendor_missing_algorithms("${liboqs_include}" missing ${LIBOQS_VENDOR_ALWAYS} ${LIBOQS_VENDOR_FORMER})
endif()
if(missing)
  list(LENGTH missing count)
  list(GET missing 0 first)
  message(STATUS "liboqs ${liboqs_VERSION} in ${liboqs_prefix} lacks ${count} algorithms"
    " (${first} is one): building liboqs from source instead")
  return()
endif()
liboqs_vendor_faulty_implementations("${liboqs_include}" faulty)
if(faulty)
  message(STATUS "liboqs ${liboqs_VERSION} in ${liboqs_prefix} accepts ML-DSA signatures that FIPS 204 refuses"
    " (its AVX2 code lacks a check): building liboqs from source instead")
  return()
endif()
set(LIBOQS_VENDOR_INSTALLED ON)
message(STATUS "Using liboqs ${liboqs_VERSION} in ${liboqs_prefix}")
