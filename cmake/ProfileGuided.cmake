# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
#
# WORDLINE_PROFILE, of the preset `fast` (scripts/build): "count", then "use" in the same folder. GCC writes the counts
# of a run beside the object files, and finds them there.
set(WORDLINE_PROFILE "" CACHE STRING "Profile-guided build: count, then use; empty: none")
set_property(CACHE WORDLINE_PROFILE PROPERTY STRINGS "" count use)
if(NOT WORDLINE_PROFILE)
  return()
endif()
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  message(FATAL_ERROR "WORDLINE_PROFILE: for GCC, not ${CMAKE_CXX_COMPILER_ID}")
endif()
if(WORDLINE_PROFILE STREQUAL "count")
  add_compile_options(-fprofile-generate -fprofile-update=single)
  add_link_options(-fprofile-generate)
elseif(WORDLINE_PROFILE STREQUAL "use")
  # Code that training never ran is compiled as without a profile, and not for size: users do other things than we.
  add_compile_options(-fprofile-use -fprofile-partial-training -Wno-missing-profile)
  set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ON)
else()
  message(FATAL_ERROR "WORDLINE_PROFILE = ${WORDLINE_PROFILE}: expected count or use")
endif()
