// SPDX-License-Identifier: Apache-2.0

internal import Planar

/// Any bytes are a picture or none, at whatever part of the size they are decoded; a picture is as large as was asked
/// for.
enum PlanarTarget {
    static func run(_ bytes: UnsafeRawBufferPointer) {
        guard let picture = try? PlanarJPEG(bytes), picture.width * picture.height <= 1 << 16 else { return }
        _ = picture.profile
        let (width, height) = (max(1, picture.width / 3), max(1, picture.height / 4))
        var faults: Set<JPEGLaneRefusal> = []
        var (made, tried) = (0, 0)
        for shrink in [1, 2, 4, 8] {
            var length = 0
            do throws(JPEGLaneRefusal) {
                tried += 1
                try picture.resize(shrink: shrink, width: width, height: height) { length += $0.count }
                expect(length == width * height * picture.bands, "all rows were made")
                try planes(picture, shrink: shrink, width: width, height: height)
                made += 1
            } catch .otherSize {
                tried -= 1
            } catch {
                faults.insert(error)
            }
        }
        // Of a progressive one, scans that tell nothing of means are not read for these.
        expect(
            picture.isProgressive || made == tried || made == 0 && faults.count == 1,
            "a fault is one at every part of the size")
    }

    /// What is decoded in colours is decoded in planes, of which chroma has half the rows or all of them.
    private static func planes(_ picture: PlanarJPEG, shrink: Int, width: Int, height: Int)
        throws(JPEGLaneRefusal)
    {
        for halves in [true, false] {
            var rows = [0, 0, 0]
            try picture.resizePlanes(
                shrink: shrink, width: width, height: height,
                window: PlaneWindow(width: width, height: height, isReversed: halves, isUpsideDown: halves),
                form: PlaneForm(halvesChroma: halves, isLimited: halves)
            ) { (plane, _) in
                rows[plane] += 1
                return true
            }
            let chroma = picture.bands == 1 ? 0 : halves ? (height + 1) / 2 : height
            expect(rows == [height, chroma, chroma], "all rows of all planes were made")
        }
    }
}
