// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
