// SPDX-License-Identifier: Apache-2.0

/// One way to ask for a picture: how its URLs are read, and in whose words its refusals are told.
package enum Dialect: String, Sendable, CaseIterable {
    case native, weserv, next

    /// In a list of endpoints: every one, those of later versions too.
    package static let allWord = "all"

    /// Nil: nothing is there. The root without a `url` is no picture's.
    package init?(_ target: RequestTarget) {
        guard let dialect = Self.allCases.first(where: { $0.path == target.path }),
            dialect != .weserv || target.query.map(Self.namesSource) ?? false
        else { return nil }
        self = dialect
    }

    package var path: String {
        switch self {
        case .native: "/img"
        case .weserv: "/"
        case .next: "/_next/image"
        }
    }

    private static func namesSource(_ query: [UInt8]) -> Bool {
        query.split(separator: UInt8(ascii: "&")).contains {
            $0.starts(with: "url=".utf8) || $0.elementsEqual("url".utf8)
        }
    }
}
