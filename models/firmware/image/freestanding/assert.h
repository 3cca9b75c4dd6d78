/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * C11 leaves assert.h to hosted implementations; the generated register header needs static_assert from it. Only the
 * RISC-V image finds this file.
 */
#ifndef WORDLINE_FIRMWARE_FREESTANDING_ASSERT_H
#define WORDLINE_FIRMWARE_FREESTANDING_ASSERT_H

#define static_assert _Static_assert

#endif
