// SPDX-License-Identifier: Apache-2.0

internal import Settings

/// How memory is divided. A limit of 512 MiB on two cores gives 128 MiB to the memory cache, 64 MiB to the daemon, 3 × 32 MiB to
/// the processes at their start, and three quarters of the rest, 168 MiB, to pictures under way: 128 MiB of that to any picture,
/// 40 MiB to small ones only. The last quarter of the rest is for growth, and for files on their way to the disk.
struct MemoryShares: Sendable, Hashable {
    /// Bytes for renditions in the memory cache.
    let cache: Int
    /// The budget in bytes for the sum of the prices of all pictures under way.
    let pictures: Int
    /// A picture with a higher price in bytes is expensive. Expensive pictures together leave this many bytes to others.
    let expensivePicture: Int
    /// Bytes of files in memory outside of any cache (`HeldBytes`). Such files exist only while the disk accepts none.
    let held: Int
    /// A decoder with more resident bytes is replaced, because memory beyond its share is missing elsewhere.
    let recycleAbove: Int

    /// - Parameter limit: bytes of memory for the process and its children.
    init(of limit: Int, for settings: Settings) {
        cache = min(settings.cache.memory.bytes, limit / 4)
        let taken = cache + Self.daemon + (settings.decoders + 1) * Self.process
        pictures =
            settings.decoder.memory.bytes > 0
            ? settings.decoder.memory.bytes : max(Self.leastPictures, (limit - taken) / 4 * 3)
        expensivePicture = min(Self.costliestSmallPicture, pictures / 4)
        held = settings.cache.heldMemory.bytes > 0 ? settings.cache.heldMemory.bytes : limit / 8
        recycleAbove = min(settings.decoder.recycleAbove.bytes, max(Self.processSize, limit / 8))
    }

    /// The highest price of one picture, in bytes.
    var largestPicture: Int { pictures - expensivePicture }

    /// The daemon's bytes after 2,000 renderings, without its cache.
    static let daemon = 64 << 20
    /// The private bytes of an idle decoder; most of its 45 MB is shared code.
    static let process = 32 << 20
    /// The bytes of a decoder's code and memory after 2,000 pictures, without fragmentation.
    private static let processSize = 64 << 20
    /// The price in bytes of a JPEG of 12 megapixels scaled to a screen.
    private static let costliestSmallPicture = 40 << 20
    /// The price in bytes of a picture of 6 megapixels in any format.
    private static let leastPictures = 64 << 20
}

extension Settings {
    /// The division of the memory that the machine or its control group allows.
    var memoryShares: MemoryShares { MemoryShares(of: MemoryLimit.bytes, for: self) }
}
