// SPDX-License-Identifier: Apache-2.0

import PixelReference
import Recipes
import RequestGrammar
import Testing

extension TestRenderer {
    /// The pixels that a file shows after these options.
    static func shown(_ file: [UInt8], _ query: String = "") throws -> Canvas {
        try #require(try decode(render(file, Recipe(canonical: "output=png&" + query)).bytes))
    }
}
