// SPDX-License-Identifier: Apache-2.0

internal import Pipeline

/// `X-Nextjs-Cache`, by which Next.js tells how its image optimizer answered a request.
enum NextCacheWord {
    static let field = "X-Nextjs-Cache"

    /// The word for a picture that was held: fresh, or confirmed by its origin.
    static let hit = "HIT"

    /// The word for an outcome; nil if the answer has no picture.
    static func of(_ outcome: Outcome) -> String? {
        switch outcome {
        case .memoryHit, .diskHit, .sharedHit, .revalidated: hit
        case .stale: "STALE"
        case .rendered, .coalesced, .bypassed: "MISS"
        case .negative, .refused, .synthetic: nil
        }
    }
}
