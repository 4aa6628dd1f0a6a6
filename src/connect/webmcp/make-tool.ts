import { takeUnloadNote, withUnloadNote } from '../../lib/unload-note.ts'
import type { Reconciled, Tool } from '../../client/tools/tool.ts'
import type { Consumable, RegisteredTool } from './model-context.ts'
import type { CheckedOptions } from './options.ts'
import { type PageTool, readPageTool, sameDefinition } from './page-tool.ts'
import { sleepUnlessAborted } from '../../lib/sleep.ts'
import { isOwnWindow, isPublished } from './published-names.ts'
import { cleanUntrustedText } from '../../lib/invisible.ts'
import { isRecord } from '../../lib/shape.ts'
import { cleanUntrustedData } from '../../lib/untrusted-data.ts'
import { describeThrown } from '../../protocol/error.ts'

export interface ToolParts {
  readonly name: string
  readonly window: unknown
  readonly tool: PageTool
  readonly context: Consumable
  readonly options: CheckedOptions
  /** Wraps each call. */
  wrap?<Result>(call: () => Promise<Result>): Promise<Result>
  available?(): boolean
}

/** Makes an agent's tool from a page's tool. Believes the tool's own annotations only if the page is trusted. */
export function makeTool(parts: ToolParts): Tool {
  const { name, window, tool, context, options } = parts
  const { wrap = (call) => call(), available } = parts
  const { trusted, timeoutMs, maxResultCharacters } = options
  const { needsApproval = trusted && tool.readOnly ? undefined : true } = options
  return {
    name,
    description: tool.description,
    inputSchema: tool.inputSchema,
    ...(tool.title !== undefined && { title: tool.title }),
    annotations: {
      readOnly: trusted && tool.readOnly,
      // Believed even if the page is untrusted, because it makes the agent more careful, not less.
      destructive: tool.consequential,
      untrustedContent: !trusted || tool.untrustedContent,
    },
    remote: { source: sourceOf(tool), trusted },
    ...(needsApproval !== undefined && { needsApproval }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(available && { available }),
    execute: (input, { signal, idempotencyKey }) =>
      wrap(() =>
        callPageTool({ context, window, tool, input, signal, idempotencyKey, maxResultCharacters }),
      ),
    reconcile: (_input, { idempotencyKey }) => readUnloadOutcome(idempotencyKey),
  }
}

function sourceOf({ isElsewhere }: PageTool): string {
  const origin = (globalThis as { readonly location?: Location }).location?.origin ?? 'this page'
  return isElsewhere ? `${origin} (another frame)` : origin
}

function readUnloadOutcome(idempotencyKey: string): Reconciled {
  return takeUnloadNote(idempotencyKey) === undefined
    ? undefined
    : { happened: true, result: 'Done: the page went to another address. This is the new page.' }
}

/** Time for the page to unload after a tool has started a navigation. Milliseconds. */
const LEAVING_MS = 4000

interface PageCall {
  readonly context: Consumable
  readonly window: unknown
  /** The definition when it was decided that the call runs. */
  readonly tool: PageTool
  readonly input: unknown
  readonly signal: AbortSignal
  readonly idempotencyKey: string
  readonly maxResultCharacters: number
}

/** Calls the page's tool. Throws if its definition has changed since the decision to run the call. */
async function callPageTool(call: PageCall): Promise<unknown> {
  const { context, input, signal, idempotencyKey, window } = call
  const listed = await context.getTools()
  // Nothing is awaited between check and call: the page could change the tool meanwhile.
  const tool = findTool(call, listed)
  const result = await awaitResult(context.executeTool(tool, inBothForms(input), { signal }), call)
  if (result !== null) return readResult(result, call.maxResultCharacters)
  // The page is navigating because of this call, so a note marks it as done. Other running calls are cut off without a
  // note.
  if (isOwnWindow(window))
    await withUnloadNote(idempotencyKey, () => sleepUnlessAborted(LEAVING_MS, signal))
  return 'Done: the page went to another address, and the tool returned nothing.'
}

/** Awaits the page's function. Keeps only the message of its rejection, because the page made the error. */
async function awaitResult(
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
    throw new Error('Not done: the page changed this tool.')
  return found
}

/** An input for every version of `executeTool`: an object that becomes its JSON when the browser needs a string. */
function inBothForms(input: unknown): object {
  const json = JSON.stringify(input ?? {})
  const copy = JSON.parse(json) as object
  return Object.defineProperty(copy, Symbol.toPrimitive, { value: () => json })
}

/**
 * Converts a tool's result for the model: JSON or text without invisible characters, cut to `maxCharacters`. Throws if
 * the result reports an error as MCP does (`isError`); checks this before cutting.
 */
function readResult(result: unknown, maxCharacters: number): unknown {
  const text = typeof result === 'string' ? result : (JSON.stringify(result) ?? '')
  const value = parseResult(text)
  const output = isContent(value) ? value.content.map(partText).join('\n') : value
  if (isRecord(value) && value['isError'] === true)
    throw new Error(`The page's tool failed: ${truncate(textOf(output), maxCharacters)}`)
  const outputText = textOf(output)
  return outputText.length > maxCharacters ? truncate(outputText, maxCharacters) : output
}

/** A page tool's error: only its message, without invisible characters, and cut. */
function readFailure(thrown: unknown, maxCharacters: number): Error {
  return new Error(truncate(cleanUntrustedText(describeThrown(thrown)), maxCharacters))
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function truncate(text: string, limit: number): string {
  if (text.length <= limit) return text
  return `${text.slice(0, limit)}\n[truncated: these are the first ${limit} of ${text.length} characters]`
}

/** Parses the text if it is JSON. Chromium returns only text, so an object and its JSON text look the same. */
function parseResult(text: string): unknown {
  try {
    return cleanUntrustedData(JSON.parse(text))
  } catch {
    return cleanUntrustedText(text)
  }
}

/** A result in MCP's form, which many pages' tools return. */
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
