/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0 */
  .section .text.start, "ax"
  .globl _start
  .type _start, @function
_start:
  la sp, stack_top
  jal main
  ebreak
