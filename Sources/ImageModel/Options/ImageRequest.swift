// SPDX-License-Identifier: Apache-2.0

/// What a client asks for: an original and what to make of it.
package struct ImageRequest: Sendable, Hashable {
    package var source: SourceURL
    /// Folded: equal pictures are equal values.
    package var recipe: Recipe

    package init(source: SourceURL, recipe: Recipe) {
        self.source = source
        self.recipe = recipe
    }

    /// The query of `/img`, without the question mark.
    package static func parse(query: some Sequence<UInt8>) throws(RequestError) -> ImageRequest {
        let (source, recipe) = try NativeDialect.read(Array(query))
        guard let source else { throw .missing(parameter: "url") }
        return ImageRequest(source: source, recipe: recipe)
    }

    package static func parse(query: String) throws(RequestError) -> ImageRequest {
        try parse(query: query.utf8)
    }
}
