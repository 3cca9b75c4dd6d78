// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/units/quantity.h"
#include "tlm/device/nvme/nvme.h"
#include "tlm/host/nvme_driver/controller_access.h"
#include "tlm/protocol/simulation_context.h"

namespace wordline::host {

/// Shuts the controller down as an operating system does: CC.SHN = 01b, then CSTS.SHST is read every 10 us until it
/// says that the shutdown is complete (Base 3.6.1).
class ShutDown final : private tlm_if::AlarmQueue::Client {
 public:
  class UserIf {
   public:
    virtual void controller_is_down() = 0;

   protected:
    ~UserIf() = default;
  };

  ShutDown(tlm_if::SimulationContext& context, ControllerAccess& controller, UserIf& user)
      : controller_(controller), user_(user), next_read_(context.alarms(), *this) {}

  void begin() {
    const std::uint32_t cc = controller_.value(nvme::kRegCc) & ~nvme::kCcShutdownMask;
    controller_.write(nvme::kRegCc, cc | nvme::kCcShutdownNormal);
    next_read_.set(controller_.read_arrives(next_read_.now()));
  }

 private:
  static constexpr Picoseconds kPollInterval{10'000'000};

  void alarm() override {
    if ((controller_.value(nvme::kRegCsts) & nvme::kCstsShutdownMask) == nvme::kCstsShutdownComplete)
      user_.controller_is_down();
    else
      next_read_.set(controller_.read_arrives(next_read_.now() + kPollInterval));
  }

  ControllerAccess& controller_;
  UserIf& user_;
  tlm_if::Alarm next_read_;
};

}  // namespace wordline::host
