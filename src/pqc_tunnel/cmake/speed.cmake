# What times the primitives.
add_library(pqc_tunnel_speed STATIC
  src/speed/aead_subject.cpp
  src/speed/kem_subject.cpp
  src/speed/report.cpp
  src/speed/rounds.cpp
  src/speed/signature_subject.cpp
  src/speed/subjects.cpp
)
target_link_libraries(pqc_tunnel_speed PUBLIC pqc_tunnel_io PRIVATE pqc_tunnel_options)

list(APPEND PQC_TUNNEL_CLI_TOOLS
  pqc_speed:src/cli/pqc_speed.cpp,src/cli/arguments.cpp:pqc_tunnel_speed
)
set(PQC_TUNNEL_SPEED_TESTS
  test/speed/test_primitives.cpp
  test/speed/test_rounds.cpp
)
