# SPDX-License-Identifier: Apache-2.0
"""A fleet: nodes in network namespaces of their own behind a balancer, with a store, Redis and an origin."""
