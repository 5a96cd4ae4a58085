// SPDX-License-Identifier: Apache-2.0
//
// The names that may stand in a drawing when it is passed on: elements, attributes and properties of SVG 2 and of its
// filter, masking and animation modules that draw something. All other names are left out, among them script,
// foreignObject, references to other files, and pointer events.

/// The names that may be copied.
enum DrawingNames {
    static let space = "http://www.w3.org/2000/svg"
    static let linkSpace = "http://www.w3.org/1999/xlink"
    static let xmlSpace = "http://www.w3.org/XML/1998/namespace"

    static let elements: Set<String> = words(
        """
        svg g defs symbol use switch a title desc style view \
        path rect circle ellipse line polyline polygon image text tspan textPath \
        linearGradient radialGradient stop pattern clipPath mask marker \
        filter feBlend feColorMatrix feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting \
        feDisplacementMap feDistantLight feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feImage \
        feMerge feMergeNode feMorphology feOffset fePointLight feSpecularLighting feSpotLight feTile feTurbulence \
        animate animateMotion animateTransform set mpath
        """)

    /// Elements whose characters are shown.
    static let texts: Set<String> = ["text", "tspan", "textPath"]

    /// Elements that hold nothing but characters, which are not shown.
    static let notes: Set<String> = ["title", "desc"]

    static let animations: Set<String> = ["animate", "animateMotion", "animateTransform", "set"]

    /// Elements that may refer to a part of the drawing.
    static let referring: Set<String> = words(
        "use image feImage linearGradient radialGradient pattern textPath mpath a animate animateMotion "
            + "animateTransform set")

    /// Elements that may hold a picture.
    static let pictures: Set<String> = ["image", "feImage"]

    /// Attributes whose values are numbers, lists, names and words of SVG, and never URLs.
    static let attributes: Set<String> = geometry.union(
        words(
            """
            id class version viewBox preserveAspectRatio transform d points pathLength lang systemLanguage \
            requiredFeatures requiredExtensions \
            gradientUnits gradientTransform spreadMethod offset patternUnits patternContentUnits patternTransform \
            clipPathUnits maskUnits maskContentUnits markerUnits markerWidth markerHeight refX refY orient \
            dx dy rotate lengthAdjust textLength startOffset method spacing side \
            filterUnits primitiveUnits in in2 result mode type values tableValues slope intercept amplitude exponent \
            operator k1 k2 k3 k4 order kernelMatrix divisor bias targetX targetY edgeMode kernelUnitLength \
            preserveAlpha surfaceScale diffuseConstant specularConstant specularExponent azimuth elevation \
            pointsAtX pointsAtY pointsAtZ limitingConeAngle scale xChannelSelector yChannelSelector stdDeviation \
            radius baseFrequency numOctaves seed stitchTiles z \
            dur repeatCount repeatDur begin end min max restart fill calcMode keyTimes keySplines keyPoints \
            additive accumulate path
            """))

    /// Attributes of position and size; some are CSS properties as well.
    static let geometry: Set<String> = words("x y width height cx cy r rx ry fx fy fr x1 y1 x2 y2")

    /// CSS properties, allowed as attributes and in style sheets.
    static let properties: Set<String> = words(
        """
        alignment-baseline baseline-shift clip-path clip-rule color color-interpolation color-interpolation-filters \
        color-rendering direction display dominant-baseline fill fill-opacity fill-rule filter flood-color \
        flood-opacity font font-family font-feature-settings font-kerning font-size font-size-adjust font-stretch \
        font-style font-variant font-variant-caps font-variant-ligatures font-variant-numeric font-weight \
        glyph-orientation-vertical image-rendering isolation letter-spacing lighting-color line-height marker \
        marker-end marker-mid marker-start mask mask-type mix-blend-mode opacity overflow paint-order shape-rendering \
        stop-color stop-opacity stroke stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin \
        stroke-miterlimit stroke-opacity stroke-width text-anchor text-decoration text-decoration-color \
        text-decoration-line text-decoration-style text-orientation text-overflow text-rendering text-transform \
        transform-box transform-origin unicode-bidi vector-effect visibility white-space word-spacing writing-mode
        """)

    /// Properties whose values are checked as CSS values, in style sheets and in attributes.
    static let styles: Set<String> = properties.union(geometry).union(["transform"])

    /// Attributes and properties that an animation may change.
    static let animated: Set<String> = properties.union(geometry).union(
        words(
            """
            transform d points viewBox offset gradientTransform patternTransform startOffset dx dy rotate \
            stdDeviation baseFrequency scale radius values slope intercept amplitude exponent tableValues k1 k2 k3 k4 \
            azimuth elevation surfaceScale specularExponent specularConstant diffuseConstant refX refY orient \
            markerWidth markerHeight pathLength textLength z
            """))

    /// Attributes of an animation that hold values of the attribute that it changes.
    static let animatedValues: Set<String> = ["from", "to", "by", "values"]

    private static func words(_ text: String) -> Set<String> {
        Set(text.split(separator: " ").map(String.init))
    }
}
