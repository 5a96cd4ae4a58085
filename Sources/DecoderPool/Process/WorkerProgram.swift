// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import ImageHeaders

/// The program that runs as a zygote, and the arguments that its forks use.
package struct WorkerProgram: Sendable {
    /// Path of the program; the default is this executable, even after its file has been replaced.
    package var executable = "/proc/self/exe"
    /// Arguments that come before those of `DecoderStart`, including the jails of both kinds of workers.
    package var arguments = ["worker"]
    /// Formats that the decoders read. The code for other formats is not even mapped.
    package var formats = Set(ImageFormat.trusted)
    /// Formats that the decoders write besides the usual ones: `.jxl` or none.
    package var writes: Set<ImageFormat> = []
    /// Whether Pictor's own decoder reduces usual JPEGs.
    package var jpegLane = true

    /// The defaults; the daemon overwrites them with its settings.
    package init() {}

    /// The arguments of the process: the program's, then those of `DecoderStart`.
    var words: [String] {
        arguments
            + DecoderStart(parent: getpid(), formats: formats, writes: writes, jpegLane: jpegLane).arguments
    }
}
