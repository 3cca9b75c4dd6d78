// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tlm/device/nvme/controller_status.h"
#include "tlm/device/nvme/nvme.h"
#include "tlm/device/nvme/queues.h"

namespace wordline::host::nvme {

/// Admin commands that create and delete I/O queues (Base 5.4 to 5.7): checks, and the change of the queue set. A
/// submission queue may use any completion queue that exists; a completion queue goes when no submission queue uses it.
/// Known gap: queues are physically contiguous (CAP.CQR).
class QueueManagement {
 public:
  QueueManagement(QueueSet& queues, const ControllerStatus& status, const HostDma& dma)
      : queues_(queues), status_(status), dma_(dma) {}

  Status create_cq(const SubmissionEntry& sqe);
  Status create_sq(const SubmissionEntry& sqe);
  Status delete_cq(const SubmissionEntry& sqe);
  /// Entries not yet fetched are dropped. deletes(): the queue goes with the last of its commands.
  Status delete_sq(const SubmissionEntry& sqe);

  /// A Delete I/O Submission Queue command waits for the queue's commands.
  [[nodiscard]] bool deletes() const { return deletes_; }
  /// A command of the queue has left. True: that was what a Delete command has waited for, and the queue is gone.
  bool command_left(std::uint32_t qid);
  /// Controller reset.
  void reset() { deletes_ = false; }

 private:
  QueueSet& queues_;
  const ControllerStatus& status_;
  const HostDma& dma_;
  bool deletes_ = false;
};

}  // namespace wordline::host::nvme
