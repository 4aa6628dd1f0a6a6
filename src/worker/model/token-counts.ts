import { cached } from '../../conversation/cached.ts'
import { estimateTokens } from '../../lib/estimate-tokens.ts'
import type { Message, ToolOutput, AssistantMessage, Usage } from '../../protocol/message.ts'
import type { ModelConfigData, ModelPrices } from '../../protocol/model.ts'
import type { ModelRequest } from '../../providers/provider.ts'
import { countedUsage } from '../../conversation/usage.ts'
import type { Limits } from '../../protocol/run.ts'
import { getPrices } from '../../providers/catalogue/model-facts.ts'

type Part = Message['parts'][number]

/** Overhead of a message, a call or a result: roles, ids, quotes. */
const FRAME_TOKENS = 8
/** Tokens that vendors count for a large image. */
const IMAGE_TOKENS = 1500
/** Base64 characters per token: few, so that the estimate is high. Four characters hold three bytes. */
const CHARACTERS_A_TOKEN = 3

/** An upper estimate of the tokens of a message, as it is sent. Cached: each request repeats the earlier messages. */
export const messageTokens: (message: Message) => number = cached((message: Message) =>
  message.parts.reduce((tokens, part) => tokens + partTokens(part), FRAME_TOKENS),
)

/** Sizes of a request's parts other than messages, in estimated tokens. */
export interface FixedSize {
  /** Includes the tools in ACTION mode, where the instructions describe them. */
  readonly instructions: number
  readonly context: number
  readonly tools: number
}

export function fixedSize({ instructions, trailer, tools, toolMode }: ModelRequest): FixedSize {
  let toolTokens = 0
  if (toolMode === 'native')
    for (const tool of tools) toolTokens += estimateTokens(JSON.stringify(tool)) + FRAME_TOKENS
  return {
    instructions: estimateTokens(instructions ?? '') + FRAME_TOKENS,
    context: estimateTokens(trailer ?? '') + FRAME_TOKENS,
    tools: toolTokens,
  }
}

/** Tokens of the context window to reserve for the answer. */
export function outputTokens({ maxOutputTokens }: ModelConfigData, contextWindow: number): number {
  return maxOutputTokens === undefined ? 0 : Math.min(maxOutputTokens, contextWindow / 2)
}

/** An upper estimate of the tokens of a message part. */
export function partTokens(part: Part): number {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return estimateTokens(part.text)
    case 'file':
      return part.mediaType.startsWith('image/')
        ? IMAGE_TOKENS
        : Math.ceil(part.data.length / CHARACTERS_A_TOKEN)
    case 'tool-call': {
      const input = part.error ? (part.rawInput ?? '') : JSON.stringify(part.input)
      return FRAME_TOKENS + estimateTokens(`${part.toolName} ${input}`)
    }
    case 'tool-result':
      return FRAME_TOKENS + estimateTokens(part.note ?? '') + resultTokens(part.output)
    default:
      return part satisfies never
  }
}

function resultTokens(output: ToolOutput): number {
  switch (output.type) {
    case 'text':
      return estimateTokens(output.value)
    case 'json':
      return estimateTokens(JSON.stringify(output.value))
    case 'content':
      return output.value.reduce((sum, part) => sum + partTokens(part), 0)
    case 'error':
      return estimateTokens(output.message)
    case 'denied':
      return estimateTokens(output.reason ?? '')
    default:
      return output satisfies never
  }
}

/** Result of one attempt at a model call. */
export interface AttemptResult {
  readonly toolMode: 'native' | 'action'
  /** The provider's own counts. */
  readonly usage: Usage
  /** The parts received, complete or not. */
  readonly parts: AssistantMessage['parts']
  /** The answer, if it is complete. */
  readonly answer?: Pick<AssistantMessage, 'parts'> | undefined
}

export interface Metering {
  readonly model: Pick<ModelConfigData, 'provider' | 'model' | 'prices'>
  readonly limits: Limits
  /** Returns the request that the model got. */
  request(): ModelRequest
}

/**
 * Adds the total tokens to an attempt's usage, and the cost if the prices are known. If the run limits tokens or
 * cost, upper estimates replace the counts that the provider left out. Pure.
 */
export function meterUsage(attempt: AttemptResult, { model, limits, request }: Metering): Usage {
  const isLimited = limits.tokens !== undefined || limits.costUSD !== undefined
  const prices = getPrices(model)
  if (!isLimited && !prices) return attempt.usage
  const usage = isLimited ? withEstimates(attempt, request) : attempt.usage
  const { input, cached, written, output } = countsOf(usage, model.provider)
  const totalTokens = input + cached + written + output
  if (totalTokens === 0) return usage
  const costUSD = prices && costOf({ input, cached, written, output }, prices)
  return countedUsage({ ...usage, totalTokens, ...(costUSD !== undefined && { costUSD }) })
}

interface Counts {
  /** Input tokens that were neither read from a cache nor written to one. */
  readonly input: number
  readonly cached: number
  readonly written: number
  readonly output: number
}

/**
 * Providers whose `input_tokens` exclude cached tokens (docs.anthropic.com, "Prompt caching", on tracking cache
 * performance). OpenAI's `prompt_tokens` include them.
 */
const CACHE_APART: ReadonlySet<string> = new Set(['anthropic', 'minimax'])

export function countsOf(usage: Usage, provider: string): Counts {
  const { inputTokens = 0, cachedInputTokens = 0, cacheWriteTokens = 0, outputTokens = 0 } = usage
  const cacheTokens = CACHE_APART.has(provider) ? 0 : cachedInputTokens + cacheWriteTokens
  return {
    input: Math.max(0, inputTokens - cacheTokens),
    cached: cachedInputTokens,
    written: cacheWriteTokens,
    output: outputTokens,
  }
}

function costOf({ input, cached, written, output }: Counts, prices: ModelPrices): number {
  const { cachedInput = prices.input, cacheWrite = prices.input } = prices
  const perMillion =
    input * prices.input + cached * cachedInput + written * cacheWrite + output * prices.output
  return perMillion / 1_000_000
}

/** Estimates missing counts. Proxies report zero for "unknown"; a cut-off answer may have an outdated count. */
function withEstimates(
  { usage, parts, answer }: AttemptResult,
  request: () => ModelRequest,
): Usage {
  const hasCounts = Object.values(usage).some((count) => count > 0)
  // No count and no output: the model has probably done no work.
  if (!answer && !hasCounts && parts.length === 0) return usage
  const { inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens = 0 } = usage
  const hasInput = [inputTokens, cachedInputTokens, cacheWriteTokens].some(Boolean)
  const estimate = outputEstimate(answer?.parts ?? parts)
  const isOutputKnown = answer ? outputTokens > 0 : outputTokens >= estimate
  if (hasInput && isOutputKnown) return usage
  return {
    ...usage,
    ...(!hasInput && { inputTokens: inputEstimate(request()) }),
    ...(!isOutputKnown && { outputTokens: estimate }),
    estimated: true,
  }
}

function outputEstimate(parts: AssistantMessage['parts']): number {
  return parts.reduce((sum, part) => sum + partTokens(part), 0)
}

function inputEstimate(request: ModelRequest): number {
  const { instructions, context, tools } = fixedSize(request)
  const messages = request.messages.reduce((sum, message) => sum + messageTokens(message), 0)
  return instructions + context + tools + messages
}
