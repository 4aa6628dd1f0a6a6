const QUOTE = 34
const BACKSLASH = 92
const COMMA = 44
/** The only bit in which `{` differs from `[`, and `}` from `]`. */
const BRACE_BIT = 32
const OPEN_BRACE = 123
const CLOSE_BRACE = 125

export interface JsonScan {
  /** Reads the next piece of the text. Pieces may be cut anywhere. */
  push(piece: string): void
  /** Whether the outermost object or array is closed. */
  isComplete(): boolean
  /** Whether an object, array or string is still open. */
  isOpen(): boolean
  /** The deepest nesting seen. */
  maxDepth(): number
  /** Upper bound of the number of values so far: one, plus one for each comma and open bracket. */
  maxValues(): number
}

/**
 * Tracks brackets and strings in JSON text as it arrives, reading each character once. Only tells whether
 * an input is complete; `JSON.parse` tells whether it is valid.
 */
export function createJsonScan(): JsonScan {
  let depth = 0
  let deepest = 0
  let values = 1
  let closed = false
  let inString = false
  let escaped = false

  function skipString(piece: string, from: number): number {
    for (let at = from; at < piece.length; at++) {
      const code = piece.charCodeAt(at)
      if (escaped) escaped = false
      else if (code === BACKSLASH) escaped = true
      else if (code === QUOTE) {
        inString = false
        return at + 1
      }
    }
    return piece.length
  }

  return {
    push(piece) {
      let at = 0
      while (at < piece.length) {
        if (inString) {
          at = skipString(piece, at)
          continue
        }
        const code = piece.charCodeAt(at++)
        const brace = code | BRACE_BIT
        if (code === QUOTE) inString = true
        else if (code === COMMA) values++
        else if (brace === OPEN_BRACE) {
          values++
          depth++
          if (depth > deepest) deepest = depth
        } else if (brace === CLOSE_BRACE) {
          depth--
          if (depth === 0) closed = true
        }
      }
    },
    isComplete: () => closed && depth === 0 && !inString,
    isOpen: () => depth > 0 || inString,
    maxDepth: () => deepest,
    maxValues: () => values,
  }
}
