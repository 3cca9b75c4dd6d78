/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A block that is right (REAL_BLOCK) with a fault at its pins, chosen by WORDLINE_TEST_FAULT: a block that is made by
 * hand, for the tests of what the drive says of each. Without a fault it is that block.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rtl/slot/wordline_rtl_slot.h"

#define FAULTY_CODEWORD 3u
#define FAULTY_BEAT 40u
#ifndef BEATS
#define BEATS 292u /* out, of a codeword */
#endif

static const struct wordline_rtl_block* real;
static struct wordline_rtl_block faulty;
static struct wordline_rtl_pin pins[96];

struct wordline_rtl_instance {
  wordline_rtl_instance* real;
  uint32_t codeword, beat; /* of the stream out */
  uint32_t waited;         /* clocks that the beat has been offered */
  uint32_t segment, byte;  /* of a flash sequencer: taken so far; page data out of that one */
  uint32_t was_selected;   /* its chip enable was low */
  uint32_t address;        /* on its APB */
};

static const char* chosen; /* the fault, or NULL */

static int fault(const char* name) { return chosen != NULL && strcmp(chosen, name) == 0; }

static uint32_t pin(const char* name) {
  uint32_t i = 0;
  while (i < real->pin_count && strcmp(real->pins[i].name, name) != 0) ++i;
  return i;
}

static uint32_t value(struct wordline_rtl_instance* block, const char* name) {
  uint32_t words[2] = {0, 0};
  real->get(block->real, pin(name), words);
  return words[0];
}

static int here(const struct wordline_rtl_instance* block) {
  return block->codeword == FAULTY_CODEWORD && block->beat == FAULTY_BEAT;
}

/* The first beat from there on that the drive lets wait. */
static int waits(const struct wordline_rtl_instance* block) {
  return block->codeword == FAULTY_CODEWORD && block->beat >= FAULTY_BEAT && block->waited > 0;
}

/* A time, by its register, that is shorter than it was written. */
static int shortened(uint32_t address) {
  return (fault("short_adl") && address == 0x18u) || (fault("short_whr") && address == 0x20u) ||
         (fault("short_setup") && address == 0x04u) || (fault("short_cycle") && address == 0x08u) ||
         (fault("short_preamble") && address == 0x38u) || (fault("short_postamble") && address == 0x40u);
}

static int selected(struct wordline_rtl_instance* block) { return value(block, "ce_no") != 0xffu; }

static void spoil_sequencer(wordline_rtl_instance* block, uint32_t number, uint32_t* words) {
  const int third = block->segment == FAULTY_CODEWORD;
  if (fault("wrong_byte_out") && block->byte == FAULTY_BEAT && number == pin("m_axis_tdata_o")) words[0] ^= 1u;
  if (fault("byte_lost") && block->byte == FAULTY_BEAT && number == pin("m_axis_tvalid_o")) words[0] = 0;
  if (fault("wrong_byte_in") && number == pin("dq_o") && value(block, "dqs_oe_o") != 0) words[0] ^= 1u;
  if (fault("done_early") && number == pin("done_o") && selected(block)) words[0] = 1;
  if (fault("no_done") && number == pin("done_o")) words[0] = 0;
  if (fault("wrong_answer") && number == pin("done_data_o")) words[0] ^= 4u;
  if (fault("no_ready") && third && number == pin("segment_ready_o")) words[0] = 0;
  if (fault("stays_selected") && third && block->was_selected && number == pin("ce_no")) words[0] = 0xfeu;
  if (fault("stays_selected") && third && (number == pin("done_o") || number == pin("quiet_o"))) words[0] = 0;
  if (fault("two_chips") && number == pin("ce_no") && selected(block)) words[0] &= 0xfcu;
  if (fault("no_transfer") && number == pin("pready_o")) words[0] = 0;
  if (fault("quiet_lies") && number == pin("quiet_o")) words[0] = 1;
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
  const uint32_t none[2] = {0, 0};
  const int stands = (fault("no_more_beats") && here(block) && number == pin("m_axis_tready_i")) ||
                     (fault("no_ready") && block->segment == FAULTY_CODEWORD && number == pin("segment_valid_i")) ||
                     (fault("no_transfer") && (number == pin("penable_i") || number == pin("psel_i")));
  uint32_t less[2] = {words[0] - 1u, 0};
  if (chosen != NULL && strncmp(chosen, "short_", 6) == 0) {
    if (number == pin("paddr_i")) block->address = words[0];
    if (number == pin("pwdata_i") && shortened(block->address)) words = less;
  }
  real->set(block->real, number, stands ? none : words);
}
static void get(wordline_rtl_instance* block, uint32_t number, uint32_t* words) {
  real->get(block->real, number, words);
  if (waits(block)) {
    if (fault("valid_drops") && number == pin("m_axis_tvalid_o")) words[0] = 0;
    if (fault("data_changes") && number == pin("m_axis_tdata_o")) words[1] ^= 1u;
  }
  /* A read-retry controller. */
  if (fault("wrong_step") && number == pin("flash_step_o")) words[0] ^= 1u;
  if (fault("command_changes") && number == pin("flash_step_o") && value(block, "flash_ready_i") != 0) words[0] ^= 1u;
  if (fault("error_early") && number == pin("pslverr_o")) words[0] = 1;
  if (fault("no_request") && number == pin("flash_valid_o")) words[0] = 0;
  if (strcmp(real->slot, "flash_sequencer") == 0) spoil_sequencer(block, number, words);
  if (!here(block)) return;
  if (fault("wrong_bit") && number == pin("m_axis_tdata_o")) words[0] ^= 0x20u;
  if (fault("last_early") && number == pin("m_axis_tlast_o")) words[0] = 1;
  if (fault("no_more_beats") && number == pin("m_axis_tvalid_o")) words[0] = 0;
  if (fault("busy_low") && number == pin("busy_o")) words[0] = 0;
}
static int evaluate(wordline_rtl_instance* block) { return real->evaluate(block->real); }
static int rise(wordline_rtl_instance* block) {
  if (value(block, "segment_valid_i") != 0 && value(block, "segment_ready_o") != 0) {
    ++block->segment;
    block->byte = block->was_selected = 0;
  } else if (value(block, "m_axis_tvalid_o") != 0) {
    ++block->byte;
  }
  if (selected(block)) block->was_selected = 1;
  if ((fault("stops") || fault("stops_without_reason")) && here(block)) return 1;
  if (fault("exits") && here(block)) exit(0);
  if (fault("loops") && here(block)) {
    const char* const mark = getenv("WORDLINE_TEST_MARK"); /* a file that says that it has begun */
    if (mark != NULL) fclose(fopen(mark, "w"));
    for (;;) block->waited = 0;
  }
  /* What the drive sees counts. */
  uint32_t offered[2] = {0, 0};
  get(block, pin("m_axis_tvalid_o"), offered);
  if (value(block, "rst_ni") != 0 && offered[0] != 0) {
    ++block->waited;
    if (value(block, "m_axis_tready_i") != 0) {
      block->waited = 0;
      if (++block->beat == BEATS) {
        block->beat = 0;
        ++block->codeword;
      }
    }
  }
  return real->clock(block->real);
}
static const char* stopped(const wordline_rtl_instance* block) {
  if (fault("stops_without_reason")) return NULL;
  return fault("stops") ? "$stop at my.sv:7" : real->stopped(block->real);
}

/* Chosen as "null MEMBER". */
#define MEMBER(name) \
  { #name, offsetof(struct wordline_rtl_block, name) }
static const struct {
  const char* name;
  size_t offset;
} members[] = {MEMBER(slot), MEMBER(top), MEMBER(pins),     MEMBER(status), MEMBER(create),  MEMBER(destroy),
               MEMBER(set),  MEMBER(get), MEMBER(evaluate), MEMBER(clock),  MEMBER(stopped), MEMBER(trace_dump)};

static int opens(wordline_rtl_instance* block, const char* path) { return block == NULL || path == NULL; }
static void closes(wordline_rtl_instance* block) { (void)block; }

/* Descriptions that nobody can follow. */
static void spoil_description(void) {
  static struct wordline_rtl_status status = {"count", "clocks", 0, WORDLINE_RTL_COUNTED};
  faulty.status_count = 1;
  faulty.status = &status;
  if (fault("null status.name")) status.name = NULL;
  if (fault("null status.unit")) status.unit = NULL;
  if (fault("null pins.name")) pins[1].name = NULL;
  if (fault("many pins")) faulty.pin_count = 1000000000u;
  if (fault("many status")) faulty.status_count = 1000000000u;
  if (fault("null trace_dump")) {
    faulty.trace_open = opens;
    faulty.trace_close = closes;
  }
  for (size_t i = 0; i < sizeof members / sizeof members[0]; ++i) {
    if (strcmp(chosen + 5, members[i].name) == 0) memset((char*)&faulty + members[i].offset, 0, sizeof(void*));
  }
}

__attribute__((visibility("default"))) const struct wordline_rtl_block* wordline_rtl_get_block(void) {
  chosen = getenv("WORDLINE_TEST_FAULT");
  void* object = dlopen(REAL_BLOCK, RTLD_NOW | RTLD_LOCAL);
  wordline_rtl_entry entry = NULL;
  void* symbol = object == NULL ? NULL : dlsym(object, WORDLINE_RTL_ENTRY);
  if (symbol == NULL) return NULL;
  memcpy(&entry, &symbol, sizeof entry);
  real = entry();
  faulty = *real;
  memcpy(pins, real->pins, real->pin_count * sizeof pins[0]);
  faulty.pins = pins;
  faulty.create = create;
  faulty.destroy = destroy;
  faulty.set = set;
  faulty.get = get;
  faulty.evaluate = evaluate;
  faulty.clock = rise;
  faulty.stopped = stopped;
  if (chosen != NULL && (strncmp(chosen, "null ", 5) == 0 || strncmp(chosen, "many ", 5) == 0)) spoil_description();
  if (fault("version")) faulty.version = WORDLINE_RTL_VERSION + 1;
  if (fault("slot")) faulty.slot = "read_retry";
  if (fault("no_pin")) pins[pin("m_axis_tlast_o")].name = "tlast_o";
  if (fault("width")) pins[pin("m_axis_tuser_o")].bits = 8;
  if (fault("direction")) pins[pin("busy_o")].direction = WORDLINE_RTL_IN;
  if (fault("another_input")) {
    pins[faulty.pin_count].name = "test_mode_i";
    pins[faulty.pin_count].bits = 1;
    pins[faulty.pin_count++].direction = WORDLINE_RTL_IN;
  }
  return &faulty;
}
