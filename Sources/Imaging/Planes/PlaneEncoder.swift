// SPDX-License-Identifier: Apache-2.0

internal import CEncoders
internal import Planar
internal import Recipes

/// Makes a file from the rows of planes.
protocol PlaneEncoder {
    var form: PlaneForm { get }
    /// Bands of the picture: 1 or 3.
    var bands: Int { get }
    /// Microseconds that the encoder took.
    var microseconds: Int { get }
    /// Takes the next row of a plane, from the top. False if the row cannot be taken.
    func append(_ plane: Int, _ row: UnsafeRawBufferPointer) -> Bool
    func finish() -> Bool
    func failure(limit: Int) -> ImagingFailure
}

extension Sink {
    /// The context for `write`, valid as long as the sink lives.
    var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    /// The callback that receives an encoder's bytes.
    static let write: cencoders_write = { (context, bytes, length) in
        guard let context else { return -1 }
        let sink = Unmanaged<Sink>.fromOpaque(context).takeUnretainedValue()
        return sink.write(UnsafeRawBufferPointer(start: bytes, count: length)) ? 0 : -1
    }
}
