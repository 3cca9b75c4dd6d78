/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a table of the firmware held before it changed, so that a copy of the process can return to it
 * (tlm/memory/journaled_table.h). Native only; nothing on a core.
 */
#ifndef WORDLINE_FIRMWARE_CORE_JOURNAL_H
#define WORDLINE_FIRMWARE_CORE_JOURNAL_H

#include <stdint.h>

#define WL_JOURNAL_WORDS (1u << 28)

struct wl_journal_word {
  uint32_t at; /* in the table */
  uint32_t was;
};

struct wl_journal {
  void* self;
  /* `table` is the one that is kept from now on; `filled`: it is not zeros. */
  void (*begin)(void* self, uint32_t* table, uint64_t words, int filled);
  uint32_t* table;              /* whole pages of it */
  uint64_t words;               /* 0: nothing is kept */
  struct wl_journal_word* ring; /* of WL_JOURNAL_WORDS */
  uint64_t* position;           /* of the next word, counted from the beginning */
};

/* Before the word at `p` changes. */
static inline void wl_journal_keep(const struct wl_journal* journal, const uint32_t* p) {
  if (!journal) return;
  const uint64_t at = (uint64_t)((uintptr_t)p - (uintptr_t)journal->table) / sizeof *p;
  if (at >= journal->words) return;
  struct wl_journal_word* const word = &journal->ring[(*journal->position)++ % WL_JOURNAL_WORDS];
  word->at = (uint32_t)at;
  word->was = *p;
}

#ifdef WL_NATIVE

#define WL_JOURNAL_TABLE(hal, map, words, filled)                                                        \
  do {                                                                                                   \
    (map)->journal = (hal)->journal;                                                                     \
    if ((hal)->journal != 0) (hal)->journal->begin((hal)->journal->self, (map)->l2p, (words), (filled)); \
  } while (0)
#define WL_JOURNAL_KEEP(map, p) wl_journal_keep((map)->journal, (p))

#else

#define WL_JOURNAL_TABLE(hal, map, words, filled) ((void)0)
#define WL_JOURNAL_KEEP(map, p) ((void)0)

#endif

#endif
