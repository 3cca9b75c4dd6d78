/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The way of a superblock back to free: when nothing of it is read or moved any more, a die at a time.
 */
#include "models/firmware/core/core.h"
#include "models/firmware/engines/engines.h"
#include "models/firmware/media/media.h"
#include "models/firmware/space/free_superblocks.h"
#include "models/firmware/space/marks.h"
#include "models/firmware/space/space.h"
#include "models/firmware/space/spares.h"
#include "models/firmware/space/wear.h"

enum { NOW = 0, NEXT = 1 };

/* Superblocks that are empty but for reads will be erased. */
static bool waits_for_reads(const struct wl_firmware* fw) {
  for (uint32_t superblock = 0; superblock != fw->space.superblocks; ++superblock) {
    const struct wl_superblock* sb = &fw->space.superblock[superblock];
    if (sb->state == WL_SUPERBLOCK_DRAINING && sb->moving == 0) return true;
  }
  return false;
}

/* Every superblock with small pages is retired, but for free ones that are held back: none comes back. */
static bool small_superblocks_gone(const struct wl_firmware* fw) {
  const struct wl_region* small = &fw->space.region[1];
  return small->retired_superblocks + small->free_superblocks == fw->kind[1].superblocks;
}

__attribute__((noinline)) void wl_space_no_place(struct wl_firmware* fw, uint32_t stream) {
  struct wl_space* s = &fw->space;
  const struct wl_region* region = &s->region[0];
  if (s->stopped || s->programs != 0 || region->erasing_superblocks != 0) return;
  if (s->region[1].leaving.superblocks + s->region[1].erasing_superblocks != 0) return;
  if (wl_stream_is_small(fw, stream)) {
    if (!small_superblocks_gone(fw)) return;
  } else {
    /* The host may write on when GC wins a superblock, or finds that it cannot and lets it use up the open
     * one. */
    const bool last = wl_stream_moves(stream) || (s->pace.no_gain && region->leaving.superblocks == 0);
    if (!last || waits_for_reads(fw)) return;
  }
  s->stopped = true;
  s->read_only = true;
  wl_kick(fw, WL_STEP_WRITE);
}

static void queue(struct wl_firmware* fw, uint32_t superblock) {
  fw->space.superblock[superblock].next = WL_NONE;
  if (fw->space.erase_head == WL_NONE)
    fw->space.erase_head = superblock;
  else
    fw->space.superblock[fw->space.erase_tail].next = superblock;
  fw->space.erase_tail = superblock;
  wl_kick(fw, WL_STEP_ERASE);
}

/* No read of the superblock is under way. Blocks of which a program has failed are replaced first. */
static void erase(struct wl_firmware* fw, uint32_t superblock) {
  struct wl_superblock* sb = &fw->space.superblock[superblock];
  while (wl_spares_promised(fw, superblock)) (void)wl_spares_replace(fw, superblock);
  sb->erase_next = 0;
  sb->erases = 0;
  queue(fw, superblock);
}

/* The die to erase next. The superblock leaves the queue with the last one. */
static uint32_t next_die(struct wl_firmware* fw, uint32_t superblock) {
  struct wl_superblock* sb = &fw->space.superblock[superblock];
  const uint32_t dies = fw->boot.dies;
  const uint32_t die = sb->erase_next < dies ? sb->erase_next++ : wl_spares_replace(fw, superblock);
  const bool again = sb->erase_next > dies && wl_spares_promised(fw, superblock);
  if (sb->erase_next < dies || again) return die;
  sb->erase_next = dies;
  fw->space.erase_head = sb->next;
  return die;
}

static void quiesce(struct wl_firmware* fw, uint32_t superblock) {
  fw->space.superblock[superblock].next = fw->space.quiescing[NEXT];
  fw->space.quiescing[NEXT] = superblock;
  wl_kick(fw, WL_STEP_ENGINES);
}

void wl_superblock_try_erase(struct wl_firmware* fw, uint32_t superblock) {
  struct wl_superblock* sb = &fw->space.superblock[superblock];
  if (sb->state != WL_SUPERBLOCK_DRAINING || sb->reads != 0 || sb->moving != 0) return;
  struct wl_region* region = wl_region_of(fw, superblock);
  --region->leaving.draining;
  --region->leaving.superblocks;
  if (sb->valid != 0) { /* what could not be merged stays */
    region->leaving.valid -= sb->valid;
    ++fw->statistics.small.returned;
    wl_superblock_closed(fw, superblock);
    wl_kick(fw, WL_STEP_GC);
    return;
  }
  if (sb->bad) {
    wl_superblock_retire(fw, superblock);
    return;
  }
  sb->state = WL_SUPERBLOCK_ERASING;
  ++region->erasing_superblocks;
  if (wl_has_engines(fw, WL_ENGINES_FLASH))
    quiesce(fw, superblock);
  else
    erase(fw, superblock);
}

void wl_superblocks_quiescent(struct wl_firmware* fw, const struct wl_hal* hal) {
  uint32_t* waiting = fw->space.quiescing;
  uint32_t superblock = waiting[NOW];
  while (superblock != WL_NONE) {
    const uint32_t next = fw->space.superblock[superblock].next;
    erase(fw, superblock);
    superblock = next;
  }
  waiting[NOW] = waiting[NEXT];
  waiting[NEXT] = WL_NONE;
  if (waiting[NOW] != WL_NONE) wl_engine_ask_quiescence(fw, hal, WL_ANSWER_PPAS);
}

/* A few erases per poll; they leave job ids to reads and programs. */
__attribute__((noinline)) void wl_erase_step(struct wl_firmware* fw, const struct wl_hal* hal) {
  FW_TASK(hal, WL_COST_FTL_OTHER);
  FW_COMMAND(hal, WL_COMMAND_GC);
  if (wl_marks_are_read(fw)) {
    wl_marks_step(fw, hal);
    return;
  }
  for (uint32_t budget = 8; budget != 0; --budget) {
    const uint32_t superblock = fw->space.erase_head;
    if (superblock == WL_NONE) {
      wl_rest(fw, WL_STEP_ERASE);
      return;
    }
    if (wl_jobs_free(fw) <= wl_jobs(fw) / 4) {
      wl_rest(fw, WL_STEP_ERASE);
      wl_job_await(fw, WL_STEP_ERASE);
      return;
    }
    struct wl_superblock* sb = &fw->space.superblock[superblock];
    WL_ASSERT(hal, sb->valid == 0);
    const uint32_t id = wl_job_take(fw, WL_STEP_ERASE);
    ++sb->erases;
    const uint32_t die = next_die(fw, superblock);
    wl_job_is_erase(fw, id, superblock, die);
    wl_send_flash_erase(fw, hal, id, superblock, die);
  }
}

bool wl_erase_done(struct wl_firmware* fw, uint32_t superblock, uint32_t die, uint32_t failed) {
  if (wl_marks_are_read(fw)) return wl_marks_done(fw, superblock, die, failed);
  struct wl_superblock* sb = &fw->space.superblock[superblock];
  if (failed != 0 && !wl_spares_promise(fw, superblock, die, failed)) sb->bad = 1;
  if (--sb->erases != 0 || sb->erase_next != fw->boot.dies) return false;
  if (!sb->bad && wl_spares_promised(fw, superblock)) {
    sb->erase_next = fw->boot.dies + 1; /* only dies with a block that is replaced */
    queue(fw, superblock);
    return false;
  }
  --wl_region_of(fw, superblock)->erasing_superblocks;
  if (sb->bad) {
    wl_superblock_retire(fw, superblock);
    return false;
  }
  fw->space.stopped = false;
  wl_wear_erased(fw, superblock);
  const uint64_t erased = (uint64_t)sb->units * wl_kind_of_superblock(fw, superblock)->unit_sectors;
  fw->statistics.erased_sectors += erased;
  if (wl_superblock_is_small(fw, superblock)) {
    ++fw->statistics.small.superblock_erases;
    fw->statistics.small.erased_sectors += erased;
  }
  wl_superblock_free(fw, superblock);
  wl_superblock_prepare(fw);
  wl_kick(fw, WL_STEP_PLACE | WL_STEP_GC);
  wl_kick_queued(fw, WL_STEP_WRITE); /* the host may have followed copies */
  return false;
}
