// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/rtl_block_command.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <stdexcept>

#include "models/checks/load.h"
#include "models/data/stamp.h"
#include "models/ecc/decoders/codeword_bits.h"
#include "models/results/report.h"
#include "rtl/slot/block_recording.h"
#include "tlm/device/cpu/apb_block.h"
#include "tlm/device/ecc/gates.h"
#include "tlm/device/engines/own_engine.h"
#include "tlm/device/flash/bus/gate_wires.h"
#include "tlm/platform/installed_files.h"
#include "tlm/platform/terminal.h"

namespace wordline::platform {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStarts = "rtl/slot/start";
constexpr const char* kBenches = "rtl/slot/cocotb";

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
  const ecc::CodeBits bits = ecc::make_codeword(pool, data::LpageToken::uniform(Lpn(1234), 7), 1234, 0);
  std::string text;
  for (unsigned beat = 0; beat < ecc::kStreamBeats; ++beat) {
    text += fmt::format("{:016x}\n", bits[beat / 4].word[beat % 4]);
  }
  return text;
}

struct Start {
  const char* slot;
  const char* block;  // the name of its target
  const char* keys;   // --set of a run with it
  bool codeword;      // the bench needs one
  std::vector<std::vector<std::string>>
      sources;  // sources of the repository: a name in an installation, one in a build
};

const std::vector<Start>& starts() {
  static const std::vector<std::string> kCode{"rtl/ldpc/ldpc_base_pkg.sv", "generated/ecc/ldpc_base_pkg.sv"};
  static const std::vector<Start> all{
      {"ecc_decoder", "my_decoder", "--set ecc.model=rtl --set ecc.rtl.tier1=", true, {kCode}},
      {"ecc_encoder", "my_encoder", "--set ecc.model=rtl --set ecc.rtl.encoder=", true, {kCode}},
      {"stream_tap", "my_tap", "--set ecc.model=rtl --set ecc.rtl.tap=", false, {}},
      {"read_retry",
       "my_read_retry",
       "--set ecc.model=rtl --set ecc.rtl.read_retry=",
       false,
       {{"rtl/read_retry/ecc_registers_pkg.sv", "generated/registers/ecc_registers_pkg.sv"},
        {"rtl/read_retry/read_retry_pkg.sv"},
        {"rtl/read_retry/retry_step_picker.sv"},
        {"rtl/read_retry/optimal_references.sv"},
        {"rtl/read_retry/read_retry_counters.sv"},
        {"rtl/read_retry/read_retry_commands.sv"},
        {"rtl/read_retry/read_retry_fsm.sv"},
        {"rtl/read_retry/read_retry_registers.sv"},
        {"rtl/read_retry/read_retry.sv"}}},
      {"engine_parse",
       "my_parse",
       "--set engines.model=rtl --set engines.rtl.parse=",
       false,
       {{"rtl/engines/nvme_pkg.sv"}, {"rtl/engines/parse.sv"}}},
      {"engine_l2p",
       "my_l2p",
       "--set engines.l2p=on --set engines.job=on --set engines.completion=on --set engines.model=rtl --set "
       "engines.rtl.l2p=",
       false,
       {}},
      {"engine_victim",
       "my_victim",
       "--set engines.victim=on --set engines.model=rtl --set engines.rtl.victim=",
       false,
       {}},
      {"apb_block", "my_block", "--set cpu.apb.block=", false, {}},
      {"flash_sequencer", "my_sequencer", "--set channels.model=rtl --set channels.rtl.flash_sequencer=", false, {}},
  };
  return all;
}

}  // namespace

std::vector<std::string> slots_with_a_start() {
  std::vector<std::string> names;
  for (const Start& start : starts()) names.emplace_back(start.slot);
  return names;
}

int new_rtl_block(const std::string& slot, const std::string& folder, bool cocotb) {
  const Start& start = *std::find_if(starts().begin(), starts().end(), [&](const Start& s) { return slot == s.slot; });
  std::vector<std::string> recorded = rtl::BlockRecording::slots();  // those with a start have a bench, too
  const auto has_no_start = [](const std::string& name) {
    return std::none_of(starts().begin(), starts().end(), [&](const Start& s) { return name == s.slot; });
  };
  recorded.erase(std::remove_if(recorded.begin(), recorded.end(), has_no_start), recorded.end());
  if (cocotb && std::find(recorded.begin(), recorded.end(), slot) == recorded.end()) {
    throw std::runtime_error(fmt::format("--cocotb: there is no bench in Python for the slot {}, expected one of {}",
                                         slot, fmt::join(recorded, ", ")));
  }
  std::vector<std::string> folders{fmt::format("{}/common", kStarts), fmt::format("{}/{}", kStarts, slot)};
  if (cocotb) folders.insert(folders.end(), {fmt::format("{}/common", kBenches), fmt::format("{}/{}", kBenches, slot)});
  std::map<std::string, fs::path> files;  // files by name: those of the slot take the place of common ones
  for (const std::string& from : folders) {
    for (const auto& entry : fs::directory_iterator(needed({from}))) {
      files[entry.path().filename().string()] = entry.path();
    }
  }
  for (const std::vector<std::string>& names : start.sources) {
    const fs::path source = needed(names);
    files[source.filename().string()] = source;
  }
  // In an installation lib/cmake/Wordline, in a clone cmake: where find_package() is to look.
  const fs::path share = share_folder();
  const fs::path cmake = share.empty() ? needed({"cmake/WordlineRtlBlock.cmake"}).parent_path()
                                       : share.parent_path().parent_path() / "lib" / "cmake" / "Wordline";

  if (fs::exists(folder) && !(fs::is_directory(folder) && fs::is_empty(folder))) {
    throw std::runtime_error(fmt::format("{}: is there and not empty; name a new folder", folder));
  }
  // As cmake/PlainPath.cmake, which would refuse it later.
  const std::string whole = fs::absolute(folder).string();
  const std::size_t odd = whole.find_first_of("]\t \"'`$#:;,*?!&|<>(){}%=^\\[");
  if (odd != std::string::npos) {
    throw std::runtime_error(fmt::format(
        "{}: Verilator cannot read sources from a path that has \"{}\"; name a folder without it", whole, whole[odd]));
  }
  fs::create_directories(folder);
  for (const auto& [name, file] : files) {
    std::string text = content_of(file);
    const std::string mark = "@WORDLINE_CMAKE@";
    const std::size_t at = text.find(mark);
    if (at != std::string::npos) text.replace(at, mark.size(), cmake.string());
    results::write_file((fs::path(folder) / name).string(), text);
  }
  if (start.codeword) results::write_file(folder + "/codeword.hex", codeword());
  std::cout << as_called(
      fmt::format("wrote a block for the slot {0} to {1}; build and try it:\n"
                  "  cmake -S {1} -B {1}/build && cmake --build {1}/build && ctest --test-dir {1}/build\n"
                  "  wordline run DRIVE.toml --workload JOB {2}{1}/build/{3}.so\n",
                  slot, folder, start.keys, start.block));
  if (cocotb) {
    std::cout << as_called(
        fmt::format("the bench in Python, with cocotb and what a run has recorded:\n"
                    "  python3 -m venv {0}/venv && {0}/venv/bin/pip install cocotb==1.9.2\n"
                    "  wordline run DRIVE.toml --workload JOB --record-block {1}={0}/recorded.jsonl\n"
                    "  {0}/venv/bin/python {0}/cocotb_bench.py {0}/recorded.jsonl\n",
                    folder, slot));
  }
  return 0;
}

std::unique_ptr<rtl::BlockRecordings> open_recordings(const std::vector<std::string>& texts,
                                                      const config::Config& config) {
  auto recordings = std::make_unique<rtl::BlockRecordings>();
  try {
    for (const std::string& text : texts) recordings->open(text);
  } catch (const std::invalid_argument& error) {
    throw config::ConfigError(error.what());
  }
  const auto needs = [&](const char* slot, bool is, const char* what) {
    if (recordings->of(slot) != nullptr && !is)
      throw config::ConfigError(fmt::format("--record-block {}: nothing goes into it, expected {}", slot, what));
  };
  for (const char* slot : {"ecc_decoder", "ecc_soft_decoder", "ecc_encoder", "stream_tap"})
    needs(slot, config.ecc.model == config::EccModel::kRtl, "ecc.model = rtl");
  needs("engine_parse", config.engines.on(engines::EngineId::kParse) && config.host.model == config::HostModel::kNvme,
        "engines.parse = on and host.model = nvme");
  needs("engine_l2p", config.engines.on(engines::EngineId::kL2p), "engines.l2p = on");
  needs("engine_victim", config.engines.on(engines::EngineId::kVictim), "engines.victim = on");
  needs("flash_sequencer", config.channels.model == config::ChannelModel::kRtl, "channels.model = rtl");
  return recordings;
}

std::string check_rtl_blocks(const std::string& config, const std::vector<std::string>& sets) {
  const config::Config loaded = config::load(config, sets).config;
  return ecc::describe_blocks(loaded.ecc) + cpu::describe_block(loaded.cpu.apb) +
         flash::describe_block(loaded.channels) + engines::describe_blocks(loaded.engines);
}

}  // namespace wordline::platform
