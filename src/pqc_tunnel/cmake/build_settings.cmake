# How the C++ packages of this repository are compiled, and how their tests run. pqc_tunnel installs it for
# the others; include it after project().

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo)
endif()
find_program(PQC_CCACHE ccache)
if(PQC_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${PQC_CCACHE})
endif()

# pqc_add_options(SANITIZERS): the targets PROJECT_options, for all, PROJECT_test_options, for tests, and
# PROJECT_program_options, for command lines. SANITIZERS is address, thread or empty.
function(pqc_add_options sanitizers)
  add_library(${PROJECT_NAME}_options INTERFACE)
  target_compile_options(${PROJECT_NAME}_options INTERFACE
    -Wall -Wextra -Wpedantic -Wconversion -Wnon-virtual-dtor)
  if(NOT sanitizers AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
    # Other sources may be compiled together: a local name is then that of a function elsewhere.
    target_compile_options(${PROJECT_NAME}_options INTERFACE -Wshadow)
  endif()
  if(CMAKE_SIZEOF_VOID_P EQUAL 4)
    # File systems with long numbers of files, and the time after 2038.
    target_compile_definitions(${PROJECT_NAME}_options INTERFACE _FILE_OFFSET_BITS=64 _TIME_BITS=64)
  endif()
  if(sanitizers STREQUAL "address")
    set(flags -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  elseif(sanitizers)
    set(flags -fsanitize=${sanitizers} -fno-omit-frame-pointer)
  endif()
  target_compile_options(${PROJECT_NAME}_options INTERFACE ${flags})
  target_link_options(${PROJECT_NAME}_options INTERFACE ${flags})
  find_program(PQC_LLD NAMES ld.lld-14)
  if(sanitizers AND PQC_LLD AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_link_options(${PROJECT_NAME}_options INTERFACE -fuse-ld=lld)  # in a third of the time
  endif()

  # Tests must build fast; the code under test has flags of its own. ASan ends a test at a null pointer and beyond an
  # object, too: to look for these and for alignment at each access took a quarter of the time to compile a test.
  add_library(${PROJECT_NAME}_fewer_checks INTERFACE)
  if(sanitizers STREQUAL "address")
    target_compile_options(${PROJECT_NAME}_fewer_checks INTERFACE -fno-sanitize=null,alignment,object-size)
  endif()
  add_library(${PROJECT_NAME}_test_options INTERFACE)
  target_compile_options(${PROJECT_NAME}_test_options INTERFACE $<IF:$<BOOL:${sanitizers}>,-O0,-O1> -g1)
  target_link_libraries(${PROJECT_NAME}_test_options INTERFACE ${PROJECT_NAME}_options ${PROJECT_NAME}_fewer_checks)

  # What reads command lines runs once; most of the time to compile it went into optimizing it.
  add_library(${PROJECT_NAME}_program_options INTERFACE)
  target_compile_options(${PROJECT_NAME}_program_options INTERFACE $<IF:$<BOOL:${sanitizers}>,-O0,-Og> -g1)
  target_link_libraries(${PROJECT_NAME}_program_options INTERFACE ${PROJECT_NAME}_options)
endfunction()

# pqc_run_test(PROGRAM [BEFORE...]): runs a GoogleTest program as a test, with words before it; in ROS builds
# (PROJECT_ROS is on) with results for colcon.
function(pqc_run_test name)
  string(TOUPPER ${PROJECT_NAME}_ROS ros)
  if(${ros})
    set(results ${AMENT_TEST_RESULTS_DIR}/${PROJECT_NAME}/${name}.gtest.xml)
    ament_add_test(${name} COMMAND ${ARGN} $<TARGET_FILE:${name}> --gtest_output=xml:${results}
      RESULT_FILE ${results} TIMEOUT 300)
  else()
    add_test(NAME ${name} COMMAND ${ARGN} ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:${name}>)
    set_tests_properties(${name} PROPERTIES TIMEOUT 900)
  endif()
endfunction()
