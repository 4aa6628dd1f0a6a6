import type { Tool } from '../../client/tools/tool.ts'
import { resolveTarget } from '../act/target.ts'
import { escapeMarks } from '../clean-text.ts'
import { FIND, READ_PAGE, READ_SELECTION } from '../definitions.ts'
import type { Page } from '../page.ts'
import { find } from '../read/find.ts'
import { readSelection, readTextPlace } from '../read/long-text.ts'
import { framed, snapshot, UNTRUSTED } from '../read/snapshot.ts'
import { typedTool } from './page-tools.ts'

export { find, readSelection, snapshot }

/** Makes the tools that read the page's text. */
export function makeTools(page: Page): readonly Tool[] {
  return [readPage(page), findTool(page), selectionTool(page)]
}

function readPage(page: Page): Tool {
  return typedTool({
    ...READ_PAGE,
    async execute({ ref, from, since }, { signal }) {
      const resolve = (target: string) => resolveTarget(target, { page, signal, readOnly: true })
      const position = from ? readTextPlace(from) : null
      const partRef = position?.ref ?? ref
      const root = partRef ? await resolve(partRef) : undefined
      const start = from && !position ? await resolve(from) : undefined
      const options = {
        page,
        signal,
        ...(since && { since }),
        ...(start && { from: start }),
        ...(position && { character: position.at }),
      }
      return (await snapshot(root, options)).text
    },
  })
}

function findTool(page: Page): Tool {
  return typedTool({
    ...FIND,
    async execute(input, { signal }) {
      const found = await find(input, { page, signal, ...(input.limit && { limit: input.limit }) })
      if (found.length === 0) return 'Nothing on the page matches. Try fewer or other words.'
      return `${UNTRUSTED}\n${framed(found.map(({ line }) => `- ${line}`).join('\n'))}`
    },
  })
}

function selectionTool(page: Page): Tool {
  return typedTool({
    ...READ_SELECTION,
    execute() {
      const text = readSelection({ page })
      return text ? `${UNTRUSTED}\n${framed(escapeMarks(text))}` : 'Nothing is selected.'
    },
  })
}
