/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/space/erasing_superblocks.h"

#include "models/firmware/core/core.h"
#include "models/firmware/engines/engines.h"
#include "models/firmware/space/space.h"
#include "models/firmware/space/spares.h"
#include "models/firmware/space/state.h"
#include "models/firmware/space/stripes.h"

enum { NOW = 0, NEXT = 1 };

static void queue(struct wl_firmware* fw, wl_superblock_t superblock) {
  wl_space_state(fw)->superblock[superblock].next = WL_NONE;
  if (wl_space_state(fw)->erase_head == WL_NONE)
    wl_space_state(fw)->erase_head = superblock;
  else
    wl_space_state(fw)->superblock[wl_space_state(fw)->erase_tail].next = superblock;
  wl_space_state(fw)->erase_tail = superblock;
  wl_kick(fw, WL_STEP_ERASE);
}

/* No read of the superblock is under way. Blocks of which a program has failed are replaced first. */
static void erase(struct wl_firmware* fw, wl_superblock_t superblock) {
  struct wl_superblock* sb = &wl_space_state(fw)->superblock[superblock];
  while (wl_spares_promised(fw, superblock)) (void)wl_spares_replace(fw, superblock);
  sb->erase_next = 0;
  sb->erases = 0;
  queue(fw, superblock);
}

static void quiesce(struct wl_firmware* fw, wl_superblock_t superblock) {
  wl_space_state(fw)->superblock[superblock].next = wl_space_state(fw)->quiescing[NEXT];
  wl_space_state(fw)->quiescing[NEXT] = superblock;
  wl_kick(fw, WL_STEP_ENGINES);
}

void wl_erasing_begin(struct wl_firmware* fw, wl_superblock_t superblock) {
  if (wl_has_engines(fw, WL_ENGINES_FLASH))
    quiesce(fw, superblock);
  else
    erase(fw, superblock);
}

void wl_erasing_again(struct wl_firmware* fw, wl_superblock_t superblock) {
  wl_space_state(fw)->superblock[superblock].erase_next = fw->boot.dies + 1;
  queue(fw, superblock);
}

/* ---- with ftl.recovery: no closing record outlives what it says, and no parity the rest of its row ---- */

static uint32_t die_of_record(const struct wl_firmware* fw, wl_superblock_t superblock) {
  uint32_t die;
  if (!wl_has_parity(fw)) {
    (void)wl_divide(superblock, fw->boot.dies, &die);
    return die;
  }
  const uint32_t hole = wl_stripe_hole(fw, superblock);
  (void)wl_divide(wl_stripe_record_unit(fw, superblock, hole, 0), fw->boot.dies, &die);
  return die;
}

/* Dies that are erased before the others. */
static uint32_t first_dies(const struct wl_firmware* fw, wl_superblock_t superblock) {
  if (!wl_has_parity(fw)) return 1;
  return die_of_record(fw, superblock) == wl_stripe_parity_die(fw, superblock) ? 1u : 2u;
}

/* The number-th that is erased: that of the record, that of the parity, then the others from the first on. */
static uint32_t die_in_order(const struct wl_firmware* fw, wl_superblock_t superblock, uint32_t number) {
  const uint32_t first = die_of_record(fw, superblock), dies = fw->boot.dies;
  uint32_t die;
  if (wl_has_parity(fw) && first_dies(fw, superblock) == 2) {
    const uint32_t parity = wl_stripe_parity_die(fw, superblock);
    if (number == 1) return parity;
    if (number > 1 && number <= (parity >= first ? parity - first : parity + dies - first)) --number;
  }
  (void)wl_divide(first + number, dies, &die);
  return die;
}

/* There are no spare blocks. */
__attribute__((noinline)) static uint32_t next_with_record(struct wl_firmware* fw, wl_superblock_t superblock) {
  struct wl_superblock* sb = &wl_space_state(fw)->superblock[superblock];
  const uint32_t die = die_in_order(fw, superblock, sb->erase_next++);
  if (sb->erase_next == first_dies(fw, superblock) || sb->erase_next == fw->boot.dies)
    wl_space_state(fw)->erase_head = sb->next;
  return die;
}

uint32_t wl_erasing_die(const struct wl_firmware* fw, wl_superblock_t superblock) {
  const uint32_t number = wl_space_view(fw)->superblock[superblock].erase_next;
  return fw->boot.ftl.recovery != 0 ? die_in_order(fw, superblock, number) : number;
}

__attribute__((noinline, cold)) bool wl_erasing_goes_on(struct wl_firmware* fw, wl_superblock_t superblock) {
  struct wl_superblock* sb = &wl_space_state(fw)->superblock[superblock];
  if (sb->erase_next != first_dies(fw, superblock) || fw->boot.dies == 1) return false;
  if (sb->bad) { /* its record may be there: so is the rest */
    sb->erase_next = fw->boot.dies;
    return false;
  }
  queue(fw, superblock);
  return true;
}

uint32_t wl_erasing_next_die(struct wl_firmware* fw, wl_superblock_t superblock) {
  struct wl_superblock* sb = &wl_space_state(fw)->superblock[superblock];
  const uint32_t dies = fw->boot.dies;
  if (fw->boot.ftl.recovery != 0) return next_with_record(fw, superblock);
  const uint32_t die = sb->erase_next < dies ? sb->erase_next++ : wl_spares_replace(fw, superblock);
  const bool again = sb->erase_next > dies && wl_spares_promised(fw, superblock);
  if (sb->erase_next < dies || again) return die;
  sb->erase_next = dies;
  wl_space_state(fw)->erase_head = sb->next;
  return die;
}

void wl_superblocks_quiescent(struct wl_firmware* fw, const struct wl_hal* hal) {
  uint32_t* waiting = wl_space_state(fw)->quiescing;
  wl_superblock_t superblock = waiting[NOW];
  while (superblock != WL_NONE) {
    const uint32_t next = wl_space_state(fw)->superblock[superblock].next;
    erase(fw, superblock);
    superblock = next;
  }
  waiting[NOW] = waiting[NEXT];
  waiting[NEXT] = WL_NONE;
  if (waiting[NOW] != WL_NONE) wl_engine_ask_quiescence(fw, hal, WL_ANSWER_PPAS);
}
