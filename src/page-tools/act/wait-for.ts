import { markAsSent, normalize, quoteSent } from '../clean-text.ts'
import * as native from '../native.ts'
import { livePage, type LivePage, scrubber } from '../outline/live-page.ts'
import { rootOf } from '../outline/region.ts'
import { type ActOptions, PageError } from '../page.ts'
import { find } from '../read/find.ts'
import { readableTexts } from '../read/readable-text.ts'
import { sleep } from '../waiting.ts'
import { perform, type ActionReport, type ActionOutcome, waitUntilSettled } from './perform.ts'

/** Condition of `waitFor`: what must appear or disappear. Without a condition, it waits until the page settles. */
export interface WaitOptions extends ActOptions {
  /** Text on the page, regardless of case. */
  readonly text?: string
  /** Role of the element: `button`, `link`, `dialog` … */
  readonly role?: string
  /** Accessible name of the element, or a part of it. */
  readonly name?: string
  /** Wait until it disappears, rather than until it appears. */
  readonly gone?: boolean
  /** Default 5000, at most 30 000. */
  readonly timeoutMs?: number
}

const WAIT_MS = 5000
const MAX_MS = 30_000
const POLL_MS = 100

export async function waitFor(options: WaitOptions = {}): Promise<ActionReport> {
  const live = livePage(options.page)
  const { text, role, name, gone = false, signal } = options
  const query = { ...(text && { text }), ...(role && { role }), ...(name && { name }) }
  const condition = [
    role && markAsSent(role.slice(0, 40)),
    name && quoteSent(name),
    text && `the text ${quoteSent(text)}`,
  ]
    .filter(Boolean)
    .join(' ')
  const deadline = performance.now() + Math.min(options.timeoutMs ?? WAIT_MS, MAX_MS)
  const check = async (): Promise<ActionOutcome> => {
    if (!condition) {
      const settled = await waitUntilSettled(live, signal, { includeVolatile: true })
      const summary = settled
        ? 'The page is quiet.'
        : 'The page still changes. Wait for a text instead.'
      return { summary, expectsChange: false }
    }
    for (;;) {
      const isMet = (await isPresent(live, query, options)) !== gone
      if (isMet)
        return {
          summary: gone ? `${condition} is gone.` : `${condition} is there.`,
          expectsChange: false,
        }
      if (performance.now() > deadline)
        throw new PageError(
          'timeout',
          `Waited, but ${condition} ${gone ? 'is still there' : 'did not appear'}.`,
        )
      await sleep(POLL_MS, signal)
    }
  }
  return perform(options, check, { passive: true })
}

async function isPresent(
  live: LivePage,
  query: { readonly text?: string; readonly role?: string; readonly name?: string },
  options: WaitOptions,
): Promise<boolean> {
  if (query.text && !query.role && !query.name) {
    const expected = normalize(query.text)
    const root = rootOf(live.options) as HTMLElement
    // `innerText` is a quick first check. It may contain unreadable text, so a match is checked again.
    if (normalize(native.innerText(root) ?? '').includes(expected)) {
      const clean = scrubber(live)
      for (const text of readableTexts(root, live.options))
        if (normalize(clean(text)).includes(expected)) return true
    }
  }
  const found = await find(query, { ...options, limit: 1 })
  return (found[0]?.score ?? 0) >= 0.6
}
