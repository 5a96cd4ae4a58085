# SPDX-License-Identifier: Apache-2.0
"""What the cases need: a daemon, origins that do what they are told, clients, and pictures made by hand."""
