# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
# Debian ships SystemC without a CMake package: find the header and the library, check that C++17 objects link.
find_path(SystemC_INCLUDE_DIR systemc)
find_library(SystemC_LIBRARY systemc)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SystemC REQUIRED_VARS SystemC_LIBRARY SystemC_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "install Debian's libsystemc-dev (./scripts/setup does)")
if(SystemC_FOUND AND NOT TARGET SystemC::systemc)
  add_library(SystemC::systemc UNKNOWN IMPORTED)
  set_target_properties(SystemC::systemc PROPERTIES
    IMPORTED_LOCATION ${SystemC_LIBRARY}
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES ${SystemC_INCLUDE_DIR})
endif()
