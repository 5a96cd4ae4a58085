// SPDX-License-Identifier: Apache-2.0

package enum ImageHeaderError: Error, Sendable, Hashable {
    /// The first bytes are those of no format that we know.
    case notAnImage
    /// A format that we know, but its header is cut short, contradicts itself, has a side of zero pixels, or
    /// takes more reading than any honest header does.
    case damaged
}
