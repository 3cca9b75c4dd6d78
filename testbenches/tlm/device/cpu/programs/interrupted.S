/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Spins with interrupts on; the handler claims and rings the NVMe doorbell. */
.option norvc
.globl _start
_start:
  lui t1, 0x40000
  lui t0, 0x40003
  li a2, 0xf
  sw a2, 0(t0)            /* ENABLE */
  li a2, 0x800
  csrw mie, a2
  la a2, handler
  csrw mtvec, a2
  csrsi mstatus, 8        /* MIE */
1:
  addi a3, a3, 1          /* 1 */
  j 1b                    /* 2 */
.align 2
handler:                  /* trap entry: 4 */
  lw a1, 4(t0)            /* 1 + bus */
  sw a1, 0x10(t1)         /* 1 + bus */
  mret
