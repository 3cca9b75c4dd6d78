// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

extern "C" {  // headers of rooms are C
#include "models/firmware/map/durable.h"
#include "models/firmware/map/hazards.h"
#include "models/firmware/rooms.h"
}

namespace wordline::testing {

/// The states of all rooms, each of which the firmware hides from the others.
inline wl_rooms& rooms(wl_firmware& fw) { return reinterpret_cast<wl_rooms&>(fw); }
inline const wl_rooms& rooms(const wl_firmware& fw) { return reinterpret_cast<const wl_rooms&>(fw); }

}  // namespace wordline::testing
