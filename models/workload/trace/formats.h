// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/workload/source.h"
#include "models/workload/trace/line_parser.h"

namespace wordline::workload {

enum class TraceFormat : std::uint8_t {
  kMsr,       // MSR Cambridge CSV: Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime; 100 ns, bytes
  kSpc,       // SPC (UMass): ASU,LBA,Size,Opcode,Timestamp[,...]; blocks of 512 bytes, bytes, seconds
  kAlibaba,   // Alibaba block traces: device,R|W,offset,length,timestamp; bytes, microseconds
  kSystor,    // SYSTOR '17: Timestamp,Response,IOType,LUN,Offset,Size; seconds with a fraction, bytes
  kTencent,   // Tencent CBS: Timestamp,Offset,Size,IOType,VolumeID; seconds, blocks of 512 bytes, 0 = read
  kMqsim,     // MQSim ASCII: arrival, device, LBA, blocks, 1 = read; ns, blocks of 512 bytes
  kDisksim,   // DiskSim ASCII: arrival, device, LBA, blocks, flags with bit 0 = read; ms with a fraction
  kIolog,     // fio iolog, versions 2 and 3
  kBlkparse,  // the default text of blkparse; action Q
  kBlktrace,  // the binary file of blktrace, or of blkparse -d
  kCapture,   // what wordline serve --capture has written
  kColumns    // CSV with the columns that the user says
};

struct FormatName {
  TraceFormat format;
  const char* key;        // value of --trace-format
  const char* text;       // text in messages
  const char* extension;  // extension of files that say so themselves; nullptr: none
  /// Makes its parser; `columns`: of kColumns, else empty. nullptr: the format has no lines.
  std::unique_ptr<LineParser> (*make)(const std::string& columns);
};

/// All of them, in the order of the enum.
[[nodiscard]] const std::vector<FormatName>& trace_formats();
[[nodiscard]] const FormatName& name_of(TraceFormat format);

/// Not for kBlktrace, which has no lines. `columns`: of kColumns, else empty. Throws WorkloadError when the columns
/// cannot be read.
[[nodiscard]] std::unique_ptr<LineParser> make_line_parser(TraceFormat format, const std::string& columns);

/// The format that the first lines of a file are of; `path` decides only between formats that fit equally well, or
/// when none fits. Nothing when the file is none of them. Throws WorkloadError when it could be several.
[[nodiscard]] std::optional<TraceFormat> guess_format(const std::string& path, std::string_view first_bytes);

std::unique_ptr<LineParser> make_msr_parser();
std::unique_ptr<LineParser> make_spc_parser();
std::unique_ptr<LineParser> make_alibaba_parser();
std::unique_ptr<LineParser> make_systor_parser();
std::unique_ptr<LineParser> make_tencent_parser();
std::unique_ptr<LineParser> make_mqsim_parser();
std::unique_ptr<LineParser> make_disksim_parser();
std::unique_ptr<LineParser> make_iolog_parser();
std::unique_ptr<LineParser> make_blkparse_parser();
/// Of a trace that has no action Q: its requests are those of action D.
std::unique_ptr<LineParser> make_issued_blkparse_parser();
std::unique_ptr<LineParser> make_capture_parser();
std::unique_ptr<LineParser> make_columns_parser(const std::string& columns);

}  // namespace wordline::workload
