# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0

# add_launch_test(FILE [TARGET NAME] [TIMEOUT SECONDS] [PYTHON_EXECUTABLE PATH]
#                 [ENV NAME=VALUE ...] [LABELS LABEL ...] [ARGS NAME:=VALUE ...])
# ARGS and LABELS take everything behind them, so put ENV and the like before them.
# Adds a CTest test that runs the launch test in FILE. TARGET defaults to the file's path with
# underscores, TIMEOUT to 60. All other arguments go to ament_add_test().
function(add_launch_test file)
  cmake_parse_arguments(arg "" "TARGET;TIMEOUT;PYTHON_EXECUTABLE" "ARGS;LABELS" ${ARGN})
  foreach(keyword ENV APPEND_ENV APPEND_LIBRARY_DIRS WORKING_DIRECTORY)
    if(keyword IN_LIST arg_ARGS OR keyword IN_LIST arg_LABELS)
      message(FATAL_ERROR "add_launch_test(): ${keyword} must come before ARGS and LABELS")
    endif()
  endforeach()
  cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" OUTPUT_VARIABLE path)
  if(NOT EXISTS "${path}")
    message(FATAL_ERROR "Can't find launch test file \"${file}\"")
  endif()
  if(NOT arg_TARGET)
    cmake_path(
      RELATIVE_PATH path BASE_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE arg_TARGET)
    string(REPLACE "/" "_" arg_TARGET "${arg_TARGET}")
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  if(NOT arg_LABELS)
    set(arg_LABELS launch_test)
  endif()
  if(NOT arg_PYTHON_EXECUTABLE)
    if(NOT Python3_EXECUTABLE)
      find_package(Python3 REQUIRED COMPONENTS Interpreter)
    endif()
    set(arg_PYTHON_EXECUTABLE "${Python3_EXECUTABLE}")
  endif()
  set(result "${AMENT_TEST_RESULTS_DIR}/${PROJECT_NAME}/${arg_TARGET}.xunit.xml")
  ament_add_test("${arg_TARGET}"
    COMMAND "${arg_PYTHON_EXECUTABLE}" -m launch_testing.launch_test "${path}" ${arg_ARGS}
      "--junit-xml=${result}" "--package-name=${PROJECT_NAME}"
    OUTPUT_FILE "${CMAKE_BINARY_DIR}/launch_test/${arg_TARGET}.txt"
    RESULT_FILE "${result}"
    TIMEOUT "${arg_TIMEOUT}"
    ${arg_UNPARSED_ARGUMENTS})
  set_tests_properties("${arg_TARGET}" PROPERTIES LABELS "${arg_LABELS}")
endfunction()
