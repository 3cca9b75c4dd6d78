// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Drives of two configurations in one program, each with its own host and job, each in a time of its own: one after the
// other, or each on a thread. The statistics are the same, byte for byte; a file of each is written for whoever wants
// to compare.
//
// usage: two_drives FOLDER [THREADS [DRIVES [KEY=VALUE...]]]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "models/results/report.h"
#include "tlm/platform/drive_module.h"

namespace {

using wordline::platform::DriveModule;

constexpr const char* kJobs[] = {"[reads]\nrw=randread\nbs=4k\niodepth=32\nnumber_ios=60000\n",
                                 "[mix]\nrw=randrw\nrwmixread=70\nbs=4k\niodepth=16\nnumber_ios=40000\n"};

std::unique_ptr<DriveModule> make(const std::string& folder, unsigned number, const std::vector<std::string>& sets) {
  const std::string job = folder + "/job" + std::to_string(number) + ".fio";
  std::ofstream(job) << kJobs[number % 2];
  wordline::platform::DriveOptions options;
  options.config = number % 2 == 0 ? CONFIGS "/ssds/small.toml" : CONFIGS "/ssds/default.toml";
  options.sets = sets;
  options.sets.insert(options.sets.begin(), {"cpu.model=native", "precondition.fill=sequential"});
  options.firmware = WORDLINE_FIRMWARE;
  return std::make_unique<DriveModule>(
      ("drive" + std::to_string(number)).c_str(), options,
      [&](const wordline::workload::LoadOptions& load) { return wordline::workload::load_workload(job, load); });
}

}  // namespace

int sc_main(int argc, char** argv) try {
  if (argc < 2) {
    std::fputs("usage: two_drives FOLDER [THREADS [DRIVES [KEY=VALUE...]]]\n", stderr);
    return 2;
  }
  const std::string folder = argv[1];
  const unsigned threads = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 0;
  const unsigned count = argc > 3 ? static_cast<unsigned>(std::atoi(argv[3])) : 2;
  std::vector<std::unique_ptr<DriveModule>> drives;
  std::vector<DriveModule*> all;
  for (unsigned i = 0; i < count; ++i) {
    drives.push_back(make(folder, i, {argv + std::min(argc, 4), argv + argc}));
    all.push_back(drives.back().get());
  }
  const auto begin = std::chrono::steady_clock::now();
  const auto endings = DriveModule::run_together(all, threads);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  int failed = 0;
  for (unsigned i = 0; i < count; ++i) {
    const auto& statistics = drives[i]->statistics();
    std::printf("drive %u: %s, %llu reads, mean latency %.1f us\n", i,
                endings[i].reason.empty() ? "completed" : "failed",
                static_cast<unsigned long long>(statistics.get<std::uint64_t>("ios.read.count")),
                static_cast<double>(statistics.get<wordline::Picoseconds>("ios.read.lat_ps.mean").count()) * 1e-6);
    if (!endings[i].reason.empty()) std::fprintf(stderr, "drive %u: %s\n", i, endings[i].reason.c_str()), failed = 1;
    wordline::results::write_file(folder + "/drive" + std::to_string(i) + ".json",
                                  wordline::results::to_json(statistics));
  }
  std::fprintf(stderr, "%.2f s on the wall\n", seconds);
  return failed;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
