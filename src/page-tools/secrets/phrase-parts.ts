import { cleanText } from '../clean-text.ts'
import { isElement, isTag } from '../dom.ts'
import {
  ANY_PHRASE_LABEL,
  LEAST_WORDS,
  mayHaveLabel,
  PHRASE_LABEL,
  phraseWordsIn,
} from './phrase-words.ts'
import * as native from '../native.ts'
import * as nativeDocument from '../native-document.ts'

/** How far behind its label a phrase begins. Characters. */
const REACH = 800
const LEVELS = 3
const TEXT_INPUT = /^(text|password|search)$/
const WITHOUT_TEXT = /^(script|style|template|noscript|select|svg)$/

/** A search of one tree. It counts until the next one of that tree: two readings at once may be of different trees. */
interface Search {
  isNewest: boolean
}

const searches = new WeakMap<Document | ShadowRoot, Search>()
const parts = new WeakMap<Element, Search>()

/** Whether the element holds a word of a recovery phrase, or a field for one. */
export function isPhrasePart(element: Element): boolean {
  const search = parts.get(element)
  if (!search) return false
  // A reading may still tell of what was removed meanwhile, where no later search finds it.
  return search.isNewest || !native.isConnected(element)
}

/** Looks for recovery phrases anew: words, chips, cells or fields behind what names them. Called before a page is told of. */
export function findPhrases(trees: Iterable<Document | ShadowRoot>): void {
  for (const tree of trees) {
    const before = searches.get(tree)
    if (before) before.isNewest = false
    const search = { isNewest: true }
    searches.set(tree, search)
    const root =
      native.nodeType(tree) === 9
        ? nativeDocument.documentElement(tree as Document)
        : (tree as ShadowRoot)
    const text = root ? (native.textContent(root) ?? '') : ''
    if (root && mayHaveLabel(text) && ANY_PHRASE_LABEL().test(text))
      for (const part of partsIn(root)) parts.set(part, search)
  }
}

interface Word {
  readonly holder: Element
  /** Words of one phrase stand in equal places. */
  readonly place: string
}

function partsIn(root: Element | ShadowRoot): Element[] {
  const found: Element[] = []
  let reach = 0
  let run: Word[] = []
  const end = (): void => {
    if (run.length >= LEAST_WORDS) found.push(...partsOf(run))
    run = []
  }
  const add = (holder: Element, text: string): void => {
    const words = phraseWordsIn(text)
    if (words) for (const _ of words) run.push({ holder, place: placeOf(holder) })
    else {
      if (run.length === 0) reach -= text.length
      end()
    }
  }
  const nodes = nativeDocument.createTreeWalker(
    native.ownerDocument(root),
    root,
    SHOW_ELEMENTS_AND_TEXTS,
  )
  for (let node = nodes.nextNode(); node; node = nodes.nextNode()) {
    if (isElement(node)) {
      const value = reach > 0 ? valueOf(node) : null
      if (value === null) continue
      if (value === '') run.push({ holder: node, place: placeOf(node) })
      else add(node, value)
      continue
    }
    const holder = native.parentElement(node)
    const text = cleanText(native.nodeValue(node) ?? '')
    if (!text || !holder || WITHOUT_TEXT.test(native.localName(holder))) continue
    const label = [...text.matchAll(PHRASE_LABEL())].at(-1)
    if (label) {
      end()
      reach = REACH
    }
    const rest = label ? text.slice(label.index + label[0].length).trim() : text
    if (reach > 0 && rest) add(holder, rest)
  }
  end()
  return found
}

const SHOW_ELEMENTS_AND_TEXTS = 5

/** Of a field for words; null for other elements. */
function valueOf(element: Element): string | null {
  if (isTag(element, 'input')) return TEXT_INPUT.test(element.type) ? element.value.trim() : null
  return isTag(element, 'textarea') ? element.value.trim() : null
}

function placeOf(element: Element): string {
  const parent = native.parentElement(element)
  return `${parent ? native.localName(parent) : ''} ${native.localName(element)}`
}

/** Of a run, what most words are in: a button for copying may stand beside them. */
function partsOf(run: readonly Word[]): Element[] {
  const counts = new Map<string, number>()
  for (const { place } of run) counts.set(place, (counts.get(place) ?? 0) + 1)
  const [most] = [...counts].toSorted(([, one], [, other]) => other - one)
  if (!most || most[1] < LEAST_WORDS) return []
  return run.flatMap(({ holder, place }) => (place === most[0] ? partsAround(holder) : []))
}

/** With what is only around it: the button of a word in a span. */
function partsAround(holder: Element): Element[] {
  const found: Element[] = []
  const textContent = native.textContent(holder)
  let at: Element | null = holder
  for (let level = 0; at && level < LEVELS; level += 1, at = native.parentElement(at)) {
    if (native.textContent(at)?.trim() !== textContent?.trim() || native.localName(at) === 'body')
      break
    found.push(at)
    if (textContent === '') break
  }
  return found
}
