import { cleanText } from '../clean-text.ts'
import { ancestorsOf, parentOf } from '../dom.ts'
import { drawnParts } from '../generated-text.ts'
import * as native from '../native.ts'
import * as nativeDocument from '../native-document.ts'
import { LONGEST_SPLIT, maySplit } from './secret-matcher.ts'

const SHORTEST = 6
/** Shortest part to search alone. Shorter ones are found only if the whole value is in one line. */
const SHORTEST_PART = 4
/** Only this many of the newest values are searched. */
const MAX_VALUES = 3000
const LEVELS = 4
const SHOW_TEXT = 4

/**
 * Finds parts of values that the page shows split over several elements, or over an element and words of its style:
 * `<b>hunter2</b><a>-secret</a>`. `holders` are the elements that have the values.
 */
export function splitEchoes(
  trees: Iterable<ParentNode & Node>,
  values: readonly string[],
  holders: readonly Element[],
): ReadonlySet<string> {
  const found = new Set<string>()
  const index = indexOf(values)
  if (index.all.size === 0) return found
  const masked = new Set(holders)
  const drawn = new Map<Element, readonly string[]>()
  for (const tree of trees) {
    const document = native.ownerDocument(tree) ?? (tree as Document)
    const texts = nativeDocument.createTreeWalker(document, tree, SHOW_TEXT)
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      const value = native.nodeValue(node) ?? ''
      if (!mayHold(value, index) || isInOneOf(masked, node)) continue
      const text = squeeze(value)
      for (const secret of splitAround(node, index, drawn)) {
        const part = partOf(text, secret)
        if (part) found.add(part)
      }
    }
  }
  return found
}

function squeeze(text: string): string {
  return cleanText(text).replace(/[\s-]/g, '')
}

/** Secrets without their gaps, indexed to find those that a text may contain. */
interface Index {
  readonly all: ReadonlySet<string>
  /** Hashes of all runs of `SHORTEST_PART` characters in them. */
  readonly signs: ReadonlySet<number>
  /** Lengths of the secrets with this beginning. */
  readonly lengths: ReadonlyMap<string, ReadonlySet<number>>
}

/** The last index: on most pages, the values are those of the reading before. */
let last: { readonly values: readonly string[]; readonly index: Index } | undefined

function indexOf(values: readonly string[]): Index {
  const newest = values.filter(maySplit).slice(-MAX_VALUES)
  const isSame =
    last?.values.length === newest.length && last.values.every((value, at) => value === newest[at])
  if (!last || !isSame) last = { values: newest, index: makeIndex(newest) }
  return last.index
}

function makeIndex(values: readonly string[]): Index {
  const all = new Set(values.map(squeeze).filter(({ length }) => length >= SHORTEST))
  const signs = new Set<number>()
  const lengths = new Map<string, Set<number>>()
  for (const secret of all) {
    for (let at = 0; at + SHORTEST_PART <= secret.length; at += 1) signs.add(signAt(secret, at))
    const beginning = secret.slice(0, SHORTEST)
    const those = lengths.get(beginning)
    if (those) those.add(secret.length)
    else lengths.set(beginning, new Set([secret.length]))
  }
  return { all, signs, lengths }
}

/** Hash of the `SHORTEST_PART` characters that begin here. */
function signAt(text: string, at: number): number {
  let sign = 0
  for (let next = at; next < at + SHORTEST_PART; next += 1)
    sign = (sign * 61 + text.charCodeAt(next)) & 0x3fffffff
  return sign
}

/** Quick check: a part of a secret is at one end of a text, or is all of it. */
function mayHold(value: string, { signs }: Index): boolean {
  return [endOf(value, 1), endOf(value, -1)].some(
    (end) => end.length === SHORTEST_PART && signs.has(signAt(end, 0)),
  )
}

const LAST_OF_ASCII = 126
const SPACE = 32
const HYPHEN = 45

/** First characters of a squeezed text, or, backwards, its last ones. Most texts needn't be squeezed for that. */
function endOf(value: string, step: 1 | -1): string {
  let end = ''
  let at = step > 0 ? 0 : value.length - 1
  for (; at >= 0 && at < value.length && end.length < SHORTEST_PART; at += step) {
    const code = value.charCodeAt(at)
    if (code > LAST_OF_ASCII) {
      const text = squeeze(value)
      return step > 0 ? text.slice(0, SHORTEST_PART) : text.slice(-SHORTEST_PART)
    }
    if (code <= SPACE || code === HYPHEN) continue
    end = step > 0 ? end + value.charAt(at) : value.charAt(at) + end
  }
  return end
}

function isInOneOf(holders: ReadonlySet<Element>, node: Node): boolean {
  for (const around of ancestorsOf(node)) if (holders.has(around)) return true
  return false
}

/** The longest part of a secret at an end of a text. Null: the text has all of it, or none. */
function partOf(text: string, secret: string): string | null {
  if (text.includes(secret)) return null
  for (let length = Math.min(text.length, secret.length); length >= SHORTEST_PART; length -= 1)
    for (const part of [text.slice(0, length), text.slice(-length)])
      if (secret.includes(part)) return part
  return null
}

/** Secrets that the elements around a text show split over several texts. */
function splitAround(
  node: Node,
  index: Index,
  drawn: Map<Element, readonly string[]>,
): ReadonlySet<string> {
  const around = new Set<string>()
  let at = parentOf(node)
  for (let level = 0; at && level < LEVELS; level += 1, at = parentOf(at)) {
    // Search each element only once, for all texts in it.
    let split = drawn.get(at)
    if (!split) drawn.set(at, (split = splitIn(drawnParts(at).map(squeeze), index)))
    for (const secret of split) around.add(secret)
  }
  return around
}

function splitIn(parts: readonly string[], index: Index): readonly string[] {
  return [...acrossParts(parts, index)].filter((secret) =>
    parts
      .map((part) => (part.includes(secret) ? '\n' : part))
      .join('')
      .includes(secret),
  )
}

/** The secrets that begin in a part and end in another one. */
function acrossParts(parts: readonly string[], { all, lengths }: Index): ReadonlySet<string> {
  const found = new Set<string>()
  const text = parts.join('')
  let end = 0
  for (const part of parts) {
    end += part.length
    const stop = Math.min(end, text.length - SHORTEST + 1)
    for (let at = Math.max(end - part.length, end - LONGEST_SPLIT); at < stop; at += 1)
      for (const length of lengths.get(text.slice(at, at + SHORTEST)) ?? []) {
        const secret = text.slice(at, at + length)
        if (at + length > end && all.has(secret)) found.add(secret)
      }
  }
  return found
}
