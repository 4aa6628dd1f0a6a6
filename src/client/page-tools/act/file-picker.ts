import { isElement, isTag } from '../dom.ts'
import type { LivePage } from '../live-page.ts'
import { isReadable } from '../read/region.ts'
import { refOf } from '../refs.ts'

/**
 * Notices that the page wants to open a file picker during an action, as buttons do that stand for a
 * hidden file field. Listens only until `stop`.
 */
export function watchFilePicker(views: ReadonlySet<Window>): {
  /** What to tell of it, unless the field itself was used. */
  lines(live: LivePage, used: Element | undefined): string[]
  stop(): void
} {
  let field: HTMLInputElement | null = null
  const notice = (event: Event): void => {
    const target = event.composedPath()[0] as Node
    if (isElement(target) && isTag(target, 'input') && target.type === 'file') field = target
  }
  for (const view of views) view.addEventListener('click', notice, true)
  return {
    lines: (live, used) =>
      field?.isConnected && field !== used && isReadable(field, live.options)
        ? [
            `The page asks for a file. A picker opens only for people: use type_text with ref ${refOf(field)} and the name of the file.`,
          ]
        : [],
    stop() {
      for (const view of views) view.removeEventListener('click', notice, true)
    },
  }
}
