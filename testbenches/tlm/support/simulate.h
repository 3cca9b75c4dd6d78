// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <systemc>

#include "testbenches/tlm/support/context.h"

namespace wordline::testing {

/// Runs `body` in a simulation process, after elaboration, and stops the simulation when it returns. Fails the test
/// when the body has not finished by `limit`. Every SystemC warning or error on the way fails the test. Once per
/// process.
void simulate(const std::function<void()>& body, const sc_core::sc_time& limit);

/// Advances simulation without a body until no event is left or `limit`.
void run_until(const sc_core::sc_time& limit);

/// Expected number of SC_WARNING/SC_ERROR reports since the last call; resets the count. Use when the subject of the
/// test is the report itself: call expect_reports(true) first.
void expect_reports(bool expected);
unsigned reports_seen();
std::string last_report();

}  // namespace wordline::testing
