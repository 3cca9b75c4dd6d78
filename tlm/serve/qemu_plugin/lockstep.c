/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A plugin of QEMU's TCG that makes a guest's clock and that of a served drive one (wordline serve --time lockstep):
 *
 *   -icount shift=0,sleep=off -plugin wordline_lockstep.so,socket=PATH,device=ID
 *
 * The guest's clock is QEMU's count of instructions. One timer of that clock stops the guest at the next instant at
 * which the drive acts; the drive is then simulated up to there, and what interrupts it raises are raised at that
 * instant. A doorbell is a message of QEMU's to the drive without a time: behind each store to the device the drive is
 * told when it was. The callback of the timer is called in the thread of the virtual processor with QEMU's lock held,
 * that of a store without it; there is one such thread.
 *
 * Callbacks of all stores would be slow: only those of the kernel are looked at that have the form of writel(), a move
 * of a register to the address in another one, and before there is a kernel, those of the BIOS that move a register or
 * a constant. `stores=any` looks at all. The drive counts doorbells against stores, and ends the session when they
 * differ.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "models/served/guest_clock_wire.h"
#include "tlm/serve/qemu_plugin/plugin_api.h"

PLUGIN_EXPORT int qemu_plugin_version = PLUGIN_VERSION;
PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t* info, int count, char** arguments);

static struct {
  struct qemu_internals qemu;
  int socket;
  char device_path[256];
  void* device;
  bool by_eventfd;
  bool any_store;
  bool armed;
  bool kernel;  /* it has begun */
  int64_t next; /* the timer is set for it */
  _Alignas(16) unsigned char timer[TIMER_BYTES];
} g;

static void say(const char* what) { fprintf(stderr, "wordline_lockstep: error: %s\n", what); }

_Noreturn static void fail(const char* what) {
  say(what);
  _exit(1); /* the guest is not to go on: its clock would be its own */
}

static bool exchange(struct wl_clock_request request, struct wl_clock_answer* answer) {
  const char* from = (const char*)&request;
  for (size_t done = 0; done != sizeof request;) {
    const ssize_t sent = send(g.socket, from + done, sizeof request - done, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    done += (size_t)sent;
  }
  char* to = (char*)answer;
  for (size_t done = 0; done != sizeof *answer;) {
    const ssize_t got = recv(g.socket, to + done, sizeof *answer - done, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    done += (size_t)got;
  }
  return true;
}

static struct wl_clock_answer ask(uint32_t operation, int64_t now) {
  struct wl_clock_answer answer;
  const struct wl_clock_request request = {operation, 0, (uint64_t)now};
  if (!exchange(request, &answer)) fail("the drive has ended the session: see what wordline serve says");
  return answer;
}

static void arm(int64_t now, uint64_t next) {
  const int64_t at = (int64_t)next > now ? (int64_t)next : now + 1;
  if (at == g.next) return;
  g.next = at;
  g.qemu.timer_mod_ns(g.timer, at);
}

/* The guest has reached the instant for which the timer was set. */
static void on_timer(void* user) {
  (void)user;
  if (g.device == NULL && !g.by_eventfd) {
    g.device = g.qemu.resolve_path(g.device_path, NULL);
    if (g.device == NULL) fail("this machine has no device of the id of device=: give -device ...,id=ID the same");
  }
  const int64_t now = g.qemu.clock_get_ns(CLOCK_VIRTUAL);
  const struct wl_clock_answer answer = ask(WL_CLOCK_TIME, now);
  for (unsigned vector = 0; vector != 64; ++vector)
    if ((answer.vectors >> vector & 1) != 0) g.qemu.msix_notify(g.device, vector);
  g.next = -1;
  arm(now, answer.next);
}

static void on_store(unsigned vcpu, uint32_t info, uint64_t address, void* user) {
  (void)vcpu;
  (void)user;
  const struct qemu_plugin_hwaddr* where = qemu_plugin_get_hwaddr(info, address);
  if (where == NULL || !qemu_plugin_hwaddr_is_io(where)) return;
  const char* name = qemu_plugin_hwaddr_device_name(where);
  if (name == NULL || strstr(name, "vfio-user") == NULL) return;
  const int64_t now = g.qemu.clock_get_ns(CLOCK_VIRTUAL);
  arm(now, ask(WL_CLOCK_STORE, now).next);
}

/* mov %r32 or %r64, to the address in a register (with an index, perhaps), without a displacement. */
static bool is_writel(const struct qemu_plugin_insn* insn) {
  unsigned char code[3] = {0};
  const size_t size = qemu_plugin_insn_data(insn, code, sizeof code);
  const size_t at = (code[0] & 0xf0) == 0x40 ? 1 : 0; /* REX */
  return size >= at + 2 && code[at] == 0x89 && (code[at + 1] & 0xc0) == 0 && (code[at + 1] & 7) != 5;
}

/* The same with a displacement, and of a constant; in code of 16 and 32 bits, too. */
static bool is_move(const struct qemu_plugin_insn* insn) {
  unsigned char code[4] = {0};
  const size_t size = qemu_plugin_insn_data(insn, code, sizeof code);
  size_t at = 0;
  while (at + 2 < size && (code[at] == 0x66 || code[at] == 0x67 || code[at] == 0x3e || (code[at] & 0xf0) == 0x40)) ++at;
  return size >= at + 2 && (code[at] == 0x89 || code[at] == 0xc7 || code[at] == 0xa3);
}

static void on_translation(struct qemu_plugin_tb* tb, void* user) {
  (void)user;
  const size_t count = qemu_plugin_tb_n_insns(tb);
  for (size_t i = 0; i != count; ++i) {
    struct qemu_plugin_insn* insn = qemu_plugin_tb_get_insn(tb, i);
    const bool kernel = qemu_plugin_insn_vaddr(insn) >> 47 == 0x1ffff; /* by its half of the addresses */
    if (kernel) g.kernel = true;
    if (!kernel && g.kernel) return; /* a program's */
    if (g.any_store || (kernel ? is_writel(insn) : is_move(insn)))
      qemu_plugin_register_vcpu_mem_cb(insn, on_store, PLUGIN_CB_NO_REGS, PLUGIN_MEM_W, NULL);
  }
}

static void on_vcpu(unsigned vcpu, void* user) {
  (void)vcpu;
  (void)user;
  if (g.armed) return;
  g.armed = true;
  if (*g.qemu.use_icount != ICOUNT_PRECISE)
    fail("the guest's clock is the host's: start QEMU with -icount shift=0,sleep=off");
  g.qemu.timer_init(g.timer, NULL, CLOCK_VIRTUAL, NANOSECONDS, 0, on_timer, NULL);
  arm(0, 1000);
}

static bool look_up(void) {
  const struct {
    void* to;
    const char* name;
  } rows[] = {{&g.qemu.clock_get_ns, "qemu_clock_get_ns"}, {&g.qemu.timer_init, "timer_init_full"},
              {&g.qemu.timer_mod_ns, "timer_mod_ns"},      {&g.qemu.resolve_path, "object_resolve_path"},
              {&g.qemu.msix_notify, "msix_notify"},        {&g.qemu.use_icount, "use_icount"}};
  for (size_t i = 0; i != sizeof rows / sizeof rows[0]; ++i) {
    void* const found = dlsym(RTLD_DEFAULT, rows[i].name);
    if (found == NULL) {
      fprintf(
          stderr,
          "wordline_lockstep: error: this QEMU does not export %s, with which the guest's clock is made the drive's: "
          "take one that is built with modules, as Debian's 11.1\n",
          rows[i].name);
      return false;
    }
    memcpy(rows[i].to, &found, sizeof found);
  }
  return true;
}

static bool meet(const char* path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) {
    say("the path of socket= is too long for a UNIX socket: give a shorter one");
    return false;
  }
  memcpy(address.sun_path, path, strlen(path) + 1);
  g.socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (g.socket < 0 || connect(g.socket, (const struct sockaddr*)&address, sizeof address) != 0) {
    fprintf(stderr, "wordline_lockstep: error: socket=%s: %s: start wordline serve --time lockstep first\n", path,
            strerror(errno));
    return false;
  }
  struct wl_clock_answer answer;
  const struct wl_clock_request hello = {WL_CLOCK_HELLO, WL_CLOCK_VERSION,
                                         g.by_eventfd ? 0 : WL_CLOCK_TAKES_INTERRUPTS};
  if (exchange(hello, &answer) && answer.next == WL_CLOCK_VERSION) return true;
  say("the drive does not take this plugin: both have to be of the same Wordline");
  return false;
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t* info, int count, char** arguments) {
  const char *path = NULL, *device = NULL;
  for (int i = 0; i != count; ++i) {
    if (strncmp(arguments[i], "socket=", 7) == 0) {
      path = arguments[i] + 7;
    } else if (strncmp(arguments[i], "device=", 7) == 0) {
      device = arguments[i] + 7;
    } else if (strcmp(arguments[i], "stores=any") == 0) {
      g.any_store = true;
    } else if (strcmp(arguments[i], "interrupts=eventfd") == 0) {
      g.by_eventfd = true; /* to see what becomes of two runs */
    } else {
      fprintf(stderr,
              "wordline_lockstep: error: %s: expected socket=PATH, device=ID, stores=any or interrupts=eventfd\n",
              arguments[i]);
      return -1;
    }
  }
  if (path == NULL || device == NULL) {
    say("expected socket=PATH, where wordline serve waits for the guest's clock, and device=ID of the drive");
    return -1;
  }
  if (!info->system_emulation || strcmp(info->target_name, "x86_64") != 0) {
    say("only for qemu-system-x86_64");
    return -1;
  }
  snprintf(g.device_path, sizeof g.device_path, "/machine/peripheral/%s", device);
  if (!look_up() || !meet(path)) return -1;
  qemu_plugin_register_vcpu_init_cb(id, on_vcpu, NULL);
  qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation, NULL);
  return 0;
}
