import { formatOutput } from '../client/format-output.ts'
import { suspensionOf } from '../client/pending.ts'
import type { Tool, ToolCallInfo, ToolContext } from '../client/tool.ts'
import { untilAborted } from '../client/until-aborted.ts'
import { unmarked } from '../protocol/words-of-others.ts'
import { randomId } from '../lib/random-id.ts'
import { OffstageError } from '../protocol/error.ts'
import type { JsonSchema } from '../protocol/json.ts'
import { checkedInput } from './checked-input.ts'
import { needsApproval } from './confirm.ts'
import type { CallerOf } from './model-context.ts'
import type { PublishOptions } from './publish-options.ts'

const DEFAULT_TIMEOUT_MS = 60_000

export interface PublishedTool {
  readonly tool: Tool
  readonly inputSchema: JsonSchema
  readonly options: PublishOptions
}

interface Call extends PublishedTool {
  readonly input: unknown
  readonly caller: CallerOf | undefined
}

/** Runs a call from outside as an agent would. Rejects with what went wrong. */
export async function runPublished(
  published: PublishedTool,
  given: unknown,
  caller?: CallerOf,
): Promise<unknown> {
  const { tool } = published
  if (tool.available?.() === false) throw failed('The tool is not available now.')
  const input = await checkedInput(tool, published.inputSchema, given)
  const id = randomId()
  const info = { runId: id, conversationId: 'webmcp', toolCallId: id }
  await approve({ ...published, input, caller }, info)
  const time = AbortSignal.timeout(tool.timeoutMs ?? DEFAULT_TIMEOUT_MS)
  const signal = caller?.signal ? AbortSignal.any([caller.signal, time]) : time
  const context: ToolContext = { ...info, signal, idempotencyKey: id, fence: 0, progress() {} }
  return untilAborted(async () => resultOf(tool, await tool.execute(input, context), input), signal)
}

async function approve(call: Call, info: ToolCallInfo): Promise<void> {
  const { tool, input, options, caller } = call
  const { confirm, toolApproval: policy } = options
  if (!(await needsApproval(tool, { input, info, policy }))) return
  const about = await tool.describe?.(input, info)
  const signal = caller?.signal ?? new AbortController().signal
  const ask = async (): Promise<unknown> =>
    confirm?.({ tool, input, signal, ...(about && { about }) })
  const answer = await untilAborted(
    async () => (caller?.requestUserInteraction ? caller.requestUserInteraction(ask) : ask()),
    signal,
  )
  if (answer !== true) throw failed('A person has not allowed this call.')
}

async function resultOf(tool: Tool, returned: unknown, input: unknown): Promise<unknown> {
  if (suspensionOf(returned) !== undefined)
    throw failed('The tool waits for an agent to settle its call.')
  const { result } = unmarked(returned)
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
      throw failed(output.message)
    case 'denied':
      throw failed(output.reason ?? 'It was denied.')
  }
}

function failed(message: string): OffstageError {
  return new OffstageError('call-failed', message)
}
