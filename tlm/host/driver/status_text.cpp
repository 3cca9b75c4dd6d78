// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/host/driver/status_text.h"

#include <fmt/format.h>

#include "tlm/device/nvme/nvme.h"

namespace wordline::host {
namespace {

const char* meaning_of(CommandStatus status) {
  switch (status & 0x7ffU) {
    case nvme::kInvalidOpcode:
      return "invalid command opcode";
    case nvme::kInvalidField:
      return "invalid field in command";
    case nvme::kDataTransferError:
      return "data transfer error";
    case nvme::kInternalError:
      return "internal error";
    case nvme::kInvalidNamespace:
      return "invalid namespace or format";
    case nvme::kInvalidSglSegment:
      return "invalid SGL segment descriptor";
    case nvme::kInvalidSglCount:
      return "invalid number of SGL descriptors";
    case nvme::kSglLengthInvalid:
      return "data SGL length invalid";
    case nvme::kSglTypeInvalid:
      return "SGL descriptor type invalid";
    case nvme::kSglGranularityInvalid:
      return "SGL data block granularity invalid";
    case nvme::kPrpOffsetInvalid:
      return "PRP offset invalid";
    case nvme::kWriteProtected:
      return "namespace is write protected";
    case nvme::kInvalidProtection:
      return "invalid protection information: its initial reference tag is not the block's, or type 3 checks one";
    case nvme::kGuardCheckError:
      return "end-to-end guard check error";
    case nvme::kApplicationTagCheckError:
      return "end-to-end application tag check error";
    case nvme::kReferenceTagCheckError:
      return "end-to-end reference tag check error";
    case nvme::kReadOnlyRange:
      return "attempted write to read only range";
    case nvme::kLbaOutOfRange:
      return "LBA out of range";
    case nvme::kWriteFault:
      return "write fault";
    case nvme::kUnrecoveredRead:
      return "unrecovered read error";
    case nvme::kUnwrittenBlock:
      return "deallocated or unwritten logical block";
    default:
      return "see NVM Express Base 3.3.3.2.1";
  }
}

}  // namespace

std::string text_of(CommandStatus status) {
  return fmt::format("status type {} code {:02x}h ({})", status >> 8U & 7U, status & 0xffU, meaning_of(status));
}

}  // namespace wordline::host
