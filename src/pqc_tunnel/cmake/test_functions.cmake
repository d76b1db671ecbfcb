# How tests are compiled and added.

# Test programs do little themselves; what they share runs long.
set(PQC_TUNNEL_SUPPORT_OPTIONS pqc_tunnel_test_options)
set(PQC_TUNNEL_TESTS_TOGETHER "${CMAKE_CROSSCOMPILING_EMULATOR}")
if(PQC_TUNNEL_SANITIZE)
  set(PQC_TUNNEL_TESTS_TOGETHER ON)
  set(PQC_TUNNEL_SUPPORT_OPTIONS pqc_tunnel_options pqc_tunnel_fewer_checks)
  target_compile_definitions(pqc_tunnel_test_options INTERFACE PQC_TUNNEL_SANITIZED)
endif()
if(PQC_TUNNEL_TESTS_TOGETHER)
  # Half of the time to compile them goes into headers that all of them include.
  add_executable(pqc_tunnel_test_headers test/support/headers.cpp)
  target_link_libraries(pqc_tunnel_test_headers PRIVATE
    pqc_tunnel_test_support pqc_tunnel_test_options GTest::gtest GTest::gtest_main)
  target_precompile_headers(pqc_tunnel_test_headers PRIVATE
    <gtest/gtest.h> <algorithm> <array> <chrono> <cstdint> <deque> <functional> <map> <memory>
    <optional> <set> <span> <string> <utility> <variant> <vector> test/support/pair/traffic.hpp)
endif()

set(PQC_TUNNEL_VECTORS ${CMAKE_CURRENT_SOURCE_DIR}/test/vectors)
set(PQC_TUNNEL_UNPACKED_VECTORS ${CMAKE_CURRENT_BINARY_DIR}/vectors)
foreach(archive IN ITEMS ml_kem_ml_dsa slh_dsa)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PQC_TUNNEL_VECTORS}/${archive}.tar.xz)
  file(ARCHIVE_EXTRACT INPUT ${PQC_TUNNEL_VECTORS}/${archive}.tar.xz DESTINATION ${PQC_TUNNEL_UNPACKED_VECTORS})
endforeach()

# Each source is a program. Under sanitizers and in an emulator a folder is one: compiled together its sources take half of the time. It
# runs as often as it has sources, each time with a share of the tests. program_of_NAME: the program with that source;
# PQC_TUNNEL_BUILT_PROGRAMS, PQC_TUNNEL_BUILT_TESTS: all of this call.
function(pqc_tunnel_add_tests library)
  foreach(source IN LISTS ARGN)
    get_filename_component(name ${source} NAME_WE)
    set(program ${name})
    if(PQC_TUNNEL_TESTS_TOGETHER)
      get_filename_component(program ${source} DIRECTORY)
      string(REPLACE / _ program ${program})
    endif()
    set(program_of_${name} ${program} PARENT_SCOPE)
    list(APPEND programs ${program})
    list(APPEND sources_of_${program} ${source})
  endforeach()
  list(REMOVE_DUPLICATES programs)
  foreach(program IN LISTS programs)
    add_executable(${program} ${sources_of_${program}})
    target_compile_definitions(${program} PRIVATE
      PQC_TUNNEL_TEST_VECTORS="${PQC_TUNNEL_VECTORS}"
      PQC_TUNNEL_UNPACKED_VECTORS="${PQC_TUNNEL_UNPACKED_VECTORS}")
    target_link_libraries(${program} PRIVATE
      ${library} pqc_tunnel_test_support pqc_tunnel_test_options GTest::gtest GTest::gtest_main)
    if(NOT PQC_TUNNEL_TESTS_TOGETHER)
      pqc_run_test(${program} ${PQC_TUNNEL_TEST_RUNS_UNDER})
      list(APPEND tests ${program})
      continue()
    endif()
    target_precompile_headers(${program} REUSE_FROM pqc_tunnel_test_headers)
    set_target_properties(${program} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
    list(LENGTH sources_of_${program} shares)
    foreach(share RANGE 1 ${shares})
      math(EXPR index "${share} - 1")
      add_test(NAME ${program}_${share}
        COMMAND ${PQC_TUNNEL_TEST_RUNS_UNDER} ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:${program}>)
      set_tests_properties(${program}_${share} PROPERTIES
        TIMEOUT 900 ENVIRONMENT "GTEST_TOTAL_SHARDS=${shares};GTEST_SHARD_INDEX=${index}")
      list(APPEND tests ${program}_${share})
    endforeach()
  endforeach()
  set(PQC_TUNNEL_BUILT_PROGRAMS ${programs} PARENT_SCOPE)
  set(PQC_TUNNEL_BUILT_TESTS ${tests} PARENT_SCOPE)
endfunction()
