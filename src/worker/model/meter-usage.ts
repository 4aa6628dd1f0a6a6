import { countedUsage } from '../../conversation/usage.ts'
import type { AssistantMessage, Usage } from '../../protocol/message.ts'
import type { ModelConfigData, ModelPrices } from '../../protocol/model.ts'
import type { Limits } from '../../protocol/run.ts'
import { pricesOf } from '../../providers/catalogue/model-facts.ts'
import type { ModelRequest } from '../../providers/provider.ts'
import { fixedSize, messageTokens, partTokens } from './compaction/request-size.ts'

/** Result of one attempt at a model call. */
export interface Said {
  readonly toolMode: 'native' | 'action'
  /** The provider's own counts. */
  readonly usage: Usage
  /** The parts received, complete or not. */
  readonly parts: AssistantMessage['parts']
  /** The answer, if it is complete. */
  readonly whole?: Pick<AssistantMessage, 'parts'> | undefined
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
export function meterUsage(said: Said, { model, limits, request }: Metering): Usage {
  const isLimited = limits.tokens !== undefined || limits.costUSD !== undefined
  const prices = pricesOf(model)
  if (!isLimited && !prices) return said.usage
  const usage = isLimited ? withEstimates(said, request) : said.usage
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

function countsOf(usage: Usage, provider: string): Counts {
  const { inputTokens = 0, cachedInputTokens = 0, cacheWriteTokens = 0, outputTokens = 0 } = usage
  const within = CACHE_APART.has(provider) ? 0 : cachedInputTokens + cacheWriteTokens
  return {
    input: Math.max(0, inputTokens - within),
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
function withEstimates({ usage, parts, whole }: Said, request: () => ModelRequest): Usage {
  const isKnown = Object.values(usage).some((count) => count > 0)
  // No count and no output: the model has probably done no work.
  if (!whole && !isKnown && parts.length === 0) return usage
  const { inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens = 0 } = usage
  const hasInput = [inputTokens, cachedInputTokens, cacheWriteTokens].some(Boolean)
  const written = outputEstimate(whole?.parts ?? parts)
  const isOutputKnown = whole ? outputTokens > 0 : outputTokens >= written
  if (hasInput && isOutputKnown) return usage
  return {
    ...usage,
    ...(!hasInput && { inputTokens: inputEstimate(request()) }),
    ...(!isOutputKnown && { outputTokens: written }),
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
