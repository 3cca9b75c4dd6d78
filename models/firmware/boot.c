/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Boot: reads the boot information, lays out tightly coupled memory and DRAM, fills the lists, programs the registers.
 * Neither memory needs clearing: both are zero after reset.
 */
#include "models/firmware/policy/policy.h"
#include "models/firmware/tasks.h"

struct arena {
  uint8_t* base;
  uint32_t used;
  uint32_t size;
};

static void* take(struct arena* a, const struct wl_hal* hal, uint64_t bytes) {
  const uint32_t at = (a->used + 31u) & ~31u;
  WL_ASSERT(hal, at <= a->size && bytes <= a->size - at);
  a->used = at + (uint32_t)bytes;
  return a->base + at;
}

static uint32_t power_of_two(uint32_t n) {
  uint32_t p = 1;
  while (p < n) p *= 2;
  return p;
}

static void make_queue(struct wl_queue* q, struct arena* tcm, const struct wl_hal* hal, uint32_t entries,
                       uint32_t bytes) {
  entries = power_of_two(entries);
  q->mask = entries - 1;
  q->entries = take(tcm, hal, (uint64_t)entries * bytes);
}

static uint32_t bus_address(const struct wl_hal* hal, const void* p) {
  return WL_TCM_BASE + (uint32_t)((const uint8_t*)p - wl_tcm(hal));
}

static struct wl_ring* make_ring(struct arena* tcm, const struct wl_hal* hal, uint32_t entries, uint32_t bytes) {
  return take(tcm, hal, WL_RING_ENTRIES + (uint64_t)entries * bytes);
}

static void* ring_entries(struct wl_ring* ring) { return (uint8_t*)ring + WL_RING_ENTRIES; }

static void make_rings(struct wl_firmware* fw, const struct wl_hal* hal, struct arena* tcm) {
  const struct wl_boot_info* b = &fw->boot;
  const uint32_t events = power_of_two(b->host_tags * (1 + WL_DMA_JOBS_PER_TAG) + WL_DSM_RANGES);
  const uint32_t host_jobs = power_of_two(b->host_tags * (WL_MAX_SEGMENTS + 1));
  const uint32_t completions = power_of_two(fw->job_count);
  fw->event_mask = events - 1;
  fw->event_ring = make_ring(tcm, hal, events, sizeof(struct wl_host_event));
  fw->events = ring_entries(fw->event_ring);
  fw->host_job_mask = host_jobs - 1;
  fw->host_job_ring = make_ring(tcm, hal, host_jobs, sizeof(struct wl_host_job));
  fw->host_jobs = ring_entries(fw->host_job_ring);
  fw->completion_mask = completions - 1;
  fw->completion_ring = make_ring(tcm, hal, completions, sizeof(struct wl_flash_completion));
  fw->completions = ring_entries(fw->completion_ring);
  fw->channel_mask = completions - 1;
  fw->channel_ring = take(tcm, hal, b->channels * sizeof(fw->channel_ring[0]));
  fw->channel_jobs = take(tcm, hal, b->channels * sizeof(fw->channel_jobs[0]));
  for (uint32_t i = 0; i < b->channels; ++i) {
    fw->channel_ring[i] = make_ring(tcm, hal, completions, sizeof(struct wl_flash_job));
    fw->channel_jobs[i] = ring_entries(fw->channel_ring[i]);
  }
  make_queue(&fw->host_to_ftl, tcm, hal, events, sizeof(struct wl_request));
  make_queue(&fw->ftl_to_host, tcm, hal, host_jobs, sizeof(struct wl_host_job));
  make_queue(&fw->ftl_to_flash, tcm, hal, fw->job_count, sizeof(struct wl_flash_job));
  make_queue(&fw->flash_to_ftl, tcm, hal, fw->job_count, sizeof(struct wl_flash_completion));
}

/* What a controller without a parser needs: entries as fetched, extents, ranges. */
static void make_parser(struct wl_firmware* fw, const struct wl_hal* hal, struct arena* tcm) {
  if (wl_engine(fw, WL_ENGINE_PARSE)) return;
  fw->entries = take(tcm, hal, (uint64_t)fw->boot.host_tags * sizeof(fw->entries[0]));
  fw->extents = take(tcm, hal, (uint64_t)fw->boot.host_tags * sizeof(fw->extents[0]));
  fw->ranges = take(tcm, hal, WL_DSM_RANGES * sizeof(fw->ranges[0]));
  fw->range_tag = WL_NONE;
  fw->max_blocks = wl_read32(hal, WL_REGISTER(NVME.MAX_TRANSFER));
  wl_write32(hal, WL_REGISTER(NVME.COMMAND_TABLE), bus_address(hal, fw->entries));
  wl_write32(hal, WL_REGISTER(NVME.EXTENT_TABLE), bus_address(hal, fw->extents));
  wl_write32(hal, WL_REGISTER(NVME.RANGE_TABLE), bus_address(hal, fw->ranges));
}

static void make_engines(struct wl_firmware* fw, const struct wl_hal* hal, struct arena* tcm) {
  wl_list_clear(&fw->grace_units[0]);
  wl_list_clear(&fw->grace_units[1]);
  fw->grace_lines[0] = fw->grace_lines[1] = WL_NONE;
  if ((fw->boot.engines & WL_ENGINES_BLOCK) == 0) return;
  fw->sector_states = take(tcm, hal, WL_SECTOR_STATES * sizeof(fw->sector_states[0]));
  fw->lookups = take(tcm, hal, (uint64_t)fw->boot.host_tags * sizeof(fw->lookups[0]));
  fw->grace = take(tcm, hal, sizeof(*fw->grace));
  fw->gc_list = take(tcm, hal, sizeof(*fw->gc_list));
  if (wl_engine(fw, WL_ENGINE_COPY)) {
    const uint32_t copies = power_of_two(2 * fw->gc_units + 1); /* a unit is posted once at a time, or again, and one is closed */
    fw->copy_mask = copies - 1;
    fw->copy_ring = make_ring(tcm, hal, copies, sizeof(struct wl_copy_job));
    fw->copy_jobs = ring_entries(fw->copy_ring);
    fw->copy_places = take(tcm, hal, (uint64_t)fw->gc_units * sizeof(fw->copy_places[0]));
  }
  if (wl_engine(fw, WL_ENGINE_VICTIM)) fw->victim_answer = take(tcm, hal, sizeof(*fw->victim_answer));
  const uint32_t entries = power_of_two(fw->job_count);
  fw->place_mask = entries - 1;
  fw->place_ring = make_ring(tcm, hal, entries, sizeof(struct wl_place_job));
  fw->place_jobs = ring_entries(fw->place_ring);
}

static void program_engines(struct wl_firmware* fw, const struct wl_hal* hal) {
  const struct wl_boot_info* b = &fw->boot;
  if ((b->engines & WL_ENGINES_BLOCK) == 0) return;
  wl_write32(hal, WL_REGISTER(ENGINES.MAP_BASE), WL_DRAM_BASE + (uint32_t)((const uint8_t*)fw->l2p - wl_dram(hal)));
  wl_write32(hal, WL_REGISTER(ENGINES.MAP_SECTORS), b->user_sectors);
  wl_write32(hal, WL_REGISTER(ENGINES.MAP_INITIAL), b->preconditioned);
  wl_write32(hal, WL_REGISTER(ENGINES.SECTOR_STATES), bus_address(hal, fw->sector_states));
  wl_write32(hal, WL_REGISTER(ENGINES.LOOKUPS), bus_address(hal, fw->lookups));
  wl_write32(hal, WL_REGISTER(ENGINES.SLOT_FIRST), fw->gc_slot0 - b->engine_slots);
  wl_write32(hal, WL_REGISTER(ENGINES.SLOT_COUNT), b->engine_slots);
  wl_write32(hal, WL_REGISTER(ENGINES.PAGE_SECTORS), fw->geometry.page_sectors);
  wl_write32(hal, WL_REGISTER(ENGINES.UNIT_PAGES), b->pages_per_program);
  wl_write32(hal, WL_REGISTER(ENGINES.LINE_UNITS), fw->geometry.line_units);
  wl_write32(hal, WL_REGISTER(ENGINES.DIES), b->dies);
  wl_write32(hal, WL_REGISTER(ENGINES.GRACE_BASE), bus_address(hal, fw->grace));
  wl_write32(hal, WL_REGISTER(ENGINES.JOB_RING_BASE), bus_address(hal, fw->place_ring));
  wl_write32(hal, WL_REGISTER(ENGINES.JOB_RING_SIZE), fw->place_mask + 1);
  wl_write32(hal, WL_REGISTER(ENGINES.OWNERS_BASE), WL_DRAM_BASE + (uint32_t)((const uint8_t*)fw->p2l - wl_dram(hal)));
  wl_write32(hal, WL_REGISTER(ENGINES.GC_LIST), bus_address(hal, fw->gc_list));
  if (wl_engine(fw, WL_ENGINE_COPY)) {
    wl_write32(hal, WL_REGISTER(ENGINES.COPY_RING_BASE), bus_address(hal, fw->copy_ring));
    wl_write32(hal, WL_REGISTER(ENGINES.COPY_RING_SIZE), fw->copy_mask + 1);
    wl_write32(hal, WL_REGISTER(ENGINES.COPY_SOURCES), bus_address(hal, fw->gc_from));
    wl_write32(hal, WL_REGISTER(ENGINES.COPY_PLACES), bus_address(hal, (const void*)fw->copy_places));
    wl_write32(hal, WL_REGISTER(ENGINES.COPY_SLOT_FIRST), fw->gc_slot0);
    wl_write32(hal, WL_REGISTER(ENGINES.COPY_SLOT_COUNT), b->gc_slots);
    wl_write32(hal, WL_REGISTER(ENGINES.SLOT_TABLE), bus_address(hal, fw->slot_table));
  }
  if (wl_engine(fw, WL_ENGINE_VICTIM)) {
    wl_write32(hal, WL_REGISTER(ENGINES.LINE_TABLE), bus_address(hal, fw->line));
    wl_write32(hal, WL_REGISTER(ENGINES.LINE_STRIDE), sizeof(fw->line[0]));
    wl_write32(hal, WL_REGISTER(ENGINES.LINES), fw->lines);
    wl_write32(hal, WL_REGISTER(ENGINES.VICTIM), bus_address(hal, fw->victim_answer));
  }
  wl_write32(hal, WL_REGISTER(ENGINES.ENABLE), b->engines & WL_ENGINES_BLOCK);
}

static void program_registers(struct wl_firmware* fw, const struct wl_hal* hal) {
  wl_write32(hal, WL_REGISTER(NVME.EVENT_RING_BASE), bus_address(hal, fw->event_ring));
  wl_write32(hal, WL_REGISTER(NVME.EVENT_RING_SIZE), fw->event_mask + 1);
  wl_write32(hal, WL_REGISTER(NVME.JOB_RING_BASE), bus_address(hal, fw->host_job_ring));
  wl_write32(hal, WL_REGISTER(NVME.JOB_RING_SIZE), fw->host_job_mask + 1);
  wl_write32(hal, WL_REGISTER(FLASH.COMPLETION_RING_BASE), bus_address(hal, fw->completion_ring));
  wl_write32(hal, WL_REGISTER(FLASH.COMPLETION_RING_SIZE), fw->completion_mask + 1);
  wl_write32(hal, WL_REGISTER(FLASH.SLOT_TABLE), bus_address(hal, fw->slot_table));
  program_engines(fw, hal);
  for (uint32_t i = 0; i < fw->boot.channels; ++i) {
    wl_write32(hal, WL_REGISTER_AT(CHANNEL, i, JOB_RING_BASE), bus_address(hal, fw->channel_ring[i]));
    wl_write32(hal, WL_REGISTER_AT(CHANNEL, i, JOB_RING_SIZE), fw->channel_mask + 1);
  }
  for (uint32_t core = 0; core < fw->boot.cores; ++core) {
    uint32_t sources = 1u << WL_IRQ_IPI;
    if (fw->core_tasks[core] & 1u << WL_TASK_HOST) sources |= 1u << WL_IRQ_HOST;
    if (fw->core_tasks[core] & 1u << WL_TASK_FLASH) sources |= 1u << WL_IRQ_FLASH;
    if ((fw->boot.engines & WL_ENGINES_BLOCK) != 0 && fw->core_tasks[core] & 1u << WL_TASK_FTL) sources |= 1u << WL_IRQ_ENGINE;
    wl_write32(hal, WL_REGISTER_AT(IRQ, core, ENABLE), sources);
  }
  wl_write32(hal, WL_REGISTER(NVME.CONTROL), 1);
}

static void make_buffers(struct wl_firmware* fw, const struct wl_hal* hal, struct arena* tcm) {
  const struct wl_boot_info* b = &fw->boot;
  fw->host_units = b->write_slots / fw->geometry.unit_sectors;
  fw->gc_units = b->gc_slots / fw->geometry.unit_sectors;
  WL_ASSERT(hal, fw->host_units >= 2 && fw->gc_units >= 1); /* a smaller buffer cannot fill and program at once */
  WL_ASSERT(hal, fw->host_units + fw->gc_units < WL_NO_INDEX);
  fw->read_slot0 = b->write_slots;
  fw->gc_slot0 = b->write_slots + b->read_slots;
  fw->slot_table = take(tcm, hal, (uint64_t)(fw->gc_slot0 + b->gc_slots) * sizeof(fw->slot_table[0]));
  fw->gc_from = take(tcm, hal, (uint64_t)b->gc_slots * sizeof(fw->gc_from[0]));
  fw->units = take(tcm, hal, (uint64_t)(fw->host_units + fw->gc_units) * sizeof(fw->units[0]));
  for (uint32_t s = 0; s < WL_STREAMS; ++s) {
    wl_list_clear(&fw->ready[s]);
    fw->open_unit[s] = WL_NONE;
    const uint32_t first = s == WL_STREAM_HOST ? 0 : fw->host_units;
    const uint32_t end = s == WL_STREAM_HOST ? fw->host_units : fw->host_units + fw->gc_units;
    fw->free_units[s].head = (uint16_t)first;
    fw->free_units[s].tail = (uint16_t)(end - 1);
    for (uint32_t u = first; u < end; ++u) {
      struct wl_unit* unit = &fw->units[u];
      unit->stream = (uint8_t)s;
      unit->slot = (s == WL_STREAM_HOST ? 0 : fw->gc_slot0) + (u - first) * fw->geometry.unit_sectors;
      unit->next = (uint16_t)(u + 1 == end ? WL_NO_INDEX : u + 1);
    }
  }
  /* A chunk holds a run, at most a page; at least eight chunks, so that one long command does not take all slots. */
  fw->chunk_sectors = fw->geometry.page_sectors;
  WL_ASSERT(hal, b->engine_slots < b->read_slots);
  const uint32_t read_slots = b->read_slots - b->engine_slots; /* the rest belongs to the engines */
  while (fw->chunk_sectors > 1 && read_slots / fw->chunk_sectors < 8) fw->chunk_sectors /= 2;
  fw->chunk_count = read_slots / fw->chunk_sectors;
  WL_ASSERT(hal, fw->chunk_count >= 2 && fw->chunk_count < WL_NO_INDEX && fw->chunk_sectors < WL_NO_INDEX);
  fw->read_segments = fw->chunk_count < WL_MAX_SEGMENTS ? fw->chunk_count : WL_MAX_SEGMENTS;
  fw->chunks = take(tcm, hal, (uint64_t)fw->chunk_count * sizeof(fw->chunks[0]));
  fw->slot_next = take(tcm, hal, (uint64_t)b->read_slots * sizeof(fw->slot_next[0]));
  for (uint32_t i = 0; i < fw->chunk_count; ++i)
    fw->chunks[i].next = (uint16_t)(i + 1 == fw->chunk_count ? WL_NO_INDEX : i + 1);
  fw->slab = WL_NO_INDEX;
}

/* Not inlined, so that a debugger finds it: the first place to stop at. */
__attribute__((noinline)) struct wl_firmware* wl_firmware_boot(const struct wl_hal* hal) {
  FW_TASK(hal, WL_COST_BOOT);
  const struct wl_boot_info* info = (const struct wl_boot_info*)(const void*)wl_tcm(hal);
  WL_ASSERT(hal, info->magic == WL_BOOT_MAGIC);
  struct arena tcm = {wl_tcm(hal), WL_FIRMWARE_CONTEXT_OFFSET, info->tcm_bytes};
  WL_ASSERT(hal, tcm.size > info->cores * WL_STACK_BYTES);
  tcm.size -= info->cores * WL_STACK_BYTES;
  struct wl_firmware* fw = take(&tcm, hal, sizeof(*fw));
  fw->boot = *info;
  const struct wl_boot_info* b = &fw->boot;
  WL_ASSERT(hal, b->cores >= 1 && b->cores <= WL_MAX_CORES && b->host_tags >= 1 && b->host_tags < WL_NO_INDEX);
  for (uint32_t task = 0; task < WL_TASK_COUNT; ++task) {
    WL_ASSERT(hal, b->task_core[task] < b->cores);
    fw->core_tasks[b->task_core[task]] |= 1u << task;
  }
  fw->policy = &wl_policy_page_greedy;
  fw->geometry = wl_geometry_of(b->dies, b->planes * b->sectors_per_page, b->pages_per_program,
                                b->dies * (b->pages / b->pages_per_program));
  fw->lines = b->blocks;
  const uint64_t places = (uint64_t)fw->lines * fw->geometry.line_sectors;
  WL_ASSERT(hal, places + WL_MAP_PLACE0 < WL_MAP_BUFFER); /* map entries of 31 bits: up to 8 TiB */
  /* The collector needs two free lines to be sure of going on, the streams have a line open each. */
  fw->reserve_lines = b->gc_reserve_lines < 2 ? 2 : b->gc_reserve_lines;
  fw->start_lines = b->gc_start_lines < fw->reserve_lines ? fw->reserve_lines : b->gc_start_lines;
  fw->needed_lines = (b->user_sectors + fw->geometry.line_sectors - 1) / fw->geometry.line_sectors + fw->reserve_lines + 2;
  WL_ASSERT(hal, fw->lines >= fw->needed_lines); /* too little over-provisioning */

  /* Flash jobs in flight: one per slot at most, fewer when the rings of all channels would take more than a quarter of
   * the memory. Whoever finds no id waits. */
  uint32_t jobs = power_of_two(b->write_slots + b->read_slots + b->gc_slots);
  if (jobs > 8192) jobs = 8192;
  while (jobs > 64 && (uint64_t)jobs * b->channels * sizeof(struct wl_flash_job) > b->tcm_bytes / 4) jobs /= 2;
  fw->job_count = fw->free_jobs = jobs;
  make_rings(fw, hal, &tcm);
  make_buffers(fw, hal, &tcm);
  make_engines(fw, hal, &tcm);
  make_parser(fw, hal, &tcm);
  fw->jobs = take(&tcm, hal, (uint64_t)jobs * sizeof(fw->jobs[0]));
  fw->job_tag = take(&tcm, hal, (uint64_t)jobs * sizeof(fw->job_tag[0]));
  fw->tag_opcode = take(&tcm, hal, b->host_tags);
  if ((b->engines & WL_ENGINE_RETRY) == 0) {
    WL_ASSERT(hal, b->layers != 0 && b->layer_pages != 0);
    fw->retry = take(&tcm, hal, (uint64_t)jobs * sizeof(fw->retry[0]));
    fw->ort = take(&tcm, hal, (uint64_t)b->dies * b->layers);
    wl_retry_boot(fw, hal);
  }
  for (uint32_t i = 0; i < jobs; ++i) fw->jobs[i].index = (uint16_t)(i + 1);
  fw->commands = take(&tcm, hal, (uint64_t)b->host_tags * sizeof(fw->commands[0]));
  fw->writers = take(&tcm, hal, WL_HAZARDS * sizeof(fw->writers[0]));
  fw->locks = take(&tcm, hal, WL_HAZARDS * sizeof(fw->locks[0]));
  fw->waiters = take(&tcm, hal, WL_HAZARDS * sizeof(fw->waiters[0]));
  for (uint32_t i = 0; i < WL_HAZARDS; ++i) wl_list_clear(&fw->waiters[i]);
  const uint32_t trims = power_of_two(2 * WL_DSM_RANGES + b->host_tags);
  fw->trim_mask = trims - 1;
  fw->trims = take(&tcm, hal, (uint64_t)trims * sizeof(fw->trims[0]));
  fw->line = take(&tcm, hal, (uint64_t)fw->lines * sizeof(fw->line[0]));
  wl_list_clear(&fw->reads);
  wl_list_clear(&fw->writes);
  wl_list_clear(&fw->flushing);
  wl_list_clear(&fw->flush_next);
  fw->victim = WL_NONE;
  wl_lines_boot(fw);

  struct arena dram = {wl_dram(hal), 0, b->dram_bytes};
  fw->l2p = take(&dram, hal, (uint64_t)b->user_sectors * sizeof(fw->l2p[0]));
  fw->p2l = take(&dram, hal, places * sizeof(fw->p2l[0]));
  fw->kick = WL_KICK_GC;

  program_registers(fw, hal);
  WL_FENCE();
  fw->started = 1;
  return fw;
}
