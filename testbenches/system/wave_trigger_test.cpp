// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// observe.trigger: what it keeps is what a recording of the whole run has there.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include "testbenches/system/run_drive.h"
#include "testbenches/tlm/observe/wave_reader.h"

namespace wordline::testing::wave_trigger_test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDrive = "configs/ssds/small.toml";
constexpr const char* kJob = "[job]\nrw=randrw\nbs=4k\niodepth=16\nnumber_ios=6000\n";

std::string text_of(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// Above all but the `count` slowest requests of the run, in ps.
std::int64_t threshold(const nlohmann::json& result, std::size_t count) {
  return result["slowest"][count]["latency_ps"].get<std::int64_t>();
}

std::string slower_than(std::int64_t ps) { return "observe.trigger=latency > " + std::to_string(ps) + "ps"; }

/// The changes in (from, to], and what held at `from`: "x", "nan" or nothing where it was not known.
struct Part {
  std::string before;
  std::vector<Waves::Change> changes;
};
Part part_of(const std::vector<Waves::Change>& changes, std::uint64_t from, std::uint64_t to) {
  Part part;
  for (const auto& change : changes) {
    if (change.first <= from) part.before = change.second;
    // Where one window follows another, values stand once more.
    const std::string& last = part.changes.empty() ? part.before : part.changes.back().second;
    if (change.first > from && change.first <= to && change.second != last) part.changes.push_back(change);
  }
  return part;
}

bool known(const std::string& value) { return !value.empty() && value[0] != 'x' && value != "nan"; }

void expect_window(const Waves& kept, const Waves& all, std::uint64_t from, std::uint64_t to, std::size_t& changes) {
  for (const Waves::Variable& variable : all.variables) {
    SCOPED_TRACE(variable.path);
    const Part expected = part_of(all.changes.at(variable.path), from, to);
    const auto values = kept.changes.find(variable.path);  // a text that was never set has none
    Part found = part_of(values == kept.changes.end() ? std::vector<Waves::Change>() : values->second, from, to);
    if (known(found.before)) {
      EXPECT_EQ(found.before, expected.before);
    } else if (!found.changes.empty() && found.changes.front().second == expected.before) {
      found.changes.erase(found.changes.begin());  // set again to what it was: news only to who did not know
    }
    EXPECT_EQ(found.changes, expected.changes);
    changes += found.changes.size();
  }
}

// Two slow requests of 6,000, native and on the instruction-set model.
TEST(WaveTrigger, KeepsWhatAWholeRecordingHasThere) {
  for (const std::string cpu : {"native", "iss"}) {
    SCOPED_TRACE(cpu);
    const std::vector<std::string> drive{"cpu.model=" + cpu, "precondition.fill=sequential", "observe.waves=true"};
    const RunResult whole = run_drive({kDrive, kJob, drive, {}});
    std::vector<std::string> sets = drive;
    sets.insert(sets.end(), {slower_than(threshold(whole.result, 2)), "observe.trigger_before=1500us",
                             "observe.trigger_after=50us"});
    const RunResult triggered = run_drive({kDrive, kJob, sets, {}});
    EXPECT_EQ(triggered.result_text, whole.result_text) << "a trigger changes no result";
    EXPECT_LT(fs::file_size(triggered.folder + "/waves.fst"), fs::file_size(whole.folder + "/waves.fst"));
    for (const auto& entry : fs::directory_iterator(triggered.folder))
      EXPECT_EQ(entry.path().string().find(".part"), std::string::npos) << entry.path();

    const Waves all = read_waves(whole.folder + "/waves.fst");
    const Waves kept = read_waves(triggered.folder + "/waves.fst");
    EXPECT_EQ(kept.variables.size(), all.variables.size() + 2);
    std::size_t changes = 0;
    std::vector<std::uint64_t> ends, begins;
    for (std::size_t i = 0; i < 2; ++i) {
      const auto& request = whole.result["slowest"][i];
      const std::uint64_t end =
          request["submitted_ps"].get<std::uint64_t>() + request["latency_ps"].get<std::uint64_t>();
      ends.push_back(end);
      begins.push_back(std::min(request["submitted_ps"].get<std::uint64_t>(), end - 1'500'000'000));
      expect_window(kept, all, begins.back(), end + 50'000'000, changes);
      EXPECT_EQ(wordline({"view", triggered.folder, "--slowest", std::to_string(i + 1), "--print"}).exit_code, 0);
    }
    EXPECT_GT(changes, 1000U);
    const auto& requests = kept.changes.at("ssd.host.slow_request");
    for (const std::uint64_t end : ends) {
      EXPECT_EQ(std::count_if(requests.begin(), requests.end(), [end](const auto& c) { return c.first == end; }), 1);
    }
    // Between the windows nothing is recorded, and the bit says so.
    for (const auto& [path, values] : kept.changes) {
      for (const auto& [at, value] : values) {
        bool inside = at == kept.start;
        for (std::size_t i = 0; i < 2; ++i) inside |= begins[i] <= at && at <= ends[i] + 50'000'001;
        EXPECT_TRUE(inside) << path << " at " << at;
      }
    }
    EXPECT_EQ(kept.changes.at("ssd.host.recorded").back().second, "0");
    // A request that is not in a window.
    const CommandResult other = wordline({"view", triggered.folder, "--slowest", "16", "--print"});
    const auto& last = whole.result["slowest"][15];
    const std::uint64_t at = last["submitted_ps"].get<std::uint64_t>() + last["latency_ps"].get<std::uint64_t>();
    const bool inside = std::any_of(ends.begin(), ends.end(), [at](std::uint64_t end) {
      return end - 1'500'000'000 <= at && at <= end + 50'000'000;
    });
    EXPECT_EQ(other.exit_code, inside ? 0 : 1) << other.output;
  }
}

TEST(WaveTrigger, CountsWhatItDoesNotKeep) {
  const std::vector<std::string> drive{"cpu.model=native", "precondition.fill=sequential", "observe.waves=true"};
  const auto run = [&](std::vector<std::string> more, const std::string& name) {
    const std::string folder = scratch_folder() + "/" + name;
    std::vector<std::string> words{"run", kDrive, "-w", scratch_file("job.fio", kJob), "--out", folder};
    more.insert(more.end(), drive.begin(), drive.end());
    for (const std::string& set : more) words.insert(words.end(), {"--set", set});
    return std::pair(wordline(words), folder);
  };
  const auto [none, nothing] = run({"observe.trigger=latency > 1s"}, "none");
  EXPECT_EQ(none.exit_code, 0) << none.output;
  EXPECT_NE(
      none.output.find("Note: observe.trigger = \"latency > 1s\": no request was slower, so there is no waveform"),
      std::string::npos)
      << none.output;
  EXPECT_FALSE(fs::exists(nothing + "/waves.fst"));
  EXPECT_FALSE(fs::exists(nothing + "/waves.gtkw"));
  const auto [all, one] = run({"observe.trigger=read latency > 0ps", "observe.trigger_limit=1",
                               "observe.trigger_before=1us", "observe.trigger_after=0ps"},
                              "one");
  EXPECT_EQ(all.exit_code, 0) << all.output;
  EXPECT_NE(all.output.find("requests were slower, "), std::string::npos) << all.output;
  EXPECT_NE(all.output.find(" of them in the window of the waveform"), std::string::npos) << all.output;
  // Of so many the slowest, from its submission on: what it waited for is in it.
  const Waves waves = read_waves(one + "/waves.fst");
  const auto slowest = nlohmann::json::parse(text_of(one + "/result.json"))["slowest_of"]["read"]["requests"][0];
  const auto submitted = slowest["submitted_ps"].get<std::uint64_t>(),
             latency = slowest["latency_ps"].get<std::uint64_t>();
  EXPECT_LE(waves.start, submitted);
  EXPECT_GE(waves.end, submitted + latency);
  EXPECT_LE(waves.end - waves.start, 2 * latency + 1);
  EXPECT_EQ(wordline({"view", one, "--slowest", "--op", "read", "--print"}).exit_code, 0);
}

// A run that fails keeps its last window, whether or not a request was slow.
TEST(WaveTrigger, AFailedRunKeepsItsEnd) {
  const std::string folder = scratch_folder() + "/out";
  std::vector<std::string> words{"run", kDrive, "-w", scratch_file("job.fio", kJob), "--out", folder};
  for (const char* set :
       {"cpu.model=native", "precondition.fill=sequential", "observe.waves=true", "observe.trigger=latency > 1s",
        "observe.trigger_before=200us", "host.on_error=stop", "nand.faults.unreadable_pages=0.01"})
    words.insert(words.end(), {"--set", set});
  const CommandResult run = wordline(words);
  EXPECT_EQ(run.exit_code, 1) << run.output;
  const auto result = nlohmann::json::parse(text_of(folder + "/result.json"));
  const auto end = result["simulated_ps"].get<std::uint64_t>();
  const Waves waves = read_waves(folder + "/waves.fst");
  EXPECT_EQ(waves.start, end - 200'000'000);
  EXPECT_EQ(waves.end, end);
  EXPECT_NE(text_of(folder + "/waves.gtkw").find("[timestart] " + std::to_string(end - 100'000'000)),
            std::string::npos);
}

// Beside the results of the same run, which stay.
TEST(WaveWindows, AreRecordedAlone) {
  const std::vector<std::string> drive{"cpu.model=native", "precondition.fill=sequential", "observe.waves=true"};
  const RunResult whole = run_drive({kDrive, kJob, drive, {}});
  const Waves all = read_waves(whole.folder + "/waves.fst");
  const std::string result = text_of(whole.folder + "/result.json");
  std::vector<std::string> words{"run",      kDrive,       "-w",       scratch_file("job.fio", kJob),
                                 "--out",    whole.folder, "--record", "5ms..5100us",
                                 "--record", "1ms..2ms",   "--record", "1500us..2500us"};
  for (const std::string& set : drive) words.insert(words.end(), {"--set", set});
  const CommandResult run = wordline(words);
  ASSERT_EQ(run.exit_code, 0) << run.output;
  EXPECT_EQ(text_of(whole.folder + "/result.json"), result);
  const Waves kept = read_waves(whole.folder + "/waves.fst");
  std::size_t changes = 0;
  expect_window(kept, all, 1'000'000'000, 2'500'000'000, changes);
  expect_window(kept, all, 5'000'000'000, 5'100'000'000, changes);
  EXPECT_GT(changes, 1000U);
  EXPECT_EQ(kept.changes.at("ssd.host.recorded").size(), 4U) << "two overlap";
  for (const char* wrong : {"1ms", "2ms..1ms", "1ms-2ms", "..", "x..1ms"}) {
    words.back() = "observe.waves=true";
    std::vector<std::string> bad = words;
    bad.insert(bad.end(), {"--record", wrong});
    const CommandResult refused = wordline(bad);
    EXPECT_EQ(refused.exit_code, 2) << wrong;
    EXPECT_NE(refused.output.find(std::string("--record ") + wrong + ": error: expected FROM..TO"), std::string::npos)
        << refused.output;
  }
  words.insert(words.end(), {"--set", "observe.waves=false"});
  EXPECT_NE(wordline(words).output.find("--record: error: needs observe.waves = true"), std::string::npos);
}

TEST(WaveTrigger, RefusesADebugger) {
  const CommandResult run =
      wordline({"run", kDrive, "-w", scratch_file("job.fio", kJob), "--out", scratch_folder(), "--gdb", "0", "--set",
                "cpu.model=iss", "--set", "observe.waves=true", "--set", "observe.trigger=latency > 1ms"});
  EXPECT_NE(run.exit_code, 0);
  EXPECT_NE(run.output.find("--gdb: error: cannot be used with observe.trigger"), std::string::npos) << run.output;
}

// What a read does on the wires says for which command: by the names that the host's row has.
TEST(WaveChannels, TransactionsNameTheCommandTheyServe) {
  const RunResult run = run_drive({kDrive,
                                   "[job]\nrw=randread\nbs=4k\niodepth=16\nnumber_ios=500\n",
                                   {"cpu.model=native", "precondition.fill=sequential", "observe.waves=true"},
                                   {}});
  const Waves waves = read_waves(run.folder + "/waves.fst");
  std::set<std::string> commands;  // "q1 cid 3 lba 0x1f40"
  for (const auto& [at, text] : waves.changes.at("ssd.host.command")) {
    const std::regex form("READ lba (0x[0-9a-f]+) \\+8 (q[0-9]+ cid [0-9]+)");
    if (std::smatch found; std::regex_match(text, found, form)) commands.insert(found.str(2) + " lba " + found.str(1));
  }
  EXPECT_EQ(commands.size(), 500U);
  std::size_t named = 0, reads = 0;
  for (const auto& [path, changes] : waves.changes) {
    if (path.find(".bus.transaction") == std::string::npos) continue;
    for (const auto& [at, text] : changes) {
      reads += text.rfind("DATA OUT", 0) == 0 ? 1 : 0;
      const auto serves = text.find(" for ");
      if (serves == std::string::npos) continue;
      ++named;
      EXPECT_EQ(commands.count(text.substr(serves + 5)), 1U) << text;
    }
  }
  EXPECT_GT(reads, 400U);
  EXPECT_GE(named, 2 * reads);  // at least the command and the data of each
}

// Fewer signals, the same values: the host, the cores, and the channels that were asked for.
TEST(WaveChannels, RecordWhatWasAskedFor) {
  const std::vector<std::string> drive{"cpu.model=native", "channels.count=4", "observe.waves=true"};
  std::vector<std::string> some = drive;
  some.emplace_back("observe.channels=[1, 3]");
  const RunResult all = run_drive({kDrive, kJob, drive, {}});
  const RunResult few = run_drive({kDrive, kJob, some, {}});
  EXPECT_EQ(few.result_text, all.result_text);
  const Waves every = read_waves(all.folder + "/waves.fst"), chosen = read_waves(few.folder + "/waves.fst");
  std::size_t left_out = 0;
  for (const Waves::Variable& variable : every.variables) {
    const bool out = variable.path.rfind("ssd.channel0.", 0) == 0 || variable.path.rfind("ssd.channel2.", 0) == 0;
    EXPECT_EQ(chosen.changes.count(variable.path), out ? 0U : 1U) << variable.path;
    if (out) {
      ++left_out;
    } else {
      EXPECT_EQ(chosen.changes.at(variable.path), every.changes.at(variable.path)) << variable.path;
    }
  }
  EXPECT_GT(left_out, 10U);
}

}  // namespace
}  // namespace wordline::testing::wave_trigger_test
