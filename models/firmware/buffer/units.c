/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Units from free to ready and back.
 */
#include "models/firmware/buffer/buffer.h"
#include "models/firmware/buffer/parity.h"
#include "models/firmware/buffer/read_slots.h"
#include "models/firmware/buffer/state.h"
#include "models/firmware/buffer/unit_list.h"
#include "models/firmware/buffer/word_line.h"
#include "models/firmware/engines/engines.h"
#include "models/firmware/policy/policy.h"
#include "models/firmware/space/cursors.h"
#include "models/firmware/space/slc_cache.h"

const struct wl_unit* wl_unit(const struct wl_firmware* fw, wl_unit_t unit) { return &wl_buffer_view(fw)->units[unit]; }

inline wl_unit_t wl_unit_of_slot(const struct wl_firmware* fw, wl_slot_t slot) {
  if (__builtin_expect(slot < wl_buffer_view(fw)->small_slot0, 1)) return slot / fw->geometry.unit_lpages;
  const struct wl_buffer* b = wl_buffer_view(fw);
  return b->host_units - b->small_units + (slot - b->small_slot0) / fw->kind[1].unit_lpages;
}

uint32_t wl_unit_lpages(const struct wl_firmware* fw, wl_unit_t unit) { return wl_buffer_view(fw)->units[unit].lpages; }

uint32_t wl_units_host(const struct wl_firmware* fw) { return wl_buffer_view(fw)->host_units; }
uint32_t wl_units_gc(const struct wl_firmware* fw) { return wl_buffer_view(fw)->gc_units; }
wl_unit_t wl_unit_opened(const struct wl_firmware* fw, uint32_t stream) {
  return wl_buffer_view(fw)->open_unit[stream];
}

bool wl_gc_unit_available(const struct wl_firmware* fw) { return !wl_list_empty(&wl_buffer_view(fw)->free_units[1]); }

const struct wl_slot_info* wl_slot_table(const struct wl_firmware* fw) { return wl_buffer_view(fw)->slot_table; }
void wl_unit_expect(struct wl_firmware* fw, wl_unit_t unit) { ++wl_buffer_state(fw)->units[unit].pending; }

void wl_unit_read_begins(struct wl_firmware* fw, wl_unit_t unit) { ++wl_buffer_state(fw)->units[unit].readers; }
const struct wl_part* wl_unit_part(const struct wl_firmware* fw, wl_unit_t unit) {
  return wl_buffer_view(fw)->parts != NULL && wl_buffer_view(fw)->parts[unit].count != 0
             ? &wl_buffer_view(fw)->parts[unit]
             : NULL;
}

wl_unit_t wl_unit_to_place(const struct wl_firmware* fw, uint32_t stream) {
  return wl_buffer_view(fw)->ready[stream].head;
}

void wl_slot_set_owner(struct wl_firmware* fw, wl_slot_t slot, wl_lpn_t lpn) {
  wl_buffer_state(fw)->slot_table[slot].lpn = lpn;
}

void wl_slot_set_record(struct wl_firmware* fw, wl_slot_t slot, wl_lpn_t lpn, uint32_t sequence) {
  struct wl_slot_info* info = &wl_buffer_state(fw)->slot_table[slot];
  info->lpn = lpn;
  info->record = sequence;
}

uint32_t wl_buffer_sequence(const struct wl_firmware* fw) { return wl_buffer_view(fw)->numbers.next; }
uint32_t wl_buffer_dirty(const struct wl_firmware* fw) { return wl_buffer_view(fw)->dirty_units; }
bool wl_buffer_at_rest(const struct wl_firmware* fw) {
  const struct wl_buffer* b = wl_buffer_view(fw);
  for (wl_unit_t u = b->host_units; u < b->host_units + b->gc_units; ++u)
    if (b->units[u].state != WL_UNIT_FREE && (b->units[u].state != WL_UNIT_OPEN || b->units[u].filled != 0))
      return false;
  return b->dirty_units == 0;
}
void wl_buffer_await(struct wl_firmware* fw, uint32_t sequence) {
  wl_buffer_state(fw)->numbers.awaited_before = sequence;
  wl_buffer_state(fw)->numbers.awaits = 1;
}
void wl_buffer_await_nothing(struct wl_firmware* fw) { wl_buffer_state(fw)->numbers.awaits = 0; }
bool wl_slot_awaited(const struct wl_firmware* fw, wl_slot_t slot) {
  const struct wl_buffer* b = wl_buffer_view(fw);
  const uint32_t number = b->units[wl_unit_of_slot(fw, slot)].sequence;
  return b->numbers.awaits != 0 && (int32_t)(number - b->numbers.awaited_before) < 0;
}

wl_slot_t wl_buffer_spare_slots(const struct wl_firmware* fw, uint32_t* count) {
  *count = fw->boot.gc_slots;
  return wl_buffer_view(fw)->gc_slot0;
}

wl_slot_t wl_buffer_record_slots(const struct wl_firmware* fw) {
  return wl_buffer_view(fw)->gc_slot0 + wl_buffer_view(fw)->gc_units * fw->geometry.unit_lpages;
}

void wl_slots_pad(struct wl_firmware* fw, wl_slot_t slot, uint32_t count) {
  static const struct wl_slot_info kPadding = {WL_LPN_NONE, (uint32_t)WL_SPARE_PADDING << WL_SPARE_KIND_SHIFT};
  for (uint32_t i = 0; i < count; ++i) wl_buffer_state(fw)->slot_table[slot + i] = kPadding;
}

struct wl_gc_source* wl_source(struct wl_firmware* fw, wl_slot_t slot) {
  return &wl_buffer_state(fw)->sources[slot - wl_buffer_state(fw)->gc_slot0];
}

bool wl_unit_full(const struct wl_firmware* fw, wl_unit_t unit) {
  return wl_buffer_view(fw)->units[unit].filled == fw->geometry.unit_lpages;
}

enum { NOW = 0, NEXT = 1 };
/* Lists of free units. */
enum { HOST = 0, MOVED = 1, SMALL = 2, LISTS };
#define SMALL_SHARE 4u

static uint32_t list_of(const struct wl_firmware* fw, uint32_t stream) {
  return wl_stream_moves(stream) ? MOVED : wl_stream_is_small(fw, stream) ? SMALL : HOST;
}

/* More copies under way speed nothing up: a die programs one and the next is read. They would cost space, since
 * superblocks whose logical pages are in the buffer are neither full of data nor free. */
#define GC_UNITS_PER_DIE 2u

/* Slots of units that loads of map pages have, behind those of GC. */
static uint32_t map_units(const struct wl_firmware* fw) {
  return (WL_MAP_LOADS + fw->geometry.unit_lpages - 1) / fw->geometry.unit_lpages;
}

uint32_t wl_buffer_map_slots(const struct wl_firmware* fw, wl_slot_t* first) {
  *first = wl_buffer_record_slots(fw) + (fw->boot.ftl.recovery != 0 ? fw->geometry.unit_lpages : 0);
  return map_units(fw) * fw->geometry.unit_lpages;
}

void wl_buffer_layout(struct wl_firmware* fw, struct wl_arena* tcm) {
  struct wl_buffer* buffer = wl_buffer_state(fw);
  const struct wl_boot_info* b = &fw->boot;
  buffer->host_units = b->write_slots / fw->geometry.unit_lpages;
  buffer->small_slot0 = WL_NONE;
  if (wl_has_small_pages(fw)) { /* a quarter of the write buffer, or what pages of the other size leave */
    const uint32_t large = buffer->host_units - buffer->host_units / SMALL_SHARE;
    buffer->small_slot0 = large * fw->geometry.unit_lpages;
    buffer->small_units = (b->write_slots - buffer->small_slot0) / fw->kind[1].unit_lpages;
    buffer->host_units = large + buffer->small_units;
  }
  buffer->gc_units = b->gc_slots / fw->geometry.unit_lpages;
  const uint32_t shared =
      b->ftl.word_line_programs > 1 ? b->ftl.word_line_programs : 1; /* each stays for all of them */
  const uint32_t programs = GC_UNITS_PER_DIE * shared * b->dies;
  const uint32_t streams = wl_plan(fw)->move_streams; /* a unit of each gathers data */
  const uint32_t most = programs < streams ? streams : programs;
  if (buffer->gc_units > most) buffer->gc_units = most;
  if (wl_map_cached(fw)) {
    const uint32_t kept = map_units(fw) + (b->ftl.recovery != 0); /* and one for closing records */
    const uint32_t units = b->gc_slots / fw->geometry.unit_lpages;
    if (buffer->gc_units + kept > units) buffer->gc_units = units - kept;
  }
  if (b->ftl.recovery != 0 && (buffer->gc_units + 1) * fw->geometry.unit_lpages > b->gc_slots)
    --buffer->gc_units; /* slots for closing records */
  buffer->gc_programs_most = buffer->gc_units > programs ? programs : WL_NONE;
  buffer->read_slot0 = b->write_slots;
  buffer->gc_slot0 = b->write_slots + b->read_slots;
  buffer->slot_table = wl_arena_take(
      tcm, (uint64_t)(buffer->gc_slot0 + b->gc_slots + b->ftl.parity_slots) * sizeof(buffer->slot_table[0]));
  buffer->sources = wl_arena_take(tcm, (uint64_t)b->gc_slots * sizeof(buffer->sources[0]));
  buffer->units = wl_arena_take(tcm, (uint64_t)(buffer->host_units + buffer->gc_units) * sizeof(buffer->units[0]));
  if (b->ftl.modify_in_die != 0)
    buffer->parts = wl_arena_take(tcm, (uint64_t)buffer->host_units * sizeof(buffer->parts[0]));
  wl_read_slots_layout(fw, tcm);
  wl_word_lines_layout(fw, tcm);
  wl_parity_layout(fw, tcm);
}

static void tell_engines(struct wl_firmware* fw, const struct wl_hal* hal) {
  const struct wl_boot_info* b = &fw->boot;
  if (!wl_has_engine_block(fw)) return;
  wl_write32(hal, WL_REGISTER(ENGINES.SLOT_FIRST), wl_buffer_state(fw)->gc_slot0 - b->engine_slots);
  wl_write32(hal, WL_REGISTER(ENGINES.SLOT_COUNT), b->engine_slots);
  if (!wl_has_engines(fw, WL_ENGINE_COPY)) return;
  wl_write32(hal, WL_REGISTER(ENGINES.COPY_SOURCES), wl_bus_address(hal, wl_buffer_state(fw)->sources));
  wl_write32(hal, WL_REGISTER(ENGINES.COPY_SLOT_FIRST), wl_buffer_state(fw)->gc_slot0);
  wl_write32(hal, WL_REGISTER(ENGINES.COPY_SLOT_COUNT), b->gc_slots);
  wl_write32(hal, WL_REGISTER(ENGINES.SLOT_TABLE), wl_bus_address(hal, wl_buffer_state(fw)->slot_table));
}

/* Units `first` to `end`, with the slots from `slot` on, are free. */
static void free_units(struct wl_firmware* fw, uint32_t list, uint32_t first, uint32_t end, wl_slot_t slot) {
  static const uint8_t kStream[LISTS] = {[HOST] = WL_STREAM_HOST, [MOVED] = WL_STREAM_GC};
  struct wl_buffer* buffer = wl_buffer_state(fw);
  wl_list_clear(&buffer->free_units[list]);
  for (wl_unit_t u = first; u < end; ++u) {
    struct wl_unit* unit = &buffer->units[u];
    unit->stream = list == SMALL ? fw->policy->space.small_stream : kStream[list];
    unit->slot = slot;
    slot += wl_kind_of_stream(fw, unit->stream)->unit_lpages;
    wl_unit_push(fw, &buffer->free_units[list], u);
  }
}

void wl_buffer_boot(struct wl_firmware* fw, const struct wl_hal* hal) {
  struct wl_buffer* buffer = wl_buffer_state(fw);
  /* A unit of each stream gathers data; another one of the host is programmed meanwhile. */
  WL_ASSERT(hal, buffer->host_units - buffer->small_units > wl_plan(fw)->host_streams);
  WL_ASSERT(hal, !wl_has_small_pages(fw) || buffer->small_units > 1);
  WL_ASSERT(hal, buffer->gc_units >= wl_plan(fw)->move_streams);
  WL_ASSERT(hal, buffer->host_units + buffer->gc_units < WL_NO_INDEX);
  wl_list_clear(&buffer->quiescing[NOW]);
  wl_list_clear(&buffer->quiescing[NEXT]);
  for (uint32_t s = 0; s < WL_STREAMS; ++s) {
    wl_list_clear(&buffer->ready[s]);
    buffer->open_unit[s] = WL_NONE;
  }
  const uint32_t large = buffer->host_units - buffer->small_units;
  free_units(fw, HOST, 0, large, 0);
  free_units(fw, SMALL, large, buffer->host_units, buffer->small_slot0);
  free_units(fw, MOVED, buffer->host_units, buffer->host_units + buffer->gc_units, buffer->gc_slot0);
  wl_read_slots_boot(fw, hal);
  wl_word_lines_boot(fw, hal);
  wl_parity_boot(fw, buffer->gc_slot0 + fw->boot.gc_slots);
  tell_engines(fw, hal);
}

/* The end of units of moved data may wait for map pages, and those for frames that are written: so the last free unit
 * is for these. */
__attribute__((noinline, cold)) static bool kept_for_map(const struct wl_firmware* fw, uint32_t stream, wl_unit_t u) {
  const uint32_t map = wl_plan(fw)->map_stream;
  return stream != map && wl_buffer_view(fw)->open_unit[map] == WL_NONE &&
         wl_buffer_view(fw)->units[u].next == WL_NO_INDEX;
}

wl_unit_t wl_unit_open(struct wl_firmware* fw, uint32_t stream) {
  struct wl_list* l = &wl_buffer_state(fw)->free_units[list_of(fw, stream)];
  const wl_unit_t u = l->head;
  if (u == WL_NO_INDEX) return WL_NONE;
  if (wl_map_cached(fw) && wl_stream_moves(stream) && kept_for_map(fw, stream, u)) return WL_NONE;
  struct wl_unit* unit = &wl_buffer_state(fw)->units[u];
  l->head = unit->next;
  unit->state = WL_UNIT_OPEN;
  unit->stream = (uint8_t)stream;
  unit->filled = 0;
  unit->lpages = (uint16_t)wl_kind_of_stream(fw, stream)->unit_lpages;
  unit->pending = 0;
  unit->readers = 0;
  unit->copied = 0;
  unit->padding = 0;
  unit->merged = 0;
  unit->kept = 0;
  unit->unused = 0;
  unit->sequence = wl_buffer_state(fw)->numbers.next++;
  wl_buffer_state(fw)->open_unit[stream] = u;
  if (wl_stream_is_slc(fw, stream)) wl_slc_cache_promises(fw);
  return u;
}

static void free_now(struct wl_firmware* fw, wl_unit_t u) {
  struct wl_unit* unit = &wl_buffer_state(fw)->units[u];
  unit->state = WL_UNIT_FREE;
  wl_unit_push(fw, &wl_buffer_state(fw)->free_units[list_of(fw, unit->stream)], u);
  if (wl_stream_moves(unit->stream))
    wl_kick(fw, wl_map_cached(fw) ? WL_STEP_GC | WL_STEP_MAP : WL_STEP_GC);
  else
    wl_kick_queued(fw, WL_STEP_WRITE | WL_STEP_TRIM);       /* with ftl.recovery deallocation needs slots, too */
  if (wl_word_lines_shared(fw)) wl_kick(fw, WL_STEP_PLACE); /* padding may lack a unit */
}

void wl_unit_free(struct wl_firmware* fw, wl_unit_t u) {
  if (wl_stream_moves(wl_buffer_state(fw)->units[u].stream) || !wl_has_engines(fw, WL_ENGINES_BUFFER)) {
    free_now(fw, u);
    return;
  }
  wl_unit_push(fw, &wl_buffer_state(fw)->quiescing[NEXT], u);
  wl_kick(fw, WL_STEP_ENGINES);
}

void wl_units_quiescent(struct wl_firmware* fw, const struct wl_hal* hal) {
  struct wl_list* waiting = wl_buffer_state(fw)->quiescing;
  while (!wl_list_empty(&waiting[NOW])) {
    const wl_unit_t u = waiting[NOW].head;
    waiting[NOW].head = wl_buffer_state(fw)->units[u].next;
    free_now(fw, u);
  }
  waiting[NOW] = waiting[NEXT];
  wl_list_clear(&waiting[NEXT]);
  if (!wl_list_empty(&waiting[NOW])) wl_engine_ask_quiescence(fw, hal, WL_ANSWER_SLOTS);
}

static void ready_if_complete(struct wl_firmware* fw, wl_unit_t u) {
  struct wl_unit* unit = &wl_buffer_state(fw)->units[u];
  if (unit->state != WL_UNIT_CLOSING || unit->pending != 0) return;
  wl_unit_push(fw, &wl_buffer_state(fw)->ready[unit->stream], u);
  wl_unit_ready(fw, u);
}

static uint32_t open_host_unit(struct wl_firmware* fw, uint32_t stream) {
  wl_unit_t u = wl_buffer_state(fw)->open_unit[stream];
  if (u != WL_NONE) return u;
  u = wl_unit_open(fw, stream);
  if (u != WL_NONE) ++wl_buffer_state(fw)->dirty_units;
  return u;
}

static void close_if_full(struct wl_firmware* fw, struct wl_unit* unit) {
  if (unit->filled != unit->lpages) return;
  unit->state = WL_UNIT_CLOSING;
  wl_buffer_state(fw)->open_unit[unit->stream] = WL_NONE;
}

__attribute__((noinline)) wl_slot_t wl_buffer_slot(struct wl_firmware* fw, uint32_t stream) {
  const wl_unit_t u = open_host_unit(fw, stream);
  if (u == WL_NONE) return WL_NONE;
  struct wl_unit* unit = &wl_buffer_state(fw)->units[u];
  const wl_slot_t slot = unit->slot + unit->filled;
  wl_buffer_state(fw)->slot_table[slot].lpn = WL_LPN_NONE; /* until the data have arrived */
  ++unit->filled;
  ++unit->pending;
  close_if_full(fw, unit);
  return slot;
}

__attribute__((noinline)) wl_slot_t wl_buffer_page(struct wl_firmware* fw, uint32_t stream) {
  const wl_unit_t u = open_host_unit(fw, stream);
  if (u == WL_NONE) return WL_NONE;
  struct wl_unit* unit = &wl_buffer_state(fw)->units[u];
  const uint32_t lpages = fw->boot.ftl.map_page;
  const wl_slot_t slot = unit->slot + unit->filled;
  for (uint32_t i = 0; i < lpages; ++i) wl_buffer_state(fw)->slot_table[slot + i].lpn = WL_LPN_NONE;
  unit->filled = (uint16_t)(unit->filled + lpages);
  ++unit->pending;
  close_if_full(fw, unit);
  return slot;
}

__attribute__((noinline)) void wl_buffer_align(struct wl_firmware* fw, uint32_t stream) {
  const wl_unit_t u = wl_buffer_state(fw)->open_unit[stream];
  if (u == WL_NONE) return;
  struct wl_unit* unit = &wl_buffer_state(fw)->units[u];
  const uint32_t page = wl_kind_of_stream(fw, stream)->page_lpages;
  const uint32_t over = unit->filled % page;
  if (over == 0) return;
  const uint32_t rest = page - over;
  for (uint32_t i = 0; i < rest; ++i) wl_buffer_state(fw)->slot_table[unit->slot + unit->filled + i].lpn = WL_LPN_NONE;
  unit->filled = (uint16_t)(unit->filled + rest);
  wl_unit_padded(fw, u, rest);
  close_if_full(fw, unit);
  ready_if_complete(fw, u);
}

bool wl_buffer_fills_slc_cache(const struct wl_firmware* fw) {
  return wl_buffer_view(fw)->open_unit[wl_plan(fw)->slc_stream] != WL_NONE || wl_slc_cache_takes(fw);
}

void wl_buffer_close(struct wl_firmware* fw) {
  const uint32_t end = wl_plan(fw)->host_streams;
  for (uint32_t stream = WL_STREAM_HOST; stream != end; ++stream)
    if (wl_buffer_state(fw)->open_unit[stream] != WL_NONE) wl_unit_close(fw, wl_buffer_state(fw)->open_unit[stream]);
}

bool wl_buffer_pad(struct wl_firmware* fw, uint32_t stream) {
  wl_unit_t u = wl_unit_opened(fw, stream); /* rather than nothing, what it has gathered so far */
  if (u == WL_NONE) {
    u = wl_unit_open(fw, stream);
    if (u == WL_NONE) return false;
    if (!wl_stream_moves(stream)) ++wl_buffer_state(fw)->dirty_units;
  }
  wl_unit_close(fw, u);
  return true;
}

void wl_buffer_send(struct wl_firmware* fw, wl_slot_t slot) {
  const wl_unit_t u = wl_unit_of_slot(fw, slot);
  if (wl_buffer_state(fw)->units[u].state == WL_UNIT_OPEN) wl_unit_close(fw, u);
}

void wl_unit_close(struct wl_firmware* fw, wl_unit_t u) {
  struct wl_unit* unit = &wl_buffer_state(fw)->units[u];
  const uint32_t lpages = wl_unit_lpages(fw, u);
  wl_buffer_state(fw)->open_unit[unit->stream] = WL_NONE;
  for (uint32_t i = unit->filled; i < lpages; ++i) {
    wl_buffer_state(fw)->slot_table[unit->slot + i].lpn = WL_LPN_NONE;
    if (wl_stream_moves(unit->stream)) wl_source(fw, unit->slot + i)->ppa = WL_NONE;
  }
  unit->unused = (uint16_t)(lpages - unit->filled);
  unit->padding = (uint16_t)(unit->padding + unit->unused);
  unit->filled = (uint16_t)lpages;
  unit->state = WL_UNIT_CLOSING;
  ready_if_complete(fw, u);
}

void wl_unit_arrived(struct wl_firmware* fw, wl_unit_t u, uint32_t count) {
  wl_buffer_state(fw)->units[u].pending = (uint16_t)(wl_buffer_state(fw)->units[u].pending - count);
  ready_if_complete(fw, u);
}

bool wl_unit_may_change(const struct wl_firmware* fw, const struct wl_hal* hal, wl_unit_t u) {
  const struct wl_unit* unit = &wl_buffer_view(fw)->units[u];
  if ((unit->state != WL_UNIT_OPEN && unit->state != WL_UNIT_CLOSING) || unit->readers != 0) return false;
  return !wl_has_engines(fw, WL_ENGINES_BUFFER) || wl_read32(hal, WL_REGISTER(ENGINES.SLOTS_READ)) == 0;
}

void wl_unit_merged(struct wl_firmware* fw, wl_unit_t u, uint32_t blocks) {
  wl_buffer_state(fw)->units[u].merged = (uint16_t)(wl_buffer_state(fw)->units[u].merged + blocks);
}

void wl_unit_padded(struct wl_firmware* fw, wl_unit_t u, uint32_t count) {
  wl_buffer_state(fw)->units[u].padding = (uint16_t)(wl_buffer_state(fw)->units[u].padding + count);
}

void wl_unit_page(struct wl_firmware* fw, wl_unit_t u, uint32_t kept, uint32_t empty) {
  wl_buffer_state(fw)->units[u].kept = (uint16_t)(wl_buffer_state(fw)->units[u].kept + kept);
  wl_unit_padded(fw, u, empty);
}

void wl_unit_filled_in(struct wl_firmware* fw, wl_unit_t u, uint32_t count) {
  wl_buffer_state(fw)->units[u].padding = (uint16_t)(wl_buffer_state(fw)->units[u].padding - count);
}

void wl_unit_set_part(struct wl_firmware* fw, wl_unit_t u, uint32_t first, uint32_t count) {
  const struct wl_part part = {WL_NONE, (uint16_t)first, (uint16_t)count};
  wl_buffer_state(fw)->parts[u] = part;
}

void wl_unit_set_rest(struct wl_firmware* fw, wl_unit_t u, wl_ppa_t ppa) { wl_buffer_state(fw)->parts[u].rest = ppa; }

void wl_unit_clear_part(struct wl_firmware* fw, wl_unit_t u) { wl_buffer_state(fw)->parts[u].count = 0; }

void wl_unit_abandon_part(struct wl_firmware* fw, wl_unit_t u) {
  struct wl_unit* unit = &wl_buffer_state(fw)->units[u];
  for (uint32_t i = 0; i < unit->filled; ++i) wl_buffer_state(fw)->slot_table[unit->slot + i].lpn = WL_LPN_NONE;
  unit->padding = unit->filled;
  unit->kept = 0;
  unit->merged = 0;
  fw->statistics.rewritten_lpages += wl_buffer_state(fw)->parts[u].count;
  wl_buffer_state(fw)->parts[u].count = 0;
}

void wl_unit_read_done(struct wl_firmware* fw, wl_unit_t u) {
  struct wl_unit* unit = &wl_buffer_state(fw)->units[u];
  if (--unit->readers == 0 && unit->state == WL_UNIT_DONE) wl_unit_free(fw, u);
}

void wl_slot_drop(struct wl_firmware* fw, wl_slot_t slot) {
  /* Once the program is on its way, the slot table belongs to the hardware; its end finds the map changed. */
  if (wl_buffer_state(fw)->units[wl_unit_of_slot(fw, slot)].state != WL_UNIT_PROGRAMMING)
    wl_buffer_state(fw)->slot_table[slot].lpn = WL_LPN_NONE;
}

void wl_slot_empty(struct wl_firmware* fw, wl_slot_t slot) {
  const wl_unit_t u = wl_unit_of_slot(fw, slot);
  const uint32_t state = wl_buffer_state(fw)->units[u].state;
  wl_slot_drop(fw, slot);
  if (state != WL_UNIT_OPEN && state != WL_UNIT_CLOSING) return;
  wl_unit_padded(fw, u, 1);
  ++fw->statistics.rewritten_lpages;
}

wl_slot_t wl_unit_fill(struct wl_firmware* fw, wl_unit_t u, uint32_t count) {
  struct wl_unit* unit = &wl_buffer_state(fw)->units[u];
  const wl_slot_t slot = unit->slot + unit->filled;
  unit->filled = (uint16_t)(unit->filled + count);
  return slot;
}

void wl_unit_full_and_read(struct wl_firmware* fw, wl_unit_t u) {
  struct wl_unit* unit = &wl_buffer_state(fw)->units[u];
  unit->state = WL_UNIT_CLOSING;
  wl_buffer_state(fw)->open_unit[unit->stream] = WL_NONE;
}
