// SPDX-License-Identifier: Apache-2.0

package import RequestGrammar
internal import SourceURLs

extension ImageRequest {
    /// What stands behind the signature of imagor's URLs, with its escapes.
    package static func parse(
        imagor path: some Sequence<UInt8>,
        sources: OperationSources = OperationSources(scheme: .https, spelling: .forms),
        others: OtherFilters = .refuse, vocabulary: Vocabulary = .empty
    ) throws(OperationRefusal) -> ImageRequest {
        try OperationPath(Array(path)[...], .imagor).request(.imagor, sources, others, vocabulary)
    }
}
