// SPDX-License-Identifier: Apache-2.0

@testable import Dialects
import Recipes
import RequestGrammar
import SourceURLs
import Testing

/// The request for a fixed picture with these imagor operations.
func read(imagor operations: String, _ others: UnsupportedFilterRule = .refuse) throws -> ImageRequest {
    try ImageRequest.parse(imagor: Array("\(operations)https://a.example/b.jpg".utf8), others: others)
}

/// The request for a fixed picture with these thumbor operations.
func read(thumbor operations: String, _ others: UnsupportedFilterRule = .refuse) throws -> ImageRequest {
    try ImageRequest.parse(thumbor: Array("\(operations)https://a.example/b.jpg".utf8), others: others)
}

/// The text of the refusal.
func refusalMessage(of read: () throws -> ImageRequest) -> String {
    do { return "no refusal, but \(try read().recipe.canonical)" } catch let error as OperationRefusal {
        return error.message
    } catch { return "another error" }
}

/// Expects the request to equal the one with these options of `/img`.
func expect(
    _ found: ImageRequest, meansSameAs native: String, sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let expected = try ImageRequest.parse(query: "url=https://a.example/b.jpg&\(native)")
    #expect(
        found.recipe == expected.recipe, "\(found.recipe.canonical)", sourceLocation: sourceLocation)
    #expect(found.source == expected.source, sourceLocation: sourceLocation)
    #expect(found.delivery.maxAge == expected.delivery.maxAge, sourceLocation: sourceLocation)
    #expect(found.recipe == found.recipe.canonicalised, sourceLocation: sourceLocation)
}
