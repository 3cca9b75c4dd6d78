// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// my_read_retry through the door that the drive uses: reads of one codeword whose first decoding fails FAILURES times.
// Each is answered by hand; the controller has to give a result, and to ask for more the more often it fails.
#include "bench.h"

namespace {

struct Play {
  Bench& bench;
  unsigned commands = 0;  // commands to the flash

  void clock(const char* pin) {  // with the pin high
    bench.set(pin, 1);
    bench.clock();
    bench.set(pin, 0);
    bench.evaluate();
  }

  /// The code of the result, or -1: none came.
  int read(unsigned failures) {
    bench.set("request_codewords_i", 1);
    bench.set("request_tag_i", failures);
    bench.set("verdict_codeword_i", 0);
    clock("request_valid_i");
    for (unsigned waited = 0; waited < 10'000; ++waited) {
      if (bench.get("flash_valid_o") != 0) {
        ++commands;
        bench.set("flash_answer_tag_i", bench.get("flash_tag_o"));
        clock("flash_ready_i");
        bench.set("flash_answer_ok_i", 1);
        clock("flash_answer_valid_i");
      } else if (bench.get("decode_valid_o") != 0) {
        const bool answered = bench.get("decode_op_o") != 3;  // tables of magnitudes have no verdict
        bench.set("verdict_tag_i", bench.get("decode_tag_o"));
        clock("decode_ready_i");
        if (!answered) continue;
        const bool good = failures == 0;
        if (!good) --failures;
        bench.set("verdict_ok_i", good ? 1 : 0);
        bench.set("verdict_crc_ok_i", good ? 1 : 0);
        clock("verdict_valid_i");
      } else if (bench.get("result_valid_o") != 0) {
        const int code = static_cast<int>(bench.get("result_code_o"));
        clock("result_ready_i");
        return code;
      } else {
        bench.clock();
        bench.evaluate();
      }
    }
    return -1;
  }
};

}  // namespace

int main() {
  Bench bench;
  int problems = 0;
  unsigned before = 0;
  std::printf("failed decodings  result  flash commands\n");
  for (const unsigned failures : {0U, 1U, 2U, 6U, 1000U}) {
    Play play{bench};
    const int code = play.read(failures);
    std::printf("%16u  %6d  %14u\n", failures, code, play.commands);
    if (code < 0 || play.commands < before || (failures == 0 && code != 0) || (failures == 1000 && code == 0)) {
      ++problems;
    }
    before = play.commands;
  }
  bench.print_counters();
  return verdict(problems);
}
