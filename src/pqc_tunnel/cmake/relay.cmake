# A relay without cryptography, which the tunnel is compared with.
list(APPEND PQC_TUNNEL_CLI_TOOLS
  pqc_relay:src/cli/pqc_relay.cpp,src/cli/arguments.cpp,src/relay/plain_relay.cpp
)
