# How tests are compiled and added.

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
