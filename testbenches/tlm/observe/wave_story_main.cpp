// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <exception>
#include <string>
#include <systemc>

#include "testbenches/tlm/observe/wave_story.h"
#include "testbenches/tlm/support/context.h"
#include "tlm/observe/fst_recorder.h"
#include "tlm/observe/gtkw_view.h"
#include "tlm/protocol/interfaces.h"

int sc_main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: wave_story_demo FILE.fst\n", stderr);
    return 2;
  }
  sc_core::sc_set_time_resolution(1, sc_core::SC_PS);
  try {
    wordline::observe::FstRecorder recorder(wordline::testing::context(), argv[1]);
    const auto end = wordline::testing::tell_story(recorder);
    sc_core::sc_start(wordline::tlm_if::to_sc_time(end));
    recorder.close();
    const std::string view =
        wordline::observe::write_gtkw(recorder, wordline::observe::default_groups(recorder.signals()));
    std::printf("gtkwave %s\n", view.c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
