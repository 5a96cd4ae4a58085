// SPDX-License-Identifier: Apache-2.0

/// The meaning of a gain map's samples (ISO 21496-1; Adobe: "Gain map specification", 1.0). All numbers are in millionths.
///
/// Each channel tells, from 0 to 255, log2 of how much brighter a pixel's light may be shown, from `least` to `most`, by a
/// power of `gamma`; both offsets are added to the light before the ratio is taken.
package struct GainMapTerms: Equatable {
    package struct Channel: Equatable {
        var least = 0
        var most: Int
        var gamma = 1_000_000
        var baseOffset = 15_625
        var brightOffset = 15_625

        /// A map that is inverted, or brighter than any display.
        fileprivate var isPossible: Bool {
            gamma > 0 && least <= most
                && [least, most, gamma, baseOffset, brightOffset].allSatisfy {
                    GainMapTerms.range.contains($0)
                }
        }
    }

    /// One for all colours, or one each for red, green and blue.
    let channels: [Channel]
    /// log2 of how much brighter than white a display shows, from which on the map counts for something.
    let leastHeadroom: Int
    /// From which on it counts in full.
    let fullHeadroom: Int

    private static let range = -64_000_000...64_000_000

    /// Nil if no display could make something of it.
    init?(channels: [Channel], leastHeadroom: Int, fullHeadroom: Int) {
        guard channels.count == 1 || channels.count == 3, channels.allSatisfy(\.isPossible),
            leastHeadroom >= 0, leastHeadroom < fullHeadroom, Self.range.contains(fullHeadroom)
        else { return nil }
        self.channels = channels.dropFirst().allSatisfy { $0 == channels[0] } ? [channels[0]] : channels
        (self.leastHeadroom, self.fullHeadroom) = (leastHeadroom, fullHeadroom)
    }

    /// Nil if the number is none of these.
    static func millionths(_ number: Double) -> Int? {
        guard number.isFinite, number.magnitude <= 64 else { return nil }
        // Cannot trap: 64 at the most.
        return Int((number * 1_000_000).rounded())
    }
}
