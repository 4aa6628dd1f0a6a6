import { type ModelConfigData, modelName, type ModelPrices } from '../../protocol/model.ts'
import { isPricedVendor, type PricedVendor } from '../../protocol/prices.ts'

/** A vendor's list price for a model, with its source and date. */
export interface ListPrice {
  readonly prices: ModelPrices
  /** Address of the price list. */
  readonly source: string
  /** Date of the price: year, month, day. */
  readonly asOf: string
}

type Priced = Pick<ModelConfigData, 'provider' | 'prices'> & { readonly model?: string }

/** Returns the app's own prices, else the vendor's list prices; undefined if unknown. */
export function pricesOf(model: Priced): ModelPrices | undefined {
  return model.prices ?? listPrice(model)?.prices
}

/**
 * Returns the list price by vendor and full model name; undefined if unknown. The vendor matters: others charge other
 * prices for the same model.
 */
export function listPrice({ provider, model }: Omit<Priced, 'prices'>): ListPrice | undefined {
  if (!isPricedVendor(provider)) return undefined
  const name = modelName({ provider, ...(model !== undefined && { model }) })
  const plain = name.toLowerCase().replace(/^models\//, '')
  const row = listPrices[provider].find(([models]) => models.test(plain))
  if (row === undefined) return undefined
  const [, [input, output, cachedInput, cacheWrite], source, asOf] = row
  const prices = {
    input,
    output,
    ...(cachedInput !== undefined && { cachedInput }),
    ...(cacheWrite !== undefined && { cacheWrite }),
  }
  return { prices, source, asOf }
}

/** A row of a price list: matching models, prices, source and date. */
type PriceRow = readonly [
  /** Matches a whole model name in lower case. */
  models: RegExp,
  /** USD per million tokens. */
  prices: readonly [input: number, output: number, cachedInput?: number, cacheWrite?: number],
  /** Address of the price list. */
  source: string,
  /** Date of the price: year, month, day. */
  asOf: string,
]

const OPENAI = 'developers.openai.com/api/docs/pricing'
const NANO = 'developers.openai.com/api/docs/models/gpt-5-nano'
const CLAUDE = 'platform.claude.com/docs/en/about-claude/pricing'
const GEMINI = 'ai.google.dev/gemini-api/docs/pricing'
const MINIMAX = 'platform.minimax.io/docs/guides/pricing-paygo'

/**
 * List prices of the vendors' own endpoints for text and images, without batch or contract discounts. Cached input
 * without a known price costs as much as other input. Models whose price depends on the prompt's length, or ends
 * soon, are left out. Claude's cache prices are for five minutes.
 */
export const listPrices: Record<PricedVendor, readonly PriceRow[]> = {
  openai: [
    [/^gpt-4o(-\d{4}-\d\d-\d\d)?$/, [2.5, 10, 1.25], OPENAI, '2026-05-27'],
    [/^gpt-4o-mini(-\d{4}-\d\d-\d\d)?$/, [0.15, 0.6, 0.075], OPENAI, '2026-05-27'],
    [/^gpt-4\.1(-\d{4}-\d\d-\d\d)?$/, [2, 8, 0.5], OPENAI, '2026-06-21'],
    [/^gpt-4\.1-mini(-\d{4}-\d\d-\d\d)?$/, [0.4, 1.6, 0.1], OPENAI, '2026-06-21'],
    [/^gpt-4\.1-nano(-\d{4}-\d\d-\d\d)?$/, [0.1, 0.4], OPENAI, '2026-05-07'],
    [/^gpt-5(\.1)?(-\d{4}-\d\d-\d\d)?$/, [1.25, 10], OPENAI, '2026-03-21'],
    [/^gpt-5-mini(-\d{4}-\d\d-\d\d)?$/, [0.25, 2], OPENAI, '2026-03-21'],
    [/^gpt-5-nano(-\d{4}-\d\d-\d\d)?$/, [0.05, 0.4, 0.005], NANO, '2026-11-25'],
    [/^gpt-5\.4-mini(-\d{4}-\d\d-\d\d)?$/, [0.75, 4.5, 0.075], OPENAI, '2026-05-04'],
    [/^gpt-5\.4-nano(-\d{4}-\d\d-\d\d)?$/, [0.2, 1.25, 0.02], OPENAI, '2026-05-04'],
    [/^o3(-\d{4}-\d\d-\d\d)?$/, [2, 8], OPENAI, '2026-03-21'],
    [/^o[34]-mini(-\d{4}-\d\d-\d\d)?$/, [1.1, 4.4], OPENAI, '2026-03-21'],
  ],
  anthropic: [
    [/^claude-opus-5(-\d{8})?$/, [5, 25, 0.5, 6.25], CLAUDE, '2026-10-10'],
    [/^claude-opus-4-[5-8](-\d{8})?$/, [5, 25, 0.5, 6.25], CLAUDE, '2026-10-10'],
    [/^claude-opus-4(-[01])?(-\d{8})?$/, [15, 75, 1.5, 18.75], CLAUDE, '2026-10-10'],
    [/^claude-sonnet-5-5(-\d{8})?$/, [2, 10, 0.1, 2.5], CLAUDE, '2026-10-10'],
    [/^claude-sonnet-5(-\d{8})?$/, [2, 10, 0.2, 2.5], CLAUDE, '2026-10-10'],
    [/^claude-sonnet-4(-[0-6])?(-\d{8})?$/, [3, 15, 0.3, 3.75], CLAUDE, '2026-10-10'],
    [/^claude-3-7-sonnet(-\d{8}|-latest)?$/, [3, 15, 0.3, 3.75], CLAUDE, '2026-10-10'],
    [/^claude-haiku-4-5(-\d{8})?$/, [1, 5, 0.1, 1.25], CLAUDE, '2026-10-10'],
    [/^claude-3-5-haiku(-\d{8}|-latest)?$/, [0.8, 4, 0.08, 1], CLAUDE, '2026-10-10'],
  ],
  gemini: [
    [/^gemini-3\.5-flash$/, [1.5, 9], GEMINI, '2026-10-07'],
    [/^gemini-3\.5-flash-lite$/, [0.3, 2.5], GEMINI, '2026-10-07'],
  ],
  minimax: [
    [/^minimax-m2\.5$/, [0.3, 1.2, 0.03, 0.375], 'docs.litellm.ai/blog/minimax_m2_5', '2026-02-12'],
    [/^minimax-m2\.7$/, [0.3, 1.2, 0.06, 0.375], MINIMAX, '2026-04-21'],
  ],
}
