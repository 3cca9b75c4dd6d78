// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "models/config/config.h"

/// Files that come with a program, found from where the program lies, so that a build or an installation can be moved.
namespace wordline::platform {

/// The folder `share/wordline` of the prefix that this program is installed in; empty: it is not installed.
[[nodiscard]] std::filesystem::path share_folder();

/// The firmware image for cpu.model = iss: `firmware/firmware.elf` in the program's folder or one above it (a build),
/// or that of share_folder(). Throws std::runtime_error when there is none.
[[nodiscard]] std::string firmware_image();

/// The image for a drive of this configuration: `given`, or where that is empty firmware_image(), or beside it
/// `firmware_port.elf` with ftl.map_access = port; empty where its cores need none.
[[nodiscard]] std::string firmware_for(const config::Config& config, const std::string& given);

/// A file or folder that comes with the program: below share_folder(), or in the program's folder or one above it (a
/// build, its clone); empty: there is none.
[[nodiscard]] std::filesystem::path shipped_path(const std::string& name);

/// `path`, or where there is no such file from here, the installed one of this name: configs/ssds/default.toml is found
/// from any folder.
[[nodiscard]] std::string shipped_file(const std::string& path);

}  // namespace wordline::platform
