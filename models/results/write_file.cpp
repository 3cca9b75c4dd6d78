// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <stdexcept>

#include "models/results/report.h"

namespace wordline::results {

void write_file(const std::string& path, const std::string& content) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << content;
  file.close();
  if (!file) throw std::runtime_error(path + ": cannot be written");
}

}  // namespace wordline::results
