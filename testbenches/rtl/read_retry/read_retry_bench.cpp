// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Clocks that the read-retry controller itself adds to a read of 8 codewords, by how far the read goes, when every
// answer comes in the clock after its command; and the CPU time of the Verilated block and of the reference for them.
//   bench_rtl_read_retry [reads = 20000]
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "rtl/verilated/read_retry_engine.h"

using namespace wordline;

namespace {

/// Plays a read in which decoding succeeds at retry `retries` (`level` 0), or with soft level `level`; 3: never.
template <class Machine>
void play(Machine& machine, const ecc::RetryRequest& request, unsigned retries, unsigned level) {
  unsigned sets = 0;
  machine.start(request);
  for (;;) {
    switch (machine.next()) {
      case ecc::RetryAction::kFlash:
        sets += machine.flash_command().op == ecc::FlashOp::kSetVref ? 1 : 0;
        machine.accept();
        machine.flash_done(true);
        break;
      case ecc::RetryAction::kDecode: {
        const ecc::DecodeCommand command = machine.decode_command();
        machine.accept();
        if (command.op == ecc::DecodeOp::kLoadLlr) break;
        const bool ok = command.op == ecc::DecodeOp::kT2S ? command.level >= level : level == 0 && sets >= retries;
        for (unsigned c = 0; c < 8; ++c) machine.verdict({c, ok, true, 4, 20, 100 + sets});
        break;
      }
      default:
        (void)machine.take_result();
        return;
    }
  }
}

double seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

int main(int argc, char** argv) {
  const unsigned reads = argc > 1 ? static_cast<unsigned>(std::strtoul(argv[1], nullptr, 10)) : 20000;
  ecc::RetrySettings settings;
  settings.ort_enable = false;
  ecc::OptimalReferences ort(1, 1);
  ecc::RetryCounters counters;
  ecc::ReadRetry model(settings, ort, counters);
  rtl::ReadRetryEngine engine(settings, ort, counters);
  ecc::RetryRequest request;
  for (unsigned c = 0; c < 8; ++c) request.codewords.set(c);
  std::printf("%-28s %8s %14s %14s\n", "read ends", "clocks", "RTL, us/read", "model, us/read");
  const struct {
    const char* name;
    unsigned retries;
    unsigned level;
  } kPaths[] = {{"at once", 0, 0},          {"after 1 retry", 1, 0},
                {"after 4 retries", 4, 0},  {"after 4 and 3 soft reads", 9, 1},
                {"after 4, 3 and 7", 9, 2}, {"given up", 9, 3}};
  for (const auto& path : kPaths) {
    const std::uint64_t before = engine.clocks();
    const double start = seconds();
    for (unsigned i = 0; i < reads; ++i) play(engine, request, path.retries, path.level);
    const double middle = seconds();
    for (unsigned i = 0; i < reads; ++i) play(model, request, path.retries, path.level);
    const double end = seconds();
    std::printf("%-28s %8.1f %14.2f %14.2f\n", path.name, static_cast<double>(engine.clocks() - before) / reads,
                1e6 * (middle - start) / reads, 1e6 * (end - middle) / reads);
  }
}
