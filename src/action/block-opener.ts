/** Most characters of an opener. With longer attributes, it is text. */
const maxOpenerLength = 300

const canonical = '<ACTION'

/** An `<ACTION …>` opener; `end` is after its `>`. */
export interface Opener {
  readonly end: number
  readonly selfClosing: boolean
  /** The name as it is spelled here. The closer may be spelled the same way. */
  readonly name: string
}

/**
 * R1: the opener that starts at `at`; `'partial'` while more input may complete it. An opener in another
 * letter case counts only at the start of a line, with a tag directly after it.
 */
export function matchOpener(
  text: string,
  at: number,
  lineStart: boolean,
): Opener | 'partial' | undefined {
  const written = text.slice(at, at + canonical.length)
  const exact = canonical.startsWith(written)
  if (!exact && !(lineStart && canonical.startsWith(written.toUpperCase()))) return undefined
  if (written.length < canonical.length) return 'partial'
  const opener = matchRest(text, at)
  if (opener === undefined || opener === 'partial' || exact) return opener
  return isFollowedByTag(text, opener.end) ? opener : waitsForTag(text, opener.end)
}

function matchRest(text: string, at: number): Opener | 'partial' | undefined {
  const rest = text.slice(at + canonical.length, at + maxOpenerLength)
  const whole = /^(?:\s+[\w:.-]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'<>]+))?)*\s*(\/?)>/.exec(rest)
  if (whole) {
    const end = at + canonical.length + whole[0].length
    return { end, selfClosing: whole[1] === '/', name: text.slice(at + 1, at + canonical.length) }
  }
  if (at + maxOpenerLength <= text.length) return undefined
  return isPartialRest(rest) ? 'partial' : undefined
}

function isPartialRest(rest: string): boolean {
  return /^(?:\s+[\w:.-]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'<>]+))?)*(?:\s+(?:[\w:.-]+(?:\s*=\s*(?:"[^"]*|'[^']*|[^\s"'<>]*)?)?)?|\s*\/?)$/.test(
    rest,
  )
}

function isFollowedByTag(text: string, at: number): boolean {
  return /^\s*<[A-Za-z_!]/.test(text.slice(at, at + 200))
}

function waitsForTag(text: string, at: number): 'partial' | undefined {
  return text.length - at < 200 && /^\s*<?$/.test(text.slice(at)) ? 'partial' : undefined
}
