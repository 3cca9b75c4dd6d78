/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * One way to end each: a test that passes, fails, fails only if misaligned loads trap, never ends, traps forever, and has no word `tohost`. */
.globl _start
_start:
#if defined(PROGRAM_pass)
  li a0, 6
  li a1, 7
  mul a0, a0, a1
  li a1, 42
  bne a0, a1, fail
  li a0, 1
  j report
fail:
  li a0, (2 << 1) | 1
  j report
#elif defined(PROGRAM_fail_3)
  li a0, (3 << 1) | 1
  j report
#elif defined(PROGRAM_misaligned)
  la a0, trapped
  csrw mtvec, a0
  la a0, begin_signature
  lw a0, 1(a0)
  li a0, 1
  j report
  .balign 4
trapped:
  csrr a0, mcause      /* 4 */
  slli a0, a0, 1
  ori a0, a0, 1
  j report
#elif defined(PROGRAM_lockup)
  csrw mtvec, zero     /* no memory there */
  .word 0
#endif
endless:
  j endless
report:
#if !defined(PROGRAM_no_tohost)
  la a1, tohost
  sw a0, 0(a1)
  j endless
  .data
  .balign 64
  .globl tohost
tohost:
  .dword 0
  .globl begin_signature, end_signature
begin_signature:
  .word 0x12345678, 0xfedcba98
end_signature:
#endif
