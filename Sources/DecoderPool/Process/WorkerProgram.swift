// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import ImageHeaders

/// The program that a zygote is a run of, and what its forks are told at their start.
package struct WorkerProgram: Sendable {
    /// Path of the program; the default is this executable, even after its file has been replaced.
    package var executable = "/proc/self/exe"
    /// Arguments of every process, the jails of both kinds among them; they come before those of `DecoderStart`.
    package var arguments = ["worker"]
    /// Formats that the decoders can read; the code for any other is not even mapped.
    package var formats = Set(ImageFormat.trusted)
    /// Formats that they write beside the usual ones: `.jxl` or none.
    package var writes: Set<ImageFormat> = []
    /// Whether usual JPEGs are made smaller by Pictor's own decoder.
    package var jpegLane = true

    /// The defaults; the daemon overwrites them with its settings.
    package init() {}

    /// Arguments of a process: the program's, then those of `DecoderStart`.
    var words: [String] {
        arguments
            + DecoderStart(parent: getpid(), formats: formats, writes: writes, jpegLane: jpegLane).arguments
    }
}
