import { livePage, type LivePage } from '../outline/live-page.ts'
import type { ActOptions } from '../options.ts'
import { describeElement } from './describe.ts'
import { type ActionReport, perform } from './perform.ts'
import { movePointer } from './pointer.ts'
import { makeReady } from './make-ready.ts'
import { resolveTarget, type Target } from './target.ts'
import { ancestorsOf, contains } from '../dom.ts'
import { mayDependOnHover } from '../outline/hover/on-hover.ts'
import type { OutlineNode } from '../outline/outline-node.ts'
import { isActionable } from '../outline/role.ts'

/**
 * Moves the pointer over an element, which opens menus and tooltips. Styles of `:hover` don't apply: the report lists
 * what they show.
 */
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

const MOST = 8
const LEVELS = 3

/** Lists what styles show at the element for a real pointer, but not for a scripted one. Empty: nothing. */
function hoverNote(element: Element, live: LivePage): string {
  const shown = live.outline
    .hiddenUntilHover()
    .filter((node) => (node.clickable || isActionable(node.role)) && isNear(node, element))
  if (shown.length > 0) {
    const lines = shown.slice(0, MOST).map((node) => `\n- ${describeElement(node.element, live)}`)
    return ` To a person's pointer a style shows there what click takes, too:${lines.join('')}`
  }
  return mayDependOnHover(element)
    ? " A style may show something there, but only to a person's pointer."
    : ''
}

/** Whether the node is in the element, or shown beside it: their nearest visible ancestor holds both. */
function isNear(node: OutlineNode, element: Element): boolean {
  let seen = node.parent
  while (seen?.onHover) seen = seen.parent
  if (!seen) return false
  if (contains(element, node.element)) return true
  return [element, ...ancestorsOf(element)].slice(0, LEVELS).includes(seen.element)
}
