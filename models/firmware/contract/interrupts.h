/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Interrupt sources: bits of IRQ.CORE[i].PENDING.
 */
#ifndef WORDLINE_FIRMWARE_CONTRACT_INTERRUPTS_H
#define WORDLINE_FIRMWARE_CONTRACT_INTERRUPTS_H

#include <stdint.h>

#define WL_IRQ_HOST 0u  /* host event ring */
#define WL_IRQ_FLASH 1u /* flash completion ring */
#define WL_IRQ_IPI 2u   /* another core */
#define WL_IRQ_TIMER 3u
#define WL_IRQ_ENGINE 4u /* the end of a grace period, of a scan, of a search */
#define WL_IRQ_APB 5u    /* a block of a user's own */

#endif
