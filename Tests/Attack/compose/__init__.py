# SPDX-License-Identifier: Apache-2.0
"""The containers of config/deploy/compose.yaml: their images, made without a registry, and what runs them."""
