# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""What studies are made of: points, runs, results, explorations."""
