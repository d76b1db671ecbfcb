# The deterministic simulator: a test tool, built with the tests and not installed.
add_library(pqc_tunnel_simulator STATIC
  test/simulator/adversary.cpp
  test/simulator/campaign.cpp
  test/simulator/fleet_run.cpp
  test/simulator/fleet_schedule.cpp
  test/simulator/schedule.cpp
  test/simulator/schedule_calm.cpp
  test/simulator/thin_link_check.cpp
  test/simulator/weather.cpp
  test/simulator/witnesses/datagram_witness.cpp
  test/simulator/witnesses/handshake_witness.cpp
  test/simulator/witnesses/key_witness.cpp
  test/simulator/witnesses/life_witness.cpp
)
target_link_libraries(pqc_tunnel_simulator
  PUBLIC pqc_tunnel_test_support pqc_tunnel_engine PRIVATE ${PQC_TUNNEL_SUPPORT_OPTIONS})
pqc_tunnel_compile_several(pqc_tunnel_simulator)
pqc_tunnel_compile_together(pqc_tunnel_simulator)

add_executable(pqc_simulate test/simulator/pqc_simulate.cpp test/simulator/mistakes.cpp)
target_link_libraries(pqc_simulate PRIVATE pqc_tunnel_simulator pqc_tunnel_test_options)

set(schedules 110)
set(hostile_schedules 40)
set(fleet_schedules 15)
if(PQC_TUNNEL_TESTS_TOGETHER)
  set(schedules 15)
  set(hostile_schedules 5)
  set(fleet_schedules 3)
endif()
set(PQC_TUNNEL_TEST_RUNS_UNDER nice)  # these only compute; those beside them keep time
pqc_tunnel_add_tests(pqc_tunnel_simulator test/simulator/test_simulated_schedules.cpp)
set_tests_properties(${PQC_TUNNEL_BUILT_TESTS} PROPERTIES COST 100)  # the longest begin first
target_compile_definitions(${program_of_test_simulated_schedules} PRIVATE
  PQC_TUNNEL_SIMULATED_SCHEDULES=${schedules}u PQC_TUNNEL_HOSTILE_SCHEDULES=${hostile_schedules}u
  PQC_TUNNEL_FLEET_SCHEDULES=${fleet_schedules}u)
set_tests_properties(${PQC_TUNNEL_BUILT_TESTS} PROPERTIES TIMEOUT 900)

if(PQC_TUNNEL_TESTS_TOGETHER)
  return()  # mistakes are found without its help
endif()

# Copies of the protocol sources that the patch names, with the mistakes planted. As objects they are linked before the
# library's.
set(patch ${CMAKE_CURRENT_SOURCE_DIR}/test/simulator/planted_mistakes.patch)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${patch})
set(planting ${CMAKE_CURRENT_SOURCE_DIR}/test/simulator/planted_mistakes.bash)
set(copies ${CMAKE_CURRENT_BINARY_DIR}/planted_mistakes)
file(STRINGS ${patch} names REGEX "^[+][+][+] b/")
list(TRANSFORM names REPLACE "^[+][+][+] b/" "")
list(TRANSFORM names PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/src/ OUTPUT_VARIABLE originals)
list(TRANSFORM names PREPEND ${copies}/ OUTPUT_VARIABLE mistaken)
add_custom_command(OUTPUT ${mistaken}
  COMMAND ${planting} apply ${CMAKE_CURRENT_SOURCE_DIR}/src ${copies}
  DEPENDS ${patch} ${planting} ${originals}
  COMMENT "Planting mistakes in copies of protocol sources" VERBATIM)

add_library(pqc_tunnel_mistaken OBJECT ${mistaken} test/simulator/mistakes.cpp)
target_include_directories(pqc_tunnel_mistaken PRIVATE
  src/link/mavlink src/link/paths src/link/shaping src/protocol/wire src/protocol/session src/protocol/handshake
  src/protocol/rekey src/protocol/streams src/protocol/peer src/protocol/drone src/protocol/ground src/protocol/tunnel
  src/engine/loop)
target_compile_definitions(pqc_tunnel_mistaken PRIVATE PQC_TUNNEL_PLANTED_MISTAKES)
target_compile_options(pqc_tunnel_mistaken PRIVATE
  -include ${CMAKE_CURRENT_SOURCE_DIR}/test/simulator/planted_mistakes.hpp)
target_link_libraries(pqc_tunnel_mistaken
  PUBLIC pqc_tunnel_test_support PRIVATE pqc_tunnel_test_options)
pqc_tunnel_compile_several(pqc_tunnel_mistaken)
add_executable(pqc_simulate_mistakes test/simulator/pqc_simulate.cpp)
target_link_libraries(pqc_simulate_mistakes
  PRIVATE pqc_tunnel_mistaken pqc_tunnel_simulator pqc_tunnel_test_options)
pqc_tunnel_add_tests("pqc_tunnel_mistaken;pqc_tunnel_simulator"
  test/simulator/test_planted_mistakes.cpp)
set_tests_properties(test_planted_mistakes PROPERTIES TIMEOUT 900 COST 200)
unset(PQC_TUNNEL_TEST_RUNS_UNDER)
