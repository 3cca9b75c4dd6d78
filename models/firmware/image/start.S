/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Reset: every core starts here. Stacks grow down from the top end of tightly coupled memory, WL_STACK_BYTES each, the
 * lowest __stack_guard_bytes of them out of bounds (the platform takes these symbols from the image). Interrupts
 * stay disabled in mstatus; a trap is a bug and panics.
 */
  .section .text.start, "ax"
  .globl _start
  .type _start, @function
_start:
  la t0, trap
  csrw mtvec, t0
  csrw mstatus, zero
  csrr a0, mhartid
  la sp, __stack_top
  la t0, __stack_bytes
  mul t0, t0, a0
  sub sp, sp, t0
  li t0, 1 << 11 /* mie.MEIE: ends WFI */
  csrw mie, t0
  call wl_main
1:
  wfi
  j 1b
  .size _start, . - _start

  .balign 4
  .type trap, @function
trap:
  csrr a0, mcause
  csrr a1, mepc
  call wl_trap
  j 1b
  .size trap, . - trap
