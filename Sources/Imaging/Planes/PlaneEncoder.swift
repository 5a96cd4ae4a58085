// SPDX-License-Identifier: Apache-2.0

internal import CEncoders
internal import Planar

/// Takes the rows of planes and makes a file of them.
protocol PlaneEncoder {
    var form: PlaneForm { get }
    /// Bands of the picture: 1 or 3.
    var bands: Int { get }
    /// Time that the encoder took.
    var microseconds: Int { get }
    /// The next row of a plane, from the top; false if it cannot be taken.
    func append(_ plane: Int, _ row: UnsafeRawBufferPointer) -> Bool
    func finish() -> Bool
    func failure(limit: Int) -> ImagingFailure
}

extension Sink {
    /// For `write`, as long as the sink lives.
    var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    /// The callback that takes an encoder's bytes.
    static let write: cencoders_write = { (context, bytes, length) in
        guard let context else { return -1 }
        let sink = Unmanaged<Sink>.fromOpaque(context).takeUnretainedValue()
        return sink.write(UnsafeRawBufferPointer(start: bytes, count: length)) ? 0 : -1
    }
}
