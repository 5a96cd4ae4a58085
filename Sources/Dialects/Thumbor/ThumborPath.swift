// SPDX-License-Identifier: Apache-2.0

package import RequestGrammar
internal import SourceURLs

extension ImageRequest {
    /// Parses the part of a thumbor URL after the signature, with its escapes. For tests and fuzzing, with settings of their own;
    /// `OperationDialect.read` uses the daemon's settings.
    package static func parse(
        thumbor path: some Sequence<UInt8>, sources: OperationSources, others: UnsupportedFilterRule,
        vocabulary: Vocabulary
    ) throws(OperationRefusal) -> ImageRequest {
        try OperationPath(Array(path)[...], .thumbor).request(.thumbor, sources, others, vocabulary)
    }

    /// The same with default settings.
    package static func parse(
        thumbor path: [UInt8], others: UnsupportedFilterRule
    ) throws(OperationRefusal) -> ImageRequest {
        try parse(
            thumbor: path, sources: OperationSources(scheme: .http, spelling: .escapes), others: others,
            vocabulary: .empty)
    }
}
