// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "models/checks/load.h"
#include "testbenches/fuzz/nvme/hostile_host.h"
#include "tlm/platform/installed_files.h"

namespace wordline::testing {

/// A whole drive, firmware included, and a host of the test's own before it, while with_hosted_drive() runs.
struct HostedDrive {
  fuzz::Tally tally;
  device::Drive* drive = nullptr;
  fuzz::HostileHost* host = nullptr;
};

/// Runs `body` as the host; what the host finds wrong fails the test.
inline void with_hosted_drive(HostedDrive& it, const config::Loaded& loaded, const std::function<void()>& body) {
  const config::Layout layout = config::layout_of(loaded.config);
  tlm_if::SimulationContext context;
  device::Drive drive("ssd", loaded.config, layout, {context, nullptr, platform::firmware_for(loaded.config, "")});
  fuzz::HostileHost host("host", layout.lpage.first_lba(layout.user_lpages), loaded.config.nvme.cmb, drive, it.tally);
  drive.stage_clock.serve_foreign_host();
  it.drive = &drive;
  it.host = &host;
  host.body = [&body](fuzz::HostileHost&) { body(); };
  sc_core::sc_start();
  EXPECT_TRUE(host.finished());
  for (const std::string& message : it.tally.messages()) ADD_FAILURE() << message;
}

/// Admin queues of 16 entries, I/O queues 1 of 32. False: the drive did not have them, which has failed the test.
[[nodiscard]] inline bool bring_up_one_pair(fuzz::HostileHost& host) {
  host.admin_sq_base = host.memory.allocate();
  host.admin_cq_base = host.memory.allocate();
  EXPECT_TRUE(host.enable(16));
  EXPECT_EQ(host.create_cq(1, 32, host.memory.allocate(), true), host::nvme::kSuccess);
  EXPECT_EQ(host.create_sq(1, 1, 32, host.memory.allocate()), host::nvme::kSuccess);
  return !::testing::Test::HasFailure();
}

}  // namespace wordline::testing
