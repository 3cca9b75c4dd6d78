// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Two generators read one description: the C header that firmware uses and the C++ constants that hardware uses must
// agree, and both with the bus map and the numbers that contract.h fixes.
#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>

#include "models/firmware/contract/contract.h"
#include "registers/wordline_regs.h"
#include "registers/wordline_regs.hpp"

namespace wordline::testing {
namespace {

namespace reg = wordline::registers;

TEST(Registers, HeaderAndConstantsNameTheSameOffsets) {
  EXPECT_EQ(offsetof(wordline_t, NVME.JOB_DOORBELL), reg::nvme::kBase + reg::nvme::job_doorbell);
  EXPECT_EQ(offsetof(wordline_t, NVME.CONTROL), reg::nvme::kBase + reg::nvme::control);
  EXPECT_EQ(offsetof(wordline_t, FLASH.SLOT_TABLE), reg::flash::kBase + reg::flash::slot_table);
  EXPECT_EQ(offsetof(wordline_t, ECC.UNCORRECTABLE), reg::ecc::kBase + reg::ecc::uncorrectable);
  EXPECT_EQ(offsetof(wordline_t, ECC.RETRY_TABLE[63]),
            reg::ecc::kBase + reg::ecc::retry_table + 63 * reg::ecc::retry_table_stride);
  EXPECT_EQ(offsetof(wordline_t, ECC.T2_ITERATIONS[7]),
            reg::ecc::kBase + reg::ecc::t2_iterations + 7 * reg::ecc::t2_iterations_stride);
  EXPECT_EQ(offsetof(wordline_t, IRQ[3].CLAIM), reg::irq::kBase + 3 * reg::irq::kStride + reg::irq::claim);
  EXPECT_EQ(offsetof(wordline_t, TIMER.COMPARE), reg::timer::kBase + reg::timer::compare);
  EXPECT_EQ(offsetof(wordline_t, UART.PANIC), reg::uart::kBase + reg::uart::panic);
  EXPECT_EQ(offsetof(wordline_t, CHANNEL[63].STATUS),
            reg::channel::kBase + 63 * reg::channel::kStride + reg::channel::status);
}

TEST(Registers, HeaderAndConstantsNameTheSameFields) {
  EXPECT_EQ(WORDLINE__NVME_RF__CONTROL__READY_bm, reg::nvme::control_ready_mask);
  EXPECT_EQ(WORDLINE__CHANNEL_RF__STATUS__OUTSTANDING_bm, reg::channel::status_outstanding_mask);
  EXPECT_EQ(WORDLINE__CHANNEL_RF__STATUS__OUTSTANDING_bp, static_cast<int>(reg::channel::status_outstanding_shift));
  EXPECT_EQ(WORDLINE__ECC_RF__LAST_STATUS__TIERS_bm, reg::ecc::last_status_tiers_mask);
  EXPECT_EQ(WORDLINE__ECC_RF__ESCALATION__LAST_STEP_reset, static_cast<int>(reg::ecc::escalation_last_step_reset));
  EXPECT_EQ(WORDLINE__UART_RF__TX__CHARACTER_bm, reg::uart::tx_character_mask);
}

TEST(Registers, FitTheBusMapAndTheContract) {
  EXPECT_LE(sizeof(wordline_t), WL_MMIO_SIZE);
  for (const unsigned source : {WL_IRQ_HOST, WL_IRQ_FLASH, WL_IRQ_IPI, WL_IRQ_TIMER}) {
    EXPECT_NE(reg::irq::enable_sources_mask & 1U << source, 0U) << source;
  }
}

TEST(Registers, ReferenceForPeopleIsGenerated) {
  EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(WORDLINE_REGISTERS_HTML) / "index.html"));
}

}  // namespace
}  // namespace wordline::testing
