# SPDX-License-Identifier: Apache-2.0
"""Mutants of the pure modules, and the packages in which they are built and tested: `scripts/mutate`."""
