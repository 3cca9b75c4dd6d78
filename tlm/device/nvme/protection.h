// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tlm/device/mover/copy_sequence.h"
#include "tlm/device/mover/host_command.h"
#include "tlm/device/nvme/namespaces.h"
#include "tlm/device/nvme/nvme.h"

/// Metadata of blocks and protection information as entries speak of them (NVM Command Set 1.0, 5.2).
namespace wordline::host::nvme {

/// CDW10 of Format NVM: LBAF, MSET, PI, PIL. A format without metadata has none of the last three.
[[nodiscard]] Status check_metadata_of_format(const SubmissionEntry& sqe);
[[nodiscard]] LbaFormat format_of(const SubmissionEntry& sqe);
/// FLBAS and DPS of Namespace Management. False: none of the `formats`, or what a format without metadata has not.
[[nodiscard]] bool format_of_namespace(const std::byte* data, unsigned formats, LbaFormat& format);

/// The metadata of a command with an LBA and a length, whose place and opcode are known: MPTR, PRINFO, tags.
[[nodiscard]] Status take_metadata(const SubmissionEntry& sqe, const Namespaces& namespaces, HostCommand& command);
/// The SGL segment that has the descriptor of the metadata is to be read first.
[[nodiscard]] bool has_metadata_segment(const SubmissionEntry& sqe, const HostCommand& command);
/// ... and this is its descriptor.
[[nodiscard]] Status take_metadata_descriptor(const SglDescriptor& descriptor, HostCommand& command);

/// A source range of a Copy, and its destination: PRINFOR, PRINFOW.
[[nodiscard]] Status check_copy_protection(const SubmissionEntry& sqe, const Namespaces& namespaces);
[[nodiscard]] Status take_source(const SubmissionEntry& sqe, const CopyRange& range, const Namespaces& namespaces,
                                 CommandMetadata& metadata);
[[nodiscard]] Status take_destination(const SubmissionEntry& sqe, const Namespaces& namespaces,
                                      CommandMetadata& metadata);

}  // namespace wordline::host::nvme
