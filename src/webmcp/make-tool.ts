import { takeUnloadNote, withUnloadNote } from '../lib/unload-note.ts'
import type { Reconciled, Tool } from '../client/tool.ts'
import type { Consumable, RegisteredTool } from './model-context.ts'
import type { CheckedOptions } from './options.ts'
import { type PageTool, readPageTool, sameDefinition } from './page-tool.ts'
import { sleepUnlessAborted } from '../lib/sleep.ts'
import { isOwnWindow, isPublished } from './published-names.ts'
import { withoutHidden } from '../lib/invisible.ts'
import { isRecord } from '../lib/shape.ts'
import { visibleData } from '../lib/visible-data.ts'
import { describeThrown } from '../protocol/error.ts'

export interface ToolParts {
  readonly name: string
  readonly window: unknown
  readonly tool: PageTool
  readonly context: Consumable
  readonly options: CheckedOptions
  /** Around each call. */
  during?<Result>(call: () => Promise<Result>): Promise<Result>
  available?(): boolean
}

/** A tool of the page as one of the agent. What it says of itself counts where the page is trusted. */
export function makeTool(parts: ToolParts): Tool {
  const { name, window, tool, context, options } = parts
  const { during = (call) => call(), available } = parts
  const { trusted, timeoutMs, maxResultCharacters } = options
  const { needsApproval = trusted && tool.readOnly ? undefined : true } = options
  return {
    name,
    description: tool.description,
    inputSchema: tool.inputSchema,
    ...(tool.title !== undefined && { title: tool.title }),
    annotations: {
      readOnly: trusted && tool.readOnly,
      // Believed of whoever says it: it asks for more care, not for less.
      destructive: tool.consequential,
      untrustedContent: !trusted || tool.untrustedContent,
    },
    remote: { source: sourceOf(tool), trusted },
    ...(needsApproval !== undefined && { needsApproval }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(available && { available }),
    execute: (input, { signal, idempotencyKey }) =>
      during(() =>
        callPageTool({ context, window, tool, input, signal, idempotencyKey, maxResultCharacters }),
      ),
    reconcile: (_input, { idempotencyKey }) => outcomeOfLeaving(idempotencyKey),
  }
}

function sourceOf({ isElsewhere }: PageTool): string {
  const origin = (globalThis as { readonly location?: Location }).location?.origin ?? 'this page'
  return isElsewhere ? `${origin} (another frame)` : origin
}

function outcomeOfLeaving(idempotencyKey: string): Reconciled {
  return takeUnloadNote(idempotencyKey) === undefined
    ? undefined
    : { happened: true, result: 'Done: the page went to another address. This is the new page.' }
}

/** How long the page that a tool goes to may take until this one is left. Milliseconds. */
const LEAVING_MS = 4000

interface PageCall {
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
async function callPageTool(call: PageCall): Promise<unknown> {
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

/**
 * An input for `executeTool` of every generation: an object for those that take objects; where a text is wanted, it
 * turns into its JSON.
 */
function inBothForms(input: unknown): object {
  const json = JSON.stringify(input ?? {})
  const copy = JSON.parse(json) as object
  return Object.defineProperty(copy, Symbol.toPrimitive, { value: () => json })
}

/**
 * What a page's tool returned, for the model: JSON or text without invisible characters, cut to a number of
 * characters. Throws what a tool says went wrong, in the form of MCP (`isError`): that is read before anything is cut.
 */
function readResult(result: unknown, maxCharacters: number): unknown {
  const text = typeof result === 'string' ? result : (JSON.stringify(result) ?? '')
  const value = parsed(text)
  const said = isContent(value) ? value.content.map(partText).join('\n') : value
  if (isRecord(value) && value['isError'] === true)
    throw new Error(`The page's tool failed: ${cut(textOf(said), maxCharacters)}`)
  const whole = textOf(said)
  return whole.length > maxCharacters ? cut(whole, maxCharacters) : said
}

/** What a page's tool threw: its words only, visible and cut. */
function readFailure(thrown: unknown, maxCharacters: number): Error {
  return new Error(cut(withoutHidden(describeThrown(thrown)), maxCharacters))
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function cut(text: string, limit: number): string {
  if (text.length <= limit) return text
  return `${text.slice(0, limit)}\n[truncated: these are the first ${limit} of ${text.length} characters]`
}

/** Of a text, Chromium says nothing of what it was: JSON of an object, or a text that looks like it. */
function parsed(text: string): unknown {
  try {
    return visibleData(JSON.parse(text))
  } catch {
    return withoutHidden(text)
  }
}

/** A result as MCP servers give it, which many pages' tools return. */
interface Content {
  readonly content: readonly unknown[]
}

function isContent(value: unknown): value is Content {
  return isRecord(value) && Array.isArray(value['content']) && value['content'].every(isPart)
}

function isPart(part: unknown): part is { readonly type: string; readonly text?: unknown } {
  return isRecord(part) && typeof part['type'] === 'string'
}

function partText(part: unknown): string {
  if (!isPart(part)) return ''
  return part.type === 'text' && typeof part.text === 'string' ? part.text : `[${part.type}]`
}
