# The link emulator: a model without sockets or clock, and the relay around it.
add_library(pqc_link_emulator_model STATIC
  src/link_emulator/datagram_channel.cpp
  src/link_emulator/outages.cpp
  src/link_emulator/stream_channel.cpp
)
target_link_libraries(pqc_link_emulator_model PUBLIC pqc_tunnel_core PRIVATE pqc_tunnel_options)

add_library(pqc_link_emulator_io STATIC
  src/link_emulator/datagram_relay.cpp
  src/link_emulator/emulator.cpp
  src/link_emulator/profile_fields.cpp
  src/link_emulator/profile_file.cpp
  src/link_emulator/relayed_connection.cpp
  src/link_emulator/stream_relay.cpp
  src/link_emulator/summary.cpp
)
target_link_libraries(pqc_link_emulator_io
  PUBLIC pqc_link_emulator_model pqc_tunnel_io PRIVATE yaml-cpp pqc_tunnel_options)

list(APPEND PQC_TUNNEL_CLI_TOOLS
  pqc_link_emulator:src/cli/pqc_link_emulator.cpp,src/cli/arguments.cpp:pqc_link_emulator_io
)
set(PQC_TUNNEL_LINK_EMULATOR_TESTS
  test/link_emulator/test_datagram_channel.cpp
  test/link_emulator/test_link_emulator.cpp
  test/link_emulator/test_link_profiles.cpp
  test/link_emulator/test_outages.cpp
  test/link_emulator/test_stream_channel.cpp
)
