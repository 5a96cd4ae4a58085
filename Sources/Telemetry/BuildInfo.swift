// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The versions of the running program, as labels of `pictor_build_info`.
package struct BuildInfo: Sendable, Hashable {
    /// Pictor's version.
    package var version: String
    /// The versions of the decoder's libvips and of the libraries that it uses.
    package var libvips: String

    /// Takes the values of the labels; they are empty if only the row's form matters.
    package init(version: String, libvips: String) {
        self.version = version
        self.libvips = libvips
    }

    fileprivate static let labels = ["version", "libvips"]
}

/// `pictor_build_info`.
///
/// **Isolation:** any thread; a `Mutex` guards the labels.
package final class BuildMetric: Sendable {
    private let info: Mutex<BuildInfo>

    init(_ info: BuildInfo) { self.info = Mutex(info) }

    /// Called when the decoders run another version of libvips.
    package func replace(libvips: String) { info.withLock { $0.libvips = libvips } }
}

extension BuildMetric: Instrument {
    var row: MetricRow {
        MetricRow(
            .info, "build", "–", "Always 1; the labels tell what runs.", labels: BuildInfo.labels)
    }

    func expose(to page: inout Exposition) {
        let row = self.row
        let now = info.withLock { $0 }
        page.begin(row)
        page.sample(row.name, Array(zip(BuildInfo.labels, [now.version, now.libvips])), "1")
    }
}
