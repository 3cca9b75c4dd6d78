// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

/// `wordline new drive|nand|policy`: a commented start, of the files below configs/start. Each throws
/// std::runtime_error when the file is there already, or cannot be written.
namespace wordline::platform {

/// `kind`: drive or nand. `of_class`: one of those that list_drive_classes prints; empty: the plain start. A TOML file
/// that `wordline check` accepts.
int new_config(const std::string& kind, const std::string& file, const std::string& of_class = "");

/// Prints the classes of drives, each with what it is.
int list_drive_classes();

/// A policy NAME that works: NAME.c in the policies' folder of this program's clone, and its row in policies.def.
int new_policy(const std::string& name);

}  // namespace wordline::platform
