/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Numbers that name something in the drive, each of a type of its own. In C they are enumerations without enumerators
 * of interest: calculations need no casts, while the compiler refuses to pass, assign or compare one for another
 * (-Wenum-conversion, -Wenum-compare). What a calculation returns is a plain number, which it takes for any of them. In
 * C++, whose models have index types (models/units/index.h), and in memory they are words.
 */
#ifndef WORDLINE_FIRMWARE_CONTRACT_ADDRESS_H
#define WORDLINE_FIRMWARE_CONTRACT_ADDRESS_H

#include <stdint.h>

#include "models/firmware/contract/layout.h"

#ifdef __cplusplus
#define WL_ADDRESS(name) typedef uint32_t wl_##name##_t
#else
#define WL_ADDRESS(name)                                      \
  typedef enum { WL_ANY_##name = 0xffffffffu } wl_##name##_t; \
  WL_STATIC_ASSERT(sizeof(wl_##name##_t) == sizeof(uint32_t), "a word")
#endif

WL_ADDRESS(lpn);        /* logical page number */
WL_ADDRESS(ppa);        /* physical page address, of a logical page: geometry.h */
WL_ADDRESS(map_value);  /* of a map entry: map.h */
WL_ADDRESS(map_unit);   /* of logical pages: map/map.h */
WL_ADDRESS(unit);       /* program unit of the data buffer: buffer/buffer.h */
WL_ADDRESS(slot);       /* of the data buffer */
WL_ADDRESS(superblock); /* also a physical block, where its die is named beside it */
#undef WL_ADDRESS

#endif
