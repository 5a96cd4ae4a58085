// SPDX-License-Identifier: Apache-2.0

package import HTTPCaching
package import HTTPSemantics
package import Recipes

/// Every number the pipeline goes by; the settings table says where each comes from.
package struct PipelineConfiguration: Sendable {
    package var engine: EngineVersion
    package var pictures: PictureLimits
    /// How pictures are written where a recipe does not say; tells their time.
    package var encoders: EncoderDefaults
    package var fetches: AdmissionLimits
    package var decodes: AdmissionLimits
    package var caching: CachePolicy
    /// What every request to an origin says, as far as `Vary` may name it.
    package var requestFields: Fields
    /// How many originals are refreshed at once behind stale answers; those beyond stay stale until a later request.
    package var backgroundRefreshes: Int
    /// Microseconds for which a request waits for the revalidation of what may be served stale if its origin fails.
    package var staleWait: Int64
    /// For how long failures are answered from memory.
    package var negative: NegativePolicy
    /// How many of them at once.
    package var rememberedFailures: Int
    /// Different ones that strangers may have made of an original in any hour; 0 = any number.
    package var renditionsPerOriginal: Int
    /// For how long a sick origin is left alone.
    package var health: HealthPolicy

    package init(
        engine: EngineVersion, pictures: PictureLimits = PictureLimits(),
        encoders: EncoderDefaults = EncoderDefaults(), fetches: AdmissionLimits,
        decodes: AdmissionLimits, caching: CachePolicy = CachePolicy(), requestFields: Fields = Fields(),
        backgroundRefreshes: Int = 32, staleWait: Int64 = 1_000_000,
        negative: NegativePolicy = NegativePolicy(),
        rememberedFailures: Int = 10_000, renditionsPerOriginal: Int = 0,
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
