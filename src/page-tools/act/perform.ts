import { cleanText, quote, shorten } from '../clean-text.ts'
import { activeElement, isTag, viewOf } from '../dom.ts'
import { exclusively, livePage, treesOf, type LivePage, scrub } from '../outline/live-page.ts'
import { rootOf } from '../outline/region.ts'
import type { ActOptions } from '../options.ts'
import { PageError } from '../page-error.ts'
import { changesText } from '../read/changes.ts'
import { isPopup } from '../outline/role.ts'
import { beginActing } from './begin-acting.ts'
import { describeElement } from './describe.ts'
import { showAction } from './action-overlay.ts'
import { watchDialogs } from './native-dialogs.ts'
import { waitUntilSettled } from './wait-until-settled.ts'
import { watchUnload } from './watch-unload.ts'
import { watchRefusals } from './watch-refusals.ts'
import { explainNoChange } from './explain-no-change.ts'

/** What an action did, as far as the page shows it. */
export interface ActionReport {
  /** Whether anything on the page changed. */
  readonly changed: boolean
  /** What a model should read. */
  readonly text: string
}

/** What an action says of itself; the changes are found by looking. */
export interface ActionOutcome {
  /** `Clicked button "Save" [ref=e3].` */
  readonly summary: string
  readonly element?: Element
  /** Where the focus was when the action itself began. Default: where it was before all. */
  readonly focused?: Element | null
  /** False: it is no surprise when nothing on the page changes. Default true. */
  readonly expectsChange?: boolean
  /** The page may answer only after a while. Default: when it should change and nothing has yet. */
  readonly reactsLater?: boolean
  /** What it opens may come after a rest only. Default false. */
  readonly opensSlowly?: boolean
}

export interface ActionContext {
  readonly live: LivePage
  readonly signal: AbortSignal | undefined
  /** Draws the hand at an element, where hands are wanted. */
  show(element: Element): Promise<void>
}

const CHANGE_TOKENS = 700

type Action = (context: ActionContext) => Promise<ActionOutcome>

/**
 * Does one action and tells what it changed. Everything borrowed for it is given back, also on errors.
 * `passive`: it only waits, and a person may press something meanwhile.
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
  live.outline.noteVolatile()
  await live.outline.refresh(signal)
  const before = stateOf(live)
  const trees = treesOf(live)
  const views = new Set([...trees].map(viewOf))
  const dialogs = watchDialogs(views, live.options.dialogs)
  const unloads = watchUnload(views)
  const refusals = watchRefusals(trees, live)
  const endActing = passive ? () => undefined : beginActing(views, live.lifetime.signal)
  try {
    const done = await action({ live, signal, show: (element) => showAction(live, element) })
    const isDue = done.expectsChange !== false && !live.outline.hasChanges
    const { element, opensSlowly = false, reactsLater = isDue } = done
    // What the action set going on the page counts as its own.
    await waitUntilSettled(live, signal, { reactsLater, opensSlowly, element })
    endActing()
    // Nobody should act on a page that is about to go, or send its form twice.
    if (await unloads.untilUnloaded(signal)) await waitUntilSettled(live, signal)
    const documentChanged = live.outline.hasChanges
    await live.outline.refresh(signal)
    const notes = [...dialogs.lines, ...refusals.lines(), ...unloads.lines()]
    return report(live, { done, before, notes, documentChanged })
  } catch (error) {
    throw PageError.is(error) ? new PageError(error.code, scrub(error.message, live)) : error
  } finally {
    endActing()
    dialogs.restore()
    refusals.stop()
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
  const { ownerDocument } = rootOf(options)
  const { href } = viewOf(ownerDocument).location
  return {
    href,
    version: outline.version,
    title: ownerDocument.title,
    focused: activeElement(ownerDocument),
  }
}

function report(
  live: LivePage,
  {
    done,
    before,
    notes,
    documentChanged,
  }: {
    readonly done: ActionOutcome
    readonly before: PageState
    readonly notes: readonly string[]
    /** Something in the document changed, be it style alone. */
    readonly documentChanged: boolean
  },
): ActionReport {
  const now = stateOf(live)
  const lines = [done.summary, ...notes]
  if (now.href !== before.href) lines.push(`The address is now ${shorten(now.href, 200)}.`)
  if (now.title !== before.title) lines.push(`The title is now ${quote(cleanText(now.title))}.`)
  const opened = openedPopup(live, before.version)
  if (opened) lines.push(opened)
  const changes = changesText(live, before.version, {
    maxTokens: CHANGE_TOKENS,
    includeVolatile: false,
  })
  const { focused } = now
  const went = focused !== (done.focused ?? before.focused) && focused !== done.element
  const moved = went && focused && !isTag(focused, 'body')
  if (moved) lines.push(`The focus is on ${describeElement(focused, live)}.`)
  const changed =
    changes !== '' || notes.length > 0 || now.href !== before.href || now.title !== before.title
  if (changes) lines.push(`Changes (untrusted page content):\n${changes.trimEnd()}`)
  else if (!changed && !moved && done.expectsChange !== false)
    lines.push(explainNoChange(live, done.element, documentChanged))
  return { changed, text: scrub(lines.join('\n'), live) }
}

/** What opened over the page matters most. */
function openedPopup({ outline, options, ...rest }: LivePage, since: number): string {
  const { added } = outline.changesSince(since)
  const popup = added.find(({ role, inView }) => isPopup(role) && inView && role !== 'status')
  if (!popup) return ''
  return `New: ${describeElement(popup.element, { outline, options, ...rest })}.`
}
