// SPDX-License-Identifier: Apache-2.0

/// A key of the view.
package enum TopKey: Sendable, Hashable {
    case quit, sort, up, down, top, bottom, look, back, help, pause, nextPanel, lastPanel
    /// A key without a meaning of its own; like any key, it closes the help.
    case other

    /// The keys in the bytes of one read from the terminal. Unknown sequences are skipped.
    package static func keys(_ bytes: some Collection<UInt8>) -> [TopKey] {
        var rest = Array(bytes)[...]
        var keys: [TopKey] = []
        while let byte = rest.popFirst() {
            if byte != 0x1B {
                keys.append(single[byte] ?? .other)
                continue
            }
            // A sequence (ECMA-48 §5.4): parameters, and a final byte that names the key.
            guard let introducer = rest.first,
                introducer == UInt8(ascii: "[") || introducer == UInt8(ascii: "O")
            else {
                keys.append(.back)
                continue
            }
            let parameters = rest.dropFirst().prefix { (0x20...0x3F).contains($0) }
            rest = rest.dropFirst(1 + parameters.count)
            guard let final = rest.popFirst() else { break }
            if let key = sequence[final] { keys.append(key) }
        }
        return keys
    }

    private static let single: [UInt8: TopKey] = [
        UInt8(ascii: "q"): .quit, 0x03: .quit, UInt8(ascii: "s"): .sort, UInt8(ascii: "k"): .up,
        UInt8(ascii: "j"): .down, UInt8(ascii: "g"): .top, UInt8(ascii: "G"): .bottom, 0x0D: .look,
        0x0A: .look,
        0x7F: .back, 0x08: .back, UInt8(ascii: "?"): .help, UInt8(ascii: "p"): .pause, 0x09: .nextPanel,
        UInt8(ascii: "l"): .nextPanel, UInt8(ascii: "h"): .lastPanel,
    ]

    private static let sequence: [UInt8: TopKey] = [
        UInt8(ascii: "A"): .up, UInt8(ascii: "B"): .down, UInt8(ascii: "C"): .nextPanel,
        UInt8(ascii: "D"): .lastPanel, UInt8(ascii: "H"): .top, UInt8(ascii: "F"): .bottom,
        UInt8(ascii: "Z"): .lastPanel,
    ]
}
