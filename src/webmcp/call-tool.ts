import { sleepUnlessAborted } from '../lib/sleep.ts'
import { withUnloadNote } from '../lib/unload-note.ts'
import { inBothForms } from './in-both-forms.ts'
import type { Consumable, RegisteredTool } from './model-context.ts'
import { isOwnWindow, isPublished } from './published-names.ts'
import { readPageTool, sameDefinition, type PageTool } from './page-tool.ts'
import { readFailure, readResult } from './read-result.ts'

/** How long the page that a tool goes to may take until this one is left. Milliseconds. */
const LEAVING_MS = 4000

export interface PageCall {
  readonly context: Consumable
  readonly window: unknown
  /** The definition that the call was decided by. */
  readonly tool: PageTool
  readonly input: unknown
  readonly signal: AbortSignal
  readonly idempotencyKey: string
  readonly maxResultCharacters: number
}

/** Calls a tool of the page as it is now, if that is still the one that is meant. */
export async function callPageTool(call: PageCall): Promise<unknown> {
  const { context, input, signal, idempotencyKey, window } = call
  const listed = await context.getTools()
  // At once: whatever were awaited in between, the page could change the tool meanwhile.
  const tool = findTool(call, listed)
  const result = await executed(context.executeTool(tool, inBothForms(input), { signal }), call)
  if (result !== null) return readResult(result, call.maxResultCharacters)
  // It was this call that made the page go: what else is under way then is cut off in the middle.
  if (isOwnWindow(window))
    await withUnloadNote(idempotencyKey, () => sleepUnlessAborted(LEAVING_MS, signal))
  return 'Done: the page went to another address, and the tool returned nothing.'
}

/** What the page's function rejects with is the page's, and kept to its words. */
async function executed(
  executing: Promise<unknown>,
  { signal, maxResultCharacters }: PageCall,
): Promise<unknown> {
  try {
    return await executing
  } catch (thrown) {
    throw signal.aborted ? thrown : readFailure(thrown, maxResultCharacters)
  }
}

function findTool({ window, tool }: PageCall, listed: readonly RegisteredTool[]): RegisteredTool {
  const found = listed.find((each) => each.name === tool.pageName && each.window === window)
  if (!found || isPublished(found)) throw new Error('Not done: the page no longer has this tool.')
  const reading = readPageTool(found)
  if ('problem' in reading || !sameDefinition(reading.tool, tool))
    throw new Error('Not done: the page has changed what this tool is.')
  return found
}
