import { viewOf } from '../dom.ts'
import { livePage } from '../outline/live-page.ts'
import type { ActOptions } from '../options.ts'
import { hiddenReason } from '../outline/visibility.ts'
import { PageError } from '../page-error.ts'
import { beginActing } from './begin-acting.ts'
import { describeElement } from './describe.ts'
import { drawFrame } from './action-overlay.ts'
import { scrollIntoView } from './make-ready.ts'
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
  drawFrame(live, element, { ms, ...(note && { note: note.slice(0, 120) }) })
  endActing()
  return `The person now sees a frame around ${describeElement(element, live)}.`
}
