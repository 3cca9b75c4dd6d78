# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
#
# find_package(Wordline COMPONENTS rtl_block) in a clone that is not installed: wordline_rtl_block() needs no part of a
# build (-DWordline_DIR=CLONE/cmake). The file of an installation is made from WordlineConfig.cmake.in.
if(NOT "${Wordline_FIND_COMPONENTS}" STREQUAL "rtl_block")
  set(Wordline_FOUND FALSE)
  set(Wordline_NOT_FOUND_MESSAGE
    "a clone gives COMPONENTS rtl_block only; for the drive as a library install it first (docs/install.md)")
  return()
endif()
include(${CMAKE_CURRENT_LIST_DIR}/WordlineRtlBlock.cmake)
set(Wordline_rtl_block_FOUND TRUE)
