# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Pages of one file from the folders that runs and studies leave, and the difference of two runs."""
