// SPDX-License-Identifier: Apache-2.0

/// The brightness added to each channel: −100…100 hundredths of the full scale.
package struct Brightness: Sendable, Hashable, ExpressibleByIntegerLiteral {
    package var red: Int
    package var green: Int
    package var blue: Int

    /// The range of each channel.
    package static let range = -100...100

    package init(red: Int, green: Int, blue: Int) {
        (self.red, self.green, self.blue) = (red, green, blue)
    }

    /// The same brightness for all three channels, which keeps grey grey.
    package init(_ all: Int) { self.init(red: all, green: all, blue: all) }

    package init(integerLiteral all: Int) { self.init(all) }

    /// True if all three channels are equal.
    package var isEven: Bool { red == green && green == blue }
}
