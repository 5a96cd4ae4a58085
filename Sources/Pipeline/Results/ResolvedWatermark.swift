// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching
internal import HTTPSemantics
internal import ImageHeaders
internal import Recipes

/// The watermark of a recipe, ready for use.
enum ResolvedWatermark<Body: Sendable>: Sendable {
    case held(HeldPicture<Body>)
    /// An original of its own, whose bytes may not have been read from the cache yet.
    case fetched(Arrival<Body>)

    var digest: OriginalDigest {
        switch self {
        case .held(let watermark): watermark.digest
        case .fetched(let arrival): arrival.original.digest
        }
    }

    var header: ImageHeader {
        switch self {
        case .held(let watermark): watermark.header
        case .fetched(let arrival): arrival.original.header
        }
    }
}

extension ResolvedWatermark {
    var modifiedBefore: Timestamp {
        switch self {
        case .held(let watermark): watermark.since
        case .fetched(let arrival): arrival.original.modifiedBefore
        }
    }
}

extension Original {
    /// The time of the last modification. If the origin does not tell it, the time of arrival, because the modification was earlier.
    var modifiedBefore: Timestamp { lastModified ?? freshness.responseTime }
}
