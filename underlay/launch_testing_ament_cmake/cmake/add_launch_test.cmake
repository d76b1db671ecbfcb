# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0

# add_launch_test(FILE [TIMEOUT SECONDS])
# Adds a CTest test that runs the launch test in FILE, named by its path with underscores. TIMEOUT
# defaults to 60.
function(add_launch_test file)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "add_launch_test(): unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" OUTPUT_VARIABLE path)
  if(NOT EXISTS "${path}")
    message(FATAL_ERROR "Can't find launch test file \"${file}\"")
  endif()
  cmake_path(RELATIVE_PATH path BASE_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE name)
  string(REPLACE "/" "_" name "${name}")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  set(result "${AMENT_TEST_RESULTS_DIR}/${PROJECT_NAME}/${name}.xunit.xml")
  ament_add_test("${name}"
    COMMAND "${Python3_EXECUTABLE}" -m launch_testing.launch_test "${path}"
      "--junit-xml=${result}" "--package-name=${PROJECT_NAME}"
    OUTPUT_FILE "${CMAKE_BINARY_DIR}/launch_test/${name}.txt"
    RESULT_FILE "${result}"
    TIMEOUT "${arg_TIMEOUT}")
  set_tests_properties("${name}" PROPERTIES LABELS launch_test)
endfunction()
