// SPDX-License-Identifier: Apache-2.0

internal import Recipes

/// Reads the queries of `/img` with the vocabulary of one configuration.
///
/// A site uses few lists of options for many pictures. The result of each list is remembered by its bytes, so that of most queries
/// only the source is parsed.
///
/// **Isolation:** the remembered lists guard themselves.
package final class NativeReader: Sendable {
    /// The query without its source, for a client with these needs.
    private struct Options: Sendable, Hashable {
        let text: [UInt8]
        let needs: ClientNeeds
    }

    private typealias Reading = (recipe: RecipeBox, delivery: Delivery)

    /// Bytes of the longest list that is remembered. Longer lists hold text of their own, such as captions and file names.
    private static let longest = 256
    /// Lists in each of the two generations; a list takes 2 KiB at most.
    private static let generation = 128

    private let vocabulary: Vocabulary
    private let readings = RecentValues<Options, Reading>(generation: generation)

    /// Remembers no list yet.
    package init(_ vocabulary: Vocabulary) { self.vocabulary = vocabulary }

    /// As `ImageRequest.parse`.
    package func read(_ query: [UInt8], _ needs: ClientNeeds) throws(RequestError) -> ImageRequest {
        guard let (source, text) = Self.split(query) else {
            return try ImageRequest.parse(query: query, vocabulary: vocabulary, needs: needs)
        }
        let options = Options(text: text, needs: needs)
        if let (recipe, delivery) = readings[options] {
            let url = try QueryParameters.value(of: query[source])
            return ImageRequest(
                source: try NativeQuery.source(url, of: Self.name), recipe: recipe, delivery: delivery)
        }
        let request = try ImageRequest.parse(query: query, vocabulary: vocabulary, needs: needs)
        readings.insert((request.boxedRecipe, request.delivery), for: options)
        return request
    }

    private static let name = "url"

    /// The range of the source in a query, and the rest; nil if there is no source in its usual spelling, or the rest is too long to
    /// be remembered.
    private static func split(_ query: [UInt8]) -> (source: Range<Int>, rest: [UInt8])? {
        var start = 0
        while start < query.count {
            let end = query[start...].firstIndex(of: UInt8(ascii: "&")) ?? query.count
            if query[start..<end].starts(with: "url=".utf8) {
                guard query.count - (end - start) <= longest else { return nil }
                var rest = Array(query[..<start])
                rest += query[end...]
                return (start..<end, rest)
            }
            start = end + 1
        }
        return nil
    }
}
