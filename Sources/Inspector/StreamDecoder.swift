// SPDX-License-Identifier: Apache-2.0

internal import CBrotli
internal import CZstd

/// A decoder of Brotli (RFC 7932) or Zstandard (RFC 8878), fed piece by piece.
///
/// **Isolation:** the thread of its process.
final class StreamDecoder {
    enum Form { case brotli, zstd }

    enum Progress {
        /// It takes more input, or has more output than there was room for.
        case more
        /// A Brotli stream, or a frame of Zstandard, is complete.
        case end
        case damaged
    }

    /// The outcome of one call; bytes.
    struct Step {
        let progress: Progress
        /// Of the input that were read.
        let used: Int
        /// Of the output that were written.
        let made: Int
    }

    private let form: Form
    private let state: OpaquePointer

    /// Nil without memory.
    init?(_ form: Form) {
        let state: OpaquePointer? =
            switch form {
            case .brotli: cbrotli_create()
            case .zstd: czstd_create()
            }
        guard let state else { return nil }
        (self.form, self.state) = (form, state)
    }

    deinit {
        switch form {
        case .brotli: cbrotli_destroy(state)
        case .zstd: czstd_destroy(state)
        }
    }

    /// Decodes as far as the input goes and there is room.
    func step(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> Step {
        var (used, made) = (0, 0)
        let code =
            switch form {
            case .brotli:
                cbrotli_step(
                    state, input.baseAddress, input.count, &used, output.baseAddress, output.count, &made)
            case .zstd:
                czstd_step(
                    state, input.baseAddress, input.count, &used, output.baseAddress, output.count, &made)
            }
        let progress: Progress = code < 0 ? .damaged : code > 0 ? .end : .more
        return Step(progress: progress, used: used, made: made)
    }
}
