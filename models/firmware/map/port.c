/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/map/port.h"

#include "models/firmware/core/core.h"
#include "models/firmware/map/state.h"

#if WL_HAS_LARGE_MAPS

#define COLD __attribute__((noinline, cold))
#define INLINED static inline __attribute__((always_inline)) /* what is cold is compiled for size */

#ifdef WL_NATIVE
void wl_map_runs_on(struct wl_firmware* fw, const struct wl_hal* hal) { wl_map_state(fw)->hal = hal; }
static const struct wl_hal* hal_of(const struct wl_firmware* fw) { return wl_map_view(fw)->hal; }
#else
static const struct wl_hal* hal_of(const struct wl_firmware* fw) {
  (void)fw;
  return NULL; /* not used: registers are memory */
}
#endif

COLD void wl_port_layout(struct wl_firmware* fw) {
  struct wl_map* m = wl_map_state(fw);
  const uint64_t owners = wl_map_port_owners(&fw->boot), copies = wl_map_port_copies(&fw->boot);
  m->port.owners = (uint32_t)owners;
  m->port.copies = (uint32_t)copies;
  m->bank.used = wl_map_port_words(&fw->boot) > (uint64_t)UINT32_MAX + 1;
  m->bank.owners = (uint32_t)(owners >> 32);
  m->bank.copies = (uint32_t)(copies >> 32);
}

INLINED void at_word(const struct wl_firmware* fw, const struct wl_hal* hal, uint64_t word) {
  if (wl_map_view(fw)->bank.used) wl_write32(hal, WL_REGISTER(MAP.BANK), (uint32_t)(word >> 32));
  wl_write32(hal, WL_REGISTER(MAP.WORD), (uint32_t)word);
}

/* `words`: of an entry, one or two. */
INLINED void at_entry(const struct wl_firmware* fw, const struct wl_hal* hal, wl_map_unit_t unit, uint32_t words) {
  at_word(fw, hal, (uint64_t)unit << (words - 1u));
}

INLINED void at_owner(const struct wl_firmware* fw, const struct wl_hal* hal, uint32_t at) {
  const struct wl_map* m = wl_map_view(fw);
  at_word(fw, hal, ((uint64_t)m->bank.owners << 32 | m->port.owners) + at);
}

INLINED void at_copy(const struct wl_firmware* fw, const struct wl_hal* hal, wl_map_unit_t unit) {
  const struct wl_map* m = wl_map_view(fw);
  at_word(fw, hal, ((uint64_t)m->bank.copies << 32 | m->port.copies) + 2u * (uint64_t)unit);
}

/* As it is stored. */
INLINED struct wl_mapped stored(const struct wl_firmware* fw, wl_map_unit_t unit) {
  const struct wl_hal* hal = hal_of(fw);
  const uint32_t words = wl_map_port_entry(&fw->boot);
  at_entry(fw, hal, unit, words);
  const wl_map_value_t value = wl_read32(hal, WL_REGISTER(MAP.DATA));
  if (words != 1) {
    const uint32_t presence = wl_read32(hal, WL_REGISTER(MAP.NEXT));
    const struct wl_mapped of_several = {value, presence & 0xffff, presence >> 16};
    return of_several;
  }
  const bool lost = value == WL_MAP_LOST;
  const struct wl_mapped of_one = {lost ? WL_MAP_DEALLOCATED : value, value >= WL_MAP_PPA0, lost};
  return of_one;
}

COLD struct wl_mapped wl_port_entry(const struct wl_firmware* fw, wl_map_unit_t unit) {
  struct wl_mapped page = stored(fw, unit);
  if (page.value != WL_MAP_INITIAL) return page;
  page.value = fw->boot.preconditioned ? unit * wl_map_unit(fw) + WL_MAP_PPA0 : WL_MAP_DEALLOCATED;
  page.present = fw->boot.preconditioned ? wl_map_unit_all(fw, unit) : 0;
  return page;
}

COLD void wl_port_put(const struct wl_firmware* fw, wl_map_unit_t unit, const struct wl_mapped* to) {
  const struct wl_hal* hal = hal_of(fw);
  const uint32_t words = wl_map_port_entry(&fw->boot);
  at_entry(fw, hal, unit, words);
  wl_write32(hal, WL_REGISTER(MAP.DATA), words == 1 && to->lost != 0 ? WL_MAP_LOST : to->value);
  if (words != 1) wl_write32(hal, WL_REGISTER(MAP.NEXT), to->present | to->lost << 16);
}

COLD uint32_t wl_port_owner(const struct wl_firmware* fw, uint32_t at) {
  const struct wl_hal* hal = hal_of(fw);
  at_owner(fw, hal, at);
  return wl_read32(hal, WL_REGISTER(MAP.DATA));
}

COLD void wl_port_set_owner(const struct wl_firmware* fw, uint32_t at, uint32_t owner) {
  const struct wl_hal* hal = hal_of(fw);
  at_owner(fw, hal, at);
  wl_write32(hal, WL_REGISTER(MAP.DATA), owner);
}

COLD struct wl_durable wl_port_copy(const struct wl_firmware* fw, wl_map_unit_t unit) {
  const struct wl_hal* hal = hal_of(fw);
  at_copy(fw, hal, unit);
  const uint32_t place = wl_read32(hal, WL_REGISTER(MAP.DATA));
  const struct wl_durable copy = {place, wl_read32(hal, WL_REGISTER(MAP.NEXT))};
  return copy;
}

COLD void wl_port_set_copy(const struct wl_firmware* fw, wl_map_unit_t unit, struct wl_durable copy) {
  const struct wl_hal* hal = hal_of(fw);
  at_copy(fw, hal, unit);
  wl_write32(hal, WL_REGISTER(MAP.DATA), copy.place);
  wl_write32(hal, WL_REGISTER(MAP.NEXT), copy.sequence);
}

COLD uint32_t wl_port_commit(struct wl_firmware* fw, wl_map_unit_t unit, wl_slot_t slot, wl_ppa_t ppa) {
  const uint32_t n = wl_map_unit(fw);
  wl_port_set_owner(fw, ppa / n, unit == WL_NONE ? WL_NONE : unit + 1);
  if (unit == WL_NONE) return 0;
  struct wl_mapped now = stored(fw, unit);
  if (now.value != (WL_MAP_BUFFER | slot)) return 0; /* overwritten or deallocated meanwhile */
  now.value = ppa + WL_MAP_PPA0;
  fw->statistics.mapped_lpages += wl_map_count(now.present);
  wl_port_put(fw, unit, &now);
  return n;
}

COLD void wl_port_pad(const struct wl_firmware* fw, wl_ppa_t ppa, uint32_t count) {
  const uint32_t n = wl_map_unit(fw);
  for (uint32_t i = 0; i < count; i += n) wl_port_set_owner(fw, (ppa + i) / n, WL_NONE);
}

#endif
