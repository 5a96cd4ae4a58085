// SPDX-License-Identifier: Apache-2.0

/// The meaning of a gain map's samples (ISO 21496-1; Adobe: "Gain map specification", 1.0). All numbers are in millionths.
///
/// A channel's samples of 0…255 encode log2 of the factor by which a pixel's light may be brightened, from `least` to
/// `most`, with an exponent of `gamma`. The offsets are added to the light of each picture before the ratio is taken.
package struct GainMapTerms: Equatable {
    package struct Channel: Equatable {
        var least = 0
        var most: Int
        var gamma = 1_000_000
        var baseOffset = 15_625
        var brightOffset = 15_625

        /// False for a map that is inverted, or brighter than any display.
        fileprivate var isPossible: Bool {
            gamma > 0 && least <= most
                && [least, most, gamma, baseOffset, brightOffset].allSatisfy {
                    GainMapTerms.range.contains($0)
                }
        }
    }

    /// One channel for all colours, or one each for red, green and blue.
    let channels: [Channel]
    /// log2 of the display's peak over white at which the map begins to apply.
    let leastHeadroom: Int
    /// log2 of the display's peak over white at which the map applies in full.
    let fullHeadroom: Int

    private static let range = -64_000_000...64_000_000

    /// Nil if the terms make no sense for any display.
    init?(channels: [Channel], leastHeadroom: Int, fullHeadroom: Int) {
        guard channels.count == 1 || channels.count == 3, channels.allSatisfy(\.isPossible),
            leastHeadroom >= 0, leastHeadroom < fullHeadroom, Self.range.contains(fullHeadroom)
        else { return nil }
        self.channels = channels.dropFirst().allSatisfy { $0 == channels[0] } ? [channels[0]] : channels
        (self.leastHeadroom, self.fullHeadroom) = (leastHeadroom, fullHeadroom)
    }

    /// Nil if the number is not finite or beyond ±64.
    static func millionths(_ number: Double) -> Int? {
        guard number.isFinite, number.magnitude <= 64 else { return nil }
        // Cannot trap: the number is at most 64.
        return Int((number * 1_000_000).rounded())
    }
}
