# What only exists with ROS: the node, its launch files and its tests.
find_package(ament_cmake_python REQUIRED)
find_package(diagnostic_updater REQUIRED)
find_package(pqc_msgs REQUIRED)
find_package(rclcpp REQUIRED)

include(cmake/node.cmake)
if(PQC_TUNNEL_NODE_SOURCES)
  add_library(pqc_tunnel_node STATIC ${PQC_TUNNEL_NODE_SOURCES})
  target_link_libraries(pqc_tunnel_node
    PUBLIC pqc_tunnel_engine rclcpp::rclcpp diagnostic_updater::diagnostic_updater ${pqc_msgs_TARGETS}
    PRIVATE pqc_tunnel_options)
  pqc_tunnel_compile_together(pqc_tunnel_node)
  target_precompile_headers(pqc_tunnel_node PRIVATE <rclcpp/rclcpp.hpp>)
  add_executable(tunnel_node src/node/interface/main.cpp)
  target_link_libraries(tunnel_node PRIVATE pqc_tunnel_node pqc_tunnel_options)
  install(TARGETS tunnel_node DESTINATION lib/${PROJECT_NAME})
endif()
ament_python_install_package(pqc_tunnel PACKAGE_DIR ${PROJECT_SOURCE_DIR}/pqc_tunnel)
install(DIRECTORY launch config DESTINATION share/${PROJECT_NAME} PATTERN __pycache__ EXCLUDE)

if(BUILD_TESTING)
  include(cmake/tests.cmake)
  if(TARGET pqc_tunnel_node)
    pqc_tunnel_add_tests(pqc_tunnel_node ${PQC_TUNNEL_NODE_TESTS})
  endif()
  if(PQC_TUNNEL_LAUNCH_TESTS)
    find_package(launch_testing_ament_cmake REQUIRED)
    foreach(test IN LISTS PQC_TUNNEL_LAUNCH_TESTS)
      add_launch_test(${test} TIMEOUT 300)
    endforeach()
    # The longest begin first, so that no core waits for one of them at the end.
    set_tests_properties(test_launch_strangers_test_closed.py test_launch_test_launch_files.py
      test_launch_test_mavros.py PROPERTIES COST 100)
  endif()
endif()

ament_package(CONFIG_EXTRAS ${CMAKE_CURRENT_SOURCE_DIR}/cmake/pqc_tunnel-extras.cmake)
