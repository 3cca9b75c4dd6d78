// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "models/config/config.h"
#include "models/nand/device.h"
#include "models/nand/region_ages.h"
#include "models/onfi/address.h"
#include "models/onfi/timing.h"
#include "tlm/device/flash/die/page_shape.h"

namespace wordline::flash {

/// What all dies of a drive have in common behind their pins, made once for all of them.
struct DieConstants {
  DieConstants(const config::Config& config, const config::Layout& layout)
      : times(config.channels),
        timing(config.channels),
        codec(config, layout),
        shapes(config.nand, layout),
        device(std::make_shared<const nand::Device>(config.nand, layout,
                                                    nand::RegionAges(config.precondition.ages, layout.user_lpages))) {}

  const config::Channels times;
  const onfi::TargetTiming timing;  // timing after power-on
  const onfi::AddressCodec codec;
  const PageShapes shapes;
  const std::shared_ptr<const nand::Device> device;
};

}  // namespace wordline::flash
