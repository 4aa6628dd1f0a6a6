/** More than values of rows have with what is around them. */
const MOST_LEVELS = 200

/** Whether a text has too many levels to be parsed: `JSON.parse` takes 18 s for 8 MB of `[`, and nothing else runs meanwhile. */
export function isTooDeep(text: string): boolean {
  const scan = createJsonScan()
  scan.push(text)
  return scan.maxDepth() > MOST_LEVELS
}

const QUOTE = 34
const BACKSLASH = 92
const OPEN_BRACKET = 91
const CLOSE_BRACKET = 93
const OPEN_BRACE = 123
const CLOSE_BRACE = 125

export interface JsonScan {
  /** Continues with the next piece. The pieces may be cut anywhere. */
  push(piece: string): void
  /** An object or array was opened and its last bracket is closed. */
  isComplete(): boolean
  /** Something was opened (a string too) that isn't closed. */
  isOpen(): boolean
  /** The deepest nesting seen. */
  maxDepth(): number
}

/**
 * Follows brackets and strings through JSON text as it comes, each character once. It validates
 * nothing: that an input is complete is proven by this, that it is right by `JSON.parse`.
 */
export function createJsonScan(): JsonScan {
  let depth = 0
  let deepest = 0
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
        if (code === QUOTE) inString = true
        else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
          depth++
          if (depth > deepest) deepest = depth
        } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
          depth--
          if (depth === 0) closed = true
        }
      }
    },
    isComplete: () => closed && depth === 0 && !inString,
    isOpen: () => depth > 0 || inString,
    maxDepth: () => deepest,
  }
}
