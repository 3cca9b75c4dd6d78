# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0

add_library(wordline_options INTERFACE)
# -iquote: our includes name their layer ("models/nand/die.h"), and <tlm> stays SystemC's.
target_compile_options(wordline_options INTERFACE "$<BUILD_INTERFACE:SHELL:-iquote ${CMAKE_SOURCE_DIR}>"
  "$<BUILD_INTERFACE:SHELL:-iquote ${CMAKE_BINARY_DIR}/generated>"
  $<BUILD_INTERFACE:-Wall> $<BUILD_INTERFACE:-Wextra> $<BUILD_INTERFACE:-Werror>)
if(WORDLINE_SANITIZE)
  # GCC says itself that its uninitialised-use warnings are unreliable with sanitizers on; the release build has them.
  target_compile_options(wordline_options INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all
    -Wno-maybe-uninitialized)
  target_link_options(wordline_options INTERFACE -fsanitize=address,undefined)
endif()

# wordline_library(NAME SOURCES ... DEPENDS ...): one static library per block.
function(wordline_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC wordline_options ${ARG_DEPENDS})
endfunction()

# wordline_test(NAME SOURCES ... DEPENDS ... [SYSTEMC] [LABEL unit] [TIMEOUT 120]): one ctest entry, and so one process,
# per TEST. SYSTEMC links testbenches/tlm/systemc_main.cpp instead of gtest_main.
function(wordline_test name)
  cmake_parse_arguments(ARG "SYSTEMC" "LABEL;TIMEOUT" "SOURCES;DEPENDS" ${ARGN})
  if(NOT ARG_LABEL)
    set(ARG_LABEL unit)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  if(ARG_SYSTEMC)
    target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} wordline_systemc_testing wordline_options GTest::gtest)
  else()
    target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} wordline_options GTest::gtest GTest::gtest_main)
  endif()
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60
    PROPERTIES LABELS ${ARG_LABEL} TIMEOUT ${ARG_TIMEOUT} ENVIRONMENT SYSTEMC_DISABLE_COPYRIGHT_MESSAGE=1)
endfunction()
