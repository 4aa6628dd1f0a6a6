import { badConfig } from '../../client/api/failures.ts'
import type { Tool } from '../../client/tools/tool.ts'
import { type Registers, ToolLink, type WebMcpLink } from './link.ts'
import { listTools } from './list-tools.ts'
import { makeTool } from './make-tool.ts'
import { canConsume, type Consumable, pageContext } from './model-context.ts'
import {
  type CheckedOptions,
  checkWebMcpOptions,
  isIncluded,
  type WebMcpOptions,
} from './options.ts'
import { bookOf, statusOf } from './tool-book.ts'

/**
 * Keeps an agent's tools in sync with those that the page has registered with WebMCP, until `dispose()`. Without WebMCP
 * in the browser, the agent gets none. Throws `invalid-config`.
 */
export function useWebMcp(agent: Registers, options: WebMcpOptions = {}): WebMcpLink {
  const checked = checkWebMcpOptions(options)
  const context = contextOf(checked)
  return context
    ? new ToolLink(agent, context, checked)
    : {
        ready: Promise.resolve(),
        tools: [],
        accept: () => false,
        refresh: () => Promise.resolve(),
        dispose: () => {},
      }
}

/**
 * The tools that the page has registered with WebMCP now, for `createAgent({ tools })`. If a tool changes afterwards,
 * its calls fail without running it. A tool that changed before is omitted unless `onDefinitionChange` returns true.
 * Empty if the browser has no WebMCP. Rejects with `invalid-config`.
 */
export async function webMcpTools(options: WebMcpOptions = {}): Promise<Tool[]> {
  const checked = checkWebMcpOptions(options)
  const context = contextOf(checked)
  if (!context) return []
  const book = bookOf(context, checked)
  book.update(await listTools(context), (tool) => isIncluded(tool, checked))
  for (const entry of book.entries) {
    const { name, pinned: before, changed: after } = entry
    if (before && after && (await checked.onDefinitionChange?.({ name, before, after })) === true)
      book.accept(entry)
  }
  return book.entries.flatMap((entry) => {
    const { name, window, pinned: tool } = entry
    const isOffered = tool && statusOf(entry) === 'offered'
    return isOffered ? makeTool({ name, window, tool, context, options: checked }) : []
  })
}

function contextOf({ context }: CheckedOptions): Consumable | undefined {
  const found = context ?? pageContext()
  if (canConsume(found)) return found
  if (context) throw badConfig('context of WebMCP needs getTools() and executeTool().')
  return undefined
}
