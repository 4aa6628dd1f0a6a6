import * as native from '../native.ts'
import * as nativeDocument from '../native-document.ts'
import type { Changes } from '../outline/live-outline.ts'
import type { LivePage } from '../outline/live-page.ts'
import { runSync } from '../waiting.ts'
import { buildEntries } from './build-entries.ts'
import { once } from '../../lib/once.ts'
import { type Entry, noEntries, ONE_LINE, textEntry } from './entry.ts'
import { fit } from './fit.ts'
import { headOf, NAME_LIMIT as SHOWN_NAME_LIMIT, VALUE_LIMIT } from './line.ts'
import { elementsIn, isText, nodesOf, type OutlineNode } from '../outline/outline-node.ts'
import { readableText, shownText } from './readable-text.ts'
import { isNamedByContent } from '../outline/role.ts'
import { forgetLayers } from '../sight/layers.ts'
import { quote, shorten } from '../clean-text.ts'
import type { PageOptions } from '../options.ts'

const SHOWN = 12
const ORDER_TEXT_LIMIT = 40

/** The line that reports a new order: the texts of the node's elements in that order. */
function orderLine(node: OutlineNode, options: PageOptions): string {
  const texts = elementsIn(node.items)
    .map((element) => readableText(element, options))
    .filter(Boolean)
  const shown = texts.slice(0, SHOWN).map((text) => quote(shorten(text, ORDER_TEXT_LIMIT)))
  const rest = texts.length > SHOWN ? ` and ${texts.length - SHOWN} more` : ''
  return `<changed> order in ${headOf(holderOf(node), options)}: ${shown.join(', ')}${rest}`
}

/** The nearest node with a role: the list or table, when the rows are in a wrapper. */
function holderOf(node: OutlineNode): OutlineNode {
  for (let at: OutlineNode | null = node; at; at = at.parent) if (at.role) return at
  return node
}

const TEXT_LIMIT = 240
const NAME_LIMIT = 60

export interface ChangesOptions {
  readonly maxTokens: number
  /** Also includes volatile elements, which change without an action. */
  readonly includeVolatile: boolean
}

/**
 * Text of what was added, changed and removed since a version of the outline, with `<new>`, `<changed>` and `<removed>`
 * before the lines. Empty: nothing.
 */
export function changesText(
  live: LivePage,
  since: number,
  { maxTokens, includeVolatile }: ChangesOptions,
): string {
  forgetLayers()
  const { added: allAdded, changed: all, removed, reordered } = live.outline.changesSince(since)
  const own = includeVolatile ? NONE : ownChanges(live, { added: allAdded, changed: all })
  const changed = all.filter((node) => !own.has(node.element))
  const added = allAdded.filter((node) => !isIn(node, own))
  const isNew = new Set(added)
  const tops = added.filter(({ parent }) => !parent || !isNew.has(parent))
  const fresh = new Set(tops.filter((node) => hasParts(node) || reportedNode(node) === node))
  const texts = tops.filter((node) => !fresh.has(node) && hasText(node))
  const different = new Set(
    [...texts, ...changed].map(reportedNode).filter((node) => !isNew.has(node)),
  )
  const entries = [
    ...[...fresh].flatMap((node) => entriesFor(node, live, '<new>')),
    ...[...different].flatMap((node) => ownEntries(node, entriesFor(node, live, '<changed>'))),
    ...reordered.map((node) =>
      textEntry(
        once(() => orderLine(node, live.options)),
        { node, parent: null },
      ),
    ),
    ...removed.flatMap(({ line, around }) => (around && own.has(around) ? [] : removedEntry(line))),
  ]
  const seen = new Set<Element>()
  const unique = entries.filter(
    ({ element, node }) => !node || (!seen.has(element) && seen.add(element)),
  )
  return unique.length > 0
    ? runSync(fit(unique, { maxTokens, from: null, longest: TEXT_LIMIT }))
    : ''
}

const NONE: ReadonlySet<Element> = new Set()

/** Elements that change by themselves, and would have changed the same way without the action. */
function ownChanges(
  { outline }: LivePage,
  { added, changed }: Pick<Changes, 'added' | 'changed'>,
): ReadonlySet<Element> {
  const parents = added.flatMap(({ parent }) => parent ?? [])
  const nodes = new Set([...changed, ...parents])
  return new Set(
    [...nodes].filter((node) => outline.isOwnChange(node)).map(({ element }) => element),
  )
}

function isIn({ parent }: OutlineNode, own: ReadonlySet<Element>): boolean {
  for (let at = parent; at; at = at.parent) if (own.has(at.element)) return true
  return false
}

/** Entries of an element's own line. A change of a wrapper concerns the texts directly in it. */
function ownEntries(node: OutlineNode, entries: readonly Entry[]): readonly Entry[] {
  if (node.role || node.clickable) return entries.slice(0, 1)
  return entries.filter((entry) => !entry.node && entry.element === node.element)
}

/** Whether any node in it has a line of its own. */
function hasParts(node: OutlineNode): boolean {
  return [...nodesOf(node)].some(({ role, clickable }) => role || clickable)
}

/** Whether it holds text. Some libraries add empty wrappers to buttons for their ripples. */
function hasText(node: OutlineNode): boolean {
  return [...nodesOf(node)].some(({ items }) => items.some(isText))
}

/** Whether it is an editor with a text that is short enough for its own line. */
function isShortField({ role, element }: OutlineNode): boolean {
  return role === 'textbox' && native.textContent(element).length <= VALUE_LIMIT
}

/** Roles that are shown in one line: a change of a text inside is a change of the element. */
const ONE_LINE_ROLES = /^(row|listitem|status|alert|cell|gridcell|columnheader|rowheader)$/

/**
 * The node to report for a change: a text inside a button is part of the button's name, so the button
 * changed.
 */
function reportedNode(node: OutlineNode): OutlineNode {
  for (let at: OutlineNode | null = node; at; at = at.parent) {
    if (
      isNamedByContent(at.role) ||
      at.clickable ||
      ONE_LINE_ROLES.test(at.role) ||
      isShortField(at)
    )
      return at
    if (at.role && at.role !== 'img') break
  }
  return node
}

function entriesFor(node: OutlineNode, live: LivePage, mark: string): readonly Entry[] {
  const limits = { name: SHOWN_NAME_LIMIT, text: TEXT_LIMIT }
  const entries = buildEntries(node, null, { options: live.options, limits })
  for (const entry of entries) {
    const { line } = entry
    const isNew = mark === '<new>'
    const place = isNew || !entry.node ? containerNote(node, live) : ''
    entry.line = (shorter) => {
      const shown = line(shorter)
      return `${mark} ${isNew ? shown : withText(node, shown, live)}${place}`
    }
    if (mark === '<changed>') entry.children = ownLines(entry)
  }
  return entries
}

/** Adds the text to the line of an element without name or value. */
function withText(node: OutlineNode, line: string, { options }: LivePage): string {
  if (node.masked || /"|: /.test(line)) return line
  const text = readableText(node.element, options)
  if (!text || text.length > NAME_LIMIT) return line
  return `${line}: ${shownText(node.element, options)}`
}

/** Only the lines of its own texts: nodes inside it are compared separately. */
function ownLines({ children }: Entry): Entry['children'] {
  return once(() => children().filter(({ node }) => !node))
}

/** The nearest list, dialog or region around a new element. */
function containerNote(node: OutlineNode, { options }: LivePage): string {
  for (let at = node.parent; at; at = at.parent)
    if (at.role && at.role !== 'listitem') return ` (in ${headOf(at, options)})`
  return ''
}

function removedEntry(line: string): Entry {
  return {
    parent: null,
    node: null,
    children: noEntries,
    inView: true,
    holdsView: true,
    popup: false,
    isOmission: false,
    size: () => ONE_LINE,
    element: nativeDocument.documentElement(document),
    line: () => `<removed> ${line}`,
  }
}
