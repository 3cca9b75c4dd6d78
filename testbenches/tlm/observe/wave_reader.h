// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace wordline::testing {

/// An FST file as GTKWave's own reader gives it.
struct Waves {
  struct Variable {
    std::string path;
    unsigned type = 0;  // fstVarType
    unsigned bits = 0;
    std::vector<std::pair<std::string, std::string>> names;  // of an enum: value, name
  };
  using Change = std::pair<std::uint64_t, std::string>;  // time, value

  std::vector<std::string> scopes;  // full paths, in the order of the file, repeated where the file repeats them
  std::vector<Variable> variables;
  std::map<std::string, std::vector<Change>> changes;  // by path
  int timescale = 0;
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t blocks = 0;

  [[nodiscard]] const Variable& variable(const std::string& path) const;
};

Waves read_waves(const std::string& file);

}  // namespace wordline::testing
