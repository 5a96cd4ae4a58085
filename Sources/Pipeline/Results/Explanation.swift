// SPDX-License-Identifier: Apache-2.0

package import HTTPCaching
package import HTTPSemantics
package import Recipes

/// The pipeline's knowledge of a request, and its forecast.
package struct Explanation: Sendable {
    /// An original that is held, or that the shared store has.
    package struct Held: Sendable {
        /// Its metadata.
        package var original: Original
        /// Its stored fields; nil if they have vanished.
        package var fields: StoredFields?
        /// Why no such picture can be made of it; nil if it can.
        package var refusal: DecodeFailure?
        /// The recipe resolved for this picture.
        package var recipe: Recipe
        /// The key of the rendition.
        package var key: RenditionKey
        /// The freshness that clients are told of a substitute; nil where it is the original's.
        package var told: Freshness?
        /// True if that rendition stands in for an AVIF, which is made behind the answer.
        package var isSubstitute: Bool { told != nil }
        /// The held rendition, and where it is; nil for none.
        package var rendition: (rendition: Rendition, level: CacheLevel)?
        /// Renditions that strangers had made of it within the last hour.
        package var renditionsThisHour = 0
    }

    /// The moment of the forecast.
    package var now: Timestamp
    /// Nil if no original is held.
    package var held: Held?
    /// The original in the shared store, where that would be asked before its origin; nil for none.
    package var shared: SharedOriginal?
    /// What would be made of that, once it is taken over; nil for none.
    package var taken: Held?
    /// Why the request would get no picture, where that is remembered or no such picture may be made; else the
    /// remembered failure of the origin for which a stale original stands in; nil for none.
    package var failure: PipelineFailure?
    /// The origin's health.
    package var health: OriginHealthTable.Status
    /// True if the original is being fetched.
    package var isFetching = false
    /// True if the rendition is being made.
    package var isRendering = false
    /// The node of the fleet that fetches the original, or makes the rendition, for which this node would have to; nil for
    /// none.
    package var leaseHolder: String?
    /// Fetches from the origin under way at all nodes of the fleet; nil without its limits, or if it cannot be told.
    package var fleetFetches: Int?
    /// The outcome of the answer, provided that the origin answers as it did last time.
    package var outcome: Outcome
    /// True if the answer would wait for the origin.
    package var waitsForOrigin: Bool
    /// The reasons, as a sentence.
    package var why: String
}
