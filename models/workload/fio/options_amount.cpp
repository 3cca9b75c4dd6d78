// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <regex>

#include <iterator>
#include <utility>

#include "models/workload/fio/options.h"

namespace wordline::workload::fio {
namespace {

constexpr std::uint64_t kMostFlushes = UINT32_MAX;

struct Engine {
  enum class Kind : std::uint8_t { kAsynchronous, kSynchronous, kRefused };
  std::string_view name;
  Kind kind;
  std::string_view reason;
};

constexpr auto kAsync = Engine::Kind::kAsynchronous;
constexpr auto kSync = Engine::Kind::kSynchronous;
constexpr auto kNone = Engine::Kind::kRefused;
constexpr std::string_view kNet = "it sends over a network; no drive takes part";
constexpr std::string_view kNames = "it works on names in a file system, not on data";
constexpr std::string_view kObjects = "it talks to an object store, which has no block device in it";

/// The drive takes the place of whatever block device, image or file the engine would reach.
constexpr Engine kEngines[] = {
    {"sync", kSync, {}},
    {"psync", kSync, {}},
    {"vsync", kSync, {}},
    {"pvsync", kSync, {}},
    {"pvsync2", kSync, {}},
    {"mmap", kSync, {}},
    {"splice", kSync, {}},
    {"libpmem", kSync, {}},
    {"dev-dax", kSync, {}},
    {"ime_psync", kSync, {}},
    {"ime_psyncv", kSync, {}},
    {"gfapi", kSync, {}},
    {"libhdfs", kSync, {}},
    {"libcufile", kSync, {}},
    {"libhipfile", kSync, {}},
    {"null", kAsync, {}},
    {"cpp_null", kAsync, {}},
    {"libaio", kAsync, {}},
    {"posixaio", kAsync, {}},
    {"solarisaio", kAsync, {}},
    {"windowsaio", kAsync, {}},
    {"io_uring", kAsync, {}},
    {"io_uring_cmd", kAsync, {}},
    {"xnvme", kAsync, {}},
    {"libblkio", kAsync, {}},
    {"sg", kAsync, {}},
    {"nbd", kAsync, {}},
    {"rbd", kAsync, {}},
    {"rados", kAsync, {}},
    {"nfs", kAsync, {}},
    {"dfs", kAsync, {}},
    {"ime_aio", kAsync, {}},
    {"gfapi_async", kAsync, {}},
    {"libiscsi", kAsync, {}},
    {"net", kNone, kNet},
    {"netsplice", kNone, kNet},
    {"rdma", kNone, kNet},
    {"http", kNone, kObjects},
    {"cpuio", kNone, "it burns processor time and does no I/O"},
    {"exec", kNone, "it starts a program of the host"},
    {"page_fault", kNone, "it touches memory and does no I/O"},
    {"filecreate", kNone, kNames},
    {"fileopen", kNone, kNames},
    {"filestat", kNone, kNames},
    {"filedelete", kNone, kNames},
    {"dircreate", kNone, kNames},
    {"dirstat", kNone, kNames},
    {"dirdelete", kNone, kNames},
    {"ftruncate", kNone, kNames},
    {"falloc", kNone, "it allocates space of a file system"},
    {"e4defrag", kNone, "it moves extents of a file system"},
    {"mtd", kNone, "it drives raw flash without a controller"},
    {"libzbc", kNone, "it drives a device with zones, and the drive has none"},
    {"spdk", kAsync, {}},
    {"spdk_bdev", kAsync, {}},
};
/// Engines in libraries of their own, by path: what they drive, the drive takes the place of.
constexpr std::string_view kExternal = "external";

void set_engine(const Value& value, Job& job) {
  auto name = value.text.substr(0, value.text.find_first_of(":,"));
  // fio: whatever begins so is libaio.
  if (name.substr(0, 3) == "aio" || name.substr(0, 8) == "linuxaio") name = "libaio";
  if (name == kExternal || value.text.find('/') != std::string_view::npos) {
    job.engine = kExternal;
    job.synchronous = false;
    return;
  }
  for (const Engine& engine : kEngines) {
    if (engine.name != name) continue;
    if (engine.kind == kNone) throw Refused{std::string(engine.reason)};
    job.engine = name;
    job.synchronous = engine.kind == kSync;
    return;
  }
  throw Bad{"an engine of fio"};
}

void set_submit_mode(const Value& value, Job& job) {
  if (value.text != "inline" && value.text != "offload") throw Bad{"inline or offload"};
  job.offload = value.text == "offload";
}

/// O_SYNC and O_DSYNC reach the drive as writes with FUA.
void set_sync(const Value& value, Job& job) {
  static constexpr std::pair<std::string_view, bool> kSyncNames[] = {
      {"none", false}, {"0", false}, {"sync", true}, {"1", true}, {"dsync", true}};
  for (const auto& [name, on] : kSyncNames) {
    if (value.text == name) {
      job.durability.write_fua = on;
      return;
    }
  }
  if (!value.given) {
    job.durability.write_fua = true;
    return;
  }
  throw Bad{"none, sync, dsync, 0 or 1"};
}

void set_batch_complete(const Value& value, Job& job) {
  job.batch_complete = static_cast<std::uint32_t>(value.number(0, 65535));
}

void set_verify(const Value& value, Job& job) {
  if (value.text.empty()) throw Bad{"a kind of check, such as crc32c"};
  job.verify.on = value.text != "0" && value.text != "none";
}

/// The namespace of a device name: /dev/nvme0n2, /dev/ng0n2, or SPDK's "... ns=2". 0: it names none.
std::uint32_t namespace_in(std::string_view name) {
  static const std::regex kDevice(R"((?:^|/)(?:nvme|ng)\d+n(\d{1,9})(?=$|:)|(?:^|\s)ns=(\d{1,9})(?=\s|$|:))");
  const std::cregex_iterator found(name.data(), name.data() + name.size(), kDevice);
  const auto names = std::distance(found, std::cregex_iterator());
  if (names == 0) return 0;
  if (names > 1) return Job::kSeveralNamespaces;
  return static_cast<std::uint32_t>(std::stoul((*found)[1].matched ? (*found)[1].str() : (*found)[2].str()));
}

const ObeyedOption kRows[] = {
    {"filename",
     [](const Value& value, Job& job) {
       job.device.filename = value.text;
       job.device.nsid = namespace_in(value.text);
     }},
    {"directory", [](const Value& value, Job& job) { job.device.directory = value.text.empty() ? "." : value.text; }},
    {"filename_format", [](const Value& value, Job& job) { job.device.filename_format = value.text; }},
    {"iodepth", [](const Value& value, Job& job) { job.iodepth = static_cast<std::uint32_t>(value.number(1, 65535)); }},
    {"iodepth_low",
     [](const Value& value, Job& job) { job.iodepth_low = static_cast<std::uint32_t>(value.number(0, 65535)); }},
    {"iodepth_batch_complete", set_batch_complete},
    {"iodepth_batch_complete_min", set_batch_complete},
    {"numjobs", [](const Value& value, Job& job) { job.numjobs = static_cast<std::uint32_t>(value.number(1, 65535)); }},
    {"ioengine", set_engine},
    {"io_submit_mode", set_submit_mode},
    {"serialize_overlap", [](const Value& value, Job& job) { job.serialize_overlap = value.flag(); }},
    {"group_reporting", [](const Value& value, Job& job) { job.group_reporting = value.flag(); }},
    {"name", [](const Value& value, Job& job) { job.name = value.text; }},
    {"description", [](const Value& value, Job& job) { job.description = value.text; }},
    {"size", [](const Value& value, Job& job) { job.amount.size = value.extent(); }},
    {"io_size", [](const Value& value, Job& job) { job.amount.io_size = value.extent(100'000); }},
    {"io_limit", [](const Value& value, Job& job) { job.amount.io_size = value.extent(100'000); }},
    {"filesize",
     [](const Value& value, Job& job) {
       // A range is of files of different sizes: the drive holds the largest.
       const auto dash = value.text.find_first_of("-:");
       job.amount.filesize =
           value.of(dash == std::string_view::npos ? value.text : value.text.substr(dash + 1)).bytes();
     }},
    {"nrfiles",
     [](const Value& value, Job& job) { job.amount.files = static_cast<std::uint32_t>(value.number(1, UINT32_MAX)); }},
    {"nr_files",
     [](const Value& value, Job& job) { job.amount.files = static_cast<std::uint32_t>(value.number(1, UINT32_MAX)); }},
    {"fill_device", [](const Value& value, Job& job) { job.amount.fill_device = value.flag(); }},
    {"fill_fs", [](const Value& value, Job& job) { job.amount.fill_device = value.flag(); }},
    {"offset", [](const Value& value, Job& job) { job.amount.offset = value.extent(); }},
    {"fileoffset", [](const Value& value, Job& job) { job.amount.offset = value.extent(); }},
    {"offset_increment", [](const Value& value, Job& job) { job.amount.offset_increment = value.extent(); }},
    {"number_ios", [](const Value& value, Job& job) { job.amount.number_ios = value.number(1, kMost); }},
    {"loops",
     [](const Value& value, Job& job) { job.amount.loops = static_cast<std::uint32_t>(value.number(1, UINT32_MAX)); }},
    {"runtime",
     [](const Value& value, Job& job) {
       job.amount.runtime = value.time(kSecond);
       if (job.amount.runtime->count() == 0) job.amount.runtime.reset();  // fio: 0 = no limit
     }},
    {"timeout",
     [](const Value& value, Job& job) {
       job.amount.runtime = value.time(kSecond);
       if (job.amount.runtime->count() == 0) job.amount.runtime.reset();
     }},
    {"ramp_time", [](const Value& value, Job& job) { job.amount.ramp_time = value.time(kSecond); }},
    {"time_based", [](const Value& value, Job& job) { job.amount.time_based = value.flag(); }},
    {"create_only", [](const Value& value, Job& job) { job.amount.create_only = value.flag(); }},
    {"fsync", [](const Value& value,
                 Job& job) { job.durability.fsync = static_cast<std::uint32_t>(value.number(0, kMostFlushes)); }},
    {"fdatasync",
     [](const Value& value, Job& job) {
       job.durability.fdatasync = static_cast<std::uint32_t>(value.number(0, kMostFlushes));
     }},
    {"end_fsync", [](const Value& value, Job& job) { job.durability.end_fsync = value.flag(); }},
    {"end_syncfs", [](const Value& value, Job& job) { job.durability.end_fsync = value.flag(); }},
    {"fsync_on_close", [](const Value& value, Job& job) { job.durability.fsync_on_close = value.flag(); }},
    {"sync", set_sync},
    {"writefua", [](const Value& value, Job& job) { job.durability.write_fua = value.flag(); }},
    {"readfua", [](const Value& value, Job& job) { job.durability.read_fua = value.flag(); }},
    {"verify", set_verify},
    {"do_verify", [](const Value& value, Job& job) { job.verify.after_writing = value.flag(); }},
    {"verify_backlog", [](const Value& value, Job& job) { job.verify.backlog = value.number(0, kMost); }},
    {"verify_backlog_batch", [](const Value& value, Job& job) { job.verify.batch = value.number(0, kMost); }},
};

}  // namespace

Rows<ObeyedOption> amount_options() { return {std::begin(kRows), std::end(kRows)}; }

}  // namespace wordline::workload::fio
