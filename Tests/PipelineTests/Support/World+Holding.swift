// SPDX-License-Identifier: Apache-2.0

import HTTPSemantics
@testable import Pipeline
import Testing

extension World {
    /// The bytes of `holding`'s original.
    static let one = TestBody(content: "one")

    /// A world that holds one original under these directives, rendered at width 100.
    static func holding(_ directives: String, fetching: Gate = Gate(open: true)) async throws -> World {
        let world = World(fetching: fetching)
        world.origin.says(.picture(one, ["Cache-Control": directives, "ETag": "\"1\""]))
        try await world.answer()
        return world
    }
}
