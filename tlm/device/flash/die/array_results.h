// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "models/nand/die.h"
#include "tlm/device/flash/die/copied_errors.h"
#include "tlm/device/flash/die/data_output.h"
#include "tlm/device/flash/die/die_features.h"
#include "tlm/device/flash/die/page_load.h"
#include "tlm/device/flash/die/ready_busy_pin.h"
#include "tlm/device/flash/die/work.h"
#include "tlm/protocol/simulation_context.h"

namespace wordline::flash {

/// Report id of the errors of a die.
inline constexpr const char* kDieReport = "/wordline/flash/die";

/// What an operation of the array leaves when it ends or is cut short: content in the array, a page in the registers, a
/// program to report on, bit errors that copyback carried on. When that is, is ArrayWork's.
class ArrayResults {
 public:
  /// When the die fails as a whole; of most never.
  static constexpr Picoseconds kNever{INT64_MAX};

  /// `page_age`: the age of data counts (nand.aging.page_age). `fails_at`: from then on all operations that end do.
  /// `name`: of the die, for errors.
  ArrayResults(std::string name, tlm_if::SimulationContext& context, const ReadyBusyPin& pin, bool page_age,
               Picoseconds fails_at, nand::Die& array, PageLoad& loads, DataOutput& output, DieFeatures& features,
               CopiedErrors& copied)
      : name_(std::move(name)),
        context_(context),
        pin_(pin),
        page_age_(page_age),
        fails_at_(fails_at),
        array_(array),
        loads_(loads),
        output_(output),
        features_(features),
        copied_(copied) {}

  /// The time of `work` is over. Returns whether it failed; a program that broke a rule of use is an SC_ERROR, too.
  std::uint32_t ended(const Work& work);
  /// RESET or power loss: `passed` of its plan, it leaves its cells half way.
  void torn(const Work& work, Picoseconds passed);

 private:
  std::uint32_t programmed(const Work& work);
  [[nodiscard]] std::uint32_t failed_planes(const Work& work, nand::OperationStatus status) const;
  void erased(const Work& work);

  const std::string name_;
  tlm_if::SimulationContext& context_;
  const ReadyBusyPin& pin_;
  const bool page_age_;
  const Picoseconds fails_at_;
  nand::Die& array_;
  PageLoad& loads_;
  DataOutput& output_;
  DieFeatures& features_;
  CopiedErrors& copied_;
};

}  // namespace wordline::flash
