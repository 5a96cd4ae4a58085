// SPDX-License-Identifier: Apache-2.0

package import RequestGrammar
internal import SourceURLs

extension ImageRequest {
    /// Parses the part of an imagor URL after the signature, with its escapes. For tests and fuzzing, with settings of their own;
    /// `OperationDialect.read` uses the daemon's settings.
    package static func parse(
        imagor path: some Sequence<UInt8>, sources: OperationSources, others: UnsupportedFilterRule,
        vocabulary: Vocabulary
    ) throws(OperationRefusal) -> ImageRequest {
        try OperationPath(Array(path)[...], .imagor).request(.imagor, sources, others, vocabulary)
    }

    /// The same with default settings.
    package static func parse(
        imagor path: [UInt8], others: UnsupportedFilterRule
    ) throws(OperationRefusal) -> ImageRequest {
        try parse(
            imagor: path, sources: OperationSources(scheme: .https, spelling: .forms), others: others,
            vocabulary: .empty)
    }
}

extension OperationPath {
    /// The meaning of an imagor URL as JSON, for fuzzing; the daemon uses `OperationDialect.meaning`.
    /// - Parameter rest: the path after the place of the dialect; the result is nil if it does not begin with `params/`.
    package static func meaning(imagor rest: [UInt8]) -> String? {
        OperationGrammar.imagor.meaning?(rest[...])
    }
}
