// SPDX-License-Identifier: Apache-2.0

package import RequestGrammar
internal import SourceURLs

extension ImageRequest {
    /// Reads the part of imagor's URLs behind the signature, with its escapes: for tests and fuzzing, by settings that they give.
    /// `OperationDialect.read` goes by those of the daemon.
    package static func parse(
        imagor path: some Sequence<UInt8>, sources: OperationSources, others: UnsupportedFilterRule,
        vocabulary: Vocabulary
    ) throws(OperationRefusal) -> ImageRequest {
        try OperationPath(Array(path)[...], .imagor).request(.imagor, sources, others, vocabulary)
    }

    /// The same with the defaults of the settings.
    package static func parse(
        imagor path: [UInt8], others: UnsupportedFilterRule
    ) throws(OperationRefusal) -> ImageRequest {
        try parse(
            imagor: path, sources: OperationSources(scheme: .https, spelling: .forms), others: others,
            vocabulary: .empty)
    }
}

extension OperationPath {
    /// The meaning of a URL of imagor's, as JSON: for fuzzing. `OperationDialect.meaning` tells it.
    /// - Parameter rest: what stands behind the place of the dialect; nil is told of what does not begin with `params/`.
    package static func meaning(imagor rest: [UInt8]) -> String? {
        OperationGrammar.imagor.meaning?(rest[...])
    }
}
