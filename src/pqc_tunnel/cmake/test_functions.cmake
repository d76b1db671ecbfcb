# How tests are compiled and added.

# Test programs do little themselves; what they share runs long.
set(PQC_TUNNEL_SUPPORT_OPTIONS pqc_tunnel_test_options)
if(PQC_TUNNEL_SANITIZE)
  set(PQC_TUNNEL_SUPPORT_OPTIONS pqc_tunnel_options pqc_tunnel_fewer_checks)
  target_compile_definitions(pqc_tunnel_test_options INTERFACE PQC_TUNNEL_SANITIZED)
  # Half of the time to compile them goes into headers that all of them include.
  add_executable(pqc_tunnel_test_headers test/support/headers.cpp)
  target_link_libraries(pqc_tunnel_test_headers PRIVATE
    pqc_tunnel_test_support pqc_tunnel_test_options GTest::gtest GTest::gtest_main)
  target_precompile_headers(pqc_tunnel_test_headers PRIVATE
    <gtest/gtest.h> <algorithm> <array> <chrono> <cstdint> <deque> <functional> <map> <memory>
    <optional> <set> <span> <string> <utility> <variant> <vector> test/support/pair/traffic.hpp)
endif()

set(PQC_TUNNEL_VECTORS ${CMAKE_CURRENT_SOURCE_DIR}/test/vectors)
set(PQC_TUNNEL_PACKED_VECTORS ${PQC_TUNNEL_VECTORS}/ml_kem_ml_dsa.tar.xz)
set(PQC_TUNNEL_UNPACKED_VECTORS ${CMAKE_CURRENT_BINARY_DIR}/vectors)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PQC_TUNNEL_PACKED_VECTORS})
file(ARCHIVE_EXTRACT INPUT ${PQC_TUNNEL_PACKED_VECTORS} DESTINATION ${PQC_TUNNEL_UNPACKED_VECTORS})

function(pqc_tunnel_add_tests library)
  foreach(source IN LISTS ARGN)
    get_filename_component(name ${source} NAME_WE)
    add_executable(${name} ${source})
    target_compile_definitions(${name} PRIVATE
      PQC_TUNNEL_TEST_VECTORS="${PQC_TUNNEL_VECTORS}"
      PQC_TUNNEL_UNPACKED_VECTORS="${PQC_TUNNEL_UNPACKED_VECTORS}")
    target_link_libraries(${name} PRIVATE
      ${library} pqc_tunnel_test_support pqc_tunnel_test_options GTest::gtest GTest::gtest_main)
    if(TARGET pqc_tunnel_test_headers)
      target_precompile_headers(${name} REUSE_FROM pqc_tunnel_test_headers)
    endif()
    list(APPEND built ${name})
    pqc_run_test(${name} ${PQC_TUNNEL_TEST_RUNS_UNDER})
  endforeach()
  set(PQC_TUNNEL_BUILT_TESTS ${built} PARENT_SCOPE)
endfunction()
