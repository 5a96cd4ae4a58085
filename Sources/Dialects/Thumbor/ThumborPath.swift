// SPDX-License-Identifier: Apache-2.0

package import RequestGrammar
internal import SourceURLs

extension ImageRequest {
    /// Reads the part of thumbor's URLs behind the signature, with its escapes: for tests and fuzzing, by settings that they give.
    /// `OperationDialect.read` goes by those of the daemon.
    package static func parse(
        thumbor path: some Sequence<UInt8>, sources: OperationSources, others: UnsupportedFilterRule,
        vocabulary: Vocabulary
    ) throws(OperationRefusal) -> ImageRequest {
        try OperationPath(Array(path)[...], .thumbor).request(.thumbor, sources, others, vocabulary)
    }

    /// The same with the defaults of the settings.
    package static func parse(
        thumbor path: [UInt8], others: UnsupportedFilterRule
    ) throws(OperationRefusal) -> ImageRequest {
        try parse(
            thumbor: path, sources: OperationSources(scheme: .http, spelling: .escapes), others: others,
            vocabulary: .empty)
    }
}
