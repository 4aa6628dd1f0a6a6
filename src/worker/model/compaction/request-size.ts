import { estimateTokens } from '../../../lib/estimate-tokens.ts'
import type { Message, ToolOutput } from '../../../protocol/message.ts'
import type { ModelConfigData } from '../../../protocol/model.ts'
import type { ModelRequest } from '../../../providers/provider.ts'

type Part = Message['parts'][number]

/** Overhead of a message, a call or a result: roles, ids, quotes. */
const FRAME_TOKENS = 8
/** Tokens that vendors count for a large image. */
const IMAGE_TOKENS = 1500
/** Characters of Base64 per token. Four characters hold three bytes; a token of text has at most four. */
const CHARACTERS_A_TOKEN = 3

// Messages are immutable, and each request repeats those of the step before.
const known = new WeakMap<Message, number>()

/** An upper estimate of the tokens of a message, as it is sent. */
export function messageTokens(message: Message): number {
  let tokens = known.get(message)
  if (tokens === undefined) {
    tokens = FRAME_TOKENS
    for (const part of message.parts) tokens += partTokens(part)
    known.set(message, tokens)
  }
  return tokens
}

/** Sizes of a request's parts other than messages, in estimated tokens. */
export interface FixedSize {
  /** Includes the tools in ACTION mode, where the instructions describe them. */
  readonly instructions: number
  readonly context: number
  readonly tools: number
}

export function fixedSize({ instructions, trailer, tools, toolMode }: ModelRequest): FixedSize {
  let listed = 0
  if (toolMode === 'native')
    for (const tool of tools) listed += estimateTokens(JSON.stringify(tool)) + FRAME_TOKENS
  return {
    instructions: estimateTokens(instructions ?? '') + FRAME_TOKENS,
    context: estimateTokens(trailer ?? '') + FRAME_TOKENS,
    tools: listed,
  }
}

/** Tokens of the window to reserve for the answer. */
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
