/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Calls, a tail call, a jump out of two frames and a trap, with cycles that can be counted by hand. */
.option norvc
.macro function name
  .globl \name
  .type \name, @function
  .balign 16
\name:
.endm

.section .text.start, "ax"
function _start
  la t2, handler  /* 2 */
  csrw mtvec, t2  /* 1 */
  jal outer       /* 2 */
  jal deep        /* 2 */
  ecall           /* 0: the trap's 4 are the handler's */
  ebreak          /* 0 */
.size _start, . - _start

.text
function outer
  mv s1, ra       /* 1 */
  jal leaf        /* 2 */
  jal middle      /* 2 */
  mv ra, s1       /* 1 */
  ret             /* 3 */
.size outer, . - outer
function middle
  j leaf          /* 2: leaf takes middle's place */
.size middle, . - middle
function leaf
  nop             /* 1 */
  ret             /* 3 */
.size leaf, . - leaf
function deep
  mv a0, ra       /* 1 */
  jal deeper      /* 2 */
.size deep, . - deep
function deeper
  mv ra, a0       /* 1 */
  ret             /* 3: to _start */
.size deeper, . - deeper
function handler
  csrr t3, mepc   /* 1, after the trap's 4 */
  addi t3, t3, 4  /* 1 */
  csrw mepc, t3   /* 1 */
  mret            /* 4 */
.size handler, . - handler
