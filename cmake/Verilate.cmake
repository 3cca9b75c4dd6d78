# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0

# As a script (cmake -P), the second step of wordline_verilate: one source that includes every generated one. Verilator
# names its files by the hash of what is in them, so they are not known before it ran, and a build system must know.
if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  file(GLOB generated RELATIVE ${FOLDER} ${FOLDER}/V${TOP}*.cpp)
  list(REMOVE_ITEM generated V${TOP}__ALL.cpp)
  list(SORT generated)
  set(text "")
  foreach(source ${generated})
    string(APPEND text "#include \"${source}\"\n")
  endforeach()
  file(WRITE ${FOLDER}/V${TOP}__ALL.cpp "${text}")
  return()
endif()

find_program(VERILATOR verilator REQUIRED)
execute_process(COMMAND ${VERILATOR} --getenv VERILATOR_ROOT OUTPUT_VARIABLE VERILATOR_ROOT
  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
set(VERILATOR_ROOT ${VERILATOR_ROOT} CACHE INTERNAL "Where Verilator's headers are")
find_package(fmt REQUIRED)
find_package(Threads REQUIRED)

option(WORDLINE_EVALUATE_BOTH_EDGES "For a Verilator that rtl/verilated/verilated_top.h does not know: slower" OFF)

option(WORDLINE_RTL_COVERAGE "Tests of RTL count lines and toggles: scripts/rtl_coverage" OFF)
set(verilated_coverage "")
if(WORDLINE_RTL_COVERAGE)
  set(verilated_coverage --coverage-line --coverage-toggle ${CMAKE_SOURCE_DIR}/rtl/verilated/coverage.vlt)
endif()

set(WORDLINE_RTL_OPTIMISATION -O3 CACHE STRING "Of what Verilator makes, in every preset; less builds sooner")

# Verilator's run time, once for all tops.
add_library(wordline_verilated STATIC ${VERILATOR_ROOT}/include/verilated.cpp
  ${VERILATOR_ROOT}/include/verilated_threads.cpp ${CMAKE_SOURCE_DIR}/rtl/verilated/simulation_stopped.cpp
  ${CMAKE_SOURCE_DIR}/rtl/verilated/axi_stream_block.cpp ${CMAKE_SOURCE_DIR}/rtl/verilated/start_values.cpp
  ${CMAKE_SOURCE_DIR}/rtl/verilated/tier_decoders.cpp)
if(WORDLINE_RTL_COVERAGE)
  target_sources(wordline_verilated PRIVATE ${VERILATOR_ROOT}/include/verilated_cov.cpp
    ${CMAKE_SOURCE_DIR}/rtl/verilated/coverage.cpp)
endif()
target_include_directories(wordline_verilated SYSTEM PUBLIC $<BUILD_INTERFACE:${VERILATOR_ROOT}/include>
  $<BUILD_INTERFACE:${VERILATOR_ROOT}/include/vltstd>)
target_compile_definitions(wordline_verilated PUBLIC VM_COVERAGE=$<BOOL:${WORDLINE_RTL_COVERAGE}> VM_SC=0 VM_TRACE=0
  VM_TRACE_FST=0 VM_TRACE_VCD=0
  VL_USER_STOP  # a violated assertion throws instead of ending the program
  $<$<BOOL:${WORDLINE_EVALUATE_BOTH_EDGES}>:WORDLINE_EVALUATE_BOTH_EDGES>)
target_compile_options(wordline_verilated PRIVATE "SHELL:-iquote ${CMAKE_SOURCE_DIR}" -w -O2)
target_link_libraries(wordline_verilated PUBLIC fmt::fmt Threads::Threads)

# wordline_verilate(NAME TOP module SOURCES a.sv ... WRAPPER b.cpp [DEPENDS ...] [AFTER target] [TOGGLES 256]): a static
# library of one top module and the one C++ file that sees its Verilated header. A lint warning (-Wall) fails the build.
# AFTER names a target that generates one of the SOURCES. TOGGLES: coverage counts bits of signals up to this width.
# Assertions are compiled in: they cost little, and a violated handshake must not go unseen. So are start values and Xs
# by choice (rtl/verilated/start_values.h), which cost nothing: one build is for the drive and for tests with random
# ones.
function(wordline_verilate name)
  cmake_parse_arguments(ARG "" "TOP;WRAPPER;AFTER;TOGGLES" "SOURCES;DEPENDS" ${ARGN})
  set(coverage ${verilated_coverage})
  if(coverage AND ARG_TOGGLES)
    list(APPEND coverage --coverage-max-width ${ARG_TOGGLES})
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${ARG_TOP})
  set(all ${folder}/V${ARG_TOP}__ALL.cpp)
  add_custom_command(OUTPUT ${all} ${folder}/V${ARG_TOP}.h
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${folder}
    COMMAND ${VERILATOR} --cc --assert -Wall -O3 --x-assign unique --x-initial unique --unroll-count 1024
      ${coverage} --top-module ${ARG_TOP} --prefix V${ARG_TOP} --Mdir ${folder} ${ARG_SOURCES}
    COMMAND ${CMAKE_COMMAND} -DFOLDER=${folder} -DTOP=${ARG_TOP} -P ${CMAKE_SOURCE_DIR}/cmake/Verilate.cmake
    DEPENDS ${ARG_SOURCES} ${ARG_AFTER} ${CMAKE_SOURCE_DIR}/cmake/Verilate.cmake
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} COMMENT "Verilating ${ARG_TOP}" VERBATIM)
  add_test(NAME lint_${ARG_TOP}
    COMMAND ${VERILATOR} --lint-only --assert -Wall --unroll-count 1024 --top-module ${ARG_TOP} ${ARG_SOURCES})
  set_tests_properties(lint_${ARG_TOP} PROPERTIES LABELS rtl)
  # For scripts/sizes.
  string(REPLACE ";" "\n" listed "${ARG_SOURCES}")
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/${ARG_TOP}.sources "${listed}\n")
  # And by slang, which has nothing in common with Verilator.
  add_test(NAME slang_${ARG_TOP}
    COMMAND ${WORDLINE_PYTHON} ${CMAKE_SOURCE_DIR}/testbenches/rtl/support/slang_lint.py ${ARG_TOP} ${ARG_SOURCES})
  set_tests_properties(slang_${ARG_TOP} PROPERTIES LABELS rtl)
  wordline_library(${name} SOURCES ${all} ${ARG_WRAPPER} DEPENDS ${ARG_DEPENDS})
  # Generated code is not held to our warnings. -O3 in every preset: unoptimised it is too slow to test with. GCC must
  # be told to inline the RTL's functions, which pass their results by reference: a third less time a clock. It must not
  # guess how likely a branch is: all of a process but its reset is in the else of one, and half as likely is not
  # inlined.
  set(options -w ${WORDLINE_RTL_OPTIMISATION})
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    list(APPEND options --param=max-inline-insns-auto=600 --param=inline-min-speedup=1
      --param=large-function-growth=1000 -fno-guess-branch-probability)
  endif()
  set(wrapper_options "")
  if(WORDLINE_SANITIZE)  # GCC takes the address of Verilator's thread-local variables for null, where it is not
    list(APPEND options -fno-sanitize=null)
    set(wrapper_options -fno-sanitize=null)
  endif()
  set_source_files_properties(${all} PROPERTIES COMPILE_OPTIONS "${options}")
  set_source_files_properties(${ARG_WRAPPER} PROPERTIES COMPILE_OPTIONS "${wrapper_options}"
    OBJECT_DEPENDS ${folder}/V${ARG_TOP}.h)
  target_include_directories(${name} SYSTEM PRIVATE ${folder})
  target_link_libraries(${name} PRIVATE wordline_verilated)
endfunction()

# wordline_rtl_test(NAME SOURCES ... DEPENDS ...): as wordline_test, with a ctest entry for each TEST, and
# one more for the whole suite with each of the other start values: all ones, and random ones by seed.
function(wordline_rtl_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  wordline_test(${name} SOURCES ${ARG_SOURCES} ${CMAKE_SOURCE_DIR}/testbenches/rtl/support/start_values.cpp
    DEPENDS ${ARG_DEPENDS} wordline_verilated)
  foreach(start ones 1 2 3)
    add_test(NAME ${name}_start_${start} COMMAND ${name} --gtest_brief=1)
    set_tests_properties(${name}_start_${start} PROPERTIES LABELS rtl
      ENVIRONMENT "WORDLINE_RTL_START=${start}")
  endforeach()
endfunction()
