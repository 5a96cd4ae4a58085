// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching
internal import HTTPSemantics

/// The cached state behind a request to the origin, with the fields that made it conditional.
enum KnownContent {
    case nothing
    case original(Original, StoredFields)
    /// Content that was no picture, with its failure.
    case noPicture(PipelineFailure, StoredFields)

    var fields: StoredFields? {
        switch self {
        case .nothing: nil
        case .original(_, let fields), .noPicture(_, let fields): fields
        }
    }

    var original: Original? {
        if case .original(let original, _) = self { original } else { nil }
    }

    /// When the content came, or was last confirmed; nil if that is not known.
    var arrival: Timestamp? { original?.freshness.responseTime }
}
