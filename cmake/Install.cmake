# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
#
# What `cmake --install` leaves below a prefix (docs/install.md):
#   bin/wordline                 the program, which finds all else from where it lies
#   share/wordline               firmware images, configurations, the Python of `wordline explore`, `report` and `diff`
#   lib/wordline, include/wordline, lib/cmake/Wordline
#                                the drive as a library: find_package(Wordline), target Wordline::wordline, and
#                                wordline_rtl_block() for blocks of RTL (docs/own_rtl.md)
#
# The component `program` is what the wheel takes along (scripts/wheel).
install(TARGETS wordline RUNTIME DESTINATION bin COMPONENT program)
install(TARGETS wordline_lockstep LIBRARY DESTINATION lib/wordline COMPONENT program)
install(FILES ${CMAKE_BINARY_DIR}/firmware/firmware.elf ${CMAKE_BINARY_DIR}/firmware/firmware_port.elf DESTINATION share/wordline/firmware COMPONENT program)
install(DIRECTORY configs DESTINATION share/wordline COMPONENT program)
install(DIRECTORY python/wordline DESTINATION share/wordline/python PATTERN __pycache__ EXCLUDE)
install(FILES scripts/requirements.txt DESTINATION share/wordline/scripts)
install(FILES LICENSE CHANGELOG.md docs/install.md docs/own_rtl.md DESTINATION share/doc/wordline)
install(FILES ${CMAKE_BINARY_DIR}/generated/statistics.md DESTINATION share/doc/wordline)
# What `wordline new rtl-block` writes.
install(DIRECTORY rtl/slot/start rtl/slot/cocotb DESTINATION share/wordline/rtl/slot COMPONENT program)
install(FILES ${CMAKE_BINARY_DIR}/generated/ecc/ldpc_base_pkg.sv DESTINATION share/wordline/rtl/ldpc COMPONENT program)
install(FILES rtl/ldpc/bit_plane_pkg.sv rtl/ldpc/ldpc_columns_pkg.sv rtl/ldpc/ldpc_bit_flip_decoder.sv
  DESTINATION share/wordline/rtl/ldpc COMPONENT program)
install(FILES ${CMAKE_BINARY_DIR}/generated/registers/ecc_registers_pkg.sv rtl/read_retry/read_retry_pkg.sv
    rtl/read_retry/retry_step_picker.sv rtl/read_retry/optimal_references.sv rtl/read_retry/read_retry_counters.sv
    rtl/read_retry/read_retry_commands.sv rtl/read_retry/read_retry_fsm.sv rtl/read_retry/read_retry_registers.sv
    rtl/read_retry/read_retry.sv
  DESTINATION share/wordline/rtl/read_retry COMPONENT program)
install(FILES rtl/engines/nvme_pkg.sv rtl/engines/parse.sv DESTINATION share/wordline/rtl/engines COMPONENT program)
install(FILES cmake/PlainPath.cmake cmake/WordlineRtlBlock.cmake DESTINATION lib/cmake/Wordline)
install(FILES rtl/slot/block.cpp rtl/slot/wordline_rtl_slot.h DESTINATION lib/cmake/Wordline/rtl_slot)

# Archives of link-time optimisation are for the compiler that made them: the preset `fast` is the program only.
if(WORDLINE_PROFILE OR WORDLINE_SANITIZE)
  return()
endif()

# wordline_needed(TARGET OUT): the target and all of ours that it links, directly or not. Only these are built with the
# program, and only these are installed.
function(wordline_needed target out)
  set(found ${target})
  set(left ${target})
  while(left)
    list(POP_FRONT left one)
    get_target_property(type ${one} TYPE)
    set(links "")
    foreach(property LINK_LIBRARIES INTERFACE_LINK_LIBRARIES)
      if(property STREQUAL LINK_LIBRARIES AND type STREQUAL INTERFACE_LIBRARY)
        continue()
      endif()
      get_target_property(listed ${one} ${property})
      if(listed)
        list(APPEND links ${listed})
      endif()
    endforeach()
    foreach(link ${links})
      if(link MATCHES "^wordline_" AND TARGET ${link} AND NOT link IN_LIST found)
        list(APPEND found ${link})
        list(APPEND left ${link})
      endif()
    endforeach()
  endwhile()
  set(${out} ${found} PARENT_SCOPE)
endfunction()

wordline_needed(wordline_platform libraries)
set_target_properties(wordline_platform PROPERTIES EXPORT_NAME wordline)
target_include_directories(wordline_options INTERFACE $<INSTALL_INTERFACE:include/wordline>)
# Where the image is, for programs that lie elsewhere than bin/wordline.
target_compile_definitions(wordline_platform INTERFACE
  $<INSTALL_INTERFACE:WORDLINE_FIRMWARE="$<INSTALL_PREFIX>/share/wordline/firmware/firmware.elf">)
install(TARGETS ${libraries} EXPORT Wordline ARCHIVE DESTINATION lib/wordline)
install(EXPORT Wordline NAMESPACE Wordline:: FILE WordlineTargets.cmake DESTINATION lib/cmake/Wordline)

# Headers include each other from the root ("models/nand/die.h"), so they keep their folders.
install(DIRECTORY models tlm rtl DESTINATION include/wordline
  FILES_MATCHING PATTERN "*.h" PATTERN "*.def" PATTERN curves EXCLUDE PATTERN design EXCLUDE PATTERN image EXCLUDE)
install(FILES ${CMAKE_BINARY_DIR}/generated/registers/wordline_regs.h
  ${CMAKE_BINARY_DIR}/generated/registers/wordline_regs.hpp DESTINATION include/wordline/registers)

get_target_property(links wordline_riscv LINK_LIBRARIES)
set(needs_asmjit OFF)
if("asmjit::asmjit" IN_LIST links)
  set(needs_asmjit ON)
endif()
include(CMakePackageConfigHelpers)
configure_package_config_file(cmake/WordlineConfig.cmake.in ${CMAKE_BINARY_DIR}/WordlineConfig.cmake
  INSTALL_DESTINATION lib/cmake/Wordline)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/WordlineConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/WordlineConfig.cmake ${CMAKE_BINARY_DIR}/WordlineConfigVersion.cmake
  cmake/FindSystemC.cmake DESTINATION lib/cmake/Wordline)
