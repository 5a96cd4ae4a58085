// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders
internal import Kernel
package import Settings
package import Stores

extension Settings {
    /// The disk cache's folder, its budgets in bytes and its rates.
    package var diskConfiguration: DiskConfiguration {
        // Cannot trap: settings of bytes are bounded, and the share is no more than 1.
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

    /// Bytes of files on the disk that the cache does not count. Where the cache is small, two of the largest originals
    /// find room, and two of the largest renditions, because one may take no more than it leaves.
    package var heldOnDisk: Int {
        cache.heldDisk.bytes > 0
            ? cache.heldDisk.bytes : max(cache.disk.bytes / 4, Int(saturatingProduct: largestBody, 2))
    }

    /// Bytes of the largest original or rendition.
    private var largestBody: Int { max(origin.maximumBody, decoder.maximumOutput).bytes }
}
