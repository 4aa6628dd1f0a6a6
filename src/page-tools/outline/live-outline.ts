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
/** Number of texts, shown by an element itself, after which any further text is expected. */
const MANY_TEXTS = 3
/** How far a number may deviate from its pace, in steps. */
const TOLERANCE = 1.5

interface TextHistory {
  text: string
  at: number
  /** Words, without numbers, that the element has shown by itself. */
  readonly shapes: Set<string>
  /** Slowest and fastest pace per second, and largest step, of each number. */
  paces: readonly Pace[]
}

interface Pace {
  readonly slowest: number
  readonly fastest: number
  readonly step: number
}

/**
 * Remembers the clocks, numbers and words that elements show by themselves while no action runs. Pace reveals the
 * effects of an action: a clock that was set back hasn't just kept running.
 */
class OwnChanges {
  readonly #histories = new Map<Element, TextHistory>()

  readonly #log: MutationLog

  constructor(log: MutationLog) {
    this.#log = log
  }

  /** Call it before an action, before the changes since the last action are read. */
  begin(nodes: ReadonlyMap<Node, OutlineNode>): void {
    this.#log.noteVolatile()
    for (const element of this.#histories.keys())
      if (!this.#log.isVolatile(element)) this.#histories.delete(element)
    for (const node of this.#findVolatile(nodes))
      if (!this.#histories.has(node.element)) this.#recordText(node, this.#log.takenAt)
  }

  /** Call it once the changes before an action are read. */
  note(nodes: ReadonlyMap<Node, OutlineNode>): void {
    for (const node of this.#findVolatile(nodes)) this.#recordText(node, performance.now())
    this.#log.beginAction()
  }

  /** Call it after an action, whose changes say nothing about the element's own changes. */
  end(nodes: ReadonlyMap<Node, OutlineNode>): void {
    for (const node of this.#findVolatile(nodes)) this.#restart(node, performance.now())
    this.#log.endAction()
  }

  /** Whether a node might show the same if the action hadn't run. */
  has(node: OutlineNode): boolean {
    const { element } = node
    if (this.#log.hasOnlyTicked(element)) return true
    return this.#log.isVolatile(element) && this.#isExpected(node, performance.now())
  }

  #findVolatile(nodes: ReadonlyMap<Node, OutlineNode>): OutlineNode[] {
    return [...this.#log.volatile].flatMap((element) => nodes.get(element) ?? [])
  }

  #recordText(node: OutlineNode, at: number): void {
    const text = getSignatureText(node)
    const history = this.#histories.get(node.element)
    if (!history) {
      this.#histories.set(node.element, { text, at, shapes: new Set([shapeOf(text)]), paces: [] })
      return
    }
    if (text !== history.text) learnPace(history, text, (at - history.at) / 1000)
    history.text = text
    history.at = at
  }

  #restart(node: OutlineNode, at: number): void {
    const history = this.#histories.get(node.element)
    if (!history) return
    history.text = getSignatureText(node)
    history.at = at
  }

  #isExpected(node: OutlineNode, now: number): boolean {
    const entry = this.#histories.get(node.element)
    if (!entry) return false
    const text = getSignatureText(node)
    const isSameState = text.split(STATE)[1] === entry.text.split(STATE)[1]
    if (entry.shapes.size >= MANY_TEXTS || this.#log.showsAnyText(node.element)) return isSameState
    const shape = shapeOf(text)
    if (shape !== shapeOf(entry.text)) return isSameState && entry.shapes.has(shape)
    const [before, after] = [numbersOf(entry.text), numbersOf(text)]
    const elapsed = (now - entry.at) / 1000
    return after.every((number, index) =>
      isInPace(number - (before[index] ?? 0), elapsed, entry.paces[index]),
    )
  }
}

function learnPace(history: TextHistory, text: string, elapsed: number): void {
  const shape = shapeOf(text)
  if (history.shapes.size < MANY_TEXTS) history.shapes.add(shape)
  if (shape !== shapeOf(history.text) || elapsed <= 0) return
  const before = numbersOf(history.text)
  history.paces = numbersOf(text).map((number, index) => {
    const change = number - (before[index] ?? 0)
    const pace = change / elapsed
    const old = history.paces[index] ?? { slowest: pace, fastest: pace, step: 0 }
    return {
      slowest: Math.min(old.slowest, pace),
      fastest: Math.max(old.fastest, pace),
      // If numbers change steadily, the step is the change in a second.
      step: Math.max(old.step, Math.abs(pace)),
    }
  })
}

function isInPace(change: number, elapsed: number, pace: Pace | undefined): boolean {
  if (change === 0) return true
  if (!pace || pace.step === 0) return false
  const slack = pace.step * TOLERANCE
  return change >= pace.slowest * elapsed - slack && change <= pace.fastest * elapsed + slack
}

function getSignatureText(node: OutlineNode): string {
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
    const text = getOwnText(inner)
    if (text) return text
  }
  return ''
}

/** The first text that is a direct child. */
function getOwnText({ items }: OutlineNode): string {
  for (const item of items) if (isText(item)) return item.text
  return ''
}

export interface Changes {
  readonly added: readonly OutlineNode[]
  readonly changed: readonly OutlineNode[]
  readonly removed: readonly Removal[]
  /** Nodes whose items are in a new order. */
  readonly reordered: readonly OutlineNode[]
}

/** Maximum changed nodes to walk one by one: beyond it, walking everything is cheaper. */
const MAX_CHANGED_NODES = 60
const FIELDS = new Set(['input', 'textarea', 'select'])
/** Maximum children of an element to walk, with the usual budget. */
const LIST_LIMIT = 40

/**
 * The outline of a page, kept up to date. After the first walk, only elements with mutations are walked again. The
 * state of fields, which causes no mutations, is compared.
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
    // An aborted walk leaves no outline: the next walk covers everything, including the changes so far.
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
            parts: this.#findReadableParts(this.#modal, root),
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
    const nodes = changedNodes(changed, { nodes: this.#nodes, hidden: this.#hidden })
    const isBehindModal = this.#modal !== null && nodes?.has(top)
    if (!nodes || isBehindModal || nodes.size > MAX_CHANGED_NODES) return this.rebuild(signal)
    this.#top = null
    for (const [node, extent] of nodes) {
      if (extent === 'all') await this.#rewalk(node, signal)
      else if (!(await this.#walkChildren(node, signal))) return this.rebuild(signal)
    }
    this.#top = top
    const fields = this.#checkFields()
    if (fields === 'shown') return this.rebuild(signal)
    if (nodes.size > 0 || fields === 'changed') this.#update()
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

  /** Whether the changes of a node since the last action began would have happened without the action. */
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

  /** The modal dialog, and inert parts that people can still read beside it: toasts and open popovers. */
  #findReadableParts(modal: Element, root: Element): Element[] {
    const parts = [modal]
    for (const item of native.querySelectorAll(root, LIVE)) {
      if (parts.some((part) => native.contains(part, item)) || !isReadable(item, this.#options))
        continue
      if (!native.checkVisibility(item)) this.#hidden.add(item)
      else if (native.textContent(item).trim()) parts.push(item)
    }
    return parts
  }

  async #rewalk(node: OutlineNode, signal?: AbortSignal): Promise<void> {
    const { parent, element, context } = node
    if (!parent || !isInParent(node)) return
    const newNode = await runInSlices(walk(this.#walk(), element, { parent, context }), signal)
    const index = parent.items.indexOf(node)
    if (newNode) parent.items[index] = newNode
    else parent.items.splice(index, 1)
  }

  async #walkChildren(node: OutlineNode, signal?: AbortSignal): Promise<boolean> {
    if (!isInParent(node)) return true
    const { signature } = node
    const text = getOwnText(node)
    const before = [...node.items]
    if (!(await runInSlices(walkChildren(this.#walk(), node), signal))) return false
    this.#history.recordOrder(before, node, this.#version + 1)
    if (node.signature === signature) return true
    node.changedAt = this.#version + 1
    this.#history.recordTextRemoval(text, node, node.changedAt)
    return true
  }

  /**
   * Detects changes without mutations: values, checked states and pure CSS. `shown`: something became visible, so
   * everything must be walked.
   */
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
    const old = before.get(element) ?? this.#behindModal.get(element)
    if (old === node) return
    const isShown = old && (old.role || !node.role) && (node.hoverHiding || !old.hoverHiding)
    node.addedAt = isShown ? old.addedAt : this.#version
    if (!old) return
    if (node.hoverHiding && !old.hoverHiding) {
      if (!node.parent?.hoverHiding) this.#history.recordRemoval(removalLine(old), this.#version)
      node.changedAt = old.changedAt
      return
    }
    node.changedAt = old.signature === node.signature ? old.changedAt : this.#version
    if (old.signature !== node.signature)
      this.#history.recordTextRemoval(getOwnText(old), node, this.#version)
    this.#history.recordOrder(old.items, node, this.#version)
  }

  /** Whether the node is behind a modal dialog, native or by ARIA: out of reach, not removed. */
  #isOutOfReach(node: OutlineNode, hasModal: () => boolean): boolean {
    const { element } = node
    const isBehindModal =
      native.isConnected(element) &&
      (this.#modal
        ? !contains(this.#modal, element)
        : isDisplayed(element) && isUnreachable(element) && hasModal())
    if (isBehindModal) this.#behindModal.set(element, node)
    return isBehindModal
  }

  #recordRemoval(node: OutlineNode, before: ReadonlyMap<Element, OutlineNode>): void {
    const { element, parent } = node
    // The walk skips elements outside of the shown part of a long list. They still exist.
    const stillExists = native.isConnected(element) && (node.hoverHiding || isRendered(element))
    if (stillExists && !native.closest(element, EXCLUDED)) return
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

/** Returns false for an element that was removed from the page, or whose parent was walked again without it. */
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

/** The modal dialog with the focus, which the topmost dialog takes, or the last in the document. */
export function openModal(root: ParentNode): Element | null {
  const modals = [...native.querySelectorAll(root, 'dialog:modal')]
  return modals.findLast((item) => native.matches(item, ':focus-within')) ?? modals.at(-1) ?? null
}

const LIVE = '[role=status],[role=alert],[aria-live]:not([aria-live=off]),output,[popover]'

interface KnownElements {
  readonly nodes: ReadonlyMap<Element, OutlineNode>
  /** Elements that weren't rendered when they were walked. */
  readonly hidden: ReadonlySet<Element>
}

/**
 * The nodes to walk again for all changes, except nodes inside another that is walked whole. Null if everything must be
 * walked.
 */
function changedNodes(
  changed: ReadonlyMap<Node, Extent>,
  elements: KnownElements,
): Map<OutlineNode, Extent> | null {
  const found = new Map<OutlineNode, Extent>()
  for (const [target, extent] of changed) {
    const node = nearestNode(target, elements)
    if (node === null) continue
    if (!node) return null
    // A target without a node may have become visible: as a new child of the nearest node.
    const isAll = extent === 'all' && node.element === target
    if (isAll && !node.parent) return null
    if (isAll || !found.has(node)) found.set(node, isAll ? 'all' : 'children')
  }
  for (const node of found.keys())
    for (let ancestor = node.parent; ancestor; ancestor = ancestor.parent)
      if (found.get(ancestor) === 'all') found.delete(node)
  return found
}

/** Null if the change is not visible. Undefined if nothing around it is in the outline. */
function nearestNode(
  target: Node,
  { nodes, hidden }: KnownElements,
): OutlineNode | null | undefined {
  if (isElement(target) && closest(target, '[data-offstage-ignore]')) return null
  for (let current: Node | null = target; current; current = getParent(current)) {
    const node = isElement(current) && nodes.get(current)
    if (node) return node
    // Still hidden. An element that becomes visible is the target of a mutation, or inside a target.
    if (
      isElement(current) &&
      current !== target &&
      hidden.has(current) &&
      !native.checkVisibility(current)
    )
      return null
  }
  return undefined
}

/** Maximum entries of each kind. */
const MAX_ENTRIES = 200

interface Removal {
  readonly at: number
  readonly line: string
  /** The element that contained the removed node. */
  readonly parent: Element | undefined
}

interface Reordering {
  readonly at: number
  readonly element: Element
}

/**
 * Changes that an outline doesn't show: removed nodes, and elements whose items were reordered. Each entry has the
 * version of the outline in which it was recorded.
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

  recordRemoval(line: string, version: number, parent?: Element): void {
    this.#removals.push({ at: version, line, parent })
  }

  /**
   * Records a text that an element lost. Only for wrappers, whose text has a line of its own. A paragraph of an editor
   * has no line: the editor's value contains it.
   */
  recordTextRemoval(text: string, after: OutlineNode, version: number): void {
    if (text && !after.role && !getOwnText(after) && !isInEditor(after.element))
      this.recordRemoval(`text "${cut(text, 80)}"`, version, after.element)
  }

  /** Records the element if the items that both lists contain are in a new order. */
  recordOrder(
    before: readonly OutlineItem[],
    { element, items }: OutlineNode,
    version: number,
  ): void {
    if (isReordered(before, items)) this.#reorderings.push({ at: version, element })
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
