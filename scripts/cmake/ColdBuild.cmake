# How much the compiler does: what sanitizers optimise of the module, and, with ROCE_COLD_BUILD, what is parsed once in
# place of once per file. Parsing is half of a build and more. Neither is for those who edit and build again: a cache of
# compiled files serves them better.

# Of the compiler's and of ns-3's headers: they change with an installation, and not when the module is edited.
set(roce_precompiled <ns3/boolean.h> <ns3/config.h> <ns3/data-rate.h> <ns3/double.h> <ns3/enum.h> <ns3/global-value.h> <ns3/log.h>
    <ns3/node.h> <ns3/nstime.h> <ns3/object-factory.h> <ns3/pointer.h> <ns3/random-variable-stream.h> <ns3/simulator.h>
    <ns3/string.h> <ns3/traced-callback.h> <ns3/uinteger.h> <algorithm> <array> <cmath> <deque> <fstream> <functional>
    <iostream> <map> <memory> <random> <set> <sstream> <string> <unordered_map> <vector>)

# roce_precompile(<target> [<header> ...]): these, and those that many files include.
function(roce_precompile target)
  if(NOT ROCE_COLD_BUILD)
    return()
  endif()
  target_precompile_headers(${target} PRIVATE ${roce_precompiled} ${ARGN})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # Else a cache of compiled files never finds it again.
    target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
endfunction()

roce_precompile(${libroce})

# roce_precompile_program(<target>): those, and the module's that programs of scratch and examples include, parsed once for all of them.
function(roce_precompile_program target)
  if(NOT ROCE_COLD_BUILD)
    return()
  endif()
  set(headers roce-program-headers)
  if(NOT TARGET ${headers})
    set(empty ${PROJECT_BINARY_DIR}/program-headers.cc)
    file(CONFIGURE OUTPUT ${empty} CONTENT "")
    add_library(${headers} OBJECT ${empty})
    target_link_libraries(${headers} PRIVATE ${libroce})
    roce_precompile(${headers} <ns3/core-module.h> <ns3/roce-scenario.h> <ns3/roce-network.h>)
  endif()
  target_precompile_headers(${target} REUSE_FROM ${headers})
endfunction()

# Rooms of the module that compile as one source each, in builds from nothing. Names of their own (in unnamed namespaces) differ
# from file to file there. What is apart in rooms where packets pass is compiled otherwise with sanitizers.
set(roce_folder ${PROJECT_SOURCE_DIR}/contrib/roce)
set(roce_hot_rooms frame loss engine parallel switch host)
set(roce_cold_in_hot_rooms "attributes|deployment|transport-profile")
if(ROCE_COLD_BUILD)
  set_target_properties(${libroce} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  list(TRANSFORM ROCE_SYSTEMS PREPEND systems/ OUTPUT_VARIABLE roce_systems)
  foreach(room ${roce_hot_rooms} base params laws tuning network workload program mpi run hpcc systems/common ${roce_systems})
    string(REPLACE "/" "-" group ${room})
    file(GLOB sources CONFIGURE_DEPENDS ${roce_folder}/${room}/*.cc)
    if(room IN_LIST roce_hot_rooms)
      list(FILTER sources EXCLUDE REGEX ${roce_cold_in_hot_rooms})
    endif()
    set_source_files_properties(${sources} TARGET_DIRECTORY ${libroce} PROPERTIES UNITY_GROUP ${group})
  endforeach()
endif()

# A build from nothing with sanitizers: that of scripts/test.sh.
set(roce_cold_sanitized OFF)
if(ROCE_COLD_BUILD AND ROCE_SANITIZE)
  set(roce_cold_sanitized ON)
endif()
# Optimising takes more than half of a sanitized build, and pays only where packets pass.
if(ROCE_SANITIZE)
  foreach(room ${roce_hot_rooms})
    string(REPLACE "/" "-" group ${room})
    file(GLOB sources CONFIGURE_DEPENDS ${roce_folder}/${room}/*.cc)
    list(FILTER sources EXCLUDE REGEX ${roce_cold_in_hot_rooms})
    if(roce_cold_sanitized)
      set(sources ${PROJECT_BINARY_DIR}/contrib/roce/CMakeFiles/${libroce}.dir/Unity/unity_${group}_cxx.cxx)
    endif()
    # Headers are precompiled without optimisation.
    set_source_files_properties(${sources} DIRECTORY contrib/roce PROPERTIES COMPILE_OPTIONS -O1 SKIP_PRECOMPILE_HEADERS ON)
  endforeach()
endif()
