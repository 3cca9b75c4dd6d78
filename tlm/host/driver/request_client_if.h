// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/data/stamp.h"
#include "models/units/quantity.h"
#include "models/workload/request.h"
#include "tlm/protocol/host_operation.h"

namespace wordline::host {

/// For whom the driver's requests are when they come from outside: hears which stamps stand for a request's blocks, and
/// how each request ends. Requests are named by their tag; LBAs are those of the drive, of 512 bytes.
class RequestClientIf {
 public:
  /// A command of the request is about to be submitted. Of a write: `version` is what its stamps carry from now on. Of
  /// a trim: the blocks that become empty.
  virtual void begins(workload::Op op, std::uint64_t tag, std::uint64_t slba, std::uint64_t nlb,
                      std::uint32_t version) = 0;
  /// A read has found these at `lba` and behind, before its command ends.
  virtual void found(std::uint64_t tag, std::uint64_t lba, const data::LbaStamp* stamps, std::uint32_t nlb) = 0;
  /// The command has ended.
  virtual void ended(workload::Op op, std::uint64_t tag, std::uint64_t slba, std::uint64_t nlb, std::uint32_t version,
                     bool succeeded) = 0;
  /// The request is complete with the last of its commands. `status`: of the first that failed, else 0.
  virtual void request_ended(std::uint64_t tag, CommandStatus status, Picoseconds at) = 0;

 protected:
  ~RequestClientIf() = default;
};

}  // namespace wordline::host
