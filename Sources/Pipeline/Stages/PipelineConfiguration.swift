// SPDX-License-Identifier: Apache-2.0

package import HTTPCaching
package import HTTPSemantics
package import Recipes

/// Every number the pipeline goes by; the settings table says where each comes from.
package struct PipelineConfiguration: Sendable {
    package var engine: EngineVersion
    package var pictures: PictureLimits
    /// The encoders' settings where a recipe has none; they also tell a job's time.
    package var encoders: EncoderDefaults
    package var fetches: AdmissionLimits
    package var decodes: AdmissionLimits
    package var caching: CachePolicy
    /// The fields of every request to an origin that `Vary` may name.
    package var requestFields: Fields
    /// Originals that are refreshed at once behind stale answers; those beyond stay stale until a later request.
    package var backgroundRefreshes: Int
    /// Microseconds for which a request waits for a revalidation where the stale original may be served if the origin fails.
    package var staleWait: Int64
    /// Times for which failures are answered from memory.
    package var negative: NegativePolicy
    /// Failures that are remembered at once.
    package var rememberedFailures: Int
    /// Different renditions that strangers may have made of an original in any hour; 0 = any number.
    package var renditionsPerOriginal: Int
    /// When an origin counts as sick, and how long it rests.
    package var health: HealthPolicy

    package init(
        engine: EngineVersion, pictures: PictureLimits = PictureLimits(),
        encoders: EncoderDefaults = EncoderDefaults(), fetches: AdmissionLimits,
        decodes: AdmissionLimits, caching: CachePolicy = CachePolicy(), requestFields: Fields = Fields(),
        backgroundRefreshes: Int = 32, staleWait: Int64 = 1_000_000,
        negative: NegativePolicy = NegativePolicy(),
        rememberedFailures: Int = 10_000, renditionsPerOriginal: Int = 5_000,
        health: HealthPolicy = HealthPolicy()
    ) {
        self.engine = engine
        self.pictures = pictures
        self.encoders = encoders
        self.fetches = fetches
        self.decodes = decodes
        self.caching = caching
        self.requestFields = requestFields
        self.backgroundRefreshes = backgroundRefreshes
        self.staleWait = staleWait
        self.negative = negative
        self.rememberedFailures = rememberedFailures
        self.renditionsPerOriginal = renditionsPerOriginal
        self.health = health
    }
}
