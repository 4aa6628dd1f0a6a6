import { cleanText } from '../clean-text.ts'
import { isElement, isTag } from '../dom.ts'
import * as native from '../native.ts'
import { ANY_PHRASE_LABEL, LEAST_WORDS, PHRASE_LABEL, phraseWordsIn } from './phrase-words.ts'

/** How far behind its label a phrase begins. Characters. */
const REACH = 800
const LEVELS = 3
const TEXT_INPUT = /^(text|password|search)$/
const WITHOUT_TEXT = /^(script|style|template|noscript|select|svg)$/

let parts = new WeakSet<Element>()

/** Whether the element holds a word of a recovery phrase, or a field for one. */
export function isPhrasePart(element: Element): boolean {
  return parts.has(element)
}

/** Looks for recovery phrases anew: words, chips, cells or fields behind what names them. Called before a page is told of. */
export function findPhrases(trees: Iterable<Document | ShadowRoot>): void {
  parts = new WeakSet()
  for (const tree of trees) {
    const root = 'documentElement' in tree ? tree.documentElement : tree
    if (root && ANY_PHRASE_LABEL.test(native.textContent(root) ?? '')) findIn(root)
  }
}

interface Word {
  readonly holder: Element
  /** Words of one phrase stand in equal places. */
  readonly place: string
}

function findIn(root: Element | ShadowRoot): void {
  let reach = 0
  let run: Word[] = []
  const end = (): void => {
    if (run.length >= LEAST_WORDS) addParts(run)
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
  const nodes = native.ownerDocument(root).createTreeWalker(root, SHOW_ELEMENTS_AND_TEXTS)
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
    const label = [...text.matchAll(PHRASE_LABEL)].at(-1)
    if (label) {
      end()
      reach = REACH
    }
    const rest = label ? text.slice(label.index + label[0].length).trim() : text
    if (reach > 0 && rest) add(holder, rest)
  }
  end()
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
function addParts(run: readonly Word[]): void {
  const counts = new Map<string, number>()
  for (const { place } of run) counts.set(place, (counts.get(place) ?? 0) + 1)
  const [most] = [...counts].toSorted(([, one], [, other]) => other - one)
  if (!most || most[1] < LEAST_WORDS) return
  for (const { holder, place } of run) if (place === most[0]) addPart(holder)
}

/** With what is only around it: the button of a word in a span. */
function addPart(holder: Element): void {
  const textContent = native.textContent(holder)
  let at: Element | null = holder
  for (let level = 0; at && level < LEVELS; level += 1, at = native.parentElement(at)) {
    if (native.textContent(at)?.trim() !== textContent?.trim() || native.localName(at) === 'body')
      break
    parts.add(at)
    if (textContent === '') break
  }
}
