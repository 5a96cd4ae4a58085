// SPDX-License-Identifier: Apache-2.0

package import Settings

extension Settings {
    /// One line for each value that the machine determines, because a setting leaves it open or asks for more than the machine
    /// has.
    package var inForce: [String] {
        let (shares, limit) = (memoryShares, MemoryLimit.bytes)
        let files = OpenFiles(self)
        var lines = [
            "cache.directory: \(cacheFolder)",
            "server.threads: \(loops)",
            "decoder.processes: \(decoders)",
            "decoder.avif-jobs: \(decoder.avifJobs > 0 ? decoder.avifJobs : decoders)",
            "decoder.memory: \(Self.text(shares.pictures)), \(Self.text(shares.largestPicture)) for one picture,"
                + " of \(Self.text(limit)) that the machine or its control group allows",
            "decoder.recycle-above: \(Self.text(shares.recycleAbove))",
            "cache.memory: \(Self.text(shares.cache))"
                + (shares.cache < cache.memory.bytes ? ", a quarter of what is allowed" : ""),
            "cache.held-memory: \(Self.text(shares.held))",
            "cache.held-disk: \(Self.text(heldOnDisk))",
        ]
        for (key, _, most) in files.bounds {
            lines.append("\(key): \(most), for the limit of \(files.limit) open files")
        }
        for profile in (try? originProfiles.list) ?? [] where !profile.passed.isEmpty {
            lines.append(
                "origin.profiles: \(profile.name) passes \(profile.passed.joined(separator: ", ")) of clients on, which are a part of the key"
                    + (profile.isPublic ? ", and the pictures are for all clients" : ""))
        }
        return lines
    }

    private static func text(_ bytes: Int) -> String { ByteCount((bytes >> 20) << 20).settingText }
}
