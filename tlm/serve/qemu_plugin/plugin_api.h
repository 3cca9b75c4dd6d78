/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the plugin uses of QEMU, declared here, since no package has QEMU's header: of its plugin interface (version 7),
 * and of its own functions, which are no interface and are looked up by name when the plugin is loaded.
 */
#ifndef WORDLINE_QEMU_PLUGIN_API_H
#define WORDLINE_QEMU_PLUGIN_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLUGIN_EXPORT __attribute__((visibility("default")))
#define PLUGIN_VERSION 7

typedef uint64_t qemu_plugin_id_t;
typedef struct {
  const char* target_name;
  struct {
    int min, cur;
  } version;
  bool system_emulation;
  struct {
    int smp_vcpus, max_vcpus;
  } system;
} qemu_info_t;

struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_hwaddr;
enum { PLUGIN_CB_NO_REGS = 0 };
enum { PLUGIN_MEM_W = 2 };

void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t id, void (*call)(unsigned vcpu, void* user), void* user);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, void (*call)(struct qemu_plugin_tb*, void* user),
                                           void* user);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, void (*call)(void* user), void* user);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb* tb);
struct qemu_plugin_insn* qemu_plugin_tb_get_insn(const struct qemu_plugin_tb* tb, size_t index);
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn* insn, void* to, size_t room);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn* insn);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn* insn,
                                      void (*call)(unsigned vcpu, uint32_t info, uint64_t address, void* user),
                                      int flags, int rw, void* user);
struct qemu_plugin_hwaddr* qemu_plugin_get_hwaddr(uint32_t info, uint64_t address);
bool qemu_plugin_hwaddr_is_io(const struct qemu_plugin_hwaddr* address);
const char* qemu_plugin_hwaddr_device_name(const struct qemu_plugin_hwaddr* address);

/* QEMU's own. A clock's number and a timer's size are of the versions that were tried; the room is ten times that. */
enum { CLOCK_VIRTUAL = 1, NANOSECONDS = 1, ICOUNT_PRECISE = 1, TIMER_BYTES = 512 };
struct qemu_internals {
  int64_t (*clock_get_ns)(int clock);
  void (*timer_init)(void* timer, void* group, int clock, int scale, int attributes, void (*call)(void*), void* user);
  void (*timer_mod_ns)(void* timer, int64_t at);
  void* (*resolve_path)(const char* path, bool* ambiguous);
  void (*msix_notify)(void* device, unsigned vector);
  const int* use_icount;
};

#endif
