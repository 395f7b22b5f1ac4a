"""The look: colors, sizes, fonts, icons, style and style sheets, in light, dark and high contrast."""
