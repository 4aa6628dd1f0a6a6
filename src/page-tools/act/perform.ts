import { markAsSent, cleanText, isScrubbed, quote, shorten, shownAddress } from '../clean-text.ts'
import { activeElement, ancestorsOf, isElement, isTag, viewOf } from '../dom.ts'
import * as native from '../native.ts'
import * as nativeDocument from '../native-document.ts'
import { runExclusive, livePage, type LivePage, scrub, treesOf } from '../outline/live-page.ts'
import { isReadable, rootOf } from '../outline/region.ts'
import {
  type ActOptions,
  type DialogPolicy,
  type NativeDialog,
  PageError,
  type PageErrorCode,
} from '../page.ts'
import { changesText, framed } from '../read/snapshot.ts'
import { isActionable, isPopup, getShownRole } from '../outline/role.ts'
import { describeElement, validationMessageOf } from './target.ts'
import { type ActionContext, beginActing, checkPost } from './guard-actions.ts'
import { keepOnSite, replaceFunctions } from './sites.ts'
import { createTimeLimit, nextFrame, poll, sleep } from '../waiting.ts'
import { ensureRef } from '../refs.ts'
import { pointerSelector, reactsItself } from '../outline/own-reaction.ts'
import { hiddenReason } from '../outline/visibility.ts'
import { ALL_MUTATIONS } from '../outline/mutation-log.ts'

/** Report of an action. */
export interface ActionReport {
  /** Whether anything on the page changed. */
  readonly changed: boolean
  /** Text for the model. */
  readonly text: string
}

/**
 * Returns the text of an action's result. Called once the page has settled: only then is it known whether the page kept
 * the result. Throws a `PageError` if it didn't. `changed`: something on the page changed.
 */
export type ResultReporter = (result: { readonly changed: boolean }) => string

/** An action's own result; changes of the page are detected separately. */
export interface ActionOutcome {
  /** `Clicked button "Save" [ref=e3].` */
  readonly summary: string | ResultReporter
  readonly element?: Element
  /** The focused element when the action itself began. Default: the element focused before the action was prepared. */
  readonly focused?: Element | null
  /** False if it is normal that nothing on the page changes. Default true. */
  readonly expectsChange?: boolean
  /** The page may react only after a while. Default: true if a change is expected and none has happened yet. */
  readonly reactsLater?: boolean
  /** The page may react only after the pointer rests. Default false. */
  readonly opensSlowly?: boolean
}

const CHANGE_TOKENS = 700
const TITLE_LIMIT = 80

type Action = (context: ActionContext) => Promise<ActionOutcome>

/**
 * Runs one action and reports what it changed. Removes all its observers and replaced functions, also on errors.
 * `passive`: the action only waits, and a person may use the page meanwhile.
 */
export function perform(
  options: ActOptions,
  action: Action,
  { passive = false }: { readonly passive?: boolean } = {},
): Promise<ActionReport> {
  const live = livePage(options.page)
  return runExclusive(() => performNow(live, action, { signal: options.signal, passive }))
}

async function performNow(
  live: LivePage,
  action: Action,
  { signal, passive }: { readonly signal: AbortSignal | undefined; readonly passive: boolean },
): Promise<ActionReport> {
  signal?.throwIfAborted()
  await live.outline.beginAction(signal)
  const before = readPageState(live)
  const trees = treesOf(live)
  const views = new Set([...trees].map(viewOf))
  // A signal ends the watches, because listeners can't be removed from a window that shows another site by then.
  const watching = new AbortController()
  const unloads = watchUnload(views, watching.signal)
  const listRefusals = watchRefusals(trees, live, watching.signal)
  const sites = keepOnSite(passive ? [] : trees, live.options, {
    checkPost: () => checkPost(signal),
    signal: watching.signal,
  })
  const dialogs = watchDialogs(views, live.options.dialogs, watching.signal)
  const endActing = passive ? () => undefined : beginActing(views, live.lifetime())
  try {
    if (passive) live.outline.beginSettling()
    const outcome = await action({ live, signal })
    live.outline.beginSettling()
    const isChangePending = outcome.expectsChange !== false && !live.outline.hasChanges
    const { element, opensSlowly = false, reactsLater = isChangePending } = outcome
    // Changes that the action causes later count as the action's.
    await waitUntilSettled(live, signal, { reactsLater, opensSlowly, element })
    endActing()
    sites.requireNoPost()
    // Waits, so that no further action runs on a page that is being unloaded, or submits its form twice.
    if (await unloads.untilUnloaded(signal)) await waitUntilSettled(live, signal)
    const documentChanged = live.outline.hasChanges
    await live.outline.refresh(signal)
    const notes = [...dialogs, ...listRefusals(), ...sites.lines(), ...unloads.lines()]
    return report(live, { outcome, before, notes, documentChanged })
  } catch (error) {
    if (!PageError.is(error) || isScrubbed(error)) throw error
    throw new PageError(error.code, scrub(error.message, live))
  } finally {
    endActing()
    watching.abort()
  }
}

interface PageState {
  readonly version: number
  readonly href: string
  readonly title: string
  readonly focused: Element | null
}

function readPageState({ options, outline }: LivePage): PageState {
  const ownerDocument = native.ownerDocument(rootOf(options))
  const { href } = viewOf(ownerDocument).location
  return {
    href,
    version: outline.version,
    title: nativeDocument.title(ownerDocument),
    focused: activeElement(ownerDocument),
  }
}

function report(
  live: LivePage,
  {
    outcome,
    before,
    notes,
    documentChanged,
  }: {
    readonly outcome: ActionOutcome
    readonly before: PageState
    readonly notes: readonly string[]
    /** Something in the document changed, possibly style only. */
    readonly documentChanged: boolean
  },
): ActionReport {
  const current = readPageState(live)
  const lines = [...notes]
  if (current.href !== before.href) lines.push(`The address is now ${shownAddress(current.href)}.`)
  if (current.title !== before.title)
    lines.push(`The title is now ${quote(shorten(cleanText(current.title), TITLE_LIMIT))}.`)
  const opened = describeOpenedPopup(live, before.version)
  if (opened) lines.push(opened)
  const changes = changesText(live, before.version, {
    maxTokens: CHANGE_TOKENS,
    includeVolatile: false,
  })
  live.outline.endAction()
  const { focused } = current
  const isFocusChanged =
    focused !== (outcome.focused ?? before.focused) && focused !== outcome.element
  const hasFocusMoved = isFocusChanged && focused && !isTag(focused, 'body')
  if (hasFocusMoved) lines.push(`The focus is on ${describeElement(focused, live)}.`)
  const changed =
    changes !== '' ||
    notes.length > 0 ||
    current.href !== before.href ||
    current.title !== before.title
  const { summary } = outcome
  const result = typeof summary === 'string' ? { text: summary } : runReporter(summary, changed)
  if (changes) lines.push(`Changes (untrusted page content):\n${framed(changes.trimEnd())}`)
  else if (!changed && !hasFocusMoved && !result.code && outcome.expectsChange !== false)
    lines.push(explainNoChange(live, outcome.element, documentChanged))
  const text = [result.text, ...lines].join('\n')
  if (result.code) throw new PageError(result.code, text)
  return { changed, text: scrub(text, live) }
}

/** Calls a reporter. `code` is set if the page didn't keep the action's result. */
function runReporter(
  reporter: ResultReporter,
  changed: boolean,
): { readonly text: string; readonly code?: PageErrorCode } {
  try {
    return { text: reporter({ changed }) }
  } catch (error) {
    return { text: messageOf(error), code: (error as PageError).code }
  }
}

/** Returns the message of a `PageError` for a report. Throws any other error. */
export function messageOf(error: unknown): string {
  if (!PageError.is(error)) throw error
  return isScrubbed(error) ? markAsSent(error.message) : error.message
}

/** The dialog or list that opened over the page, if any: the most relevant change. */
function describeOpenedPopup(live: LivePage, version: number): string {
  const { added } = live.outline.changesSince(version)
  const popup = added.find(
    ({ role, inView, hoverHiding }) => isPopup(role) && inView && !hoverHiding && role !== 'status',
  )
  if (!popup) return ''
  return `New: ${describeElement(popup.element, live)}.`
}

/**
 * How long a page may take from `beforeunload` to `pagehide`: the next page's server may be slow.
 * Milliseconds.
 */
const UNLOAD_MS = 4000

interface UnloadWatch {
  /**
   * Waits while a page or frame unloads, with a limit: a download begins in the same way, but never unloads. Resolves
   * to whether it had to wait.
   */
  untilUnloaded(signal?: AbortSignal): Promise<boolean>
  /** The lines of the report, if the page is still there. */
  lines(): string[]
}

/** Detects documents that begin to load another one in their place. */
function watchUnload(views: ReadonlySet<Window>, watchSignal: AbortSignal): UnloadWatch {
  const unloading = new Set<Window>()
  for (const view of views) {
    view.addEventListener('beforeunload', () => unloading.add(view), { signal: watchSignal })
    view.addEventListener('pagehide', () => unloading.delete(view), { signal: watchSignal })
  }
  return {
    async untilUnloaded(signal) {
      if (unloading.size === 0) return false
      await poll(() => unloading.size === 0, createTimeLimit(UNLOAD_MS), { signal })
      return true
    },
    lines: () =>
      unloading.size === 0
        ? []
        : [
            'It made the browser load something: another page that has not come yet, or a download.',
          ],
  }
}

/**
 * Answers `alert`, `confirm` and `prompt` by policy until the signal is aborted. Without a policy, replaces nothing.
 * Returns the dialogs and their answers so far, for the report.
 */
function watchDialogs(
  views: Iterable<Window>,
  policy: DialogPolicy | undefined,
  signal: AbortSignal,
): readonly string[] {
  const lines: string[] = []
  const handleDialog = (dialog: NativeDialog): boolean | string => {
    const answer = answerDialog(dialog, policy)
    // Marks the answer as the agent's: no person gave it, even while a tool only waits.
    beginActing()()
    const effect =
      dialog.type === 'alert'
        ? 'closed'
        : answer === false
          ? 'dismissed'
          : describeAcceptance(answer)
    lines.push(
      `The page opened a native ${dialog.type}: ${quote(shorten(cleanText(dialog.message), 300))}; it was ${effect}.`,
    )
    return answer
  }
  const functions = dialogFunctions(handleDialog)
  for (const view of policy ? views : []) replaceFunctions(view, functions, signal)
  return lines
}

function dialogFunctions(
  handleDialog: (dialog: NativeDialog) => boolean | string,
): Pick<Window, 'alert' | 'confirm' | 'prompt'> {
  return {
    alert: (message?: unknown) =>
      void handleDialog({ type: 'alert', message: String(message ?? '') }),
    confirm: (message = '') =>
      handleDialog({ type: 'confirm', message: String(message) }) !== false,
    prompt(message = '', defaultValue = '') {
      const answer = handleDialog({ type: 'prompt', message: String(message), defaultValue })
      return answer === false ? null : answer === true ? defaultValue : answer
    },
  }
}

function answerDialog(dialog: NativeDialog, policy?: DialogPolicy): boolean | string {
  if (policy === 'accept') return true
  if (policy === 'dismiss') return false
  const answer = policy?.(dialog)
  return typeof answer === 'string' ? answer : answer === true
}

function describeAcceptance(answer: boolean | string): string {
  return typeof answer === 'string' ? `answered ${quote(answer)}` : 'accepted'
}

const MAX_FIELDS = 3

/**
 * Detects what the browser shows only to a person: validation messages of a form that isn't submitted, and file
 * pickers. Returns a function that lists them for the report.
 */
function watchRefusals(
  trees: Iterable<Document | ShadowRoot>,
  live: LivePage,
  signal: AbortSignal,
): () => string[] {
  const invalid = new Set<Element>()
  const pickers = new Set<Element>()
  const record = (event: Event): void => {
    const { type } = event
    const element = event.composedPath()[0] as Node
    if (!isElement(element) || !isReadable(element, live.options)) return
    if (type === 'invalid') invalid.add(element)
    // The form is submitted, so a script had only checked its validity.
    else if (type === 'submit') invalid.clear()
    else if (isTag(element, 'input') && element.type === 'file') pickers.add(element)
  }
  const listening = { capture: true, signal }
  // `invalid` events stay within the field's own tree.
  for (const tree of trees)
    for (const type of TYPES) nativeDocument.addEventListener(tree, type, record, listening)
  return () => [
    ...[...invalid].slice(0, MAX_FIELDS).flatMap((field) => describeRefusal(field, live)),
    ...[...pickers].map(
      (field) =>
        `The page asks for a file. A picker opens only for people: use type_text with ref ${ensureRef(field)} and the name of the file.`,
    ),
  ]
}

const TYPES = ['invalid', 'submit', 'click']

function describeRefusal(field: Element, live: LivePage): string[] {
  const message = validationMessageOf(field, live.options)
  return message ? [`The form was not sent. ${describeElement(field, live)} says: ${message}`] : []
}

const CANDIDATES = 3

/** Suggests why nothing readable changed, and what to try. `documentChanged`: the document had mutations. */
function explainNoChange(
  live: LivePage,
  element: Element | undefined,
  documentChanged: boolean,
): string {
  if (!element) return 'Nothing changed.'
  if (!native.isConnected(element)) return 'Nothing visible changed, but the element was replaced.'
  const reason = likelyReason(element)
  const text =
    reason === null && isWrapper(element, live)
      ? `${documentChanged ? STYLE_CHANGED : 'Nothing changed'}. It holds controls, one of which may be meant.`
      : reason === null && documentChanged
        ? `${STYLE_CHANGED}: it may have worked.`
        : `Nothing changed. ${reason ?? guessReason(element)}`
  const candidates = findCandidates(element, live).map(
    (candidate) => `\n- ${describeElement(candidate, live)}`,
  )
  const advice = candidates.length > 0 ? ` Try:${candidates.join('')}` : ''
  return `${text}${advice}`
}

const STYLE_CHANGED = 'Nothing that can be read changed, only the look of something'

/** Whether the element is no control, but holds controls: a model seldom means such an element. */
function isWrapper(element: Element, { options }: LivePage): boolean {
  return (
    !isActionable(getShownRole(element)) &&
    findInnerControls(element).some(
      (candidate) => isReadable(candidate, options) && hiddenReason(candidate) === null,
    )
  )
}

function guessReason(element: Element): string {
  const isCustom = native.localName(element).includes('-')
  return isActionable(getShownRole(element)) ||
    isCustom ||
    viewOf(element).getComputedStyle(element).cursor === 'pointer'
    ? 'It may need another action first, or have worked without a visible trace.'
    : 'This element is not a control, and may react to nothing.'
}

function likelyReason(element: Element): string | null {
  if (isTag(element, 'select')) return 'A list of choices opens only for people: use select_option.'
  if (isTag(element, 'input') && /^(date|time|month|week|datetime-local|color)$/.test(element.type))
    return 'Its picker opens only for people: use type_text.'
  if (isTag(element, 'a') && element.target === '_blank')
    return 'The link opens another tab, which may have been blocked.'
  return null
}

/** Controls in, around and beside the element, the nearest first. */
function findCandidates(element: Element, live: LivePage): Element[] {
  const controls = new Set<Element>(findInnerControls(element))
  for (const ancestor of [...ancestorsOf(element)].slice(0, 3)) {
    if (controls.size >= CANDIDATES) break
    if (isActionable(getShownRole(ancestor))) controls.add(ancestor)
    for (const control of findNeighborControls(element, ancestor)) controls.add(control)
  }
  controls.delete(element)
  return [...controls]
    .filter((candidate) => isReadable(candidate, live.options) && hiddenReason(candidate) === null)
    .slice(0, CANDIDATES)
}

const CONTROLS = 'button,a[href],input,select,textarea,[role],[tabindex],[onclick]'
const ENOUGH = 15

function findInnerControls(element: Element): Element[] {
  const clickable = pointerSelector(native.getRootNode(element))
  const found = native.querySelectorAll(element, `${CONTROLS},${clickable}`)
  return filterControls([...found].slice(0, ENOUGH * 2))
}

/** The controls after the element in reading order, then those before it. */
function findNeighborControls(element: Element, ancestor: Element): Element[] {
  const controls = [...native.querySelectorAll(ancestor, CONTROLS)]
  const first = controls.findIndex(
    (candidate) =>
      native.compareDocumentPosition(element, candidate) & Node.DOCUMENT_POSITION_FOLLOWING,
  )
  const start = first < 0 ? controls.length : first
  return [
    ...filterControls(controls.slice(start, start + ENOUGH)).slice(0, 2),
    ...filterControls(controls.slice(Math.max(0, start - ENOUGH), start)).toReversed(),
  ]
}

function filterControls(elements: readonly Element[]): Element[] {
  return elements.filter(
    (candidate) =>
      isElement(candidate) && (isActionable(getShownRole(candidate)) || reactsItself(candidate)),
  )
}

const LIMIT_MS = 1500
/** The page counts as settled after this time without changes. */
const IDLE_MS = 80
/** Minimum frames to wait: components show what they open in the second frame. */
const OPENING_FRAMES = 3
/** Longest time that a frame may take on a busy machine. */
const FRAME_MS = 500
/** Polling interval during an animation, whose end may cause further changes. */
const ANIMATION_POLL_MS = 20
/** Time to wait for a first change. */
const FIRST_CHANGE_MS = 450
/** Time to wait for a first change in hidden tabs, where the page's timers run once a second. */
const FIRST_CHANGE_HIDDEN_MS = 1200
/** How long a pointer must rest on most elements until their tooltip or menu opens. */
const HOVER_MS = 800
/** How long the removal of an element may take after its exit animation. */
const REMOVAL_MS = 160
/** Multiplies the limit while something is `aria-busy`. */
const BUSY_FACTOR = 2

export interface SettleOptions {
  /** Waits longer for a first change, because none has happened yet. Default false. */
  readonly reactsLater?: boolean
  /** Waits until something is added, because a resting pointer opens it slowly. Default false. */
  readonly opensSlowly?: boolean
  /** Also waits for content that changes by itself, without an action. Default false. */
  readonly includeVolatile?: boolean
  /** The element that was acted on; its own animations, such as ripples, aren't regarded as changes. */
  readonly element?: Element | undefined
}

/**
 * Waits until the page stops changing and its animations have ended. Resolves to false if it still changes after
 * `settleTimeoutMs`. Works in hidden tabs, which have slow timers and no frames. Rejects when the signal is aborted.
 */
export async function waitUntilSettled(
  live: LivePage,
  signal?: AbortSignal,
  {
    reactsLater = false,
    opensSlowly = false,
    includeVolatile = false,
    element,
  }: SettleOptions = {},
): Promise<boolean> {
  const root = rootOf(live.options)
  const view = viewOf(root)
  const limit = live.options.settleTimeoutMs ?? LIMIT_MS
  const startedAt = performance.now()
  let lastChangeAt = startedAt
  const firstChangeMs = nativeDocument.hidden(view.document)
    ? FIRST_CHANGE_HIDDEN_MS
    : FIRST_CHANGE_MS
  let idleMs = opensSlowly ? HOVER_MS : reactsLater ? firstChangeMs : IDLE_MS
  const trees = treesOf(live)
  const observer = new MutationObserver((records) => {
    if (!includeVolatile && live.outline.changesByItself(records)) return
    lastChangeAt = performance.now()
    if (!opensSlowly || records.some(({ addedNodes }) => addedNodes.length > 0)) idleMs = IDLE_MS
  })
  for (const tree of trees) observer.observe(tree, ALL_MUTATIONS)
  try {
    for (let frame = 0; frame < OPENING_FRAMES; frame += 1) await nextFrame(view, FRAME_MS)
    for (;;) {
      const now = performance.now()
      const isBusy = native.querySelector(root, '[aria-busy="true"]') !== null
      if (now - startedAt > (isBusy ? limit * BUSY_FACTOR : limit)) return false
      const isMoving = isAnimating(trees, element)
      if (isMoving) {
        lastChangeAt = now
        idleMs = Math.max(idleMs, REMOVAL_MS)
      }
      if (now - lastChangeAt >= idleMs && !isBusy) return true
      const delayMs = isMoving
        ? ANIMATION_POLL_MS
        : Math.min(IDLE_MS, idleMs - (now - lastChangeAt))
      await sleep(Math.max(10, delayMs), signal)
    }
  } finally {
    observer.disconnect()
  }
}

/** Longest animation that counts as a transition. Longer animations are progress bars or carousels. Milliseconds. */
const LONGEST_TRANSITION_MS = 1000

/**
 * Whether something slides in or fades out. Meanwhile, closing elements still exist, and opening elements aren't in
 * place yet. `excluded`: an element whose animations, such as ripples, don't count.
 */
function isAnimating(trees: Iterable<Document | ShadowRoot>, excluded?: Element): boolean {
  for (const tree of trees) {
    const document = native.nodeType(tree) === 9 ? (tree as Document) : native.ownerDocument(tree)
    // Animations don't advance in hidden tabs.
    if (nativeDocument.hidden(document)) continue
    if (nativeDocument.getAnimations(tree).some((animation) => isTransition(animation, excluded)))
      return true
  }
  return false
}

/** Whether the animation ends soon and is more than a change of colour. */
function isTransition(animation: Animation, excluded: Element | undefined): boolean {
  const { effect, playState } = animation
  if (playState !== 'running' || !effect) return false
  const { target } = effect as KeyframeEffect
  if (target && excluded && native.contains(excluded, target)) return false
  const { transitionProperty = '' } = animation as Partial<CSSTransition>
  if (/color|shadow|fill|stroke|outline|filter/.test(transitionProperty)) return false
  const { endTime } = effect.getComputedTiming()
  return typeof endTime === 'number' && endTime > 0 && endTime <= LONGEST_TRANSITION_MS
}
