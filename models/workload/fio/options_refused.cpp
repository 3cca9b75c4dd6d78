// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <iterator>

#include "models/workload/fio/options.h"

namespace wordline::workload::fio {
namespace {

constexpr std::string_view kZoned = "the drive has no zones";
constexpr std::string_view kPlacement =
    "identifiers by a file of offsets, and streams, are not modelled; give each region a job of its own, with plids";
constexpr std::string_view kMetadata =
    "metadata and protection information are the drive's, not a job's: nvme.metadata, nvme.protection and "
    "host.protection";
constexpr std::string_view kLatency =
    "latency targets would have to change the queue depth while the job runs; run the depths one by one";
constexpr std::string_view kMaxLatency = "a run does not end at a slow request; `slowest` in result.json has those";
constexpr std::string_view kReplay = "give the log itself as the workload, with the options of traces";
constexpr std::string_view kTrimVerify =
    "trims inside of a verified job are not drawn; use a job of its own with rw=randtrim";
constexpr std::string_view kUnaligned = "the drive has blocks of 512 bytes";
constexpr std::string_view kVerifyOnly =
    "an earlier run's data are not known to this one; its own reads are always checked";
constexpr std::string_view kPrecondition = "fill the drive by the keys of [precondition] in the drive's configuration";
constexpr std::string_view kRamp = "an amount that is not measured; give ramp_time";
constexpr std::string_view kOffsetAlign = "offsets in percent are rounded to blocks; give offset in bytes";
constexpr std::string_view kCommand =
    "the drive has one kind of write, one range in a deallocation, and no verify command";
constexpr std::string_view kProfile = "profiles of fio make jobs by themselves; write the jobs";
constexpr std::string_view kFlow = "fio has replaced it by flow_id";
constexpr std::string_view kNoDevice = "it is of an engine that reaches no block device";

constexpr RefusedOption kRows[] = {
    {"zonecapacity", kZoned},
    {"read_beyond_wp", kZoned},
    {"max_open_zones", kZoned},
    {"job_max_open_zones", kZoned},
    {"ignore_zone_limits", kZoned},
    {"zone_reset_threshold", kZoned},
    {"zone_reset_frequency", kZoned},
    {"recover_zbd_write_error", kZoned},
    {"write_zone_remainder", kZoned},
    {"dp_scheme", kPlacement},
    {"stream_id", kPlacement},
    {"md_per_io_size", kMetadata},
    {"pi_act", kMetadata},
    {"pi_chk", kMetadata},
    {"apptag", kMetadata},
    {"apptag_mask", kMetadata},
    {"latency_target", kLatency},
    {"latency_window", kLatency},
    {"latency_percentile", kLatency},
    {"latency_run", kLatency},
    {"max_latency", kMaxLatency},
    {"read_iolog", kReplay},
    {"read_iolog_chunked", kReplay},
    {"replay_no_stall", kReplay},
    {"replay_redirect", kReplay},
    {"replay_scale", kReplay},
    {"replay_align", kReplay},
    {"replay_time_scale", kReplay},
    {"replay_skip", kReplay},
    {"merge_blktrace_file", kReplay},
    {"merge_blktrace_scalars", kReplay},
    {"merge_blktrace_iters", kReplay},
    {"trim_percentage", kTrimVerify},
    {"trim_verify_zero", kTrimVerify},
    {"trim_backlog", kTrimVerify},
    {"trim_backlog_batch", kTrimVerify},
    {"bs_unaligned", kUnaligned},
    {"blocksize_unaligned", kUnaligned},
    {"verify_only", kVerifyOnly},
    {"sprandom", kPrecondition},
    {"spr_num_regions", kPrecondition},
    {"spr_op", kPrecondition},
    {"spr_cs", kPrecondition},
    {"ramp_size", kRamp},
    {"offset_align", kOffsetAlign},
    {"num_range", kCommand},
    {"sg_write_mode", kCommand},
    {"write_mode", kCommand},
    {"verify_mode", kCommand},
    {"deac", kCommand},
    {"cdb_len", kCommand},
    {"stat_type", kCommand},
    {"profile", kProfile},
    {"flow_watermark", kFlow},
    {"hostname", kNoDevice},
    {"port", kNoDevice},
    {"protocol", kNoDevice},
    {"listen", kNoDevice},
    {"pingpong", kNoDevice},
    {"nodelay", kNoDevice},
    {"ttl", kNoDevice},
    {"interface", kNoDevice},
    {"bindname", kNoDevice},
    {"mss", kNoDevice},
    {"window_size", kNoDevice},
    {"verb", kNoDevice},
    {"http_host", kNoDevice},
    {"http_mode", kNoDevice},
    {"http_object_mode", kNoDevice},
    {"http_user", kNoDevice},
    {"http_pass", kNoDevice},
    {"http_s3_key", kNoDevice},
    {"http_s3_keyid", kNoDevice},
    {"http_s3_region", kNoDevice},
    {"http_s3_security_token", kNoDevice},
    {"http_s3_sse_customer_algorithm", kNoDevice},
    {"http_s3_sse_customer_key", kNoDevice},
    {"http_s3_storage_class", kNoDevice},
    {"http_swift_auth_token", kNoDevice},
    {"http_verbose", kNoDevice},
    {"https", kNoDevice},
    {"cpuload", kNoDevice},
    {"cpuchunks", kNoDevice},
    {"cpumode", kNoDevice},
    {"exit_on_io_done", kNoDevice},
    {"program", kNoDevice},
    {"arguments", kNoDevice},
    {"grace_time", kNoDevice},
    {"std_redirect", kNoDevice},
    {"donorname", kNoDevice},
    {"inplace", kNoDevice},
    {"skip_bad", kNoDevice},
};

}  // namespace

Rows<RefusedOption> refused_options() { return {std::begin(kRows), std::end(kRows)}; }

}  // namespace wordline::workload::fio
