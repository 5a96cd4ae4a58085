// SPDX-License-Identifier: Apache-2.0

/// How the memory that there is gets shared out. Of a limit of 512 MiB on two cores: 128 MiB to the memory cache, 64 MiB to the
/// daemon, 3 × 32 MiB to the processes as they start, and of the rest three quarters, 168 MiB, to pictures under way.
extension Settings {
    /// Bytes.
    var memoryCache: Int { min(cache.memory.bytes, MemoryLimit.bytes / 4) }

    /// Bytes that all pictures under way may be priced at together.
    var decoderMemory: Int {
        if decoder.memory.bytes > 0 { return decoder.memory.bytes }
        let taken = memoryCache + Self.daemonMemory + (decoders + 1) * Self.processMemory
        return max(Self.leastMemory, (MemoryLimit.bytes - taken) / 4 * 3)
    }

    /// What the daemon was seen to take after 2,000 renderings, without its cache.
    private static var daemonMemory: Int { 64 << 20 }
    /// Of a decoder's own, idle after a picture; most of its 45 MB is code that all share.
    private static var processMemory: Int { 32 << 20 }
    /// A picture of 6 megapixels in whatever format.
    private static var leastMemory: Int { 64 << 20 }
}
