/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Sleeps with interrupts disabled in mstatus; on waking claims and rings the NVMe doorbell with what it claimed. */
.option norvc
.globl _start
_start:
  csrwi 0x7c0, 29         /* boot */
  lui t1, 0x40000
  lui t0, 0x40003
  csrr a0, mhartid
  slli a1, a0, 4
  add t0, t0, a1          /* this core's interrupt registers */
  li a2, 0xf
  sw a2, 0(t0)            /* ENABLE */
  li a2, 0x800
  csrw mie, a2            /* external interrupt */
  nop                     /* 11 cycles and the bus so far */
  beqz a0, sleep          /* 1 or 3 */
  li a2, 1                /* core 1 rings the doorbell, then core 0 */
  sw a2, 0x10(t1)
  sw a2, -8(t0)           /* IPI of core 0 */
sleep:
  csrwi 0x7c0, 0          /* idle; 1 */
  wfi                     /* 1 */
  csrwi 0x7c0, 2          /* wake; 1 */
  lw a1, 4(t0)            /* CLAIM; 1 + bus */
  sw a1, 0x10(t1)         /* 1 + bus */
  j sleep                 /* 2 */
