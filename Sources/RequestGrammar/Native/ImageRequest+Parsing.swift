// SPDX-License-Identifier: Apache-2.0

extension ImageRequest {
    /// Parses the query of `/img`, without the question mark.
    package static func parse(
        query: some Sequence<UInt8>, vocabulary: Vocabulary = .empty, needs: ClientNeeds = .none
    ) throws(RequestError) -> ImageRequest {
        let (source, recipe, delivery) = try NativeQuery.read(Array(query), vocabulary, needs)
        guard let source else { throw .missing(parameter: "url") }
        return ImageRequest(source: source, recipe: recipe, delivery: delivery)
    }

    /// Parses a query as text.
    package static func parse(
        query: String, vocabulary: Vocabulary = .empty
    ) throws(RequestError) -> ImageRequest {
        try parse(query: query.utf8, vocabulary: vocabulary)
    }
}
