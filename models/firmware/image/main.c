/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The main loop of a RISC-V core. Interrupts are never taken: mstatus.MIE is 0, mie.MEIE is 1, so a pending interrupt
 * ends WFI and the loop claims it.
 */
#include "models/firmware/core/core.h"
#include "models/firmware/firmware.h"

void wl_panic(const struct wl_hal* hal, const char* file, uint32_t line) {
  wl_write32(hal, WL_REGISTER(UART.PANIC_FILE), (uint32_t)file);
  wl_write32(hal, WL_REGISTER(UART.PANIC), line);
  for (;;) __asm__ volatile("wfi");
}

void wl_trap(uint32_t cause, uint32_t pc);
void wl_trap(uint32_t cause, uint32_t pc) {
  const struct wl_hal hal = {0};
  (void)cause;
  /* Lines of source stay far below: a panic of this size is the address of the trap. */
  wl_panic(&hal, NULL, 0x80000000u | pc);
}

void wl_main(uint32_t core);
void wl_main(uint32_t core) {
  const struct wl_hal hal = {core};
  struct wl_firmware* fw;
  if (core == 0) {
    fw = wl_firmware_boot(&hal);
    for (uint32_t i = 1; i < fw->boot.cores; ++i) wl_write32(&hal, WL_REGISTER_AT(IRQ, i, IPI), 1);
  } else {
    /* Core 0 enables this core's interrupt, raises the flag, then the interrupt; a pending one ends WFI. */
    fw = (struct wl_firmware*)(WL_TCM_BASE + WL_FIRMWARE_CONTEXT_OFFSET);
    while (!wl_firmware_booted(fw)) __asm__ volatile("wfi" ::: "memory");
    WL_FENCE();
  }
  for (;;) {
    if (wl_firmware_poll(fw, &hal, core)) continue;
    if (!wl_firmware_may_sleep(fw, &hal, core)) continue;
    __asm__ volatile("wfi" ::: "memory");
    wl_firmware_wake(fw, &hal, core);
  }
}
