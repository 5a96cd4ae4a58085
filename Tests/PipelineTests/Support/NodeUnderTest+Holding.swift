// SPDX-License-Identifier: Apache-2.0

@testable import Pipeline
import Testing

extension NodeUnderTest {
    /// The bytes of `holding`'s original.
    static let one = TestBody(content: "one")

    /// A node that holds one original under these directives, rendered at width 100.
    static func holding(_ directives: String, fetching: Gate = Gate(open: true)) async throws -> NodeUnderTest
    {
        let node = NodeUnderTest(fetching: fetching)
        node.origin.says(.picture(one, ["Cache-Control": directives, "ETag": "\"1\""]))
        try await node.answer()
        return node
    }
}
