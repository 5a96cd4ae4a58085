// SPDX-License-Identifier: Apache-2.0

package import HTTPCaching
package import HTTPSemantics
package import Recipes

/// What the pipeline knows about a request, and its forecast.
package struct Explanation: Sendable {
    /// An original that is held, or that the shared store has.
    package struct Held: Sendable {
        /// Its metadata.
        package var original: Original
        /// Its stored fields; nil if they have vanished.
        package var fields: StoredFields?
        /// Why the picture asked for cannot be made of it; nil if it can.
        package var refusal: DecodeFailure?
        /// The recipe resolved for this picture.
        package var recipe: Recipe
        /// The key of the rendition.
        package var key: RenditionKey
        /// The freshness told to clients, if the rendition stands in for another; nil if it is the original's.
        package var told: Freshness?
        /// True if that rendition stands in for an AVIF, which is made after the answer.
        package var isSubstitute: Bool { told != nil }
        /// The held rendition, and where it is; nil for none.
        package var rendition: (rendition: Rendition, level: CacheLevel)?
        /// Renditions of it that strangers had made within the last hour.
        package var renditionsThisHour = 0
    }

    /// The moment of the forecast.
    package var now: Timestamp
    /// Nil if no original is held.
    package var held: Held?
    /// The original in the shared store, where the store would be asked before the origin; nil for none.
    package var shared: SharedOriginal?
    /// The original in the shared store and its rendition, as they would be once this node had taken the original over; nil for none.
    package var taken: Held?
    /// Why the request would get no picture, if the failure is remembered or no such picture may be made; else the origin's
    /// remembered failure for which a stale original stands in; nil for none.
    package var failure: PipelineFailure?
    /// The origin's health.
    package var health: OriginHealthTable.Status
    /// True if the original is being fetched.
    package var isFetching = false
    /// True if the rendition is being made.
    package var isRendering = false
    /// The node of the fleet that is fetching the original or making the rendition that this node would otherwise have to; nil for
    /// none.
    package var leaseHolder: String?
    /// Fetches from the origin under way at all nodes of the fleet; nil without a fleet's limit, or if it cannot be told.
    package var fleetFetches: Int?
    /// The outcome of the answer, provided that the origin answers as it did last time.
    package var outcome: Outcome
    /// True if the answer would wait for the origin.
    package var waitsForOrigin: Bool
    /// The reasons, as a sentence.
    package var why: String
}
