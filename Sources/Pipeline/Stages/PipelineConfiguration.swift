// SPDX-License-Identifier: Apache-2.0

package import HTTPCaching
package import HTTPSemantics
package import Recipes

/// The pipeline's settings; the settings table has the reason for each.
package struct PipelineConfiguration: Sendable {
    /// The engine's version, part of every rendition's key; has the encoders' settings for recipes without their own.
    package var engine: EngineVersion
    /// Limits of pictures and renditions.
    package var pictures: PictureLimits
    /// How long a decoder may take for a rendition.
    package var renderTimeout: Duration
    /// Limits of fetches.
    package var fetches: AdmissionLimits
    /// Fetches at once from one origin by all nodes of a fleet; nil = this node's own limit. Separate, because a node with few
    /// descriptors lowers its own limit, which must not lower the fleet's.
    package var fleetFetchesPerHost: Int?
    /// Limits of decoder jobs.
    package var decodes: AdmissionLimits
    /// Bounds on originals' freshness.
    package var caching: CachePolicy
    /// The fields of every request to an origin that `Vary` may name.
    package var requestFields: Fields
    /// The fields that all origins get (`OriginPort.sentFields`); nil for `requestFields`.
    package var sentFields: Fields?
    /// Background refreshes at once; further originals stay stale until a later request.
    package var backgroundRefreshes: Int
    /// Microseconds that a request waits for a revalidation if the stale original may stand in.
    package var staleWait: Int64
    /// Times for which failures are remembered.
    package var negative: NegativePolicy
    /// The number of failures remembered.
    package var rememberedFailures: Int
    /// Different renditions of one original that strangers may have made within an hour; 0 = any number.
    package var renditionsPerOriginal: Int
    /// The circuit breaker's thresholds.
    package var health: HealthPolicy
    /// Microseconds for which a piece of work waits while another node does the same.
    package var leaseWait: Int64
    /// True to answer with the next best format where `Accept` alone chose AVIF, and to make the AVIF afterwards.
    package var makesAVIFLater: Bool

    /// `staleWait` and `leaseWait` in microseconds.
    package init(
        engine: EngineVersion, pictures: PictureLimits = PictureLimits(),
        renderTimeout: Duration = .seconds(20), fetches: AdmissionLimits, fleetFetchesPerHost: Int? = nil,
        decodes: AdmissionLimits, caching: CachePolicy = CachePolicy(), requestFields: Fields = Fields(),
        sentFields: Fields? = nil,
        backgroundRefreshes: Int = 32, staleWait: Int64 = 1_000_000,
        negative: NegativePolicy = NegativePolicy(),
        rememberedFailures: Int = 10_000, renditionsPerOriginal: Int = 5_000,
        health: HealthPolicy = HealthPolicy(), leaseWait: Int64 = 2_000_000, makesAVIFLater: Bool = false
    ) {
        self.engine = engine
        self.pictures = pictures
        self.renderTimeout = renderTimeout
        self.fetches = fetches
        self.fleetFetchesPerHost = fleetFetchesPerHost
        self.decodes = decodes
        self.caching = caching
        self.requestFields = requestFields
        self.sentFields = sentFields
        self.backgroundRefreshes = backgroundRefreshes
        self.staleWait = staleWait
        self.negative = negative
        self.rememberedFailures = rememberedFailures
        self.renditionsPerOriginal = renditionsPerOriginal
        self.health = health
        self.leaseWait = leaseWait
        self.makesAVIFLater = makesAVIFLater
    }
}
