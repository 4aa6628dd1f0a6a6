import { cleanText } from '../clean-text.ts'
import { ancestorsOf, parentOf } from '../dom.ts'
import { drawnParts } from '../generated-text.ts'
import * as native from '../native.ts'
import * as nativeDocument from '../native-document.ts'
import { maySplit } from './secret-patterns.ts'

const SHORTEST = 6
/** Shorter parts are looked for in a line only, where all of them stand. */
const SHORTEST_PART = 4
/** The newest ones. */
const MAX_VALUES = 3000
const LEVELS = 4
const SHOW_TEXT = 4

/**
 * Parts of values that the page shows split over several elements, or over an element and what its style writes into
 * it: `<b>hunter2</b><a>-secret</a>`. `holders` are the elements that have the values.
 */
export function splitEchoes(
  trees: Iterable<ParentNode & Node>,
  values: readonly string[],
  holders: readonly Element[],
): ReadonlySet<string> {
  const secrets = values
    .filter(maySplit)
    .slice(-MAX_VALUES)
    .map(squeeze)
    .filter(({ length }) => length >= SHORTEST)
  const found = new Set<string>()
  if (secrets.length === 0) return found
  const bySign = signsOf(secrets)
  const masked = new Set(holders)
  for (const tree of trees) {
    const document = native.ownerDocument(tree) ?? (tree as Document)
    const texts = nativeDocument.createTreeWalker(document, tree, SHOW_TEXT)
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      const text = squeeze(native.nodeValue(node) ?? '')
      const likely = text.length < SHORTEST_PART ? [] : mayHold(text, bySign)
      if (likely.length === 0 || isInOneOf(masked, node)) continue
      for (const secret of likely) {
        const part = partOf(text, secret)
        if (part && isDrawnSplit(node, secret)) found.add(part)
      }
    }
  }
  return found
}

function squeeze(text: string): string {
  return cleanText(text).replace(/[\s-]/g, '')
}

/** The secrets by each few characters in them. */
function signsOf(secrets: readonly string[]): ReadonlyMap<string, Set<string>> {
  const bySign = new Map<string, Set<string>>()
  for (const secret of secrets)
    for (let at = 0; at + SHORTEST_PART <= secret.length; at += 1) {
      const sign = secret.slice(at, at + SHORTEST_PART)
      const those = bySign.get(sign)
      if (those) those.add(secret)
      else bySign.set(sign, new Set([secret]))
    }
  return bySign
}

/** A quick check: a part is at one end of a text, or all of it. */
function mayHold(text: string, bySign: ReadonlyMap<string, Set<string>>): readonly string[] {
  const ends = [text.slice(0, SHORTEST_PART), text.slice(-SHORTEST_PART)]
  return [...new Set(ends.flatMap((end) => [...(bySign.get(end) ?? [])]))]
}

function isInOneOf(holders: ReadonlySet<Element>, node: Node): boolean {
  for (const around of ancestorsOf(node)) if (holders.has(around)) return true
  return false
}

/** The longest part of a secret at an end of a text; null when the text has all of it, or none. */
function partOf(text: string, secret: string): string | null {
  if (text.includes(secret)) return null
  for (let length = Math.min(text.length, secret.length); length >= SHORTEST_PART; length -= 1)
    for (const part of [text.slice(0, length), text.slice(-length)])
      if (secret.includes(part)) return part
  return null
}

/** Whether what is drawn around the text has the secret over several texts. */
function isDrawnSplit(node: Node, secret: string): boolean {
  let at = parentOf(node)
  for (let level = 0; at && level < LEVELS; level += 1, at = parentOf(at)) {
    const parts = drawnParts(at).map(squeeze)
    const split = parts.map((part) => (part.includes(secret) ? '\n' : part)).join('')
    if (split.includes(secret)) return true
  }
  return false
}
