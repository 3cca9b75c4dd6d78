# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0

# wordline_require_plain_path(FOLDER ...): ends with an error for a folder whose path has a space or a character that a
# shell or CMake reads more into. Verilator 5 cuts the name of a source at a space, and then warns of other things.
function(wordline_require_plain_path)
  foreach(folder ${ARGV})
    if(folder MATCHES "[]\t \"'`$#:;,*?!&|<>(){}%=^\\[]")
      message(FATAL_ERROR "Verilator cannot read sources from \"${folder}\": use a folder whose path has no "
        "\"${CMAKE_MATCH_0}\"")
    endif()
  endforeach()
endfunction()
