import { livePage } from '../outline/live-page.ts'
import type { ActOptions } from '../options.ts'
import { describeElement } from './describe.ts'
import { hoverNote } from './hover-note.ts'
import { perform, type ActionReport } from './perform.ts'
import { movePointer } from './pointer.ts'
import { makeReady } from './make-ready.ts'
import { resolveTarget, type Target } from './target.ts'

/** Moves the pointer over an element, which opens menus and tooltips. Styles of `:hover` don't apply: what they show is told. */
export async function hover(target: Target, options: ActOptions = {}): Promise<ActionReport> {
  const { page, signal } = options
  const element = await resolveTarget(target, { page, live: livePage(page), signal })
  return perform(options, async ({ live, show }) => {
    const hit = await makeReady(element, { live, signal, enabled: false })
    await show(element)
    movePointer(live, hit)
    return {
      summary: ({ changed }) =>
        `The pointer is over ${describeElement(element, live)}.${changed ? '' : hoverNote(element, live)}`,
      element,
      opensSlowly: true,
    }
  })
}
