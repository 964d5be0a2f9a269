# cmake -DOUTPUT=FILE -P commit.cmake
# Writes the C++ source FILE with the commit of this folder, if it is not there already. "-dirty": files differ from it.
# "unknown": there is no git, or the folder's own files are not in the repository (a copy inside another project's).
find_program(GIT git)
set(commit unknown)
function(ask variable)
  set(${variable} "" PARENT_SCOPE)
  if(GIT)
    execute_process(COMMAND ${GIT} --no-optional-locks ${ARGN} WORKING_DIRECTORY ${CMAKE_CURRENT_LIST_DIR}
                    OUTPUT_VARIABLE text ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    set(${variable} "${text}" PARENT_SCOPE)
  endif()
endfunction()
ask(tracked ls-files commit.cmake)
ask(found rev-parse HEAD)
if(tracked AND found MATCHES "^[0-9a-f]+$")
  ask(changes status --porcelain --untracked-files=no)
  string(COMPARE NOTEQUAL "${changes}" "" dirty)
  set(commit ${found})
  if(dirty)
    string(APPEND commit -dirty)
  endif()
endif()
# Of one length whatever it is, so that nothing else in the library moves: campaigns leave it out of the hash of the code by which
# they know results again (scripts/roce_campaign/program.py).
set(text "#include \"ns3/roce-version.h\"

#include <cstring>

namespace
{
const char COMMIT[64] = \"ns-3-roce-commit:${commit}\";
}

const char*
ns3::roce::GetCommit()
{
    return COMMIT + std::strlen(\"ns-3-roce-commit:\");
}
")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} before)
endif()
if(NOT "${before}" STREQUAL "${text}")
  file(WRITE ${OUTPUT} "${text}")
endif()
