import { cleanText } from '../clean-text.ts'
import { parentOf } from '../dom.ts'
import { drawnParts } from '../generated-text.ts'
import * as native from '../native.ts'
import * as nativeDocument from '../native-document.ts'
import { maySplit } from './secret-patterns.ts'

const SHORTEST = 6
/** Shorter parts are looked for in a line only, where all of them stand. */
const SHORTEST_PART = 4
/** The newest ones. */
const MAX_VALUES = 50
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
  const all = secrets.join('\n')
  for (const tree of trees) {
    const document = native.ownerDocument(tree) ?? (tree as Document)
    const texts = nativeDocument.createTreeWalker(document, tree, SHOW_TEXT)
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      const text = squeeze(native.nodeValue(node) ?? '')
      if (text.length < SHORTEST_PART || !mayHoldPart(text, all)) continue
      if (holders.some((holder) => native.contains(holder, node))) continue
      for (const secret of secrets) {
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

/** A quick check: a part is at one end of a text, or all of it. */
function mayHoldPart(text: string, secrets: string): boolean {
  return (
    secrets.includes(text.slice(0, SHORTEST_PART)) || secrets.includes(text.slice(-SHORTEST_PART))
  )
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
