// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#define SC_INCLUDE_DYNAMIC_PROCESSES
#include "testbenches/tlm/support/simulate.h"

#include <gtest/gtest.h>

#include <string>

namespace wordline::testing {
namespace {

bool reports_expected = false;
unsigned reports = 0;
std::string last;

// SystemC reports become test failures, so that a bench cannot pass over one (duplicate names, protocol errors).
void handler(const sc_core::sc_report& report, const sc_core::sc_actions& actions) {
  if (report.get_severity() >= sc_core::SC_WARNING) {
    ++reports;
    last = report.what();
    if (!reports_expected) ADD_FAILURE() << report.what();
    return;
  }
  sc_core::sc_report_handler::default_handler(report, actions & ~sc_core::SC_DISPLAY);
}

}  // namespace

void expect_reports(bool expected) { reports_expected = expected; }

unsigned reports_seen() {
  const unsigned seen = reports;
  reports = 0;
  return seen;
}

std::string last_report() { return last; }

void run_until(const sc_core::sc_time& limit) { sc_core::sc_start(limit, sc_core::SC_EXIT_ON_STARVATION); }

void simulate(const std::function<void()>& body, const sc_core::sc_time& limit) {
  bool finished = false;
  sc_core::sc_spawn([&] {
    body();
    finished = true;
    sc_core::sc_stop();
  });
  sc_core::sc_start(limit);
  EXPECT_TRUE(finished) << "the test body was still waiting at " << limit;
}

}  // namespace wordline::testing

int sc_main(int argc, char** argv) {
  sc_core::sc_report_handler::set_handler(wordline::testing::handler);
  sc_core::sc_set_time_resolution(1, sc_core::SC_PS);
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
