// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/workload/fio_options.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace wordline::workload {
namespace {

constexpr std::pair<std::string_view, FioOption> kImplemented[] = {
    {"rw", FioOption::kRw},
    {"readwrite", FioOption::kRw},
    {"bs", FioOption::kBs},
    {"blocksize", FioOption::kBs},
    {"iodepth", FioOption::kIodepth},
    {"numjobs", FioOption::kNumjobs},
    {"size", FioOption::kSize},
    {"io_size", FioOption::kIoSize},
    {"io_limit", FioOption::kIoSize},
    {"offset", FioOption::kOffset},
    {"offset_increment", FioOption::kOffsetIncrement},
    {"number_ios", FioOption::kNumberIos},
    {"runtime", FioOption::kRuntime},
    {"timeout", FioOption::kRuntime},
    {"ramp_time", FioOption::kRampTime},
    {"time_based", FioOption::kTimeBased},
    {"rwmixread", FioOption::kRwmixread},
    {"rwmixwrite", FioOption::kRwmixwrite},
    {"random_distribution", FioOption::kRandomDistribution},
    {"randseed", FioOption::kRandseed},
    {"norandommap", FioOption::kNorandommap},
    {"name", FioOption::kName},
    {"description", FioOption::kName},
};

// How a real host issues, schedules or reports I/O: nothing that a simulated drive sees.
constexpr std::string_view kNoEffect[] = {
    "ioengine",
    "direct",
    "buffered",
    "filename",
    "directory",
    "thread",
    "group_reporting",
    "new_group",
    "invalidate",
    "gtod_reduce",
    "gtod_cpu",
    "clocksource",
    "cpus_allowed",
    "cpus_allowed_policy",
    "cpumask",
    "numa_cpu_nodes",
    "numa_mem_policy",
    "nice",
    "prio",
    "prioclass",
    "mem",
    "iomem",
    "iomem_align",
    "mem_align",
    "hugepage-size",
    "fallocate",
    "create_serialize",
    "create_fsync",
    "create_on_open",
    "create_only",
    "unlink",
    "hipri",
    "registerfiles",
    "fixedbufs",
    "sqthread_poll",
    "sqthread_poll_cpu",
    "nonvectored",
    "uncached",
    "overwrite",
    "openfiles",
    "nrfiles",
    "file_service_type",
    "randrepeat",
    "allrandrepeat",
    "random_generator",
    "refill_buffers",
    "zero_buffers",
    "scramble_buffers",
    "end_fsync",
    "fsync_on_close",
    "lockmem",
    "disable_lat",
    "disable_clat",
    "disable_slat",
    "disable_bw",
    "percentile_list",
    "clat_percentiles",
    "lat_percentiles",
    "slat_percentiles",
    "log_avg_msec",
    "per_job_logs",
    "eta",
    "eta-newline",
    "minimal",
    "output-format",
    "kb_base",
    "unit_base",
    "userspace_reap",
    "allow_file_create",
    "allow_mounted_write",
    "softrandommap",
};

// fio 3.33 options that would change what the drive sees or how the run is shaped.
constexpr std::string_view kUnsupported[] = {
    "bssplit",
    "bsrange",
    "blocksize_range",
    "blockalign",
    "ba",
    "bs_unaligned",
    "blocksize_unaligned",
    "bs_is_seq_rand",
    "stonewall",
    "wait_for_previous",
    "wait_for",
    "startdelay",
    "loops",
    "exitall",
    "exitall_on_error",
    "exit_what",
    "rate",
    "rate_min",
    "rate_iops",
    "rate_iops_min",
    "rate_process",
    "rate_cycle",
    "rate_ignore_thinktime",
    "thinktime",
    "thinktime_spin",
    "thinktime_blocks",
    "thinktime_blocks_type",
    "thinktime_iotime",
    "latency_target",
    "latency_window",
    "latency_percentile",
    "latency_run",
    "max_latency",
    "iodepth_batch",
    "iodepth_batch_submit",
    "iodepth_batch_complete",
    "iodepth_batch_complete_min",
    "iodepth_batch_complete_max",
    "iodepth_low",
    "serialize_overlap",
    "io_submit_mode",
    "percentage_random",
    "percentage_sequential",
    "rw_sequencer",
    "read_iolog",
    "write_iolog",
    "replay_no_stall",
    "replay_time_scale",
    "replay_align",
    "replay_scale",
    "replay_skip",
    "replay_redirect",
    "fsync",
    "fdatasync",
    "sync_file_range",
    "sync",
    "write_barrier",
    "verify",
    "do_verify",
    "verify_backlog",
    "verify_async",
    "verify_pattern",
    "verify_fatal",
    "verify_only",
    "zonemode",
    "zonesize",
    "zonerange",
    "zoneskip",
    "max_open_zones",
    "filesize",
    "file_size",
    "fill_device",
    "fill_fs",
    "write_hint",
    "cmdprio_percentage",
    "steadystate",
    "ss",
    "ss_dur",
    "ss_ramp",
    "flow",
    "flow_sleep",
    "dedupe_percentage",
    "buffer_pattern",
    "buffer_compress_percentage",
    "buffer_compress_chunk",
    "unified_rw_reporting",
    "write_lat_log",
    "write_bw_log",
    "write_iops_log",
    "write_hist_log",
    "log_hist_msec",
    "trim_percentage",
    "offset_align",
    "experimental_verify",
    "profile",
};

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row.back();
}

}  // namespace

FioOption fio_option(std::string_view name) {
  for (const auto& [known, option] : kImplemented) {
    if (known == name) return option;
  }
  if (std::find(std::begin(kNoEffect), std::end(kNoEffect), name) != std::end(kNoEffect)) return FioOption::kNoEffect;
  if (std::find(std::begin(kUnsupported), std::end(kUnsupported), name) != std::end(kUnsupported)) {
    return FioOption::kUnsupported;
  }
  return FioOption::kUnknown;
}

std::string nearest_fio_option(std::string_view name) {
  std::string best;
  // A third of the letters wrong is still a slip; more is another word.
  std::size_t limit = std::max<std::size_t>(1, name.size() / 3) + 1;
  const auto consider = [&](std::string_view known) {
    const std::size_t distance = edit_distance(name, known);
    if (distance < limit) {
      limit = distance;
      best = known;
    }
  };
  for (const auto& entry : kImplemented) consider(entry.first);
  for (const auto known : kNoEffect) consider(known);
  return best;
}

}  // namespace wordline::workload
