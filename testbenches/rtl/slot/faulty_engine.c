/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * An engine that is right (REAL_BLOCK) with a fault at its pins, chosen by WORDLINE_TEST_FAULT, in its third request or
 * the first one after it that offers the occasion; as faulty_block.c.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "rtl/slot/wordline_rtl_slot.h"

#define FAULTY_REQUEST 2u /* that have been answered before */

static const struct wordline_rtl_block* real;
static struct wordline_rtl_block faulty;

enum fault {
  NONE,
  WITHDRAWN,   /* an offer falls while it waits */
  CHANGES,     /* its payload changes while it waits */
  TWICE,       /* an answer comes again */
  UNKNOWN_TAG, /* an answer has the tag of nothing */
  NO_REQUEST,  /* memory is asked with nothing inside */
  NO_CREDIT,   /* memory is asked without end */
  NO_ANSWER,   /* nothing comes */
  WRONG,       /* the answer is wrong */
  BUSY_LOW,    /* busy falls within a request */
  STOPS,
};
static const char* const names[] = {"none",      "withdrawn", "changes", "twice",    "unknown_tag", "no_request",
                                    "no_credit", "no_answer", "wrong",   "busy_low", "stops"};
static enum fault chosen;

/* An offer: two pins, and one of its payload. */
struct offer {
  uint32_t valid, ready, payload;
};
static struct {
  struct offer answer; /* of a victim selector, which has none, its interrupt */
  struct offer data;   /* what changes */
  struct offer memory;
  uint32_t memory_answer, tag, busy, wrong;
} at;

struct wordline_rtl_instance {
  wordline_rtl_instance* real;
  uint32_t answered, answer_waited, data_waited, after; /* clocks since the last answer */
};

static uint32_t pin(const char* name) {
  uint32_t i = 0;
  while (i < real->pin_count && strcmp(real->pins[i].name, name) != 0) ++i;
  return i;
}

static uint32_t value(struct wordline_rtl_instance* block, uint32_t number) {
  uint32_t words[16] = {0};
  if (number < real->pin_count) real->get(block->real, number, words);
  return words[0];
}

static int here(const struct wordline_rtl_instance* block) {
  /* Not every request has an answer that waits, or a value: the first one that has. */
  const int later = chosen == WITHDRAWN || chosen == CHANGES || chosen == WRONG;
  return block->answered == FAULTY_REQUEST || (later && block->answered > FAULTY_REQUEST);
}

static wordline_rtl_instance* create(void) {
  struct wordline_rtl_instance* block = calloc(1, sizeof *block);
  if (block != NULL) block->real = real->create();
  return block;
}
static void destroy(wordline_rtl_instance* block) {
  real->destroy(block->real);
  free(block);
}
static void set(wordline_rtl_instance* block, uint32_t number, const uint32_t* words) {
  const uint32_t none[16] = {0};
  const int stands =
      here(block) && ((chosen == NO_ANSWER && (number == at.answer.ready || number == at.memory.ready)) ||
                      (chosen == NO_CREDIT && number == at.memory_answer));
  real->set(block->real, number, stands ? none : words);
}
static void get(wordline_rtl_instance* block, uint32_t number, uint32_t* words) {
  real->get(block->real, number, words);
  if (chosen == TWICE && block->answered == FAULTY_REQUEST + 1 && block->after == 0 && number == at.answer.valid)
    words[0] = 1;
  if (chosen == NO_REQUEST && block->answered == FAULTY_REQUEST + 1 && number == at.memory.valid) words[0] = 1;
  if (!here(block)) return;
  if (chosen == WITHDRAWN && block->answer_waited > 0 && number == at.answer.valid) words[0] = 0;
  if (chosen == WITHDRAWN && at.answer.ready == real->pin_count && block->data_waited > 0 && number == at.data.valid)
    words[0] = 0;
  if (chosen == CHANGES && block->data_waited > 0 && number == at.data.payload) words[0] ^= 4u;
  if (chosen == UNKNOWN_TAG && number == at.tag) words[0] ^= 1u;
  if (chosen == NO_CREDIT && number == at.memory.valid && value(block, at.busy) != 0) words[0] = 1;
  if (chosen == NO_ANSWER && (number == at.answer.valid || number == at.memory.valid)) words[0] = 0;
  if (chosen == WRONG && number == at.wrong && value(block, at.data.valid) != 0) words[0] ^= 4u;
  if (chosen == BUSY_LOW && number == at.busy) words[0] = 0;
}
static int evaluate(wordline_rtl_instance* block) { return real->evaluate(block->real); }

static uint32_t waits(wordline_rtl_instance* block, const struct offer* offer, uint32_t before) {
  return value(block, offer->valid) != 0 && value(block, offer->ready) == 0 ? before + 1 : 0;
}

static int rise(wordline_rtl_instance* block) {
  if (chosen == STOPS && here(block)) return 1;
  ++block->after;
  block->answer_waited = waits(block, &at.answer, block->answer_waited);
  block->data_waited = waits(block, &at.data, block->data_waited);
  const int no_ready = at.answer.ready == real->pin_count; /* an interrupt */
  if (value(block, at.answer.valid) != 0 && (no_ready || value(block, at.answer.ready) != 0)) {
    ++block->answered;
    block->after = block->answer_waited = 0;
  }
  return real->clock(block->real);
}
static const char* stopped(const wordline_rtl_instance* block) {
  return chosen == STOPS ? "$stop at my.sv:7" : real->stopped(block->real);
}

static void find_pins(void) {
  const int victim = strcmp(real->slot, "engine_victim") == 0, l2p = strcmp(real->slot, "engine_l2p") == 0;
  const struct offer answer = {pin(victim ? "irq_o" : "answer_valid_o"), pin(victim ? "none" : "answer_ready_i"), 0};
  const struct offer memory = {pin("mem_valid_o"), pin("mem_ready_i"), pin("mem_address_o")};
  const struct offer values = {pin("value_valid_o"), pin("value_ready_i"), pin("value_o")};
  at.answer = answer;
  at.answer.payload = pin("answer_first_o");
  at.memory = memory;
  at.data = victim ? memory : l2p ? values : at.answer;
  at.memory_answer = pin("mem_answer_i");
  at.tag = pin("answer_tag_o");
  at.busy = pin("busy_o");
  at.wrong = victim ? pin("mem_wdata_o") : at.data.payload;
}

__attribute__((visibility("default"))) const struct wordline_rtl_block* wordline_rtl_get_block(void) {
  const char* const name = getenv("WORDLINE_TEST_FAULT");
  chosen = NONE;
  for (size_t i = 0; name != NULL && i < sizeof names / sizeof names[0]; ++i) {
    if (strcmp(name, names[i]) == 0) chosen = (enum fault)i;
  }
  void* object = dlopen(REAL_BLOCK, RTLD_NOW | RTLD_LOCAL);
  wordline_rtl_entry entry = NULL;
  void* symbol = object == NULL ? NULL : dlsym(object, WORDLINE_RTL_ENTRY);
  if (symbol == NULL) return NULL;
  memcpy(&entry, &symbol, sizeof entry);
  real = entry();
  find_pins();
  faulty = *real;
  faulty.create = create;
  faulty.destroy = destroy;
  faulty.set = set;
  faulty.get = get;
  faulty.evaluate = evaluate;
  faulty.clock = rise;
  faulty.stopped = stopped;
  return &faulty;
}
