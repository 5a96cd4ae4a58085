// SPDX-License-Identifier: Apache-2.0

package import RequestGrammar
internal import SourceURLs

extension ImageRequest {
    /// What stands behind the signature of thumbor's URLs, with its escapes.
    package static func parse(
        thumbor path: some Sequence<UInt8>,
        sources: OperationSources = OperationSources(scheme: .http, spelling: .escapes),
        others: OtherFilters = .refuse, vocabulary: Vocabulary = .empty
    ) throws(OperationRefusal) -> ImageRequest {
        try OperationPath(Array(path)[...], .thumbor).request(.thumbor, sources, others, vocabulary)
    }
}
