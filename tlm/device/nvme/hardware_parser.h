// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "tlm/device/engines/pipeline.h"
#include "tlm/device/nvme/data_placement.h"
#include "tlm/device/nvme/io_commands.h"
#include "tlm/device/nvme/metadata_reader.h"
#include "tlm/device/nvme/own_parser.h"
#include "tlm/device/nvme/parse_gates.h"

namespace wordline::host::nvme {

/// engines.parse = on: hardware checks the fields of an I/O command, reads its PRP list, SGL segments or ranges, and
/// gives the firmware a command that is good. Commands with errors, and those with nothing to do, end here.
///
/// With engines.model = rtl the parser in gates gets every entry, too, and must say the same of it; its times are the
/// Pipeline's, those of a block of the user's own (engines.rtl.parse) its own.
///
/// Time: a pipeline of engines.parse_latency, _interval and _depth. A PRP list or an SGL is read before the firmware
/// sees the command, and after it the descriptor of metadata that have one. Source: NVM Command Set Specification 1.0.
/// Known gap: no fused operations.
class HardwareParser final : public IoCommands, private MetadataReader::UserIf {
 public:
  HardwareParser(QueueSet& queues, const Namespaces& namespaces, HostDataMover& mover, Agenda& agenda,
                 const Reports& reports, engines::Pipeline& parser, DataPlacement& placement, const ParseTables& tables,
                 std::unique_ptr<ParseGates> gates, std::unique_ptr<OwnParser> own)
      : IoCommands(queues, namespaces, mover, agenda, reports),
        parser_(parser),
        placement_(placement),
        metadata_(mover, agenda, *this),
        tables_(tables),
        gates_(std::move(gates)),
        own_(std::move(own)) {}

  bool firmware_ready() override { return true; }
  bool take_job(const wl_host_job& /*job*/) override { return true; }
  void record(rtl::BlockRecording* to) override { recording_ = to; }
  [[nodiscard]] const engines::OwnEngine* own_engine() const override {
    return own_ == nullptr ? nullptr : &own_->engine();
  }

 private:
  Picoseconds entry_taken(std::uint32_t tag, Picoseconds at) override;
  void entry_arrived(std::uint32_t tag) override;
  Picoseconds ranges_taken(Picoseconds at, std::uint64_t /*bytes*/) override { return at; }
  void ranges_arrived(std::uint32_t tag, const RangeList& ranges) override;
  void ranges_failed(std::uint32_t tag, Status status) override { list_or_ranges_failed(tag, status); }
  void list_ended(std::uint32_t tag, Status status) override;
  void metadata_descriptor(std::uint32_t tag, const SglDescriptor* descriptor) override;

  [[nodiscard]] Status check(const SubmissionEntry& sqe, HostCommand& command);
  [[nodiscard]] Status check_metadata(const SubmissionEntry& sqe, HostCommand& command) const;
  void ask_gates(std::uint32_t tag, Status status);
  void keep(std::uint32_t tag, const ParseGates::Right& right);
  void start_sgl(std::uint32_t tag, const SubmissionEntry& sqe);
  void pointed(std::uint32_t tag);
  void deliver(std::uint32_t tag);
  void copy(std::uint32_t tag, const RangeList& ranges);
  void list_or_ranges_failed(std::uint32_t tag, Status status);
  void end(std::uint32_t tag, Status status) { mover_.complete(tag, status, mover_.now()); }
  void refuse(std::uint32_t tag, Status status) { end(tag, status | kDnr); }

  engines::Pipeline& parser_;
  DataPlacement& placement_;
  MetadataReader metadata_;
  const ParseTables tables_;
  const std::unique_ptr<ParseGates> gates_;  // null: engines.model = model, or a block of the user's own
  rtl::BlockRecording* recording_ = nullptr;
  const std::unique_ptr<OwnParser> own_;  // null: none
};

}  // namespace wordline::host::nvme
