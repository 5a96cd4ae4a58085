// SPDX-License-Identifier: Apache-2.0

/// The pipeline's ports, with their adapters. The modules that do the work do not know these protocols: the adapters in
/// Daemon/Wiring, named like the ports, connect the two. `Body` is the adapters' type for bytes, which the pipeline only passes on.
package struct PipelinePorts<Body: Sendable>: Sendable {
    let origin: any OriginPort<Body>
    let cache: any CachePort<Body>
    let decoder: any DecoderPort<Body>
    let leases: (any LeasePort)?
    let originLimits: (any OriginLimitPort)?
    let environment: any Environment

    /// The parameters are the ports; by default there are no fleet's leases and limits.
    package init(
        origin: any OriginPort<Body>, cache: any CachePort<Body>, decoder: any DecoderPort<Body>,
        leases: (any LeasePort)? = nil, originLimits: (any OriginLimitPort)? = nil,
        environment: any Environment
    ) {
        self.leases = leases
        self.originLimits = originLimits
        self.origin = origin
        self.cache = cache
        self.decoder = decoder
        self.environment = environment
    }
}
