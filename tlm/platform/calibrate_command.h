// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace wordline::platform {

struct CalibrateOptions {
  std::string config;
  std::vector<std::string> sets;
  std::string workload;
  std::string out;
};

/// `wordline calibrate firmware`: runs the workload with cpu.model = iss and writes the mean cycles of every firmware
/// tag, for cpu.native_costs. Then runs it again with cpu.model = native and these costs, and prints how far means and
/// IOPS are off.
int calibrate_firmware(const CalibrateOptions& options);

struct CalibrateEccOptions {
  std::string out;
  unsigned words = 1000;
  std::uint64_t seed = 1;
  bool check = false;
  std::string table;  // to check; empty: the built-in
};

/// `wordline calibrate ecc`: decodes random codewords with the bit-true LDPC decoders and writes the table by bit
/// errors and by severity of soft reads, for ecc.table. With --check it compares a table with the decoders instead, on
/// words of another seed; returns 1 when they differ by more than the limits of
/// models/ecc/calibration/calibration_check.h.
int calibrate_ecc(const CalibrateEccOptions& options);

}  // namespace wordline::platform
