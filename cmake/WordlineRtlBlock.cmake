# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
#
# wordline_rtl_block(NAME SLOT slot TOP module SOURCES a.sv ... [LINT off] [CLOCK clk_i] [UNITS count=unit ...]
#                    [OPTIONS ...] [TRACE]):
# a shared object NAME.so of one module, for a slot of a drive (docs/own_rtl.md). It is made with Verilator and needs
# nothing else of Wordline. A lint warning (verilator -Wall) fails the build unless LINT is off. Output ports
# status_..._o are shown in the drive's waveform; count_..._o, too, and are in its result.json, in UNITS. OPTIONS go to
# Verilator (-GWidth=8, +define+FAST, -Ifolder). TRACE: the drive can dump the inside (observe.waves); slower.

# As a script (cmake -P), after Verilator ran: what its header says of the ports, as lists for block.cpp, and one source
# that includes every generated one.
if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  file(STRINGS ${FOLDER}/Vwordline_block.h lines REGEX "VL_(IN|OUT|INOUT)[0-9W]*\\(")
  set(pins "")
  set(status "")
  set(number 0)
  string(REPLACE "|" ";" UNITS "${UNITS}")
  set(found_clock FALSE)
  foreach(line ${lines})
    if(NOT line MATCHES "VL_(IN|OUT)[0-9W]*\\(&([A-Za-z0-9_]+),([0-9]+),([0-9]+)")
      string(STRIP "${line}" line)
      message(FATAL_ERROR "${TOP}: a port that is an array or an inout has no place in a slot: ${line}\n"
        "Give the module a wrapper whose ports are packed and go one way.")
    endif()
    set(direction ${CMAKE_MATCH_1})
    set(name ${CMAKE_MATCH_2})
    math(EXPR bits "${CMAKE_MATCH_3} - ${CMAKE_MATCH_4} + 1")
    string(APPEND pins "WORDLINE_PIN(${number}, ${name}, ${bits}, ${direction})\n")
    if(name STREQUAL CLOCK AND direction STREQUAL IN AND bits EQUAL 1)
      set(found_clock TRUE)
    endif()
    if(direction STREQUAL OUT AND name MATCHES "^(status|count)_([a-z0-9_]+)_o$")
      set(kind SHOWN)
      set(unit value)
      if(CMAKE_MATCH_1 STREQUAL count)
        set(kind COUNTED)
        set(unit events)
      endif()
      set(short ${CMAKE_MATCH_2})
      if(bits GREATER 64)
        message(FATAL_ERROR "${TOP}: ${name} has ${bits} bits; what a block reports of itself has at most 64")
      endif()
      foreach(given ${UNITS})
        if(given MATCHES "^${short}=(.+)$")
          set(unit ${CMAKE_MATCH_1})
          list(REMOVE_ITEM UNITS "${given}")
        endif()
      endforeach()
      string(APPEND status "WORDLINE_STATUS(\"${short}\", \"${unit}\", ${number}, ${kind})\n")
    endif()
    math(EXPR number "${number} + 1")
  endforeach()
  if(NOT found_clock)
    message(FATAL_ERROR "${TOP} has no input ${CLOCK} of one bit: name the clock with CLOCK")
  endif()
  if(UNITS)
    message(FATAL_ERROR "${TOP}: UNITS ${UNITS}: no output port count_NAME_o or status_NAME_o of this name")
  endif()
  file(WRITE ${FOLDER}/wordline_pins.inc "${pins}")
  file(WRITE ${FOLDER}/wordline_status.inc "${status}")
  file(GLOB generated RELATIVE ${FOLDER} ${FOLDER}/Vwordline_block*.cpp)
  list(SORT generated)
  set(text "")
  foreach(source ${generated})
    string(APPEND text "#include \"${source}\"\n")
  endforeach()
  file(WRITE ${FOLDER}/wordline_all.cpp "${text}")
  return()
endif()

set(WORDLINE_RTL_BLOCK_SCRIPT ${CMAKE_CURRENT_LIST_FILE} CACHE INTERNAL "")
# wordline_rtl_slot.h and block.cpp: beside this file in an installation, in rtl/slot of a clone.
if(EXISTS ${CMAKE_CURRENT_LIST_DIR}/rtl_slot/block.cpp)
  set(WORDLINE_RTL_SLOT_FOLDER ${CMAKE_CURRENT_LIST_DIR}/rtl_slot CACHE INTERNAL "")
else()
  set(WORDLINE_RTL_SLOT_FOLDER ${CMAKE_CURRENT_LIST_DIR}/../rtl/slot CACHE INTERNAL "")
endif()

# Verilator's run time, once for all blocks of a project; with the writer of waveforms where a block asks for it.
function(_wordline_rtl_runtime name trace)
  if(TARGET ${name})
    return()
  endif()
  execute_process(COMMAND ${VERILATOR} --getenv VERILATOR_ROOT OUTPUT_VARIABLE root OUTPUT_STRIP_TRAILING_WHITESPACE
    COMMAND_ERROR_IS_FATAL ANY)
  find_package(Threads REQUIRED)
  add_library(${name} STATIC ${root}/include/verilated.cpp ${root}/include/verilated_threads.cpp)
  if(trace)
    find_package(ZLIB REQUIRED)
    target_sources(${name} PRIVATE ${root}/include/verilated_fst_c.cpp)
    target_link_libraries(${name} PUBLIC ZLIB::ZLIB)
  endif()
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden)
  target_compile_features(${name} PUBLIC cxx_std_17)
  target_include_directories(${name} SYSTEM PUBLIC ${root}/include ${root}/include/vltstd)
  target_compile_definitions(${name} PUBLIC VM_COVERAGE=0 VM_SC=0 VM_TRACE=${trace} VM_TRACE_FST=${trace} VM_TRACE_VCD=0
    VL_USER_STOP VL_USER_FINISH VL_USER_FATAL)
  target_compile_options(${name} PRIVATE -w -O2)
  target_link_libraries(${name} PUBLIC Threads::Threads)
endfunction()

include(${CMAKE_CURRENT_LIST_DIR}/PlainPath.cmake)

function(wordline_rtl_block name)
  wordline_require_plain_path(${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_BINARY_DIR})
  cmake_parse_arguments(PARSE_ARGV 1 ARG "TRACE" "SLOT;TOP;LINT;CLOCK" "SOURCES;UNITS;OPTIONS")
  foreach(needed SLOT TOP SOURCES)
    if(NOT ARG_${needed})
      message(FATAL_ERROR "wordline_rtl_block(${name}): ${needed} is missing: "
        "wordline_rtl_block(${name} SLOT ecc_decoder TOP module SOURCES a.sv)")
    endif()
  endforeach()
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "wordline_rtl_block(${name}): unknown: ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  set(slots ecc_decoder ecc_soft_decoder ecc_encoder stream_tap read_retry apb_block flash_sequencer engine_parse
    engine_l2p engine_victim)
  if(NOT ARG_SLOT IN_LIST slots)
    message(FATAL_ERROR "wordline_rtl_block(${name}): no slot ${ARG_SLOT}; there are: ${slots}")
  endif()
  if(NOT ARG_CLOCK)
    set(ARG_CLOCK clk_i)
  endif()
  find_program(VERILATOR verilator)
  if(NOT VERILATOR)
    message(FATAL_ERROR "wordline_rtl_block(${name}): no verilator in the path (Debian: apt install verilator)")
  endif()

  set(lint -Wall)
  if(DEFINED ARG_LINT AND NOT ARG_LINT)
    set(lint -Wno-fatal -Wno-lint -Wno-style)
  endif()
  set(trace 0)
  set(tracing "")
  set(runtime wordline_rtl_runtime)
  if(ARG_TRACE)
    set(trace 1)
    set(tracing --trace-fst)
    set(runtime wordline_rtl_runtime_trace)
  endif()
  set(sources "")
  foreach(source ${ARG_SOURCES})
    get_filename_component(source ${source} ABSOLUTE)
    list(APPEND sources ${source})
  endforeach()

  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${name}.verilated)
  set(all ${folder}/wordline_all.cpp)
  string(REPLACE ";" "|" units "${ARG_UNITS}")  # a semicolon would split the list on its way to the script
  add_custom_command(OUTPUT ${all}
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${folder}
    COMMAND ${VERILATOR} --cc --assert --no-timing ${lint} ${tracing} -O3 --x-assign fast --x-initial fast
      --unroll-count 1024 --top-module ${ARG_TOP} --prefix Vwordline_block --Mdir ${folder} ${ARG_OPTIONS} ${sources}
    COMMAND ${CMAKE_COMMAND} -DFOLDER=${folder} -DTOP=${ARG_TOP} -DCLOCK=${ARG_CLOCK} "-DUNITS=${units}"
      -P ${WORDLINE_RTL_BLOCK_SCRIPT}
    DEPENDS ${sources} ${WORDLINE_RTL_BLOCK_SCRIPT}
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} COMMENT "Verilating ${ARG_TOP}" VERBATIM)

  _wordline_rtl_runtime(${runtime} ${trace})
  # One for each block: it includes what Verilator wrote.
  set(interface ${CMAKE_CURRENT_BINARY_DIR}/${name}.block.cpp)
  configure_file(${WORDLINE_RTL_SLOT_FOLDER}/block.cpp ${interface} COPYONLY)
  set_property(SOURCE ${interface} PROPERTY OBJECT_DEPENDS ${all})
  add_library(${name} SHARED ${all} ${interface})
  # A drive holds Verilator's run time, too, perhaps of another version: nothing but the entry is seen from outside.
  set_target_properties(${name} PROPERTIES PREFIX "" CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_compile_definitions(${name} PRIVATE WORDLINE_BLOCK_SLOT="${ARG_SLOT}" WORDLINE_BLOCK_TOP="${ARG_TOP}"
    WORDLINE_BLOCK_CLOCK=${ARG_CLOCK} $<${trace}:WORDLINE_BLOCK_TRACE>)
  target_compile_options(${name} PRIVATE -w -O3 $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)
  target_include_directories(${name} PRIVATE ${folder} ${WORDLINE_RTL_SLOT_FOLDER})
  target_link_libraries(${name} PRIVATE ${runtime})
  target_link_options(${name} PRIVATE -Wl,-Bsymbolic -Wl,--exclude-libs,ALL)
endfunction()
