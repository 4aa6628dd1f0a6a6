/** The pattern of a number as browsers write it in computed styles: `-0.5`, `1e-06`. */
export const CSS_NUMBER = '[-+]?(?:\\d*\\.)?\\d+(?:e[-+]?\\d+)?'
