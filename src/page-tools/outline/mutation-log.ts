import { isElement, getParent } from '../dom.ts'
import * as native from '../native.ts'
import { lazyPattern } from '../../lib/once.ts'

const CLOCK_TIME = /(?<![\d:])\d{1,3}:\d{2}(?::\d{2})?(?![\d:])/g
const ANY_NUMBER = /-?\d+(?:[.,]\d+)*/g

/** Replaces each clock time with its seconds, so that it counts as one number. */
function replaceClocks(text: string): string {
  return text.replace(CLOCK_TIME, (clock) =>
    String(clock.split(':').reduce((sum, part) => sum * 60 + Number(part), 0)),
  )
}

/** The text with `#` in place of each number. */
export function shapeOf(text: string): string {
  return replaceClocks(text).replace(ANY_NUMBER, '#')
}

export function numbersOf(text: string): readonly number[] {
  return [...replaceClocks(text).matchAll(ANY_NUMBER)].map(([number]) =>
    Number(number.replace(/,/g, '')),
  )
}

/** An element with more children isn't a clock. */
const MAX_CHILDREN = 12
/** Attributes that only repeat the text. */
const REPEATING = new Set(['datetime'])

interface TextChange {
  readonly before: string
  readonly after: string
}

/** The element that a record concerns. For a text, its parent. */
function changedElement({ target }: MutationRecord): Node {
  return isElement(target) ? target : (getParent(target) ?? target)
}

function groupByElement(
  records: readonly MutationRecord[],
): ReadonlyMap<Node, readonly MutationRecord[]> {
  const found = new Map<Node, MutationRecord[]>()
  for (const record of records) {
    const element = changedElement(record)
    const elementRecords = found.get(element)
    if (elementRecords) elementRecords.push(record)
    else found.set(element, [record])
  }
  return found
}

/** The text of one element before and after its records. Null if more than a text has changed. */
function getTextChange(element: Node, records: readonly MutationRecord[]): TextChange | null {
  let [removed, added] = ['', '']
  const oldTexts = new Map<Node, string>()
  for (const { type, target, attributeName, oldValue, removedNodes, addedNodes } of records) {
    if (type === 'attributes') {
      if (!REPEATING.has(attributeName ?? '')) return null
    } else if (type === 'characterData') {
      if (!oldTexts.has(target)) oldTexts.set(target, oldValue ?? '')
    } else {
      if (removedNodes.length > 2 || addedNodes.length > 2) return null
      removed ||= getText(removedNodes)
      if (removed) added = getText(addedNodes) || added
    }
  }
  if (removed && added) return { before: removed, after: added }
  if (oldTexts.size === 0 || removed || added) return null
  // Adjacent texts, such as those of `{minutes}:{seconds}`, form one text.
  const children = [...native.childNodes(element)]
  if (children.length > MAX_CHILDREN) return null
  return {
    before: children.map((child) => oldTexts.get(child) ?? native.textContent(child)).join(''),
    after: children.map((child) => native.textContent(child)).join(''),
  }
}

/** Adds the text around the element to a change, as for `<i>30</i> s`. */
function addParentText(element: Node, { before, after }: TextChange): TextChange | null {
  const parent = getParent(element)
  const siblings = parent ? [...native.childNodes(parent)] : []
  if (siblings.length < 2 || siblings.length > MAX_CHILDREN) return null
  const joinSiblings = (text: string): string =>
    siblings.map((item) => (item === element ? text : native.textContent(item))).join('')
  return { before: joinSiblings(before), after: joinSiblings(after) }
}

function getText(nodes: NodeList): string {
  return Array.from(nodes, (node) => native.textContent(node)).join('')
}

/** Time without a call after which the observers are disconnected. Milliseconds. */
const IDLE_MS = 60_000
/** Maximum changed elements that are logged. Beyond it, the log only knows that there were changes. */
const MAX_TARGETS = 500

/** An element that changes this often while no action runs is volatile. */
const VOLATILE_TIMES = 2
/** A volatile element that doesn't change for this long stops being volatile. Milliseconds. */
const STABLE_MS = 2000
/**
 * Number of texts, shown by an element itself, after which any further text is expected. Fewer are needed if they
 * repeat.
 */
const MANY_TEXTS = 5
const REPEATED_TEXTS = 3

/** Whether a change concerns an element's own children only, or its whole subtree. */
export type Extent = 'children' | 'all'

export const ALL_MUTATIONS: MutationObserverInit = {
  subtree: true,
  childList: true,
  characterData: true,
  attributes: true,
  characterDataOldValue: true,
}

/** The nodes of watched documents and shadow roots that changed since the log was last read. */
export class MutationLog {
  #observer: MutationObserver | null = null
  #watched = new WeakSet<Node>()
  #changed: Map<Node, Extent> | null = null
  #hasChanges = false
  /** Number of changes of each element since `takeChanges`, and the time of that call. */
  readonly #times = new Map<Node, number>()
  #takenAt = 0
  #volatile = new Set<Node>()
  readonly #ticks = new Ticks()
  /** Elements that changed since the last action began: only like a clock, or in other ways. */
  #ticked = new WeakSet<Node>()
  #affected = new WeakSet<Node>()
  /** Texts that elements have shown while no action ran, without their numbers. */
  readonly #texts = new Map<Node, { readonly shapes: Set<string>; last: string; again: boolean }>()
  #timer: ReturnType<typeof setTimeout> | undefined

  /** Clears the log and starts to observe. */
  start(): void {
    this.stop()
    this.#changed = new Map()
    this.#takenAt = performance.now()
    this.#ticks.start()
    this.#observer = new MutationObserver((records) => this.#add(records))
    this.#restartIdleTimer()
  }

  watch(tree: Document | ShadowRoot): void {
    if (!this.#observer || this.#watched.has(tree)) return
    this.#watched.add(tree)
    this.#observer.observe(tree, ALL_MUTATIONS)
  }

  /** Returns the changes and clears them. Null if the changes are unknown. */
  takeChanges(): ReadonlyMap<Node, Extent> | null {
    if (!this.#observer) return null
    this.#add(this.#observer.takeRecords())
    const changed = this.#changed
    this.#changed = new Map()
    this.#hasChanges = false
    this.#times.clear()
    this.#takenAt = performance.now()
    this.#restartIdleTimer()
    return changed
  }

  /** Call it before an action, once the page is read. */
  beginAction(): void {
    this.#ticked = new WeakSet()
    this.#affected = new WeakSet()
    this.#ticks.phase = 'handling'
  }

  /** Call it once the action is carried out. Later changes may be its effects, or ticks. */
  beginSettling(): void {
    if (this.#observer) this.#add(this.#observer.takeRecords())
    this.#ticks.phase = 'settling'
  }

  endAction(): void {
    this.#ticks.phase = 'idle'
  }

  /** Whether an element changed, since the last action began, only like a clock. */
  hasOnlyTicked(element: Node): boolean {
    return this.#ticked.has(element) && !this.#affected.has(element)
  }

  /** Whether all records concern volatile elements or ticks. */
  changesByItself(records: readonly MutationRecord[]): boolean {
    return [...groupByElement(records)].every(([element, elementRecords]) => {
      if (this.#volatile.has(element)) return true
      const change = getTextChange(element, elementRecords)
      return change !== null && this.#ticks.judge(element, change)
    })
  }

  /** Whether an element has shown so many texts by itself that any text may follow. */
  showsAnyText(element: Node): boolean {
    const { shapes, again: isRepeating } = this.#texts.get(element) ?? {
      shapes: { size: 0 },
      again: false,
    }
    return shapes.size >= (isRepeating ? REPEATED_TEXTS : MANY_TEXTS)
  }

  /** Whether an element that isn't volatile changed since `takeChanges` other than by a tick. Also true if unknown. */
  get hasChanges(): boolean {
    if (this.#observer) this.#add(this.#observer.takeRecords())
    return this.#changed === null || this.#hasChanges
  }

  /** Marks elements that changed often since `takeChanges` as volatile. Call it only if no action ran in between. */
  noteVolatile(): void {
    const isStable = performance.now() - this.#takenAt > STABLE_MS
    for (const element of this.#volatile)
      if (!native.isConnected(element) || (isStable && !this.#times.has(element)))
        this.#volatile.delete(element)
    for (const [element, times] of this.#times)
      if (times >= VOLATILE_TIMES) this.#volatile.add(element)
    for (const element of this.#texts.keys())
      if (!this.#volatile.has(element)) this.#texts.delete(element)
  }

  get volatile(): ReadonlySet<Node> {
    return this.#volatile
  }

  /** When `takeChanges` was last called. */
  get takenAt(): number {
    return this.#takenAt
  }

  isVolatile(element: Node): boolean {
    return this.#volatile.has(element)
  }

  /** Stops, and clears the volatile elements, too. */
  release(): void {
    this.stop()
    this.#volatile.clear()
    this.#texts.clear()
    this.#ticks.phase = 'idle'
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#observer?.disconnect()
    this.#observer = null
    this.#changed = null
    this.#watched = new WeakSet()
    this.#times.clear()
  }

  #add(records: readonly MutationRecord[]): void {
    for (const [element, elementRecords] of groupByElement(records)) {
      if (this.#times.size < MAX_TARGETS)
        this.#times.set(element, (this.#times.get(element) ?? 0) + 1)
      const change = getTextChange(element, elementRecords)
      const isTick = change !== null && this.#ticks.judge(element, change)
      if (isTick) this.#ticked.add(element)
      else this.#affected.add(element)
      this.#hasChanges ||= !isTick && !this.#volatile.has(element)
      if (change && this.#ticks.phase === 'idle') this.#noteText(element, change.after)
    }
    for (const { target, type, addedNodes } of records) {
      this.#ticks.noteInserted(addedNodes)
      if (!this.#changed) return
      // An attribute may change the style of the element's subtree and, by sibling selectors, of its
      // siblings.
      if (type === 'attributes') this.#changed.set(getParent(target) ?? target, 'all')
      else {
        const element = isElement(target) ? target : (getParent(target) ?? target)
        if (!this.#changed.has(element)) this.#changed.set(element, 'children')
      }
      if (this.#changed.size > MAX_TARGETS) this.#changed = null
    }
  }

  #noteText(element: Node, text: string): void {
    const shape = shapeOf(text)
    const history = this.#texts.get(element)
    if (!history) {
      if (this.#texts.size < MAX_TARGETS)
        this.#texts.set(element, { shapes: new Set([shape]), last: shape, again: false })
      return
    }
    if (shape !== history.last) history.again ||= history.shapes.has(shape)
    if (history.shapes.size < MANY_TEXTS) history.shapes.add(shape)
    history.last = shape
  }

  #restartIdleTimer(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.stop(), IDLE_MS)
  }
}

/** `handling`: an action is carried out; `settling`: its effects are waited for. */
type Phase = 'idle' | 'handling' | 'settling'

interface ShownText {
  readonly text: string
  /** Time when the text appeared. */
  readonly at: number
  readonly isTick: boolean
  /** Whether the element changed by itself, as a clock does, while no action ran. */
  readonly runs: boolean
}

/** Tells ticks of a clock or a countdown from other changes, by the text and by how long it was shown. */
class Ticks {
  phase: Phase = 'idle'
  #shown = new WeakMap<Node, ShownText>()
  #insertedAt = new WeakMap<Node, number>()
  #startedAt = 0

  start(): void {
    this.#startedAt = performance.now()
    this.#shown = new WeakMap()
    this.#insertedAt = new WeakMap()
  }

  noteInserted(nodes: NodeList): void {
    for (const node of nodes) this.#insertedAt.set(node, performance.now())
  }

  /** Can be called several times for one change. */
  judge(element: Node, { before, after }: TextChange): boolean {
    const now = performance.now()
    const previous = this.#shown.get(element)
    if (previous?.text === after) return previous.isTick
    const {
      text,
      at: shownAt,
      runs,
    } = previous ?? {
      text: before,
      at: this.#getInsertedAt(element),
      runs: false,
    }
    // A change that the action itself made may look like a tick, such as a duration after a press of "+".
    const isPossible = runs || this.phase !== 'handling'
    const isTicking =
      isPossible && isElementTick(element, { before: text, after }, (now - shownAt) / 1000)
    const isRunning = isTicking && (runs || this.phase === 'idle')
    const shownSince = text === after ? shownAt : now
    this.#shown.set(element, { text: after, at: shownSince, isTick: isTicking, runs: isRunning })
    return isTicking
  }

  #getInsertedAt(element: Node): number {
    let latest = this.#startedAt
    for (let current: Node | null = element; current; current = getParent(current))
      latest = Math.max(latest, this.#insertedAt.get(current) ?? 0)
    return latest
  }
}

/** A bare number belongs to a countdown if its unit is beside it. */
const NUMBER = /^\s*\d{1,3}\s*$/

function isElementTick(element: Node, change: TextChange, elapsed: number): boolean {
  const isNumber = NUMBER.test(change.before) && NUMBER.test(change.after)
  const { before, after } = (isNumber ? addParentText(element, change) : null) ?? change
  return isTick(before, after, elapsed)
}

/** Longer texts aren't clocks. */
const TEXT_LIMIT = 200
const CLOCK = String.raw`(?<![\d:.])\d{1,3}:\d{2}(?::\d{2})?(?![\d:])`
/** Units of countdowns, in the languages that pages use most, and how many seconds they have. */
const UNITS: ReadonlyMap<string, number> = new Map(
  (
    [
      [
        1,
        's sec secs second seconds sek sekunde sekunden segundo segundos seconde secondes secondi 秒',
      ],
      [60, 'm min mins minute minutes minuten minuto minutos minuti 分'],
      [3600, 'h hr hrs hour hours std stunde stunden hora horas heure heures ore 小时 時間'],
      [86_400, 'd day days tag tage tagen día días jour jours giorni 天 日'],
    ] as const
  ).flatMap(([seconds, names]) => names.split(' ').map((name) => [name, seconds] as const)),
)
const UNIT = [...UNITS.keys()].sort((a, b) => b.length - a.length).join('|')
const QUANTITY = String.raw`(?<![\d:.,])\d+\s?(?:${UNIT})(?![\p{L}\d])\.?`
const TIME = lazyPattern(() => String.raw`${CLOCK}|${QUANTITY}(?:[\s,]*${QUANTITY})*`, 'giu')
const PART = lazyPattern(() => String.raw`(\d+)\s?(${UNIT})`, 'giu')
/** Maximum difference between a clock and the elapsed time, because the clock is read between two ticks. Seconds. */
const TOLERANCE = 2
/** Period after which a clock starts again. Seconds. */
const HALF_DAY = 43_200

/**
 * Whether a text has changed only like a clock or a countdown in the elapsed seconds. Each time in it must have moved
 * by these seconds, and nothing else may be different.
 */
export function isTick(before: string, after: string, elapsed: number): boolean {
  if (before.length > TEXT_LIMIT || after.length > TEXT_LIMIT) return false
  const [timesBefore, timesAfter] = [findTimes(before), findTimes(after)]
  if (timesAfter.length === 0 || timesBefore.length !== timesAfter.length) return false
  if (before.replace(TIME(), '#') !== after.replace(TIME(), '#')) return false
  return timesAfter.every((time, index) => hasMovedOn(timesBefore[index] ?? '', time, elapsed))
}

function findTimes(text: string): readonly string[] {
  return text.match(TIME()) ?? []
}

function hasMovedOn(before: string, after: string, elapsed: number): boolean {
  if (before === after) return true
  const difference = toSeconds(after) - toSeconds(before)
  const steps = after.split(':').length === 3 ? wrapHalfDay(difference) : difference
  if (Math.abs(Math.abs(steps) - elapsed) <= TOLERANCE) return true
  // Hours and minutes: the time of day.
  const [, minutes, seconds] = after.split(':')
  return difference === 1 && seconds === undefined && Number(minutes) === new Date().getMinutes()
}

function wrapHalfDay(difference: number): number {
  const remainder = difference % HALF_DAY
  if (Math.abs(remainder) <= HALF_DAY / 2) return remainder
  return remainder - Math.sign(remainder) * HALF_DAY
}

/** Seconds that a time stands for. Hours and minutes are read as minutes and seconds. */
function toSeconds(time: string): number {
  if (time.includes(':')) return time.split(':').reduce((sum, part) => sum * 60 + Number(part), 0)
  let seconds = 0
  for (const [, number, unit] of time.matchAll(PART()))
    seconds += Number(number) * (UNITS.get((unit ?? '').toLowerCase()) ?? 0)
  return seconds
}
