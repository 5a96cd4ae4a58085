// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
import Recipes
import RequestGrammar
import Testing

@Suite struct LaneTests {
    private func suits(
        _ query: String, _ format: ImageFormat = .jpeg, width: Int = 400, height: Int = 300,
        orientation: Int = 1, isProgressive: Bool = false
    ) throws -> Bool {
        var header = ImageHeader(format: format, width: width, height: height, isProgressive: isProgressive)
        header.orientation = orientation
        return try Recipe(canonical: query).suitsJPEGLane(header)
    }

    @Test func `a JPEG that becomes smaller suits the lane`() throws {
        for query in ["w=200", "h=299", "blur=3&w=100", "a=top&fit=cover&h=100&w=100", "output=webp&w=399"] {
            #expect(try suits(query), "\(query)")
        }
        #expect(try suits("w=200", orientation: 6))
        // The picture is 300 pixels wide once it is upright.
        #expect(try !suits("w=300", orientation: 6))
    }

    @Test func `what stays as large, is cut first, or is of another kind is left to libvips`() throws {
        for query in ["", "w=400", "trim=10&w=100", "output=json&w=100"] {
            #expect(try !suits(query), "\(query)")
        }
        #expect(try !suits("w=100", .png))
        #expect(try suits("w=100", isProgressive: true))
        #expect(try suits("w=32", width: 64, height: 64) && !suits("w=32", width: 64, height: 63))
    }
}
