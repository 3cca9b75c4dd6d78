/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Firmware with one defect, chosen by -DDEFECT=..., in a function `defect` on core 0. The other cores sleep. Linked as
 * the real firmware is (models/firmware/start.S, link.ld).
 */
#include <stdint.h>

#include "models/firmware/contract/contract.h"

#define ILLEGAL 1
#define RECURSION 2
#define NULL_STORE 3
#define NOWHERE 4
#define MISALIGNED 5
#define WILD_CALL 6
#define ENDLESS 7
#define CHATTER 8
#define NO_REGISTER 9
#define DRAM_END 10

static volatile uint32_t* at(uint32_t address) { return (volatile uint32_t*)address; }
#define UART_TX (WL_MMIO_BASE + 0x5000u)

__attribute__((noinline)) uint32_t defect(uint32_t n);
__attribute__((noinline)) uint32_t defect(uint32_t n) {
#if DEFECT == ILLEGAL
  __asm__ volatile(".word 0xffffffff");
#elif DEFECT == RECURSION
  volatile uint32_t kept[8] = {n};
  return defect(n + 1) + kept[n & 7];
#elif DEFECT == NULL_STORE
  *at(n) = 1;
#elif DEFECT == NOWHERE
  return *at(0x50000000u + n);
#elif DEFECT == MISALIGNED
  return *at(WL_MMIO_BASE + 2 + n);
#elif DEFECT == WILD_CALL
  ((void (*)(void))(0x20000000u + n))();
#elif DEFECT == ENDLESS
  while (*at(WL_TCM_BASE + 0x1000u) == n) continue;
#elif DEFECT == CHATTER
  for (;;) *at(UART_TX) = 'x';
#elif DEFECT == NO_REGISTER
  return *at(WL_MMIO_BASE + 0x7fcu + n);
#elif DEFECT == DRAM_END
  *at(0xfffffffcu - n) = 1;
#endif
  return n;
}

/* The firmware's own handler must not be what names the fault. */
void wl_trap(uint32_t cause, uint32_t pc);
void wl_trap(uint32_t cause, uint32_t pc) {
  (void)cause;
  (void)pc;
}

void wl_main(uint32_t core);
void wl_main(uint32_t core) {
  if (core == 0) {
    __asm__ volatile("csrwi %0, %1" ::"i"(WL_CSR_TASK), "i"(WL_COST_FTL_GC));
    *at(WL_TCM_BASE + 0x1004u) = defect(0);
  }
  for (;;) __asm__ volatile("wfi");
}
