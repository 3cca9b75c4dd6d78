/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Enters by an offset from _start one of several ways to go wrong: word 0x40 of tightly coupled memory says which. */
.option norvc
.globl _start
_start:
  la a0, handler
  csrw mtvec, a0
  lui t1, 0x10000
  lui t0, 0x40000
  lw a0, 0x40(t1)
  li a1, 1
  beq a0, a1, bad_register
  li a1, 2
  beq a0, a1, byte_store
  li a1, 3
  beq a0, a1, null_store
  li a1, 4
  beq a0, a1, bad_tag
  li a1, 5
  beq a0, a1, deaf_sleep
  li a1, 6
  beq a0, a1, panic
  li a1, 7
  beq a0, a1, bad_mark
  .globl stop_here
  .type stop_here, @function
stop_here:
  ebreak
  .size stop_here, . - stop_here
bad_register:
  lw a0, 0x7fc(t0)
  j stop_here
byte_store:
  sb a0, 0x10(t0)
  j stop_here
null_store:
  sw a0, 0x10(x0)
  j stop_here
bad_tag:
  li t0, 63
  csrw 0x7c0, t0
  j stop_here
deaf_sleep:
  lui t2, 0x40003
  li a1, 15
  sw a1, 0(t2)
  wfi
  j stop_here
panic:
  lui t2, 0x40005
  la a1, panic_name
  sw a1, 8(t2)
  li a1, 321
  sw a1, 4(t2)
1:
  wfi
  j 1b
bad_mark:
  lui a1, 0x60
  csrw 0x7c1, a1
2:
  wfi
  j 2b
.align 2
handler:                  /* leaves the cause for the test */
  csrr a1, mcause
  sw a1, 0x44(t1)
3:
  wfi
  j 3b
.align 2
panic_name:
  .asciz "faults.S"
