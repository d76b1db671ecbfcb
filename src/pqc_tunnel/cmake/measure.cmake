# What the link and its users are measured by: replay window, admission, link estimator, clock sync.
set(PQC_TUNNEL_MEASURE_SOURCES
  src/core/admission.cpp
  src/core/clock_sync.cpp
  src/core/link_estimator.cpp
  src/core/replay_window.cpp
)
set(PQC_TUNNEL_MEASURE_TESTS
  test/core/test_admission.cpp
  test/core/test_clock_sync.cpp
  test/core/test_link_estimator.cpp
  test/core/test_replay_window.cpp
)
