import { viewOf } from '../dom.ts'
import { livePage } from '../outline/live-page.ts'
import type { ActOptions } from '../options.ts'
import { hiddenReason } from '../outline/visibility.ts'
import { PageError } from '../page-error.ts'
import { beginActing } from './begin-acting.ts'
import { describeElement } from './describe.ts'
import { drawFrame } from './action-overlay.ts'
import { scrollIntoView } from './make-ready.ts'
import { isOnScreen } from './on-screen.ts'
import { nextFrame } from '../waiting.ts'
import { resolveTarget, type Target } from './target.ts'

export interface HighlightOptions extends ActOptions {
  /** Shown beside the element. */
  readonly note?: string
  /** Default 4000. */
  readonly ms?: number
}

/** Shows a person where an element is; the page itself isn't changed. */
export async function highlight(target: Target, options: HighlightOptions = {}): Promise<string> {
  const { page, signal, note, ms = 4000 } = options
  const live = livePage(page)
  const element = await resolveTarget(target, { page, live, signal, readOnly: true })
  const hidden = hiddenReason(element)
  if (hidden)
    throw new PageError('hidden', `${describeElement(element, live)} can't be shown: ${hidden}.`)
  const endActing = beginActing([viewOf(element)], live.lifetime.signal)
  scrollIntoView(element)
  const frame = drawFrame(live, element, { ms, ...(note && { note: note.slice(0, 120) }) })
  endActing()
  const name = describeElement(element, live)
  // A page may scroll back, or take away what it doesn't know.
  for (let count = 0; count < 2; count += 1) await nextFrame(viewOf(element))
  if (!isOnScreen(element))
    throw new PageError('hidden', `${name} can't be shown: the page did not scroll to it.`)
  if (!frame.isConnected)
    throw new PageError('unsupported', `The page took away the frame around ${name}.`)
  return `The person now sees a frame around ${name}.`
}
