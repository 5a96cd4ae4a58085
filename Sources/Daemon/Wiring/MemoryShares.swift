// SPDX-License-Identifier: Apache-2.0

internal import Settings

/// How the memory that there is gets shared out. Of a limit of 512 MiB on two cores: 128 MiB to the memory cache, 64 MiB to the
/// daemon, 3 × 32 MiB to the processes as they start, and of the rest three quarters, 168 MiB, to pictures under way: 128 MiB of
/// that to any, 40 MiB to small ones. The last quarter is for what grows beside them, and for files on their way to the disk.
struct MemoryShares: Sendable, Hashable {
    /// Bytes of renditions in memory.
    let cache: Int
    /// Bytes that all pictures under way may be priced at together.
    let pictures: Int
    /// Bytes. A picture that is priced at more is expensive, and expensive ones leave so much of the memory to the others.
    let expensivePicture: Int
    /// Resident bytes above which a decoder is replaced. What it holds beyond its share would be missing elsewhere.
    let recycleAbove: Int

    /// - Parameter limit: bytes that there are.
    init(of limit: Int, for settings: Settings) {
        cache = min(settings.cache.memory.bytes, limit / 4)
        let taken = cache + Self.daemon + (settings.decoders + 1) * Self.process
        pictures =
            settings.decoder.memory.bytes > 0
            ? settings.decoder.memory.bytes : max(Self.leastPictures, (limit - taken) / 4 * 3)
        expensivePicture = min(Self.costliestSmallPicture, pictures / 4)
        recycleAbove = min(settings.decoder.recycleAbove.bytes, max(Self.processSize, limit / 8))
    }

    /// Bytes that one picture may be priced at.
    var largestPicture: Int { pictures - expensivePicture }

    /// What the daemon was seen to take after 2,000 renderings, without its cache.
    static let daemon = 64 << 20
    /// Of a decoder's own, idle after a picture; most of its 45 MB is code that all share.
    static let process = 32 << 20
    /// Its code and what it was seen to hold after 2,000 pictures, in a process whose memory is not fragmented.
    private static let processSize = 64 << 20
    /// A JPEG of 12 megapixels made as large as a screen.
    private static let costliestSmallPicture = 40 << 20
    /// A picture of 6 megapixels in whatever format.
    private static let leastPictures = 64 << 20
}

extension Settings {
    /// Of what the machine or its control group allows.
    var memoryShares: MemoryShares { MemoryShares(of: MemoryLimit.bytes, for: self) }
}
