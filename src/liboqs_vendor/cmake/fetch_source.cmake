# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
#
# Sets LIBOQS_VENDOR_SOURCE to a liboqs source tree: the one given by LIBOQS_SOURCE_DIR (a folder, or
# an archive that holds one), or else the one of the crate oqs-sys, fetched by cargo.

# Sets RESULT to the liboqs tree at or below DIRECTORY, or to nothing.
function(liboqs_vendor_find_tree DIRECTORY RESULT)
  file(GLOB candidates LIST_DIRECTORIES true
    "${DIRECTORY}" "${DIRECTORY}/liboqs" "${DIRECTORY}/*" "${DIRECTORY}/*/liboqs")
  foreach(candidate IN LISTS candidates)
    if(EXISTS "${candidate}/.CMake/alg_support.cmake" AND EXISTS "${candidate}/src/oqs.h")
      set(${RESULT} "${candidate}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  set(${RESULT} "" PARENT_SCOPE)
endfunction()

# Sets RESULT to the algorithms to build from TREE.
function(liboqs_vendor_algorithms_of_tree TREE RESULT)
  file(READ "${TREE}/.CMake/alg_support.cmake" known)
  foreach(revisions IN ITEMS FORMER PRESENT)
    set(algorithms ${LIBOQS_VENDOR_ALWAYS} ${LIBOQS_VENDOR_${revisions}})
    set(unknown "")
    foreach(algorithm IN LISTS algorithms)
      if(NOT known MATCHES "OQS_ENABLE_${algorithm} ")
        set(unknown ${algorithm})
      endif()
    endforeach()
    if(NOT unknown)
      set(${RESULT} ${algorithms} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "The liboqs sources in ${TREE} do not know ${unknown}; versions 0.12 to 0.16 do, or know what it replaced.")
endfunction()

function(liboqs_vendor_from_archive ARCHIVE RESULT)
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/archive")
  file(REMOVE_RECURSE "${folder}")
  file(ARCHIVE_EXTRACT INPUT "${ARCHIVE}" DESTINATION "${folder}")
  liboqs_vendor_find_tree("${folder}" tree)
  set(${RESULT} "${tree}" PARENT_SCOPE)
endfunction()

function(liboqs_vendor_from_cargo RESULT)
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/crate")
  liboqs_vendor_find_tree("${folder}" tree)
  if(NOT tree)
    find_program(CARGO_EXECUTABLE cargo HINTS "$ENV{CARGO_HOME}/bin" "$ENV{HOME}/.cargo/bin")
    if(NOT CARGO_EXECUTABLE)
      message(FATAL_ERROR "liboqs must be built from source, but cargo, which fetches it, is missing:"
        " install cargo 1.70 or newer, or a liboqs with every algorithm, or set LIBOQS_SOURCE_DIR to a liboqs source tree.")
    endif()
    message(STATUS "Fetching the liboqs sources")
    # Fetched beside and renamed when whole, so that an interrupted run leaves nothing half done.
    set(partial "${folder}.partial")
    file(REMOVE_RECURSE "${partial}" "${folder}")
    execute_process(
      COMMAND "${CARGO_EXECUTABLE}" vendor --quiet --locked --versioned-dirs
        --manifest-path "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../source/Cargo.toml" "${partial}"
      RESULT_VARIABLE failed OUTPUT_QUIET ERROR_VARIABLE output)
    file(GLOB crate "${partial}/oqs-sys-*")
    if(failed OR NOT crate)
      string(STRIP "${output}" output)
      message(FATAL_ERROR "cargo could not fetch the liboqs sources (crate oqs-sys); without a network,"
        " set LIBOQS_SOURCE_DIR to a liboqs source tree or archive (README.md of liboqs_vendor). cargo said:\n${output}")
    endif()
    file(MAKE_DIRECTORY "${folder}")
    get_filename_component(name "${crate}" NAME)
    file(RENAME "${crate}/liboqs" "${folder}/liboqs")
    file(REMOVE_RECURSE "${partial}")
    liboqs_vendor_find_tree("${folder}" tree)
  endif()
  set(${RESULT} "${tree}" PARENT_SCOPE)
endfunction()

if(LIBOQS_SOURCE_DIR)
  if(IS_DIRECTORY "${LIBOQS_SOURCE_DIR}")
    liboqs_vendor_find_tree("${LIBOQS_SOURCE_DIR}" LIBOQS_VENDOR_SOURCE)
  elseif(EXISTS "${LIBOQS_SOURCE_DIR}")
    liboqs_vendor_from_archive("${LIBOQS_SOURCE_DIR}" LIBOQS_VENDOR_SOURCE)
  endif()
  if(NOT LIBOQS_VENDOR_SOURCE)
    message(FATAL_ERROR "LIBOQS_SOURCE_DIR (${LIBOQS_SOURCE_DIR}) holds no liboqs source tree.")
  endif()
else()
  liboqs_vendor_from_cargo(LIBOQS_VENDOR_SOURCE)
endif()
liboqs_vendor_algorithms_of_tree("${LIBOQS_VENDOR_SOURCE}" LIBOQS_VENDOR_ALGORITHMS)
