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

# Compiling tests is most of what scripts/test does, so it is spared: headers of others are read once for all tests
# (wordline_precompiled below), and a test's own code, which seldom decides how long it runs, is optimised little. What
# is tested keeps the options of the build. GCC's warnings of uninitialised use are unreliable below -O2. -fpch-preprocess
# is for ccache. A precompiled header that does not fit is not used, which costs time but breaks nothing.
set(test_options -Wno-maybe-uninitialized -Wno-error=invalid-pch)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  list(APPEND test_options $<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
endif()
add_library(wordline_test_options INTERFACE)
target_compile_options(wordline_test_options INTERFACE $<$<NOT:$<CONFIG:Debug>>:-O1> ${test_options})
target_link_libraries(wordline_test_options INTERFACE wordline_options fmt::fmt GTest::gtest)

# For tests whose time is not in their own code: of values, tables and texts, and those that start the program.
add_library(wordline_unoptimised_test_options INTERFACE)
target_compile_options(wordline_unoptimised_test_options INTERFACE $<$<NOT:$<CONFIG:Debug>>:-O0> ${test_options})
target_link_libraries(wordline_unoptimised_test_options INTERFACE wordline_options fmt::fmt GTest::gtest)

# wordline_precompiled(NAME OPTIONS target HEADERS ... [DEPENDS ...]): headers that other targets with the same options
# take by target_precompile_headers(... REUSE_FROM NAME). Each header must earn its place: templates that its inline
# functions use are instantiated again in every source, so that <nlohmann/json.hpp> costs half a second in a source that
# does not need it.
function(wordline_precompiled name)
  cmake_parse_arguments(ARG "" "OPTIONS" "HEADERS;DEPENDS" ${ARGN})
  set(empty ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  file(CONFIGURE OUTPUT ${empty} CONTENT "// Headers only.\n")
  add_library(${name} OBJECT ${empty})
  target_link_libraries(${name} PRIVATE ${ARG_OPTIONS} ${ARG_DEPENDS})
  target_precompile_headers(${name} PRIVATE <gtest/gtest.h> <fmt/core.h> <algorithm> <array> <cmath> <cstdint> <cstring>
    <filesystem> <fstream> <functional> <iterator> <map> <memory> <optional> <set> <sstream> <stdexcept> <string>
    <string_view> <tuple> <utility> <vector> ${ARG_HEADERS})
endfunction()

# Sources of one test are compiled together, in batches: most of the time goes to headers that they share. Each has a
# namespace of its own (wordline::nand::die_test), so that helpers of one name do not meet.
option(WORDLINE_UNITY_TESTS "Compile the sources of a test together; OFF: each alone, sooner after a change of one" ON)

# wordline_test(NAME SOURCES ... DEPENDS ... [SYSTEMC] [UNOPTIMISED] [TOGETHER] [PRECOMPILED name] [LABEL unit]):
# one ctest entry, and so one process, per TEST; with TOGETHER one for all of them under sanitizers, where a
# process takes long to start. SYSTEMC links testbenches/tlm/systemc_main.cpp instead of gtest_main.
function(wordline_test name)
  cmake_parse_arguments(ARG "SYSTEMC;UNOPTIMISED;TOGETHER" "LABEL;PRECOMPILED" "SOURCES;DEPENDS" ${ARGN})
  if(NOT ARG_LABEL)
    set(ARG_LABEL unit)
  endif()
  set(options wordline_test_options)
  set(precompiled wordline_test_headers)
  if(ARG_UNOPTIMISED)
    set(options wordline_unoptimised_test_options)
    set(precompiled wordline_unoptimised_test_headers)
  elseif(ARG_SYSTEMC)
    set(precompiled wordline_systemc_test_headers)
  endif()
  if(ARG_PRECOMPILED)
    set(precompiled ${ARG_PRECOMPILED})
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} ${options})
  if(ARG_SYSTEMC)
    target_link_libraries(${name} PRIVATE wordline_systemc_testing)
  else()
    target_link_libraries(${name} PRIVATE GTest::gtest_main)
  endif()
  target_precompile_headers(${name} REUSE_FROM ${precompiled})
  set_target_properties(${name} PROPERTIES UNITY_BUILD ${WORDLINE_UNITY_TESTS} UNITY_BUILD_BATCH_SIZE 6)
  set(alone ${ARG_SOURCES})  # what tests share has no namespace of its own
  list(FILTER alone EXCLUDE REGEX "_test\\.cpp$")
  set_source_files_properties(${alone} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  if(WORDLINE_SANITIZE AND ARG_TOGETHER)
    add_test(NAME ${name} COMMAND ${name} --gtest_brief=1)
    set_tests_properties(${name} PROPERTIES LABELS ${ARG_LABEL})
    return()
  endif()
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 600
    PROPERTIES LABELS ${ARG_LABEL} ENVIRONMENT SYSTEMC_DISABLE_COPYRIGHT_MESSAGE=1)
endfunction()
