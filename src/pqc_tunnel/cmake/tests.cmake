# Core and I/O tests; the same list in ROS builds, ROS-free builds and under sanitizers.
find_package(GTest REQUIRED)

# Tests are to be built fast; what they test has its own flags.
add_library(pqc_tunnel_test_options INTERFACE)
target_compile_options(pqc_tunnel_test_options INTERFACE -O1 -g1)
target_link_libraries(pqc_tunnel_test_options INTERFACE pqc_tunnel_options)
# The programs themselves do little; compiling them for sanitizers takes long.
add_library(pqc_tunnel_test_program_options INTERFACE)
if(PQC_TUNNEL_SANITIZE)
  target_compile_options(pqc_tunnel_test_program_options INTERFACE -O0 -g1)
  target_link_libraries(pqc_tunnel_test_program_options INTERFACE pqc_tunnel_options)
  # Half of what compiling them takes are the headers that all of them include.
  add_executable(pqc_tunnel_test_headers test/support/headers.cpp)
  target_link_libraries(pqc_tunnel_test_headers PRIVATE
    pqc_tunnel_core pqc_tunnel_test_program_options GTest::gtest GTest::gtest_main)
  target_precompile_headers(pqc_tunnel_test_headers PRIVATE
    <gtest/gtest.h> <algorithm> <array> <chrono> <cstdint> <deque> <functional> <map> <memory>
    <optional> <set> <span> <string> <utility> <variant> <vector>)
else()
  target_link_libraries(pqc_tunnel_test_program_options INTERFACE pqc_tunnel_test_options)
endif()

add_library(pqc_tunnel_test_support STATIC
  ${PQC_TUNNEL_CRYPTO_TEST_SUPPORT} ${PQC_TUNNEL_TEST_SUPPORT_SOURCES})
target_include_directories(pqc_tunnel_test_support PUBLIC test)
target_link_libraries(pqc_tunnel_test_support
  PUBLIC pqc_tunnel_core GTest::gtest PRIVATE pqc_tunnel_test_options)

function(pqc_tunnel_add_tests library)
  foreach(source IN LISTS ARGN)
    get_filename_component(name ${source} NAME_WE)
    add_executable(${name} ${source})
    target_compile_definitions(${name} PRIVATE
      PQC_TUNNEL_TEST_VECTORS="${CMAKE_CURRENT_SOURCE_DIR}/test/vectors")
    target_link_libraries(${name} PRIVATE
      ${library} pqc_tunnel_test_support pqc_tunnel_test_program_options GTest::gtest GTest::gtest_main)
    if(TARGET pqc_tunnel_test_headers)
      target_precompile_headers(${name} REUSE_FROM pqc_tunnel_test_headers)
    endif()
    list(APPEND built ${name})
    if(PQC_TUNNEL_ROS)
      ament_add_test(${name} COMMAND $<TARGET_FILE:${name}>
        --gtest_output=xml:${AMENT_TEST_RESULTS_DIR}/${PROJECT_NAME}/${name}.gtest.xml
        RESULT_FILE ${AMENT_TEST_RESULTS_DIR}/${PROJECT_NAME}/${name}.gtest.xml
        TIMEOUT 300)
    else()
      add_test(NAME ${name} COMMAND ${name})
      set_tests_properties(${name} PROPERTIES TIMEOUT 900)
    endif()
  endforeach()
  set(PQC_TUNNEL_BUILT_TESTS ${built} PARENT_SCOPE)
endfunction()

if(NOT PQC_TUNNEL_SANITIZE)
  # Sanitizers keep terabytes of address space beside what is to be searched.
  pqc_tunnel_add_tests(pqc_tunnel_core test/core/test_wiped_memory.cpp)
  pqc_tunnel_add_tests(pqc_tunnel_io test/io/test_memory_limits.cpp)
  add_dependencies(test_memory_limits pqc_tunneld)
endif()
if(PQC_TUNNEL_CORE_TESTS)
  pqc_tunnel_add_tests(pqc_tunnel_core
    ${PQC_TUNNEL_CRYPTO_TESTS} ${PQC_TUNNEL_MEASURE_TESTS} ${PQC_TUNNEL_PROTOCOL_TEST_SOURCES})
  pqc_tunnel_add_tests(pqc_tunnel_blaster ${PQC_TUNNEL_BLASTER_TESTS})
  pqc_tunnel_add_tests(pqc_link_emulator_io ${PQC_TUNNEL_LINK_EMULATOR_TESTS})
  pqc_tunnel_add_tests(pqc_tunnel_speed ${PQC_TUNNEL_SPEED_TESTS})
  target_compile_definitions(test_link_profiles PRIVATE
    PQC_TUNNEL_LINKS="${CMAKE_CURRENT_SOURCE_DIR}/config/links")
  add_dependencies(test_link_emulator pqc_link_emulator)
  pqc_tunnel_add_tests(pqc_tunnel_io ${PQC_TUNNEL_IO_TESTS})
  add_dependencies(test_command_line pqc_identity pqc_tunneld)
  add_dependencies(test_exposure_check pqc_exposure_check)
  add_dependencies(test_flood pqc_flood)
  # What has threads, for the thread sanitizer.
  add_custom_target(thread_tests DEPENDS ${PQC_TUNNEL_BUILT_TESTS})
  if(NOT PQC_TUNNEL_ROS)
    set_tests_properties(${PQC_TUNNEL_BUILT_TESTS} PROPERTIES LABELS threads)
  endif()
endif()

include(cmake/simulator.cmake)
