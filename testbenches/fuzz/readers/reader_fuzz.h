// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "testbenches/fuzz/tally.h"

namespace wordline::fuzz {

/// Damages good files of every kind that the program reads (those that are shipped, and states and packets made here)
/// and gives each to the function that reads it. An input is to be refused with an error that names a place, or to be
/// accepted as what it says:
///
/// - configurations: what `print-config` would write is read again as the same;
/// - fio jobs, profiles: the first requests lie inside the drive;
/// - decoder tables: check_table() finds nothing; cost tables: every number is finite;
/// - states of drives: written again they are the same file, but for its checksum;
/// - firmware: loaded and run for some thousand instructions on a core with little memory;
/// - packets of gdb: each gets an answer, and the core runs on.
///
/// Anything else, and any exception of another type, is a failure. `only`: one kind; empty: all in turn. Same seed,
/// same inputs.
[[nodiscard]] Tally fuzz_readers(std::uint64_t inputs, std::uint64_t seed, const std::string& only);

}  // namespace wordline::fuzz
