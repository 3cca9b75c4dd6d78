/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What firmware of a drive does with its time, as one loop: map lookup and update in slow memory, a hashed cache of
 * pages in least-recently-used order, valid counts, a bitmap, descriptors copied, a division per page. Runs for ever.
 */
#include <stdint.h>

#define PAGES 65536u
#define CACHE 512u
#define BUCKETS 256u
#define BLOCKS 256u
#define NONE 0xffffu

struct entry {
  uint32_t page;
  uint16_t next, newer, older, dirty;
};
struct descriptor {
  uint32_t words[16];
};

static uint32_t* const map = (uint32_t*)0x80000000u; /* L2P in DRAM */
static struct entry cache[CACHE];
static uint16_t bucket[BUCKETS];
static uint16_t newest, oldest, used;
static uint16_t valid[BLOCKS];
static uint32_t bitmap[PAGES / 32];
static struct descriptor ring[64];
volatile uint32_t commands;

static uint32_t hash(uint32_t page) { return (page * 2654435761u >> 16) % BUCKETS; }

static void unlink_entry(uint16_t e) {
  if (cache[e].newer != NONE)
    cache[cache[e].newer].older = cache[e].older;
  else
    newest = cache[e].older;
  if (cache[e].older != NONE)
    cache[cache[e].older].newer = cache[e].newer;
  else
    oldest = cache[e].newer;
}
static void make_newest(uint16_t e) {
  cache[e].newer = NONE;
  cache[e].older = newest;
  if (newest != NONE)
    cache[newest].newer = e;
  else
    oldest = e;
  newest = e;
}
static uint16_t lookup(uint32_t page) {
  for (uint16_t e = bucket[hash(page)]; e != NONE; e = cache[e].next)
    if (cache[e].page == page) return e;
  return NONE;
}
static uint16_t take(uint32_t page) {
  uint16_t e = lookup(page);
  if (e != NONE) {
    unlink_entry(e);
  } else if (used < CACHE) {
    e = used++;
    cache[e].page = NONE;
  } else {
    e = oldest;
    unlink_entry(e);
    uint16_t* at = &bucket[hash(cache[e].page)];
    while (*at != e) at = &cache[*at].next;
    *at = cache[e].next;
  }
  if (cache[e].page != page) {
    cache[e].page = page;
    cache[e].dirty = 0;
    cache[e].next = bucket[hash(page)];
    bucket[hash(page)] = e;
  }
  make_newest(e);
  return e;
}
static uint32_t victim(void) {
  uint32_t best = 0;
  for (uint32_t b = 1; b < BLOCKS; ++b)
    if (valid[b] < valid[best]) best = b;
  return best;
}

int main(void) {
  uint32_t state = 1, ppa = 0;
  newest = oldest = NONE;
  for (uint32_t i = 0; i < BUCKETS; ++i) bucket[i] = NONE;
  for (;;) {
    state = state * 1664525u + 1013904223u;
    const uint32_t page = state >> 16, pages = 1 + (state >> 8 & 3);
    struct descriptor* d = &ring[commands % 64];
    for (uint32_t i = 0; i < 16; ++i) d->words[i] = state + i;
    for (uint32_t i = 0; i < pages; ++i) {
      const uint32_t p = (page + i) % PAGES;
      const uint16_t e = take(p);
      if ((state & 3) != 0) {
        const uint32_t old = map[p];
        if (valid[old / (PAGES / BLOCKS) % BLOCKS] > 0) --valid[old / (PAGES / BLOCKS) % BLOCKS];
        bitmap[old / 32 % (PAGES / 32)] &= ~(1u << (old & 31));
        map[p] = ppa;
        bitmap[ppa / 32] |= 1u << (ppa & 31);
        ++valid[ppa / (PAGES / BLOCKS)];
        ppa = (ppa + 1) % PAGES;
        cache[e].dirty = 1;
      } else {
        d->words[i & 15] ^= map[p] % (pages + 96);
      }
    }
    if ((commands & 63) == 0) ppa = victim() * (PAGES / BLOCKS);
    ++commands;
  }
}
