# Lets an unchanged ns-3 module file (contrib/<module>/CMakeLists.txt) build outside an ns-3 tree,
# against an installed ns-3 3.37 or newer. Defines what such a file uses: ${lib<module>} for each
# installed ns-3 module, ENABLE_MPI, build_lib() and build_lib_example(). An ns-3 tree never reads this file.

# An ns-3 with MPI names MPI::MPI_CXX in its link interface without looking for it.
find_package(MPI QUIET COMPONENTS CXX)

# Without a version: the package only accepts exactly its own.
find_package(ns3 CONFIG QUIET)
if(NOT ns3_FOUND)
  message(FATAL_ERROR "ns-3 not found; on Debian: apt-get install libns3-dev ns3. "
                      "For another installation set ns3_DIR to the folder that holds ns3Config.cmake.")
endif()

# A development snapshot calls itself 3.dev; it is newer than any release.
set(ns3_release ${ns3_VERSION})
if(NOT ns3_release MATCHES "^[0-9.]+$")
  set(ns3_release 3.999)
endif()
if(ns3_release VERSION_LESS 3.37)
  message(FATAL_ERROR "ns-3 ${ns3_VERSION} found in ${ns3_DIR}; 3.37 or newer is needed")
endif()
message(STATUS "ns-3 ${ns3_VERSION} in ${ns3_DIR}")
add_compile_definitions(ROCE_NS3_VERSION="${ns3_VERSION}")

# The headers of each release accept one language version.
if(ns3_release VERSION_LESS 3.41)
  set(CMAKE_CXX_STANDARD 17)
elseif(ns3_release VERSION_LESS 3.46)
  set(CMAKE_CXX_STANDARD 20)
else()
  set(CMAKE_CXX_STANDARD 23)
endif()
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

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

# ns3::libcore up to 3.42, ns3::core since 3.43: ${libcore} either way.
get_property(imported_targets DIRECTORY PROPERTY IMPORTED_TARGETS)
foreach(target ${imported_targets})
  get_target_property(type ${target} TYPE)
  if(target MATCHES "^ns3::(lib)?(.+)$" AND NOT type STREQUAL EXECUTABLE)
    set(lib${CMAKE_MATCH_2} ${target})
    ns3_standalone_clean(${target} INTERFACE_INCLUDE_DIRECTORIES)
    ns3_standalone_clean(${target} INTERFACE_LINK_LIBRARIES)
  endif()
endforeach()
if(NOT libcore)
  message(FATAL_ERROR "the ns-3 in ${ns3_DIR} exports no core module")
endif()

# Programs that name a class only as a string ("ns3::roce::Dcqcn") need its library loaded all the same.
add_link_options(LINKER:--no-as-needed)

# The package says nothing of these, and without them logs and assertions of our own files vanish.
add_compile_definitions(NS3_LOG_ENABLE $<$<NOT:$<CONFIG:Release>>:NS3_ASSERT_ENABLE>)

set(ENABLE_MPI OFF)
if(libmpi AND TARGET MPI::MPI_CXX)
  set(ENABLE_MPI ON)
  set_property(TARGET MPI::MPI_CXX APPEND PROPERTY INTERFACE_COMPILE_DEFINITIONS NS3_MPI)
endif()

set(NS3_STANDALONE_INCLUDE_DIR ${PROJECT_BINARY_DIR}/include)

# A shared library from the module; its headers as "ns3/<file>" through forwarding files; and, from
# TEST_SOURCES, the program bin/<module>-test-runner, which takes the options of ns-3's test-runner.
function(build_lib)
  set(lists SOURCE_FILES HEADER_FILES PRIVATE_HEADER_FILES LIBRARIES_TO_LINK TEST_SOURCES)
  cmake_parse_arguments(PARSE_ARGV 0 BLIB "" LIBNAME "${lists}")
  if(BLIB_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "build_lib: outside an ns-3 tree there is no support for: ${BLIB_UNPARSED_ARGUMENTS}")
  endif()
  set(target lib${BLIB_LIBNAME})
  set(${target} ${target} CACHE INTERNAL "library of the ns-3 module ${BLIB_LIBNAME}")

  set(module_header "#pragma once\n")
  foreach(header ${BLIB_HEADER_FILES} ${BLIB_PRIVATE_HEADER_FILES})
    get_filename_component(path ${header} ABSOLUTE)
    get_filename_component(name ${header} NAME)
    # Relative, so that the same sources in another folder are the same for a compiler's cache.
    file(RELATIVE_PATH path ${NS3_STANDALONE_INCLUDE_DIR}/ns3 ${path})
    file(CONFIGURE OUTPUT ${NS3_STANDALONE_INCLUDE_DIR}/ns3/${name} CONTENT "#include \"${path}\"\n" @ONLY)
    if(header IN_LIST BLIB_HEADER_FILES)
      string(APPEND module_header "#include \"ns3/${name}\"\n")
    endif()
  endforeach()
  file(CONFIGURE OUTPUT ${NS3_STANDALONE_INCLUDE_DIR}/ns3/${BLIB_LIBNAME}-module.h CONTENT "${module_header}" @ONLY)

  add_library(${target} SHARED ${BLIB_SOURCE_FILES} ${BLIB_HEADER_FILES} ${BLIB_PRIVATE_HEADER_FILES})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ns3-${BLIB_LIBNAME})
  target_include_directories(${target} PUBLIC ${NS3_STANDALONE_INCLUDE_DIR})
  target_link_libraries(${target} PUBLIC ${BLIB_LIBRARIES_TO_LINK})

  if(BUILD_TESTING AND BLIB_TEST_SOURCES)
    set(runner ${BLIB_LIBNAME}-test-runner)
    set(main ${CMAKE_CURRENT_BINARY_DIR}/${runner}.cc)
    file(CONFIGURE OUTPUT ${main} @ONLY CONTENT
         "#include \"ns3/test.h\"\n\nint\nmain(int argc, char* argv[])\n{\n    return ns3::TestRunner::Run(argc, argv);\n}\n")
    add_executable(${runner} ${main} ${BLIB_TEST_SOURCES})
    target_link_libraries(${runner} PRIVATE ${target})
    add_test(NAME ns3.${BLIB_LIBNAME} COMMAND ${runner} --suite=${BLIB_LIBNAME} --verbose)
    set_tests_properties(ns3.${BLIB_LIBNAME} PROPERTIES TIMEOUT 300)
  endif()

  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/examples/CMakeLists.txt)
    add_subdirectory(examples)
  endif()
endfunction()

# A program from the module's folder examples, linked to the module; bin/<NAME>. The global property
# NS3_STANDALONE_EXAMPLES lists them.
function(build_lib_example)
  set(lists SOURCE_FILES HEADER_FILES LIBRARIES_TO_LINK)
  cmake_parse_arguments(PARSE_ARGV 0 EXAMPLE "" NAME "${lists}")
  if(EXAMPLE_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "build_lib_example: outside an ns-3 tree there is no support for: ${EXAMPLE_UNPARSED_ARGUMENTS}")
  endif()
  add_executable(${EXAMPLE_NAME} ${EXAMPLE_SOURCE_FILES} ${EXAMPLE_HEADER_FILES})
  target_link_libraries(${EXAMPLE_NAME} PRIVATE ${lib${BLIB_LIBNAME}} ${EXAMPLE_LIBRARIES_TO_LINK})
  set_property(GLOBAL APPEND PROPERTY NS3_STANDALONE_EXAMPLES ${EXAMPLE_NAME})
endfunction()
