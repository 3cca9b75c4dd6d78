/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What firmware and hardware agree on: memory map, rings, descriptors, encodings. Plain C11, included by the firmware
 * (RISC-V and native) and by the SystemC modules. Every struct has the same layout on both: fixed-width fields, natural
 * alignment, its size held by an assertion.
 */
#ifndef WORDLINE_FIRMWARE_CONTRACT_CONTRACT_H
#define WORDLINE_FIRMWARE_CONTRACT_CONTRACT_H

#include "models/firmware/contract/address.h"
#include "models/firmware/contract/boot_info.h"
#include "models/firmware/contract/engines.h"
#include "models/firmware/contract/flash_ring.h"
#include "models/firmware/contract/geometry.h"
#include "models/firmware/contract/host_ring.h"
#include "models/firmware/contract/initial_state.h"
#include "models/firmware/contract/interrupts.h"
#include "models/firmware/contract/map.h"
#include "models/firmware/contract/memory_map.h"
#include "models/firmware/contract/observation.h"
#include "models/firmware/contract/parity.h"
#include "models/firmware/contract/program_tables.h"
#include "models/firmware/contract/ring.h"
#include "models/firmware/contract/spare_blocks.h"

#endif
