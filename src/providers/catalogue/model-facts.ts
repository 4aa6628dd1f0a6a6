import {
  isPricedVendor,
  type ModelConfigData,
  modelName,
  type ModelPrices,
  type PricedVendor,
} from '../../protocol/model.ts'

/**
 * How a model reasons before it answers. `'none'`: not at all. `'hidden'`: the endpoint doesn't send the reasoning.
 * `'blocks'`: in signed thinking blocks, which are sent back. `'tags'`: in `<think>` tags, which some servers move into
 * a separate field; some models reason only on request. `'channels'`: in a channel of the Harmony format.
 */
export type ReasoningStyle = 'none' | 'hidden' | 'blocks' | 'tags' | 'channels'

/** Known facts about a model. A missing fact is unknown, not false. */
export interface ModelFacts {
  /** Context window that the model was made for. A local server may use a smaller one. */
  readonly contextWindow?: number
  /** Trained to call tools, so servers offer native tool calls. */
  readonly tools?: boolean
  /** Accepts images. */
  readonly vision?: boolean
  readonly reasoning?: ReasoningStyle
}

const K = 1024

/** Facts that most of the models here share. */
const withTools: ModelFacts = { tools: true, vision: false, reasoning: 'none' }
const withVision: ModelFacts = { ...withTools, vision: true }
const withThinkTags: ModelFacts = { ...withTools, reasoning: 'tags' }
const textOnly: ModelFacts = { tools: false, vision: false, reasoning: 'none' }

/**
 * Well-known models, matched by the start of their plain name; the first matching pattern wins. If versions of one
 * name differ, the smaller window is listed. Uncertain facts are left out.
 */
const families: readonly (readonly [RegExp, ModelFacts])[] = [
  // OpenAI: platform.openai.com/docs/models. gpt-oss: its model card.
  [/^gpt-oss/, { ...withTools, contextWindow: 128 * K, reasoning: 'channels' }],
  [/^(chat)?gpt-4o/, { ...withVision, contextWindow: 128_000 }],
  [/^gpt-4\.1/, { ...withVision, contextWindow: 1_047_576 }],
  [/^gpt-5(\.\d)?-chat/, { vision: true, contextWindow: 128_000 }],
  [/^gpt-5(\.[12])?(-|$)/, { ...withVision, contextWindow: 400_000, reasoning: 'hidden' }],
  [/^o1-(mini|preview)/, { ...textOnly, contextWindow: 128_000, reasoning: 'hidden' }],
  [/^o3-mini/, { ...withTools, contextWindow: 200_000, reasoning: 'hidden' }],
  [/^(o1|o3|o4-mini)(-|$)/, { ...withVision, contextWindow: 200_000, reasoning: 'hidden' }],

  // Anthropic: docs.anthropic.com, "Models overview". Longer windows are an option of some models.
  [/^claude-3[-.]7/, { ...withVision, contextWindow: 200_000, reasoning: 'blocks' }],
  [/^claude-3/, { ...withVision, contextWindow: 200_000 }],
  [/^claude-(opus|sonnet|haiku)-4/, { ...withVision, contextWindow: 200_000, reasoning: 'blocks' }],

  // MiniMax: platform.minimax.io, "Models". Its Messages endpoint turns the tags into blocks.
  [/^minimax-m2/, { ...withThinkTags, contextWindow: 204_800 }],

  // Meta: the model cards of Llama 3 to 3.3.
  [/^llama-?3\.2[-:](11b|90b|vision)/, { vision: true, reasoning: 'none', contextWindow: 128 * K }],
  [/^llama-?3\.[123]/, { ...withTools, contextWindow: 128 * K }],
  [/^llama-?3(-|:|$)/, { ...textOnly, contextWindow: 8 * K }],

  // Alibaba: the model cards and config.json of Qwen2.5 and Qwen3.
  [/^qwen-?2\.5-?(vl|omni)/, { vision: true, reasoning: 'none' }],
  [/^qwen-?2\.5(-coder)?[-:]?(\d|$|coder|instruct)/, { ...withTools, contextWindow: 32 * K }],
  [/^qwen-?3-?coder/, { ...withTools, contextWindow: 256 * K }],
  [/^qwen-?3-?vl/, { tools: true, vision: true, contextWindow: 256 * K }],
  [/^qwen-?3-?next.*thinking/, { ...withThinkTags, contextWindow: 256 * K }],
  [/^qwen-?3-?next/, { ...withTools, contextWindow: 256 * K }],
  [/^qwen-?3[-:].*(thinking-2507|2507-thinking)/, { ...withThinkTags, contextWindow: 256 * K }],
  [/^qwen-?3[-:].*(instruct-2507|2507-instruct)/, { ...withTools, contextWindow: 256 * K }],
  [/^qwen-?3([-:]\d|:latest|$)/, { ...withThinkTags, contextWindow: 40 * K }],

  // Mistral: docs.mistral.ai, "Models", and the model cards.
  [/^devstral/, { tools: true, reasoning: 'none', contextWindow: 128 * K }],
  [/^ministral/, { tools: true, contextWindow: 128 * K }],
  [/^mistral-(nemo|large)/, { tools: true, reasoning: 'none', contextWindow: 128_000 }],
  [/^mistral-small-?(3\.[12]|2503|2506)/, { ...withVision, contextWindow: 128 * K }],
  [/^mistral-small/, { tools: true, contextWindow: 32 * K }],
  [/^mistral-7b-instruct-v0\.3|^mistral(:7b|:latest|$)/, { ...withTools, contextWindow: 32 * K }],

  // DeepSeek: api-docs.deepseek.com, "Models & Pricing", and the model cards.
  [/^deepseek-(chat|v3)/, { tools: true, vision: false, contextWindow: 128_000 }],
  [/^deepseek-(reasoner|r1)/, { vision: false, reasoning: 'tags', contextWindow: 128_000 }],

  // Google: ai.google.dev/gemini-api/docs/models. Speech and embedding models use other APIs.
  [/^gemini-.*(tts|audio|live|embedding)/, {}],
  [/^gemini-.*image/, { tools: false, vision: true }],
  [/^gemini-2\.0-flash/, { ...withVision, contextWindow: 1_048_576 }],
  [
    /^gemini-(2\.5|3(\.\d)?)-(pro|flash)/,
    { ...withVision, contextWindow: 1_048_576, reasoning: 'hidden' },
  ],

  // Google: the model cards of Gemma 2 and 3. They have no tool format of their own.
  [/^gemma-?2/, { ...textOnly, contextWindow: 8 * K }],
  [/^gemma-?3n/, { tools: false, reasoning: 'none', contextWindow: 32 * K }],
  [/^gemma-?3[-:](1b|270m)/, { ...textOnly, contextWindow: 32 * K }],
  [/^gemma-?3([-:]|$)/, { ...textOnly, vision: true, contextWindow: 128 * K }],

  // Microsoft: the model cards of Phi-3 to Phi-4.
  [/^phi-?3.*vision/, { ...textOnly, vision: true, contextWindow: 128 * K }],
  [/^phi-?3.*-4k/, { ...textOnly, contextWindow: 4 * K }],
  [/^phi-?3.*-128k|^phi-?3\.5-?mini/, { ...textOnly, contextWindow: 128 * K }],
  [/^phi-?3/, textOnly],
  [/^phi-?4.*multimodal/, { vision: true, reasoning: 'none', contextWindow: 128 * K }],
  [/^phi-?4.*vision/, { vision: true, reasoning: 'tags' }],
  [/^phi-?4.*reasoning/, { tools: false, vision: false, reasoning: 'tags' }],
  [/^phi-?4-?mini/, { ...withTools, contextWindow: 128 * K }],
  [/^phi-?4/, { ...textOnly, contextWindow: 16 * K }],

  // Z.ai: docs.z.ai and the model cards.
  [/^glm-4\.\dv/, { tools: true, vision: true, reasoning: 'tags' }],
  [/^glm-4\.5/, { ...withThinkTags, contextWindow: 128 * K }],
  [/^glm-4\.[67]/, { ...withThinkTags, contextWindow: 200_000 }],

  // Moonshot: platform.moonshot.ai and the model cards.
  [/^kimi-k2\.\d/, { tools: true, vision: true, contextWindow: 256 * K }],
  [/^kimi-k2-thinking/, { ...withThinkTags, contextWindow: 256 * K }],
  [/^kimi-k2.*0905/, { ...withTools, contextWindow: 256 * K }],
  [/^kimi-k2/, { tools: true, vision: false, contextWindow: 128 * K }],
]

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
export function getPrices(model: Priced): ModelPrices | undefined {
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
 * without a known price costs as much as other input. Left out: models whose price depends on the prompt's length or
 * will soon end. Claude's prices are for a cache lifetime of five minutes.
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

/**
 * Facts about a model by its name, as vendors and local servers write it (`qwen3:4b`,
 * `Qwen/Qwen3-4B-Instruct-2507`, a GGUF file's name). `overrides`, by exact model name, replace single
 * facts of the catalogue. Returns `{}` for an unknown model.
 */
export function modelFacts(
  model: string,
  overrides: { readonly [model: string]: ModelFacts } = {},
): ModelFacts {
  const name = plainName(model)
  const family = families.find(([pattern]) => pattern.test(name))
  return { ...family?.[1], ...(Object.hasOwn(overrides, model) && overrides[model]) }
}

/** Lower-case name without the owner before the last slash, or a cloud's vendor prefix before a dot. */
function plainName(model: string): string {
  const last = model.slice(model.lastIndexOf('/') + 1).toLowerCase()
  return last.replace(/^(?:[a-z]+\.)+(?=[a-z])/, '').replace(/^meta-(?=llama)/, '')
}
