# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""The studies of published papers, a module each, and what their results say to each figure."""
