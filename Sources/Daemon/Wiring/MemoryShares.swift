// SPDX-License-Identifier: Apache-2.0

/// How the memory that there is gets shared out. Of a limit of 512 MiB on two cores: 128 MiB to the memory cache, 64 MiB to the
/// daemon, 3 × 32 MiB to the processes as they start, and of the rest three quarters, 168 MiB, to pictures under way: 128 MiB of
/// that to any, 40 MiB to small ones. The last quarter is for what grows beside them, and for files on their way to the disk.
extension Settings {
    /// Bytes.
    var memoryCache: Int { min(cache.memory.bytes, MemoryLimit.bytes / 4) }

    /// Bytes that all pictures under way may be priced at together.
    var decoderMemory: Int {
        if decoder.memory.bytes > 0 { return decoder.memory.bytes }
        let taken = memoryCache + Self.daemonMemory + (decoders + 1) * Self.processMemory
        return max(Self.leastMemory, (MemoryLimit.bytes - taken) / 4 * 3)
    }

    /// Bytes. A picture that is priced at more is dear, and dear ones leave so much of the memory to the others.
    var dearPicture: Int { min(Self.dearestSmallPicture, decoderMemory / 4) }

    /// Bytes that one picture may be priced at.
    var largestPicture: Int { decoderMemory - dearPicture }

    /// Resident bytes above which a decoder is replaced. What it holds beyond its share would be missing elsewhere.
    var recycleAbove: Int {
        min(decoder.recycleAbove.bytes, max(Self.processSize, MemoryLimit.bytes / 8))
    }

    /// What the daemon was seen to take after 2,000 renderings, without its cache.
    private static var daemonMemory: Int { 64 << 20 }
    /// Of a decoder's own, idle after a picture; most of its 45 MB is code that all share.
    private static var processMemory: Int { 32 << 20 }
    /// Its code and what it was seen to hold after 2,000 pictures, in a process whose memory is not fragmented.
    private static var processSize: Int { 64 << 20 }
    /// A JPEG of 12 megapixels made as large as a screen.
    private static var dearestSmallPicture: Int { 40 << 20 }
    /// A picture of 6 megapixels in whatever format.
    private static var leastMemory: Int { 64 << 20 }
}
