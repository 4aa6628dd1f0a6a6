/**
 * How a model reasons before it answers. `'none'`: not at all. `'hidden'`: its endpoint keeps the
 * reasoning. `'blocks'`: in thinking blocks, which are signed and go back. `'tags'`: in `<think>` tags,
 * which servers may move into a field of their own; some models do so only on demand. `'channels'`:
 * in a channel of the Harmony format.
 */
export type ReasoningStyle = 'none' | 'hidden' | 'blocks' | 'tags' | 'channels'

/** Known facts about a model. A missing fact is unknown, not false. */
export interface ModelFacts {
  /** Tokens that the model was made for. A local server may run it with fewer. */
  readonly contextWindow?: number
  /** Trained to call tools, so that servers offer it natively. */
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
export const families: readonly (readonly [RegExp, ModelFacts])[] = [
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

  // Google: ai.google.dev/gemini-api/docs/models. Speech and image models are called differently.
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
  [/^phi-?4.*reasoning/, { tools: false, vision: false, reasoning: 'tags' }],
  [/^phi-?4-?mini/, { ...withTools, contextWindow: 128 * K }],
  [/^phi-?4/, { ...textOnly, contextWindow: 16 * K }],

  // Z.ai: docs.z.ai and the model cards.
  [/^glm-4\.\dv/, { tools: true, vision: true, reasoning: 'tags' }],
  [/^glm-4\.5/, { ...withThinkTags, contextWindow: 128 * K }],
  [/^glm-4\.[67]/, { ...withThinkTags, contextWindow: 200_000 }],

  // Moonshot: platform.moonshot.ai and the model cards.
  [/^kimi-k2\.5/, { tools: true, vision: true, contextWindow: 256 * K }],
  [/^kimi-k2-thinking/, { ...withThinkTags, contextWindow: 256 * K }],
  [/^kimi-k2.*0905/, { ...withTools, contextWindow: 256 * K }],
  [/^kimi-k2/, { tools: true, vision: false, contextWindow: 128 * K }],
]
