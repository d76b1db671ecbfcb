# libFuzzer targets, for `./dev bench fuzz` and, briefly, for the tests under the address sanitizer.
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  message(FATAL_ERROR "PQC_TUNNEL_FUZZ needs Clang: libFuzzer is part of it.")
endif()

# What a target is linked with; OSS-Fuzz (fuzz/oss_fuzz) has several, and gives the compiler's flags for them.
set(PQC_TUNNEL_FUZZ_ENGINE "-fsanitize=fuzzer" CACHE STRING "Flag or library of the fuzzing engine")
set(PQC_TUNNEL_FUZZ_FLAGS "")
if(PQC_TUNNEL_FUZZ_ENGINE STREQUAL "-fsanitize=fuzzer")
  set(PQC_TUNNEL_FUZZ_FLAGS -fsanitize=fuzzer-no-link)
endif()

# The core tells the fuzzer where it goes; without a fuzzer this costs little.
target_compile_options(pqc_tunnel_core PRIVATE ${PQC_TUNNEL_FUZZ_FLAGS})

set(PQC_TUNNEL_FUZZ_TARGETS cobs fragments frames hello_gate messages shaper streams tunnel)
set(PQC_TUNNEL_FUZZ_SECONDS 2 CACHE STRING "How long the tests fuzz with each target")

math(EXPR PQC_TUNNEL_FUZZ_TIMEOUT "${PQC_TUNNEL_FUZZ_SECONDS} + 300")

add_custom_target(fuzz_targets)
foreach(name IN LISTS PQC_TUNNEL_FUZZ_TARGETS)
  add_executable(fuzz_${name} fuzz/${name}.cpp)
  target_include_directories(fuzz_${name} PRIVATE fuzz)
  target_compile_options(fuzz_${name} PRIVATE ${PQC_TUNNEL_FUZZ_FLAGS})
  target_link_libraries(fuzz_${name} PRIVATE
    pqc_tunnel_core pqc_tunnel_test_support pqc_tunnel_options ${PQC_TUNNEL_FUZZ_ENGINE})
  add_dependencies(fuzz_targets fuzz_${name})

  # Every input of the corpus, then new ones for a moment; what is new stays in the build folder.
  set(found ${CMAKE_CURRENT_BINARY_DIR}/fuzz/${name})
  file(MAKE_DIRECTORY ${found}/corpus)
  add_test(NAME fuzz_${name} COMMAND fuzz_${name}
    -max_total_time=${PQC_TUNNEL_FUZZ_SECONDS} -timeout=60 -rss_limit_mb=1024 -verbosity=0
    -artifact_prefix=${found}/ ${found}/corpus ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/${name})
  set_tests_properties(fuzz_${name} PROPERTIES LABELS fuzz TIMEOUT ${PQC_TUNNEL_FUZZ_TIMEOUT})
endforeach()
