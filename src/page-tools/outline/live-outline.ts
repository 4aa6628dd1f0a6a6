import { yieldToEventLoop } from '../../lib/yield-to-event-loop.ts'
import { closest, contains, isDisplayed, isElement, getParent, viewOf } from '../dom.ts'
import * as native from '../native.ts'
import type { PageOptions } from '../page.ts'
import { runInSlices } from '../waiting.ts'
import { once } from '../../lib/once.ts'
import { ariaModal, isUnreachable, isOutOfReach } from './visibility.ts'
import { recountRules } from './hover/on-hover.ts'
import { type Extent, MutationLog, numbersOf, shapeOf } from './mutation-log.ts'
import {
  isReordered,
  isText,
  nodesOf,
  type OutlineItem,
  type OutlineNode,
  signatureOf,
  pageContext,
  walk,
  type Walk,
  walkChildren,
  walkParts,
} from './walk.ts'
import { isReadable } from './region.ts'
import { isActionable } from './role.ts'
import { cut, quote } from '../clean-text.ts'
import { knownRef, lookUpRef } from '../refs.ts'

/** Longer texts are no clock. */
const TEXT_LIMIT = 200
const STATE = '\u0002'
/** Texts that an element must have shown by itself before any next text is expected. */
const MANY_TEXTS = 3
/** How far a change may be from its pace, in steps. */
const TOLERANCE = 1.5

interface Seen {
  text: string
  at: number
  /** Words, without numbers, that the element has shown by itself. */
  readonly shapes: Set<string>
  /** For each number, the slowest and the fastest pace per second, and the largest step. */
  paces: readonly Pace[]
}

interface Pace {
  readonly slowest: number
  readonly fastest: number
  readonly step: number
}

/**
 * Remembers the clocks, numbers and words that elements show by themselves while no action runs. Pace tells the effects
 * of an action apart: a clock that is set back didn't just run on.
 */
class OwnChanges {
  readonly #seen = new Map<Element, Seen>()

  readonly #log: MutationLog

  constructor(log: MutationLog) {
    this.#log = log
  }

  /** Call it before an action, before the changes since the last one are read. */
  begin(nodes: ReadonlyMap<Node, OutlineNode>): void {
    this.#log.noteVolatile()
    for (const element of this.#seen.keys())
      if (!this.#log.isVolatile(element)) this.#seen.delete(element)
    for (const node of this.#volatileOf(nodes))
      if (!this.#seen.has(node.element)) this.#note(node, this.#log.takenAt)
  }

  /** Call it once those changes are read. */
  note(nodes: ReadonlyMap<Node, OutlineNode>): void {
    for (const node of this.#volatileOf(nodes)) this.#note(node, performance.now())
    this.#log.beginAction()
  }

  /** Call it after an action: changes that it made say nothing of the element's own. */
  end(nodes: ReadonlyMap<Node, OutlineNode>): void {
    for (const node of this.#volatileOf(nodes)) this.#restart(node, performance.now())
    this.#log.endAction()
  }

  /** Whether a node may show the same without the action. */
  has(node: OutlineNode): boolean {
    const { element } = node
    if (this.#log.hasOnlyTicked(element)) return true
    return this.#log.isVolatile(element) && this.#isExpected(node, performance.now())
  }

  #volatileOf(nodes: ReadonlyMap<Node, OutlineNode>): OutlineNode[] {
    return [...this.#log.volatile].flatMap((element) => nodes.get(element) ?? [])
  }

  #note(node: OutlineNode, at: number): void {
    const text = textOf(node)
    const seen = this.#seen.get(node.element)
    if (!seen) {
      this.#seen.set(node.element, { text, at, shapes: new Set([shapeOf(text)]), paces: [] })
      return
    }
    if (text !== seen.text) learn(seen, text, (at - seen.at) / 1000)
    seen.text = text
    seen.at = at
  }

  #restart(node: OutlineNode, at: number): void {
    const seen = this.#seen.get(node.element)
    if (!seen) return
    seen.text = textOf(node)
    seen.at = at
  }

  #isExpected(node: OutlineNode, now: number): boolean {
    const seen = this.#seen.get(node.element)
    if (!seen) return false
    const text = textOf(node)
    const isSameState = text.split(STATE)[1] === seen.text.split(STATE)[1]
    if (seen.shapes.size >= MANY_TEXTS || this.#log.showsAnyText(node.element)) return isSameState
    const shape = shapeOf(text)
    if (shape !== shapeOf(seen.text)) return isSameState && seen.shapes.has(shape)
    const [before, after] = [numbersOf(seen.text), numbersOf(text)]
    const elapsed = (now - seen.at) / 1000
    return after.every((number, index) =>
      isInPace(number - (before[index] ?? 0), elapsed, seen.paces[index]),
    )
  }
}

function learn(seen: Seen, text: string, elapsed: number): void {
  const shape = shapeOf(text)
  if (seen.shapes.size < MANY_TEXTS) seen.shapes.add(shape)
  if (shape !== shapeOf(seen.text) || elapsed <= 0) return
  const before = numbersOf(seen.text)
  seen.paces = numbersOf(text).map((number, index) => {
    const change = number - (before[index] ?? 0)
    const pace = change / elapsed
    const was = seen.paces[index] ?? { slowest: pace, fastest: pace, step: 0 }
    return {
      slowest: Math.min(was.slowest, pace),
      fastest: Math.max(was.fastest, pace),
      // For numbers that change steadily, the step is the change in a second.
      step: Math.max(was.step, Math.abs(pace)),
    }
  })
}

function isInPace(change: number, elapsed: number, pace: Pace | undefined): boolean {
  if (change === 0) return true
  if (!pace || pace.step === 0) return false
  const slack = pace.step * TOLERANCE
  return change >= pace.slowest * elapsed - slack && change <= pace.fastest * elapsed + slack
}

function textOf(node: OutlineNode): string {
  let text = ''
  for (const { signature } of nodesOf(node)) {
    text += signature
    if (text.length > TEXT_LIMIT) break
  }
  return text.slice(0, TEXT_LIMIT)
}

/** The line that reports a removed node, as a snapshot showed it. */
function removalLine(removed: OutlineNode): string {
  const node =
    [...nodesOf(removed)].find(({ role, items }) => role || items.some(isText)) ?? removed
  const ref = knownRef(node.element)
  const text = node.name?.text || (ref && lookUpRef(ref)?.memory.name) || firstText(node)
  const label = [node.role || (text && 'text'), text && quote(cut(text, 80))]
    .filter(Boolean)
    .join(' ')
  return label && ref ? `${label} [ref=${ref}]` : label
}

function isInEditor(element: Element): boolean {
  return closest(element, '[contenteditable]') !== null
}

function firstText(node: OutlineNode): string {
  for (const inner of nodesOf(node)) {
    const text = ownText(inner)
    if (text) return text
  }
  return ''
}

/** The first text that is a direct child. */
function ownText({ items }: OutlineNode): string {
  for (const item of items) if (isText(item)) return item.text
  return ''
}

export interface Changes {
  readonly added: readonly OutlineNode[]
  readonly changed: readonly OutlineNode[]
  readonly removed: readonly Removal[]
  /** Nodes whose items are in another order. */
  readonly reordered: readonly OutlineNode[]
}

/** Beyond this many changed nodes, one walk of everything is cheaper than many small ones. */
const MAX_CHANGED_NODES = 60
const FIELDS = new Set(['input', 'textarea', 'select'])
/** Children of one element that are walked, with the usual budget. */
const LIST_LIMIT = 40

/**
 * The outline of a page, kept up to date: after the first walk, only the elements with mutations are walked
 * again, and the state of fields, which causes none, is compared.
 */
export class LiveOutline {
  readonly #options: PageOptions
  readonly #root: () => Element
  readonly #log = new MutationLog()
  /** The documents and shadow roots that were walked. */
  readonly trees: Set<Document | ShadowRoot> = new Set()
  #nodes = new Map<Element, OutlineNode>()
  /** Nodes behind a modal dialog: out of reach, not removed. */
  #behindModal = new Map<Element, OutlineNode>()
  #hidden = new Set<Element>()
  readonly #history = new ChangeHistory()
  readonly #ownChanges = new OwnChanges(this.#log)
  #top: OutlineNode | null = null
  #modal: Element | null = null
  #version = 0

  constructor(options: PageOptions, root: () => Element) {
    this.#options = options
    this.#root = root
  }

  /** Number of the last update; an argument of `changesSince`. */
  get version(): number {
    return this.#version
  }

  /** The native modal dialog that makes the rest of the page inert. */
  get modal(): Element | null {
    return this.#modal
  }

  /** Walks everything. Null when nothing is visible. */
  async rebuild(signal?: AbortSignal): Promise<OutlineNode | null> {
    const root = this.#root()
    recountRules()
    // A reading that is aborted has no outline: the next one walks everything, and finds its changes, too.
    this.#top = null
    this.#log.start()
    this.#hidden.clear()
    this.trees.clear()
    this.#modal = openModal(root)
    const context = pageContext(viewOf(root))
    this.#log.watch(native.ownerDocument(root))
    this.#top = await runInSlices(
      this.#modal
        ? walkParts(this.#walk(), root, {
            parts: this.#partsBeside(this.#modal, root),
            context,
          })
        : walk(this.#walk(), root, { parent: null, context }),
      signal,
    )
    await yieldToEventLoop()
    this.#update()
    return this.#top
  }

  /** Walks what may have changed, or everything if there was no walk before. */
  async refresh(signal?: AbortSignal): Promise<OutlineNode | null> {
    recountRules()
    const changed = this.#log.takeChanges()
    const top = this.#top
    if (
      !changed ||
      !top ||
      !native.isConnected(top.element) ||
      openModal(this.#root()) !== this.#modal
    )
      return this.rebuild(signal)
    const places = changedNodes(changed, { nodes: this.#nodes, hidden: this.#hidden })
    const isBehind = this.#modal !== null && places?.has(top)
    if (!places || isBehind || places.size > MAX_CHANGED_NODES) return this.rebuild(signal)
    this.#top = null
    for (const [node, extent] of places) {
      if (extent === 'all') await this.#walkAgain(node, signal)
      else if (!(await this.#walkChildren(node, signal))) return this.rebuild(signal)
    }
    this.#top = top
    const fields = this.#checkFields()
    if (fields === 'shown') return this.rebuild(signal)
    if (places.size > 0 || fields === 'changed') this.#update()
    return this.#top
  }

  changesSince(version: number): Changes {
    const added: OutlineNode[] = []
    const changed: OutlineNode[] = []
    for (const node of this.#nodes.values()) {
      if (node.addedAt > version) added.push(node)
      else if (node.changedAt > version) changed.push(node)
    }
    const reordered = this.#history
      .reorderedSince(version)
      .flatMap((element) => this.#nodes.get(element) ?? [])
    return {
      added,
      changed,
      removed: this.#history.removedSince(version),
      reordered: [...new Set(reordered)],
    }
  }

  /** Nodes that were hidden until hover when they were walked. */
  hiddenUntilHover(): OutlineNode[] {
    return [...this.#nodes.values()].filter(({ hoverHiding }) => hoverHiding !== null)
  }

  /** Whether the page had mutations since the last walk. */
  get hasChanges(): boolean {
    return this.#log.hasChanges
  }

  /** Updates the outline before an action. Changes since the last walk are recorded as the page's own. */
  async beginAction(signal?: AbortSignal): Promise<void> {
    this.#ownChanges.begin(this.#nodes)
    await this.refresh(signal)
    this.#ownChanges.note(this.#nodes)
  }

  /** Call it after an action, before waiting for its effects. */
  beginSettling(): void {
    this.#log.beginSettling()
  }

  /** Call it after an action's changes have been read for its result. */
  endAction(): void {
    this.#ownChanges.end(this.#nodes)
  }

  /** Whether all records concern elements that repeatedly change by themselves: a clock, a ticker, an animation. */
  changesByItself(records: readonly MutationRecord[]): boolean {
    return this.#log.changesByItself(records)
  }

  /** Whether the changes of a node since the last action began would have happened without it. */
  isOwnChange(node: OutlineNode): boolean {
    return this.#ownChanges.has(node)
  }

  release(): void {
    this.#log.release()
    this.#nodes.clear()
    this.#hidden.clear()
    this.trees.clear()
    this.#behindModal.clear()
    this.#history.clear()
    this.#top = null
    this.#modal = null
  }

  #walk(): Walk {
    return {
      options: this.#options,
      listLimit: LIST_LIMIT,
      from: null,
      steps: { count: 0 },
      onTree: (tree) => {
        this.trees.add(tree)
        this.#log.watch(tree)
      },
      onHidden: (element) => void this.#hidden.add(element),
    }
  }

  /** The modal dialog, with what people read beside it, although it is inert: toasts and open popovers. */
  #partsBeside(modal: Element, root: Element): Element[] {
    const parts = [modal]
    for (const one of native.querySelectorAll(root, LIVE)) {
      if (parts.some((part) => native.contains(part, one)) || !isReadable(one, this.#options))
        continue
      if (!native.checkVisibility(one)) this.#hidden.add(one)
      else if (native.textContent(one).trim()) parts.push(one)
    }
    return parts
  }

  async #walkAgain(node: OutlineNode, signal?: AbortSignal): Promise<void> {
    const { parent, element, context } = node
    if (!parent || !isInParent(node)) return
    const found = await runInSlices(walk(this.#walk(), element, { parent, context }), signal)
    const index = parent.items.indexOf(node)
    if (found) parent.items[index] = found
    else parent.items.splice(index, 1)
  }

  async #walkChildren(node: OutlineNode, signal?: AbortSignal): Promise<boolean> {
    if (!isInParent(node)) return true
    const { signature } = node
    const text = ownText(node)
    const before = [...node.items]
    if (!(await runInSlices(walkChildren(this.#walk(), node), signal))) return false
    this.#history.recordOrder(before, node, this.#version + 1)
    if (node.signature === signature) return true
    node.changedAt = this.#version + 1
    this.#history.recordTextRemoval(text, node, node.changedAt)
    return true
  }

  /** Checks changes without mutations: values, checked states and pure CSS. `shown`: everything must be walked. */
  #checkFields(): 'same' | 'changed' | 'shown' {
    for (const element of this.#hidden) {
      if (!native.isConnected(element)) this.#hidden.delete(element)
      else if (isRendered(element)) return 'shown'
    }
    let changed = false
    for (const node of this.#nodes.values()) {
      if (!isActionable(node.role)) continue
      const isRendered = node.hoverHiding !== 'unrendered'
      if (node.control === node.element && isDisplayed(node.element) !== isRendered) return 'shown'
      if (!FIELDS.has(native.localName(node.control))) continue
      const signature = signatureOf(node)
      if (signature === node.signature) continue
      changed = true
      node.signature = signature
      node.changedAt = this.#version + 1
    }
    return changed ? 'changed' : 'same'
  }

  #update(): void {
    this.#version += 1
    const before = this.#nodes
    this.#nodes = new Map()
    if (this.#top) for (const node of nodesOf(this.#top)) this.#track(node, before)
    const hasModal = once(() => ariaModal(native.ownerDocument(this.#root())) !== null)
    for (const node of before.values())
      if (!this.#nodes.has(node.element) && !this.#isOutOfReach(node, hasModal))
        this.#recordRemoval(node, before)
    for (const element of this.#behindModal.keys())
      if (!native.isConnected(element) || this.#nodes.has(element))
        this.#behindModal.delete(element)
    this.#history.trim()
  }

  #track(node: OutlineNode, before: ReadonlyMap<Element, OutlineNode>): void {
    const { element } = node
    this.#nodes.set(element, node)
    // Names depend on descendants and on labels elsewhere.
    node.name = null
    const was = before.get(element) ?? this.#behindModal.get(element)
    if (was === node) return
    const isShown = was && (was.role || !node.role) && (node.hoverHiding || !was.hoverHiding)
    node.addedAt = isShown ? was.addedAt : this.#version
    if (!was) return
    if (node.hoverHiding && !was.hoverHiding) {
      if (!node.parent?.hoverHiding) this.#history.recordRemoval(removalLine(was), this.#version)
      node.changedAt = was.changedAt
      return
    }
    node.changedAt = was.signature === node.signature ? was.changedAt : this.#version
    if (was.signature !== node.signature)
      this.#history.recordTextRemoval(ownText(was), node, this.#version)
    this.#history.recordOrder(was.items, node, this.#version)
  }

  /** Whether the node is behind a modal dialog, native or by ARIA: out of reach, not removed. */
  #isOutOfReach(node: OutlineNode, hasModal: () => boolean): boolean {
    const { element } = node
    const isBehind =
      native.isConnected(element) &&
      (this.#modal
        ? !contains(this.#modal, element)
        : isDisplayed(element) && isUnreachable(element) && hasModal())
    if (isBehind) this.#behindModal.set(element, node)
    return isBehind
  }

  #recordRemoval(node: OutlineNode, before: ReadonlyMap<Element, OutlineNode>): void {
    const { element, parent } = node
    // The walk skips elements outside of the shown part of a long list. They still exist.
    const isThere = native.isConnected(element) && (node.hoverHiding || isRendered(element))
    if (isThere && !native.closest(element, EXCLUDED)) return
    // Record only the topmost of the nodes that were removed together. Skip paragraphs of an editor: its value contains
    // them.
    if (parent && before.has(parent.element) && !this.#nodes.has(parent.element)) return
    if (!node.role && parent && isInEditor(parent.element)) return
    const line = removalLine(node)
    if (line) this.#history.recordRemoval(line, this.#version, parent?.element)
  }
}

/** Elements that the markup leaves out of an outline. */
const EXCLUDED = '[aria-hidden="true"],[inert],[data-offstage-ignore]'

/** False when the element was removed from the page, or its parent was walked again without it. */
function isInParent(node: OutlineNode): boolean {
  const { element, parent } = node
  return native.isConnected(element) && (parent === null || parent.items.includes(node))
}

function isRendered(element: Element): boolean {
  return (
    !native.matches(element, `${EXCLUDED},script,style,template`) &&
    native.checkVisibility(element) &&
    !isOutOfReach(element, viewOf(element).getComputedStyle(element))
  )
}

/** The modal dialog with the focus, which the one on top takes, else the last in the document. */
export function openModal(root: ParentNode): Element | null {
  const modals = [...native.querySelectorAll(root, 'dialog:modal')]
  return modals.findLast((one) => native.matches(one, ':focus-within')) ?? modals.at(-1) ?? null
}

const LIVE = '[role=status],[role=alert],[aria-live]:not([aria-live=off]),output,[popover]'

interface KnownElements {
  readonly nodes: ReadonlyMap<Element, OutlineNode>
  /** Elements that weren't rendered when they were walked. */
  readonly hidden: ReadonlySet<Element>
}

/**
 * The nodes that contain all changes, none inside another one that is walked whole; null when that is the
 * whole outline.
 */
function changedNodes(
  changed: ReadonlyMap<Node, Extent>,
  known: KnownElements,
): Map<OutlineNode, Extent> | null {
  const found = new Map<OutlineNode, Extent>()
  for (const [target, extent] of changed) {
    const node = nearestNode(target, known)
    if (node === null) continue
    if (!node) return null
    // A target without a node may have become visible: as a new child of the nearest node.
    const isAll = extent === 'all' && node.element === target
    if (isAll && !node.parent) return null
    if (isAll || !found.has(node)) found.set(node, isAll ? 'all' : 'children')
  }
  for (const node of found.keys())
    for (let at = node.parent; at; at = at.parent) if (found.get(at) === 'all') found.delete(node)
  return found
}

/** Null: the change is not visible. `undefined`: nothing around it is in the outline. */
function nearestNode(
  target: Node,
  { nodes, hidden }: KnownElements,
): OutlineNode | null | undefined {
  if (isElement(target) && closest(target, '[data-offstage-ignore]')) return null
  for (let at: Node | null = target; at; at = getParent(at)) {
    const node = isElement(at) && nodes.get(at)
    if (node) return node
    // Still hidden. An element that becomes visible is the target of a mutation, or inside of one.
    if (isElement(at) && at !== target && hidden.has(at) && !native.checkVisibility(at)) return null
  }
  return undefined
}

/** Entries of each kind to keep. */
const MAX_ENTRIES = 200

interface Removal {
  readonly at: number
  readonly line: string
  /** The element that it was in. */
  readonly around: Element | undefined
}

interface Reordering {
  readonly at: number
  readonly element: Element
}

/**
 * Changes that an outline no longer shows: removed nodes, and elements whose order was another one. Each entry has the
 * version of the outline that it came with.
 */
class ChangeHistory {
  #removals: Removal[] = []
  #reorderings: Reordering[] = []

  /** Removals in the order in which they were recorded. */
  removedSince(version: number): Removal[] {
    return this.#removals.filter(({ at }) => at > version)
  }

  reorderedSince(version: number): Element[] {
    return this.#reorderings.filter(({ at }) => at > version).map(({ element }) => element)
  }

  recordRemoval(line: string, at: number, around?: Element): void {
    this.#removals.push({ at, line, around })
  }

  /**
   * Records a text that an element lost. Only for wrappers, whose text has a line of its own. A paragraph of an editor
   * has none: the editor's value contains it.
   */
  recordTextRemoval(text: string, now: OutlineNode, at: number): void {
    if (text && !now.role && !ownText(now) && !isInEditor(now.element))
      this.recordRemoval(`text "${cut(text, 80)}"`, at, now.element)
  }

  /** Records the element if items of both lists are in another order. */
  recordOrder(before: readonly OutlineItem[], { element, items }: OutlineNode, at: number): void {
    if (isReordered(before, items)) this.#reorderings.push({ at, element })
  }

  /** Drops the oldest entries. */
  trim(): void {
    this.#removals = this.#removals.slice(-MAX_ENTRIES)
    this.#reorderings = this.#reorderings.slice(-MAX_ENTRIES)
  }

  clear(): void {
    this.#removals = []
    this.#reorderings = []
  }
}
