# Finds an installed ns-3, 3.37 or newer, and makes its CMake package usable: ${lib<module>} for each installed module,
# ns3_release, ns3_standard (the C++ version its headers accept), ENABLE_MPI. If that fails, ns3_problem says why.
# For the build of this repository, and installed beside the package of the module for projects that use it.

set(ns3_problem)

# An ns-3 with MPI names MPI::MPI_CXX in its link interface without looking for it.
find_package(MPI QUIET COMPONENTS CXX)

# Without a version: the package only accepts exactly its own.
find_package(ns3 CONFIG QUIET)
if(NOT ns3_FOUND)
  set(ns3_problem "ns-3 not found; on Debian: apt-get install libns3-dev ns3. \
For another installation set ns3_DIR to the folder that holds ns3Config.cmake.")
  return()
endif()

# A development snapshot calls itself 3.dev; it is newer than any release.
set(ns3_release ${ns3_VERSION})
if(NOT ns3_release MATCHES "^[0-9.]+$")
  set(ns3_release 3.999)
endif()
if(ns3_release VERSION_LESS 3.37)
  set(ns3_problem "ns-3 ${ns3_VERSION} found in ${ns3_DIR}; 3.37 or newer is needed")
  return()
endif()

# The headers of each release accept one language version.
if(ns3_release VERSION_LESS 3.41)
  set(ns3_standard 17)
elseif(ns3_release VERSION_LESS 3.46)
  set(ns3_standard 20)
else()
  set(ns3_standard 23)
endif()

# Removes from a target's list property what is an absolute path to nothing (the package carries paths
# of the machine that built it) and the pair of as-needed flags, which CMake would merge in a wrong order.
function(ns3_standalone_clean target property)
  get_target_property(entries ${target} ${property})
  if(NOT entries)
    return()
  endif()
  set(kept)
  foreach(entry ${entries})
    if(entry MATCHES "as-needed" OR (IS_ABSOLUTE "${entry}" AND NOT EXISTS "${entry}"))
      continue()
    endif()
    list(APPEND kept "${entry}")
  endforeach()
  set_target_properties(${target} PROPERTIES ${property} "${kept}")
endfunction()

# ns3::libcore up to 3.42, ns3::core since 3.43: ${libcore} either way. A project around this one may have found ns-3 before.
set(ns3_folder ${CMAKE_CURRENT_SOURCE_DIR})
while(ns3_folder)
  get_property(ns3_targets DIRECTORY ${ns3_folder} PROPERTY IMPORTED_TARGETS)
  foreach(target ${ns3_targets})
    get_target_property(type ${target} TYPE)
    if(target MATCHES "^ns3::(lib)?(.+)$" AND NOT type STREQUAL EXECUTABLE)
      set(lib${CMAKE_MATCH_2} ${target})
      ns3_standalone_clean(${target} INTERFACE_INCLUDE_DIRECTORIES)
      ns3_standalone_clean(${target} INTERFACE_LINK_LIBRARIES)
    endif()
  endforeach()
  get_property(ns3_folder DIRECTORY ${ns3_folder} PROPERTY PARENT_DIRECTORY)
endwhile()
foreach(module core network internet flow-monitor)
  if(NOT lib${module})
    set(ns3_problem "the ns-3 in ${ns3_DIR} exports no ${module} module")
    return()
  endif()
endforeach()

set(ENABLE_MPI OFF)
if(libmpi AND TARGET MPI::MPI_CXX)
  set(ENABLE_MPI ON)
  set_property(TARGET MPI::MPI_CXX APPEND PROPERTY INTERFACE_COMPILE_DEFINITIONS NS3_MPI)
endif()
