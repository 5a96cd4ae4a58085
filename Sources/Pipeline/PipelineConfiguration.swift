// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching

/// Every number the pipeline goes by; the settings table says where each comes from.
package struct PipelineConfiguration: Sendable {
    /// What makes the pixels, its version and its defaults: part of every rendition's key.
    package var engine: String
    package var pictures: PictureLimits
    package var fetches: AdmissionLimits
    package var decodes: AdmissionLimits
    package var caching: CachingPolicy
    package var memory: FailureTimes

    package init(
        engine: String, pictures: PictureLimits = PictureLimits(), fetches: AdmissionLimits,
        decodes: AdmissionLimits, caching: CachingPolicy, memory: FailureTimes = FailureTimes()
    ) {
        self.engine = engine
        self.pictures = pictures
        self.fetches = fetches
        self.decodes = decodes
        self.caching = caching
        self.memory = memory
    }
}
