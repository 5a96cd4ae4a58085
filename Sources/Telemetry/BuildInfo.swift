// SPDX-License-Identifier: Apache-2.0

/// What runs.
package struct BuildInfo: Sendable, Hashable {
    package var version: String
    /// Of the libvips that the decoder is linked with.
    package var libvips: String

    package init(version: String, libvips: String) {
        self.version = version
        self.libvips = libvips
    }
}

extension BuildInfo: Instrument {
    var row: MetricRow {
        MetricRow(
            .gauge, "build_info", "–", "Always 1; the labels tell what runs.", labels: labels.map(\.0))
    }

    func expose(to page: inout Exposition) {
        page.begin(row)
        page.sample(row.name, labels, "1")
    }

    private var labels: [(String, String)] { [("version", version), ("libvips", libvips)] }
}
