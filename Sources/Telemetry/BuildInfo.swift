// SPDX-License-Identifier: Apache-2.0

/// The versions of the running program, as labels of `pictor_build_info`.
package struct BuildInfo: Sendable, Hashable {
    /// Of Pictor.
    package var version: String
    /// The engine's name: the decoder's libvips and the libraries beside it.
    package var libvips: String

    /// Texts for labels; empty where only the row's form matters.
    package init(version: String, libvips: String) {
        self.version = version
        self.libvips = libvips
    }
}

extension BuildInfo: Instrument {
    var row: MetricRow {
        MetricRow(
            .info, "build", "–", "Always 1; the labels tell what runs.", labels: labels.map(\.0))
    }

    func expose(to page: inout Exposition) {
        page.begin(row)
        page.sample(row.name, labels, "1")
    }

    private var labels: [(String, String)] { [("version", version), ("libvips", libvips)] }
}
