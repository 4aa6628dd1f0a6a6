import { prepareTool, toJsonSchema } from '../../client/tools/prepare-tool.ts'
import {
  type CompositeTool,
  isComposite,
  type Tool,
  type ToolCallInfo,
  type ToolContext,
} from '../../client/tools/tool.ts'
import { signalWithin } from '../../lib/abort.ts'
import { type SerialQueue, createSerialQueue } from '../../lib/serial-queue.ts'
import { describeThrown, OffstageError } from '../../protocol/error.ts'
import type { JsonSchema } from '../../protocol/json.ts'
import type { CallAbout } from '../../protocol/run.ts'
import { mayNeedApproval, needsApproval } from './confirm.ts'
import type { CallerContext, Hints, ModelContext, ModelContextTool } from './model-context.ts'
import type { PublishOptions, RefusedTool } from './publish-tools.ts'
import { markPublished } from './published-names.ts'
import { describeIssues, formatOutput } from '../../client/execution/format-output.ts'
import { suspensionOf } from '../../client/runs/pending.ts'
import { untilAborted } from '../../client/runs/until-aborted.ts'
import { unwrapUntrusted } from '../../protocol/taint.ts'
import { randomId } from '../../lib/random-id.ts'
import { isStandardSchema } from '../../client/tools/standard-schema.ts'
import { isRecord } from '../../lib/shape.ts'
import { unsafeKey } from '../../lib/json/unsafe-key.ts'
import { problemOf } from './validate-input.ts'

export interface Registration {
  readonly context: ModelContext
  readonly options: PublishOptions
  readonly signal: AbortSignal
  readonly published: string[]
  readonly refused: RefusedTool[]
}

/** Registers each tool, and records whether it was published or refused. Never rejects. */
export async function registerEach(
  tools: readonly (Tool | CompositeTool)[],
  { context, options, signal, published, refused }: Registration,
): Promise<void> {
  const { exposedTo, prefix = '' } = options
  const queue = createSerialQueue()
  const register = async (tool: Tool | CompositeTool): Promise<void> => {
    try {
      if (isComposite(tool)) throw new Error('its function needs an agent')
      refuseUnpublishable(tool, options)
      const name = prefix + prepareTool(tool).modelName
      const inputSchema = toJsonSchema(tool, tool.name)
      const execute = runnerOf({ tool, inputSchema, options }, queue)
      const unmark = markPublished(name)
      signal.addEventListener('abort', unmark)
      try {
        await context.registerTool(
          { name, ...definitionOf(tool, inputSchema), execute },
          { signal, ...(exposedTo && { exposedTo }) },
        )
      } catch (thrown) {
        signal.removeEventListener('abort', unmark)
        unmark()
        throw thrown
      }
      published.push(name)
    } catch (thrown) {
      refused.push({ name: tool.name, reason: describeThrown(thrown) })
    }
  }
  if (signal.aborted) return
  await Promise.all(tools.map(register))
}

function refuseUnpublishable(tool: Tool, { toolApproval, confirm }: PublishOptions): void {
  if (tool.remote) throw new Error('it is a remote tool')
  if (mayNeedApproval(tool, toolApproval) && !confirm)
    throw new Error('its calls may need approval: pass confirm')
}

function definitionOf(
  tool: Tool,
  inputSchema: JsonSchema,
): Omit<ModelContextTool, 'name' | 'execute'> {
  const { description, title } = tool
  return {
    description,
    inputSchema,
    annotations: hintsOf(tool),
    ...(title !== undefined && { title }),
  }
}

function hintsOf({ annotations = {} }: Tool): Hints {
  return {
    readOnlyHint: annotations.readOnly === true,
    untrustedContentHint: annotations.untrustedContent === true,
    consequentialHint: annotations.destructive === true,
  }
}

/** Makes the function that the browser calls. Calls that may change something run one at a time, as in an agent. */
function runnerOf(published: PublishedTool, queue: SerialQueue): ModelContextTool['execute'] {
  const { tool } = published
  const isParallel = tool.annotations?.readOnly === true || tool.sequential === false
  return (input, caller) => {
    const run = (): Promise<unknown> => runPublished(published, input, caller)
    return isParallel ? run() : queue(run)
  }
}

const DEFAULT_TIMEOUT_MS = 60_000

interface PublishedTool {
  readonly tool: Tool
  readonly inputSchema: JsonSchema
  readonly options: PublishOptions
}

interface Call extends PublishedTool {
  readonly input: unknown
  readonly caller: CallerContext | undefined
}

/** Runs another agent's call with the checks of an agent. Rejects if a check or the tool fails. */
async function runPublished(
  published: PublishedTool,
  rawInput: unknown,
  caller?: CallerContext,
): Promise<unknown> {
  const { tool } = published
  if (tool.available?.() === false) throw callError('The tool is not available now.')
  const input = await checkInput(tool, published.inputSchema, rawInput)
  const id = randomId()
  const info = { runId: id, conversationId: 'webmcp', toolCallId: id }
  const about = await approve({ ...published, input, caller }, info)
  const callerSignals = caller?.signal ? [caller.signal] : []
  const signal = signalWithin(tool.timeoutMs ?? DEFAULT_TIMEOUT_MS, ...callerSignals)
  const aboutField = about?.data !== undefined && { about: about.data }
  const context: ToolContext = {
    ...info,
    ...aboutField,
    signal,
    idempotencyKey: id,
    fence: 0,
    progress() {},
  }
  return untilAborted(async () => resultOf(tool, await tool.execute(input, context), input), signal)
}

/** Gets a person's approval. Resolves to the description that the person saw; null if no approval is needed. */
async function approve(call: Call, info: ToolCallInfo): Promise<CallAbout | null | undefined> {
  const { tool, input, options, caller } = call
  const { confirm, toolApproval: policy } = options
  if (!(await needsApproval(tool, { input, info, policy }))) return null
  const about = await tool.describe?.(input, info)
  const signal = caller?.signal ?? new AbortController().signal
  // Records the answer here, because the caller's function decides only when to ask; its result isn't the answer.
  let answer: unknown
  const ask = async (): Promise<unknown> =>
    (answer = await confirm?.({ tool, input, signal, ...(about && { about }) }))
  await untilAborted(
    async () => (caller?.requestUserInteraction ? caller.requestUserInteraction(ask) : ask()),
    signal,
  )
  if (answer !== true) throw callError('The user did not approve this call.')
  return about
}

async function resultOf(tool: Tool, returned: unknown, input: unknown): Promise<unknown> {
  if (suspensionOf(returned) !== undefined) throw callError('It needs an agent to finish its call.')
  const { result } = unwrapUntrusted(returned)
  const output = await formatOutput(
    tool.toModelOutput ? await tool.toModelOutput(result, input) : result,
  )
  switch (output.type) {
    case 'text':
    case 'json':
      return output.value
    case 'content':
      return output.value.map((part) => (part.type === 'text' ? part.text : `[${part.mediaType}]`))
    case 'error':
      throw callError(output.message)
    case 'denied':
      throw callError(output.reason ?? 'Call denied.')
  }
}

function callError(message: string): OffstageError {
  return new OffstageError('call-failed', message)
}

/**
 * Validates a call's input, which no browser or worker has done. Returns it as the tool's function gets it. Throws
 * `invalid-input`.
 */
async function checkInput(
  { inputSchema }: Tool,
  schema: JsonSchema,
  rawInput: unknown,
): Promise<unknown> {
  const input = plainCopy(rawInput ?? {})
  if (!isRecord(input)) throw inputError('it is no object')
  const unsafe = unsafeKey(input)
  if (unsafe !== undefined) throw inputError(`'${unsafe}' is no allowed key`)
  const problem = problemOf(schema, input)
  if (problem !== null) throw inputError(problem)
  if (!isStandardSchema(inputSchema)) return input
  const checked = await inputSchema['~standard'].validate(input)
  if (checked.issues) throw inputError(describeIssues(checked.issues))
  return checked.value
}

/** Copies an input: a caller may keep and change its object, and a browser's object might not be plain data. */
function plainCopy(value: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(value)) as unknown
  } catch {
    throw inputError('it is no plain data')
  }
}

function inputError(reason: string): OffstageError {
  return new OffstageError('invalid-input', `The input can't be used: ${reason}.`)
}
