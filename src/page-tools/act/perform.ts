import { asSent, isScrubbed } from '../as-sent.ts'
import { cleanText, quote, shorten, shownAddress } from '../clean-text.ts'
import { activeElement, isTag, viewOf } from '../dom.ts'
import * as native from '../native.ts'
import * as nativeDocument from '../native-document.ts'
import { exclusively, livePage, treesOf, type LivePage, scrub } from '../outline/live-page.ts'
import { rootOf } from '../outline/region.ts'
import type { ActOptions } from '../options.ts'
import { PageError, type PageErrorCode } from '../page-error.ts'
import { changesText } from '../read/changes.ts'
import { framed } from '../read/frame.ts'
import { isPopup } from '../outline/role.ts'
import { beginActing } from './begin-acting.ts'
import { describeElement } from './describe.ts'
import { checkPost } from './guard-actions.ts'
import { keepOnSite } from './keep-on-site.ts'
import { showAction } from './action-overlay.ts'
import { watchDialogs } from './native-dialogs.ts'
import { waitUntilSettled } from './wait-until-settled.ts'
import { watchUnload } from './watch-unload.ts'
import { watchRefusals } from './watch-refusals.ts'
import { explainNoChange } from './explain-no-change.ts'

/** What an action changed on the page. */
export interface ActionReport {
  /** Whether anything on the page changed. */
  readonly changed: boolean
  /** What a model should read. */
  readonly text: string
}

/**
 * What an action came to, told once the page has settled: only then it can be seen whether the page kept it. Throws a
 * `PageError` when it did not. `changed`: something else on the page did.
 */
export type Telling = (seen: { readonly changed: boolean }) => string

/** An action's own result; changes of the page are detected separately. */
export interface ActionOutcome {
  /** `Clicked button "Save" [ref=e3].` */
  readonly summary: string | Telling
  readonly element?: Element
  /** The focused element when the action itself began. Default: the one before its preparation. */
  readonly focused?: Element | null
  /** False: it is normal that nothing on the page changes. Default true. */
  readonly expectsChange?: boolean
  /**
   * The page may react only after a while. Default: when a change is expected and none has happened yet.
   */
  readonly reactsLater?: boolean
  /** The page may react only after the pointer rests. Default false. */
  readonly opensSlowly?: boolean
}

export interface ActionContext {
  readonly live: LivePage
  readonly signal: AbortSignal | undefined
  /** Draws the overlay at an element, if the page's `hands` option is set. */
  show(element: Element): Promise<void>
}

const CHANGE_TOKENS = 700
const TITLE_LIMIT = 80

type Action = (context: ActionContext) => Promise<ActionOutcome>

/**
 * Runs one action and reports what it changed. All that is observed or replaced for it is released, also on
 * errors. `passive`: it only waits, and a person may press something meanwhile.
 */
export function perform(
  options: ActOptions,
  action: Action,
  { passive = false }: { readonly passive?: boolean } = {},
): Promise<ActionReport> {
  const live = livePage(options.page)
  return exclusively(live, () => performNow(live, action, { signal: options.signal, passive }))
}

async function performNow(
  live: LivePage,
  action: Action,
  { signal, passive }: { readonly signal: AbortSignal | undefined; readonly passive: boolean },
): Promise<ActionReport> {
  signal?.throwIfAborted()
  await live.outline.beginAction(signal)
  const before = stateOf(live)
  const trees = treesOf(live)
  const views = new Set([...trees].map(viewOf))
  const dialogs = watchDialogs(views, live.options.dialogs)
  const unloads = watchUnload(views)
  const refusals = watchRefusals(trees, live)
  const sites = keepOnSite(passive ? [] : trees, live.options, () => checkPost(signal))
  const endActing = passive ? () => undefined : beginActing(views, live.lifetime.signal)
  try {
    if (passive) live.outline.beginSettling()
    const outcome = await action({ live, signal, show: (element) => showAction(live, element) })
    live.outline.beginSettling()
    const isDue = outcome.expectsChange !== false && !live.outline.hasChanges
    const { element, opensSlowly = false, reactsLater = isDue } = outcome
    // Changes that the action causes later count as the action's.
    await waitUntilSettled(live, signal, { reactsLater, opensSlowly, element })
    endActing()
    sites.requireNoPost()
    // No further action may run on a page that is being unloaded, or send its form twice.
    if (await unloads.untilUnloaded(signal)) await waitUntilSettled(live, signal)
    const documentChanged = live.outline.hasChanges
    await live.outline.refresh(signal)
    const notes = [...dialogs.lines, ...refusals.lines(), ...sites.lines(), ...unloads.lines()]
    return report(live, { outcome, before, notes, documentChanged })
  } catch (error) {
    if (!PageError.is(error) || isScrubbed(error)) throw error
    throw new PageError(error.code, scrub(error.message, live))
  } finally {
    endActing()
    dialogs.restore()
    refusals.stop()
    sites.stop()
    unloads.stop()
  }
}

interface PageState {
  readonly version: number
  readonly href: string
  readonly title: string
  readonly focused: Element | null
}

function stateOf({ options, outline }: LivePage): PageState {
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
  const now = stateOf(live)
  const lines = [...notes]
  if (now.href !== before.href) lines.push(`The address is now ${shownAddress(now.href)}.`)
  if (now.title !== before.title)
    lines.push(`The title is now ${quote(shorten(cleanText(now.title), TITLE_LIMIT))}.`)
  const opened = openedPopup(live, before.version)
  if (opened) lines.push(opened)
  const changes = changesText(live, before.version, {
    maxTokens: CHANGE_TOKENS,
    includeVolatile: false,
  })
  live.outline.endAction()
  const { focused } = now
  const focusChanged =
    focused !== (outcome.focused ?? before.focused) && focused !== outcome.element
  const moved = focusChanged && focused && !isTag(focused, 'body')
  if (moved) lines.push(`The focus is on ${describeElement(focused, live)}.`)
  const changed =
    changes !== '' || notes.length > 0 || now.href !== before.href || now.title !== before.title
  const { summary } = outcome
  const told = typeof summary === 'string' ? { text: summary } : tell(summary, changed)
  if (changes) lines.push(`Changes (untrusted page content):\n${framed(changes.trimEnd())}`)
  else if (!changed && !moved && !told.code && outcome.expectsChange !== false)
    lines.push(explainNoChange(live, outcome.element, documentChanged))
  const text = [told.text, ...lines].join('\n')
  if (told.code) throw new PageError(told.code, text)
  return { changed, text: scrub(text, live) }
}

/** `code`: of what the page did not keep. */
function tell(
  telling: Telling,
  changed: boolean,
): { readonly text: string; readonly code?: PageErrorCode } {
  try {
    return { text: telling({ changed }) }
  } catch (error) {
    if (!PageError.is(error)) throw error
    return { text: isScrubbed(error) ? asSent(error.message) : error.message, code: error.code }
  }
}

/** The dialog or list that opened over the page, if any: the most relevant change. */
function openedPopup({ outline, options, ...rest }: LivePage, since: number): string {
  const { added } = outline.changesSince(since)
  const popup = added.find(
    ({ role, inView, onHover }) => isPopup(role) && inView && !onHover && role !== 'status',
  )
  if (!popup) return ''
  return `New: ${describeElement(popup.element, { outline, options, ...rest })}.`
}
