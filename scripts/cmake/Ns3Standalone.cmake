# Lets an unchanged ns-3 module file (contrib/<module>/CMakeLists.txt) build outside an ns-3 tree,
# against an installed ns-3 3.37 or newer. Defines what such a file uses: ${lib<module>} for each
# installed ns-3 module, ENABLE_MPI, build_lib() and build_lib_example(). An ns-3 tree never reads this file.

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

include(${CMAKE_CURRENT_LIST_DIR}/Ns3Libraries.cmake)
if(ns3_problem)
  message(FATAL_ERROR ${ns3_problem})
endif()
message(STATUS "ns-3 ${ns3_VERSION} in ${ns3_DIR}")
add_compile_definitions(ROCE_NS3_VERSION="${ns3_VERSION}")

set(CMAKE_CXX_STANDARD ${ns3_standard})
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

# Programs that name a class only as a string ("ns3::roce::Dcqcn") need its library loaded all the same.
add_link_options(LINKER:--no-as-needed)

# The package says nothing of these, and without them logs and assertions of our own files vanish.
set(NS3_STANDALONE_DEFINITIONS NS3_LOG_ENABLE $<$<NOT:$<CONFIG:Release>>:NS3_ASSERT_ENABLE>)
add_compile_definitions(${NS3_STANDALONE_DEFINITIONS})

set(NS3_STANDALONE_DIR ${CMAKE_CURRENT_LIST_DIR})
set(NS3_STANDALONE_INCLUDE_DIR ${PROJECT_BINARY_DIR}/include)

# Installed programs find the libraries of the same prefix wherever it is moved to, and an ns-3 outside the system's folders.
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
file(RELATIVE_PATH NS3_STANDALONE_LIB_FROM_BIN ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})

# install() of a module's library with its headers, and a CMake package: find_package(ns3-<module>) gives ns3::<module>.
function(ns3_standalone_install module)
  set(target lib${module})
  set(package ns3-${module})
  set(folder ${CMAKE_INSTALL_LIBDIR}/cmake/${package})
  install(TARGETS ${target} EXPORT ${package}
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(FILES ${ARGN} ${NS3_STANDALONE_INCLUDE_DIR}/ns3/${module}-module.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ns3)
  install(EXPORT ${package} FILE ${package}Targets.cmake NAMESPACE ns3:: DESTINATION ${folder})
  configure_package_config_file(${NS3_STANDALONE_DIR}/Ns3ModuleConfig.cmake.in ${PROJECT_BINARY_DIR}/${package}Config.cmake
                                INSTALL_DESTINATION ${folder} NO_SET_AND_CHECK_MACRO)
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/${package}ConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/${package}Config.cmake ${PROJECT_BINARY_DIR}/${package}ConfigVersion.cmake
                ${NS3_STANDALONE_DIR}/Ns3Libraries.cmake
          DESTINATION ${folder})
endfunction()

# A shared library from the module, ns3::<module>; its headers as "ns3/<file>", links to the sources; and, from
# TEST_SOURCES, the program bin/<module>-test-runner, which takes the options of ns-3's test-runner.
function(build_lib)
  set(lists SOURCE_FILES HEADER_FILES PRIVATE_HEADER_FILES LIBRARIES_TO_LINK TEST_SOURCES)
  cmake_parse_arguments(PARSE_ARGV 0 BLIB "" LIBNAME "${lists}")
  if(BLIB_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "build_lib: outside an ns-3 tree there is no support for: ${BLIB_UNPARSED_ARGUMENTS}")
  endif()
  set(target lib${BLIB_LIBNAME})
  set(${target} ${target} CACHE INTERNAL "library of the ns-3 module ${BLIB_LIBNAME}")

  # Links, and not copies: an editor opens the source. Installed are the files.
  file(MAKE_DIRECTORY ${NS3_STANDALONE_INCLUDE_DIR}/ns3)
  set(module_header "#pragma once\n")
  foreach(header ${BLIB_HEADER_FILES} ${BLIB_PRIVATE_HEADER_FILES})
    get_filename_component(path ${header} ABSOLUTE)
    get_filename_component(name ${header} NAME)
    file(CREATE_LINK ${path} ${NS3_STANDALONE_INCLUDE_DIR}/ns3/${name} COPY_ON_ERROR SYMBOLIC)
    if(header IN_LIST BLIB_HEADER_FILES)
      string(APPEND module_header "#include \"ns3/${name}\"\n")
    endif()
  endforeach()
  file(CONFIGURE OUTPUT ${NS3_STANDALONE_INCLUDE_DIR}/ns3/${BLIB_LIBNAME}-module.h CONTENT "${module_header}" @ONLY)

  add_library(${target} SHARED ${BLIB_SOURCE_FILES} ${BLIB_HEADER_FILES} ${BLIB_PRIVATE_HEADER_FILES})
  add_library(ns3::${BLIB_LIBNAME} ALIAS ${target})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ns3-${BLIB_LIBNAME} EXPORT_NAME ${BLIB_LIBNAME})
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${NS3_STANDALONE_INCLUDE_DIR}>)
  target_link_libraries(${target} PUBLIC ${BLIB_LIBRARIES_TO_LINK})
  # What the lines above set for this project, for projects that use the module.
  target_compile_features(${target} INTERFACE cxx_std_${CMAKE_CXX_STANDARD})
  target_compile_definitions(${target} INTERFACE ${NS3_STANDALONE_DEFINITIONS})
  target_link_options(${target} INTERFACE LINKER:--no-as-needed)
  ns3_standalone_install(${BLIB_LIBNAME} ${BLIB_HEADER_FILES})

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

  if(PROJECT_IS_TOP_LEVEL AND EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/examples/CMakeLists.txt)
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
