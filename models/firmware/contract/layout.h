/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Hardware and firmware are compiled apart: each checks at compile time what both rely on.
 */
#ifndef WORDLINE_FIRMWARE_CONTRACT_LAYOUT_H
#define WORDLINE_FIRMWARE_CONTRACT_LAYOUT_H

#include <stdint.h>

#ifdef __cplusplus
#define WL_STATIC_ASSERT(condition, text) static_assert(condition, text)
#else
#define WL_STATIC_ASSERT(condition, text) _Static_assert(condition, text)
#endif
#define WL_SIZE_AT_MOST(type, bytes) WL_STATIC_ASSERT(sizeof(type) <= (bytes), "more than there is room for")
#define WL_SIZE_IS(type, bytes) WL_STATIC_ASSERT(sizeof(type) == (bytes), "size that hardware and firmware share")

#endif
