// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace wordline::platform {

/// The revision of the sources that the program was built from, as `git describe --always --dirty` names it: "3f2a91c",
/// "v0.1-4-g3f2a91c-dirty". "unknown": neither a clone nor an archive that git made.
[[nodiscard]] const char* source_revision();

}  // namespace wordline::platform
