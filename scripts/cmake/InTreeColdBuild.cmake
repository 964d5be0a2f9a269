# For a build of ns-3 from nothing with the module in contrib/: what ColdBuild.cmake does, in a tree whose files are not ours.
# CMAKE_PROJECT_INCLUDE has it read by ns-3's project(); the module's target is there only later.
include(${CMAKE_CURRENT_LIST_DIR}/OneSourceRooms.cmake)
if(CMAKE_CURRENT_SOURCE_DIR STREQUAL CMAKE_SOURCE_DIR)
  cmake_language(DEFER CALL roce_one_source libroce-obj ${CMAKE_SOURCE_DIR}/contrib/roce)
endif()
