// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/rtl_block_command.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>

#include "models/config/load.h"
#include "models/data/stamp.h"
#include "models/ecc/code/codeword_bits.h"
#include "models/results/report.h"
#include "tlm/ecc/rtl_ecc.h"
#include "tlm/platform/installed_files.h"

namespace wordline::platform {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStarts = "rtl/slot/start";

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file) throw std::runtime_error(fmt::format("{}: cannot be read", path.string()));
  return text;
}

fs::path needed(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    fs::path found = shipped_path(name);
    if (!found.empty()) return found;
  }
  throw std::runtime_error(
      fmt::format("{}: not found beside this program; run it from a build or an installation", names.front()));
}

/// A codeword as it goes over the stream, a beat of 64 bits a line.
std::string codeword() {
  const data::TokenPool pool;
  const ecc::CodeBits bits = ecc::make_codeword(pool, data::SectorToken::uniform(Lpn(1234), 7), 1234, 0);
  std::string text;
  for (unsigned beat = 0; beat < ecc::kStreamBeats; ++beat) {
    text += fmt::format("{:016x}\n", bits[beat / 4].word[beat % 4]);
  }
  return text;
}

}  // namespace

std::vector<std::string> slots_with_a_start() { return {"ecc_decoder"}; }

int new_rtl_block(const std::string& slot, const std::string& folder) {
  const fs::path start = needed({std::string(kStarts) + "/" + slot});
  const fs::path package = needed({"rtl/ldpc/ldpc_base_pkg.sv", "generated/ecc/ldpc_base_pkg.sv"});
  // In an installation lib/cmake/Wordline, in a clone cmake: where find_package() is to look.
  const fs::path share = share_folder();
  const fs::path cmake = share.empty() ? needed({"cmake/WordlineRtlBlock.cmake"}).parent_path()
                                       : share.parent_path().parent_path() / "lib" / "cmake" / "Wordline";

  if (fs::exists(folder) && !(fs::is_directory(folder) && fs::is_empty(folder))) {
    throw std::runtime_error(fmt::format("{}: is there and not empty; name a new folder", folder));
  }
  fs::create_directories(folder);
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(start)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    std::string text = content_of(file);
    const std::string mark = "@WORDLINE_CMAKE@";
    const std::size_t at = text.find(mark);
    if (at != std::string::npos) text.replace(at, mark.size(), cmake.string());
    results::write_file((fs::path(folder) / file.filename()).string(), text);
  }
  results::write_file(folder + "/ldpc_base_pkg.sv", content_of(package));
  results::write_file(folder + "/codeword.hex", codeword());
  std::cout << fmt::format(
      "wrote a block for the slot {0} to {1}; build and try it:\n"
      "  cmake -S {1} -B {1}/build && cmake --build {1}/build && ctest --test-dir {1}/build\n"
      "  wordline run DRIVE.toml --workload JOB --set ecc.model=rtl --set ecc.rtl.tier1={1}/build/my_decoder.so\n",
      slot, folder);
  return 0;
}

std::string check_rtl_blocks(const std::string& config, const std::vector<std::string>& sets) {
  return ecc::describe_blocks(config::load(config, sets).config.ecc);
}

}  // namespace wordline::platform
