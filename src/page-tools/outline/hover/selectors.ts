// Reads selectors as text, to find the part of each that needs the pointer or the focus.

const DYNAMIC = /(?<!\\):(?:hover|focus-within|focus-visible|focus)(?![\w-])/g
/** Matches everything, wherever a pseudo-class may stand. */
const ALWAYS = ':not(x-offstage-none)'
const WITH_SELECTORS = /^:(is|where|not|matches|-webkit-any|-moz-any)\($/

/** The selectors of a list: `a:is(b, c), d` are two. */
export function selectorsOf(list: string): readonly string[] {
  const selectors: string[] = []
  let start = 0
  for (const { at, character } of outsideOfBrackets(list)) {
    if (character !== ',') continue
    selectors.push(list.slice(start, at).trim())
    start = at + 1
  }
  return [...selectors, list.slice(start).trim()].filter(Boolean)
}

/**
 * Rewrites a selector to match while the pointer, or the focus, is where it asks for: `.row:hover .menu` then matches
 * like `.row .menu`. Changes only the parts around the element itself: an element that isn't displayed can't be pointed
 * at.
 */
export function asHovered(selector: string): string {
  const [around, subject] = splitSubject(selector)
  return around.replace(DYNAMIC, ALWAYS) + subjectAsHovered(subject)
}

/** Whether the selector depends on the pointer or the focus. */
export function isDynamic(selector: string): boolean {
  return selector.search(DYNAMIC) >= 0
}

/** Splits off the last part, which describes the element itself. */
function splitSubject(selector: string): readonly [string, string] {
  let start = 0
  for (const { at, character } of outsideOfBrackets(selector))
    if (/[\s>+~]/.test(character)) start = at + 1
  return [selector.slice(0, start), selector.slice(start)]
}

function subjectAsHovered(subject: string): string {
  let text = ''
  let start = 0
  for (const { from, open, close } of calls(subject)) {
    if (!WITH_SELECTORS.test(subject.slice(from, open + 1))) continue
    const inner = selectorsOf(subject.slice(open + 1, close))
      .map(asHovered)
      .join(', ')
    text += `${subject.slice(start, open + 1)}${inner})`
    start = close + 1
  }
  return text + subject.slice(start)
}

interface Call {
  /** Indexes of the call's colon, its opening bracket and its closing bracket. */
  readonly from: number
  readonly open: number
  readonly close: number
}

/** The outermost pseudo-classes with arguments. */
export function calls(compound: string): readonly Call[] {
  const found: Call[] = []
  let end = -1
  for (const match of compound.matchAll(/(?<!\\)::?[\w-]+\(/g)) {
    if (match.index < end) continue
    const open = match.index + match[0].length - 1
    end = closingBracket(compound, open)
    found.push({ from: match.index, open, close: end })
  }
  return found
}

function closingBracket(text: string, open: number): number {
  let depth = 0
  for (const { at, character } of characters(text)) {
    if (at < open) continue
    if (character === '(') depth += 1
    if (character === ')') depth -= 1
    if (depth === 0) return at
  }
  return text.length
}

interface Character {
  readonly at: number
  readonly character: string
}

/** Characters that are neither in a string nor escaped. */
function* characters(text: string): Generator<Character> {
  let quote = ''
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? ''
    if (character === '\\') at += 1
    else if (quote) quote = character === quote ? '' : quote
    else if (character === '"' || character === "'") quote = character
    else yield { at, character }
  }
}

function* outsideOfBrackets(text: string): Generator<Character> {
  let depth = 0
  for (const one of characters(text)) {
    if (/[([]/.test(one.character)) depth += 1
    else if (/[)\]]/.test(one.character)) depth -= 1
    else if (depth === 0) yield one
  }
}
