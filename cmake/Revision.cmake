# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0

# As a script (cmake -P): writes OUTPUT, a source that says which revision of SOURCE was built. The file is written only
# when it changes, so that a commit compiles one file and no more.
if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  set(revision "")
  find_program(GIT git)
  # A clone has a .git of its own; sources unpacked below somebody else's repository are not of that repository.
  if(GIT AND EXISTS ${SOURCE}/.git)
    execute_process(COMMAND ${CMAKE_COMMAND} -E env --unset=GIT_DIR --unset=GIT_WORK_TREE GIT_OPTIONAL_LOCKS=0
        ${GIT} -C ${SOURCE} describe --always --dirty
      OUTPUT_VARIABLE revision OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
  if(revision STREQUAL "")
    file(STRINGS ${SOURCE}/cmake/revision.txt revision REGEX "^[0-9a-f]+$")
  endif()
  if(revision STREQUAL "")
    set(revision unknown)
  endif()
  string(SUBSTRING "${revision}" 0 64 revision)
  file(CONFIGURE OUTPUT ${OUTPUT} CONTENT [[// Made by cmake/Revision.cmake.
#include "tlm/platform/revision.h"

namespace wordline::platform {
namespace {

// Of one size, and found by its first words: python/wordline/studies leaves these bytes out when it asks whether a program is
// the one that has made a result.
const char kRecord[96] = "revision of wordline: @revision@";

}  // namespace

const char* source_revision() { return kRecord + sizeof("revision of wordline: ") - 1; }

}  // namespace wordline::platform
]] @ONLY)
  return()
endif()

# wordline_revision_library(NAME): a library of the one source, made anew at every build.
function(wordline_revision_library name)
  set(source ${CMAKE_BINARY_DIR}/generated/platform/revision.cpp)
  add_custom_target(${name}_generate
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_SOURCE_DIR} -DOUTPUT=${source} -P ${CMAKE_SOURCE_DIR}/cmake/Revision.cmake
    BYPRODUCTS ${source} COMMENT "Source revision" VERBATIM)
  wordline_library(${name} SOURCES ${source})
  add_dependencies(${name} ${name}_generate)
endfunction()
