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
  /** Text beside the element. */
  readonly note?: string
  /** Milliseconds to show the frame for. Default 4000. */
  readonly ms?: number
}

/** Shows the user where an element is, by a frame around it. The page's own content isn't changed. */
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
  // The page may scroll back, or remove an element that it doesn't know.
  for (let count = 0; count < 2; count += 1) await nextFrame(viewOf(element))
  if (!isOnScreen(element))
    throw new PageError('hidden', `${name} can't be shown: the page did not scroll to it.`)
  if (!frame.isConnected)
    throw new PageError('unsupported', `The page took away the frame around ${name}.`)
  return `The person now sees a frame around ${name}.`
}
