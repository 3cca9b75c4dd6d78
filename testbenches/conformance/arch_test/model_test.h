// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// What the programs of riscv-arch-test want to know of a target, for riscv_run (../README.md).
#ifndef WORDLINE_ARCH_TEST_MODEL_TEST_H
#define WORDLINE_ARCH_TEST_MODEL_TEST_H

// Assembly, not C:
// clang-format off
#define RVMODEL_BOOT
#define RVMODEL_DATA_SECTION \
  .pushsection .tohost, "aw", @progbits; \
  .align 8; \
  .globl tohost; \
  tohost: .dword 0; \
  .popsection;
#define RVMODEL_HALT \
  li a0, 1; \
  la a1, tohost; \
  sw a0, 0(a1); \
  1: j 1b;
#define RVMODEL_DATA_BEGIN \
  RVMODEL_DATA_SECTION \
  .align 4; \
  .globl begin_signature; \
  begin_signature:
#define RVMODEL_DATA_END \
  .align 4; \
  .globl end_signature; \
  end_signature:

#define RVMODEL_IO_INIT
#define RVMODEL_IO_WRITE_STR(_SP, _STR)
#define RVMODEL_IO_CHECK()
#define RVMODEL_IO_ASSERT_GPR_EQ(_S, _R, _I)
#define RVMODEL_IO_ASSERT_SFPR_EQ(_F, _R, _I)
#define RVMODEL_IO_ASSERT_DFPR_EQ(_D, _R, _I)
#define RVMODEL_SET_MSW_INT
#define RVMODEL_CLEAR_MSW_INT
#define RVMODEL_CLEAR_MTIMER_INT
#define RVMODEL_CLEAR_MEXT_INT

#endif
