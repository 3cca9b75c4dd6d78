// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>

#include "models/checks/commands.h"
#include "models/checks/load.h"
#include "models/ecc/decoders/decoder_table.h"
#include "models/partition/placement.h"
#include "models/workload/fio/parse.h"
#include "models/workload/fio/source.h"
#include "models/workload/profile/profile.h"
#include "testbenches/fuzz/mutator.h"
#include "testbenches/fuzz/readers/subjects.h"
#include "tlm/device/cpu/native_costs.h"

namespace wordline::fuzz {

namespace fs = std::filesystem;

std::string content_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_content(const fs::path& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

Verdict refused(const std::string& message, const std::string& place) {
  if (message.empty()) return {false, "refused without a reason"};
  if (message.find(place) == std::string::npos) return {false, "an error without its place: " + message.substr(0, 300)};
  return {};
}

namespace {

constexpr std::uint64_t kDriveBlocks = 1ULL << 28;  // 128 GiB
const fs::path kConfigs = WORDLINE_CONFIGS;

std::vector<std::string> examples(const fs::path& folder, const char* extension) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == extension) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());  // the order of a folder is not the same everywhere
  std::vector<std::string> texts;
  for (const fs::path& path : paths) texts.push_back(content_of(path));
  return texts;
}

/// The first requests of a workload lie inside the drive.
Verdict check_requests(workload::Source& source) {
  for (unsigned job = 0; job < source.jobs() && job < 8; ++job) {
    workload::Request request;
    for (int i = 0; i < 20 && source.next(job, {}, request); ++i) {
      if (request.op == workload::Op::kFlush) continue;
      const std::uint64_t lba = request.lba.value();
      if (request.nlb == 0 || lba >= kDriveBlocks || request.nlb > kDriveBlocks - lba) {
        return {true, fmt::format("job {}: request of {} blocks at LBA {}", job, request.nlb, lba)};
      }
    }
  }
  return {true, {}};
}

/// A text that a function reads and judges; it throws what the reader throws.
class Text final : public Subject {
 public:
  using Read = std::function<Verdict(const std::string& text)>;
  Text(const char* name, std::vector<std::string> examples, Read read)
      : name_(name), examples_(std::move(examples)), read_(std::move(read)) {}

  [[nodiscard]] const char* name() const override { return name_; }
  Verdict read(Draws& draws) override {
    input_ = damaged_text(draws.from(examples_), examples_, draws);
    return read_(input_);
  }

 private:
  const char* name_;
  std::vector<std::string> examples_;
  Read read_;
};

Verdict read_config(const fs::path& path, const fs::path& again, const std::string& text) {
  write_content(path, text);
  config::Loaded loaded;
  try {
    loaded = config::load(path.string(), {});
  } catch (const config::ConfigError& error) {
    return refused(error.what(), ": error: ");
  }
  const std::string printed = config::effective_toml(loaded);
  write_content(again, printed);
  try {
    const std::string twice = config::effective_toml(config::load(again.string(), {}));
    if (twice != printed) return {true, "what print-config writes is read as something else"};
  } catch (const config::ConfigError& error) {
    return {true, std::string("what print-config writes is refused: ") + error.what()};
  }
  return {true, {}};
}

template <class Make>
Verdict read_workload(Make make) {
  try {
    return check_requests(*make());
  } catch (const workload::WorkloadError& error) {
    for (const std::string& line : error.errors()) {
      if (line.find("more errors") != std::string::npos) continue;
      const Verdict verdict = refused(line, "fuzzed.");
      if (!verdict.failure.empty()) return verdict;
    }
    return {};
  }
}

Verdict read_decoder_table(const std::string& text) {
  std::istringstream in(text);
  ecc::Table table;
  try {
    table = ecc::parse_table(in, "fuzzed.table");
  } catch (const std::runtime_error& error) {
    return refused(error.what(), "fuzzed.table");
  }
  try {
    ecc::check_table(table);
  } catch (const std::exception& error) {
    return {true, std::string("accepted, but ") + error.what()};
  }
  return {true, {}};
}

Verdict read_costs(const fs::path& path, const std::string& text) {
  write_content(path, text);
  try {
    const cpu::NativeCosts costs = cpu::NativeCostTable(path.string()).of();
    for (const double cycles : costs.cycles) {
      if (!std::isfinite(cycles) || cycles < 0) return {true, "accepted a cost that is no number of cycles"};
    }
  } catch (const std::runtime_error& error) {
    return refused(error.what(), path.string() + ":");
  }
  return {true, {}};
}

Verdict read_placements(const fs::path& path, const std::string& text) {
  write_content(path, text);
  try {
    const engines::Placement drive{"drive", 3, engines::default_task_core(3), {}, {}};
    for (const engines::Placement& placement : engines::read_placements(path.string(), drive))
      (void)placement.settings();
  } catch (const config::ConfigError& error) {
    return refused(error.what(), path.string());
  }
  return {true, {}};
}

}  // namespace

std::vector<std::unique_ptr<Subject>> text_subjects(const fs::path& folder) {
  // Configurations extend others by relative paths.
  fs::copy(kConfigs / "ssds", folder / "ssds", fs::copy_options::recursive);
  fs::copy(kConfigs / "nand", folder / "nand", fs::copy_options::recursive);
  fs::copy(kConfigs / "ecc", folder / "ecc", fs::copy_options::recursive);
  std::vector<std::unique_ptr<Subject>> all;
  const auto add = [&all](const char* name, std::vector<std::string> texts, Text::Read read) {
    all.push_back(std::make_unique<Text>(name, std::move(texts), std::move(read)));
  };
  add("configuration", examples(kConfigs / "ssds", ".toml"), [folder](const std::string& text) {
    return read_config(folder / "ssds/fuzzed.toml", folder / "ssds/printed.toml", text);
  });
  add("NAND device", examples(kConfigs / "nand", ".toml"), [folder](const std::string& text) {
    return read_config(folder / "nand/fuzzed.toml", folder / "nand/printed.toml", text);
  });
  workload::LoadOptions options;
  options.drive_lbas = kDriveBlocks;
  options.footprint = 0.001;
  add("fio job file", examples(kConfigs / "workloads", ".fio"), [options](const std::string& text) {
    return read_workload(
        [&] { return workload::fio::make_source("fuzzed.fio", workload::fio::parse("fuzzed.fio", text), options); });
  });
  add("profile", examples(kConfigs / "workloads/profiles", ".toml"), [options](const std::string& text) {
    return read_workload([&] {
      return workload::make_profile_source("fuzzed.toml", workload::parse_profile("fuzzed.toml", text), options);
    });
  });
  add("decoder table", examples(kConfigs / "ecc", ".table"), read_decoder_table);
  add("cost table", {content_of(WORDLINE_COST_TABLE)},
      [folder](const std::string& text) { return read_costs(folder / "fuzzed.table", text); });
  add("placements", examples(kConfigs / "placements", ".toml"),
      [folder](const std::string& text) { return read_placements(folder / "placements.toml", text); });
  return all;
}

}  // namespace wordline::fuzz
