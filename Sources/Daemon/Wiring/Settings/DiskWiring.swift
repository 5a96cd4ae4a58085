// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders
internal import Kernel
package import Settings
package import Stores

extension Settings {
    /// The disk cache's folder, its budgets in bytes and its rates.
    package var diskConfiguration: DiskConfiguration {
        // Cannot trap: byte counts in settings are limited, and the share is at most 1.
        let originals = Int(Double(cache.disk.bytes) * cache.originalsShare)
        var configuration = DiskConfiguration(
            folder: cacheFolder, originalsBudget: originals, renditionsBudget: cache.disk.bytes - originals)
        configuration.minimumFree =
            switch cache.minimumFree {
            case .bytes(let bytes): .bytes(bytes)
            case .percent(let percent): .percent(percent)
            }
        configuration.scrubRate = cache.scrubRate.bytes
        configuration.held = HeldBytes(memory: memoryShares.held, disk: heldOnDisk)
        configuration.confirmsReopened = !fleet.redis.isEmpty
        configuration.purgeNote = Self.runtimeFolder.map { $0 + "/missed-purges" }
        configuration.expect(bodiesUpTo: largestBody)
        return configuration
    }

    /// The limit of bytes of files on the disk outside of the cache (`HeldBytes`). Even with a small cache it is at least twice
    /// the largest original or rendition, so that one such file fits: a file may take at most half of the free room.
    package var heldOnDisk: Int {
        cache.heldDisk.bytes > 0
            ? cache.heldDisk.bytes : max(cache.disk.bytes / 4, Int(saturatingProduct: largestBody, 2))
    }

    /// The largest original or rendition in bytes.
    private var largestBody: Int { max(origin.maximumBody, decoder.maximumOutput).bytes }
}
