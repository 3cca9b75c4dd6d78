/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a policy declares to the owner of the superblocks.
 */
#ifndef WORDLINE_FIRMWARE_SPACE_PLAN_H
#define WORDLINE_FIRMWARE_SPACE_PLAN_H

#include <stdbool.h>
#include <stdint.h>

/* Data that belong together: of one class (a policy's word), from the host or moved by the drive. Streams of the host
 * come first. Each fills units of its own and has a write point of its own, with an open superblock. */
#define WL_CLASSES 16u
enum wl_stream { WL_STREAM_HOST = 0, WL_STREAM_GC = WL_CLASSES, WL_STREAMS = 2 * WL_CLASSES };
static inline bool wl_stream_moves(uint32_t stream) { return stream >= WL_STREAM_GC; }
static inline uint32_t wl_stream_class(uint32_t stream) { return stream % WL_CLASSES; }

struct wl_space_plan {
  uint8_t host_streams;      /* 1 to WL_CLASSES: how many of those of the host it uses, */
  uint8_t move_streams;      /* ... of those of moved data */
  bool apart;                /* data of the host never go to a superblock of another class, */
  bool moves_apart;          /* ... nor moved data */
  bool by_age;               /* wl_superblock_oldest is asked */
  bool by_word_line;         /* it names units itself, by the cursors of a write point */
  uint32_t more_superblocks; /* open at most, beside one for each stream: wl_superblock_hand_over makes them */
  uint8_t small_stream;      /* of the host, not the first: it fills the superblocks with smaller pages; 0: none does */
  uint32_t small_start_superblocks; /* these are collected with so many free */
  uint8_t slc_stream;               /* of the host, the last: it fills the SLC cache; 0: there is none */
  uint8_t rest_stream;              /* of moved data, the last: of what static wear levelling moves; 0: there is none */
  uint8_t map_stream;               /* of moved data, behind that one: of map pages; 0: there is none */
};

#endif
