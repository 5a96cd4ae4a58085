# SPDX-License-Identifier: Apache-2.0
"""One daemon, on which everything goes wrong at once, and a quiet one beside it that knows the right answers."""
