/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The firmware's only way out: registers, memories, observation. On the RISC-V core these are loads, stores and CSR
 * writes; natively (WL_NATIVE) they are calls into the model that runs the firmware. Everything is inline on the core.
 */
#ifndef WORDLINE_FIRMWARE_CORE_HAL_H
#define WORDLINE_FIRMWARE_CORE_HAL_H

#include <stdint.h>

#include "models/firmware/contract/contract.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Before a function that changes the state and says by its result what came of it: a caller has to look. */
#define WL_MUST_CHECK __attribute__((warn_unused_result))

#ifdef WL_NATIVE

/* The platform fills this in and owns it; `self` comes back in every call. `offset` counts from WL_MMIO_BASE. */
struct wl_hal {
  void* self;
  void (*write32)(void* self, uint32_t offset, uint32_t value);
  uint32_t (*read32)(void* self, uint32_t offset);
  void (*task)(void* self, uint32_t cost_tag);
  void (*mark)(void* self, uint32_t value, uint32_t mark);
  void (*panic)(void* self, const char* file, uint32_t line);
  uint8_t* tcm;  /* host memory behind WL_TCM_BASE */
  uint8_t* dram; /* host memory behind WL_DRAM_BASE, zero where never written */
};

static inline void wl_write32(const struct wl_hal* hal, uint32_t offset, uint32_t value) {
  hal->write32(hal->self, offset, value);
}
static inline uint32_t wl_read32(const struct wl_hal* hal, uint32_t offset) { return hal->read32(hal->self, offset); }
static inline void wl_task(const struct wl_hal* hal, uint32_t cost_tag) { hal->task(hal->self, cost_tag); }
static inline void wl_mark(const struct wl_hal* hal, uint32_t value, uint32_t mark) {
  hal->mark(hal->self, value, mark);
}
/* Types are for profiles, which need instructions. */
#define FW_COMMAND(hal, type) ((void)(type), wl_mark((hal), WL_NO_TAG, WL_MARK_WORK))
#define FW_FOR(hal, type, host_tag) ((void)(type), wl_mark((hal), (host_tag), WL_MARK_WORK))
static inline void wl_panic(const struct wl_hal* hal, const char* file, uint32_t line) {
  hal->panic(hal->self, file, line);
}
static inline uint8_t* wl_tcm(const struct wl_hal* hal) { return hal->tcm; }
static inline uint8_t* wl_dram(const struct wl_hal* hal) { return hal->dram; }

#else

struct wl_hal {
  uint32_t core;
};

static inline void wl_write32(const struct wl_hal* hal, uint32_t offset, uint32_t value) {
  (void)hal;
  *(volatile uint32_t*)(WL_MMIO_BASE + offset) = value;
}
static inline uint32_t wl_read32(const struct wl_hal* hal, uint32_t offset) {
  (void)hal;
  return *(volatile uint32_t*)(WL_MMIO_BASE + offset);
}
#define WL_STR2(x) #x
#define WL_STR(x) WL_STR2(x)
#define wl_task(hal, cost_tag)                                                         \
  do {                                                                                 \
    (void)(hal);                                                                       \
    __asm__ volatile("csrw " WL_STR(WL_CSR_TASK) ", %0" ::"rK"((uint32_t)(cost_tag))); \
  } while (0)
#define FW_COMMAND(hal, type)                                                         \
  do {                                                                                \
    (void)(hal);                                                                      \
    __asm__ volatile("csrw " WL_STR(WL_CSR_COMMAND) ", %0" ::"rK"((uint32_t)(type))); \
  } while (0)
static inline void wl_mark(const struct wl_hal* hal, uint32_t value, uint32_t mark) {
  (void)hal;
  __asm__ volatile("csrw " WL_STR(WL_CSR_MARK) ", %0" ::"r"(value | mark << 16));
}
#define FW_FOR(hal, type, host_tag)           \
  do {                                        \
    FW_COMMAND(hal, type);                    \
    wl_mark((hal), (host_tag), WL_MARK_WORK); \
  } while (0)
void wl_panic(const struct wl_hal* hal, const char* file, uint32_t line);
static inline uint8_t* wl_tcm(const struct wl_hal* hal) {
  (void)hal;
  return (uint8_t*)WL_TCM_BASE;
}
static inline uint8_t* wl_dram(const struct wl_hal* hal) {
  (void)hal;
  return (uint8_t*)WL_DRAM_BASE;
}

#endif

/* FW_TASK marks what the core does from here on, see wl_cost_tag; FW_COMMAND and FW_FOR, directly after it, on whose
 * behalf: commands of a type (wl_command_type), or one command of the host. */
#define FW_TASK(hal, tag) wl_task((hal), (tag))
#define WL_ASSERT(hal, condition)                          \
  do {                                                     \
    if (!(condition)) wl_panic((hal), __FILE__, __LINE__); \
  } while (0)

#ifdef __cplusplus
}
#endif
#endif
