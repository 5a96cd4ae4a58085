// SPDX-License-Identifier: Apache-2.0

internal import HTTP1

/// The server's own ID for a request: 13 digits in Crockford's Base32. Unique since the start, and almost certainly different from
/// the IDs of other processes.
struct RequestID: Sendable, Hashable {
    fileprivate let number: UInt64

    /// Stands for a request that has the client's ID.
    static let none = RequestID(number: 0)

    /// The number of digits.
    static let length = 13

    /// Calls `body` with the digits.
    func withText<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withUnsafeTemporaryAllocation(byteCount: Self.length, alignment: 1) { digits in
            var rest = number
            for index in digits.indices.reversed() {
                digits[index] = Self.digit(UInt8(truncatingIfNeeded: rest & 31))
                rest >>= 5
            }
            return body(UnsafeRawBufferPointer(digits))
        }
    }

    var text: String { withText { String(decoding: $0, as: UTF8.self) } }

    /// "0" to "9" and lower case letters without i, l, o and u.
    private static func digit(_ value: UInt8) -> UInt8 {
        switch value {
        case 0...9: 0x30 + value
        case 10...17: 0x61 + value - 10
        case 18...19: 0x6A + value - 18
        case 20...21: 0x6D + value - 20
        case 22...26: 0x70 + value - 22
        default: 0x76 + value - 27
        }
    }
}

/// Makes the IDs of requests.
///
/// **Isolation:** confined to a loop's thread.
struct RequestNumbers {
    private var next = UInt64.random(in: .min ... .max)

    /// An odd step meets each number once before it repeats; a large one changes most of the digits.
    private static let step: UInt64 = 0x9E37_79B9_7F4A_7C15

    mutating func take() -> RequestID {
        next &+= Self.step
        return RequestID(number: next)
    }
}

extension RequestView {
    private static let longestID = 128

    /// The client's own ID for its request, in `X-Request-Id`: letters, digits and `._~:/+=@-`, at most 128 of them. A request with
    /// any other value counts as one without an ID.
    var clientID: UnsafeRawBufferPointer? {
        guard head.has(.xRequestID), let value = self[.xRequestID],
            (1...Self.longestID).contains(value.count), value.allSatisfy(Self.isOfID)
        else { return nil }
        return value
    }

    private static func isOfID(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x3A, 0x40...0x5A, 0x61...0x7A, 0x7E, 0x2B, 0x2D, 0x2E, 0x2F, 0x3D, 0x5F: true
        default: false
        }
    }
}

// An answer repeats the request's ID where its reader may need it: in a refusal, and if the client sent the ID.

extension Request {
    /// The ID to write into the answer; nil for none.
    func toldID(status: Int) -> String? { status >= 400 || hasOwnID ? id : nil }
}
