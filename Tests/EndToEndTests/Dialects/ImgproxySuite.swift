// SPDX-License-Identifier: Apache-2.0

import SourceURLs
import TestSupport

/// A suite over an origin, and daemons that answer imgproxy's URLs of its pictures.
protocol ImgproxySuite {
    var origin: ScriptedOrigin { get }
}

extension ImgproxySuite {
    func daemon(_ flags: String..., environment: [String: String] = [:]) throws -> DaemonUnderTest {
        try DaemonUnderTest(["--imgproxy-enabled", "true"] + flags, environment: environment)
    }

    /// An unsigned target for the origin's picture.
    func target(_ options: String, _ extension: String = "", at place: String = "") -> String {
        "\(place)/_/\(options)/plain/\(origin.url("/a").absolute)\(`extension`)"
    }
}
