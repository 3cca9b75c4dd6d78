/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Stores to registers and memories at cycles that can be counted by hand. */
.option norvc
.globl _start
_start:
  csrwi 0x7c0, 29         /* boot; 1 cycle */
  lui t0, 0x40000         /* NVMe; 1 */
  lui t1, 0x10000         /* tightly coupled memory; 1 */
  lui t2, 0x80000         /* DRAM; 1 */
  li a0, 7                /* 1 */
  nop
  nop
  nop
  nop
  nop                     /* 10 cycles */
  sw a0, 0x10(t0)         /* first doorbell; 1 + bus */
  sw a0, 0x10(t0)         /* second; 1 + bus */
  lw a1, 0x40(t1)         /* load_tcm_cycles */
  sw a1, 0x44(t1)         /* 1 */
  lw a1, 0x40(t2)         /* load_dram_cycles */
  sw a1, 0x44(t2)         /* store_dram_cycles */
  li a2, 9                /* work for host tag 9; 1 */
  nop                     /* 1 */
  csrw 0x7c1, a2          /* 1 */
  sw a1, 0x10(t0)         /* third */
  li a2, 1000
1:
  addi a2, a2, -1         /* 1000 * 4 - 2 cycles: longer than a quantum */
  bnez a2, 1b
  sw a1, 0x10(t0)         /* fourth */
2:
  wfi
  j 2b
