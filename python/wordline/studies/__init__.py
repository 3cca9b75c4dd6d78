# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Many runs of the program: explorations of a design space, and studies that published papers are held against."""
