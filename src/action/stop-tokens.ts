import { anyOf } from './text-pattern.ts'
import { lazyPattern } from '../lib/once.ts'

/** Tokens that end a turn, by vendor. Tokens between bars (`<|…|>`) are matched by pattern. */
const plainTokens: readonly string[] = [
  '</s>',
  '<end_of_turn>',
  '<eos>',
  '<EOT>',
  // Gemma 4, FunctionGemma: results would come next
  '<turn|>',
  '<|tool_response>',
  '<start_function_response>',
  // LongCat, Laguna, Seed-OSS, MiniMax, PanGu
  '</longcat_s>',
  '</assistant>',
  '<seed:eos>',
  '[e~[',
  '[unused10]',
  // Kimi K3
  '<|close|>message<|sep|>',
]
/** Tokens that end a turn and leaked into the output. */
export const stopToken: () => RegExp = lazyPattern(
  () => `^(?:${anyOf(plainTokens)}|<\\|[^<>|｜\\n]{1,30}\\|>|<｜[^<>|｜\\n]{1,30}｜>)`,
)
const cutTokens: readonly string[] = [...plainTokens, '<start_of_turn>']
/** The next turn's header. */
export const turnStart: RegExp =
  /^<(?:\|(?:im_start|start_header_id)\||\|turn|start_of_turn)>(?:user|assistant|system|tool|model)?/
/** Most stop tokens in a row that are read. */
const maxTokens = 20
const cutToken = /^<[|｜][^<>|｜\n]{0,30}[|｜]?$/

/** Whether a token at the start of `text` ends the turn; `'partial'` while that depends on more text. */
export function endOfTurn(text: string): 'next-turn' | 'partial' | undefined {
  let rest = text
  for (let count = 0; count < maxTokens; count++) {
    // A complete token may also be the beginning of a longer one.
    if (isCutToken(rest)) return 'partial'
    const token = stopToken().exec(rest)
    if (!token) return undefined
    rest = rest.slice(token[0].length).trimStart()
    if (turnStart.test(rest)) return 'next-turn'
  }
  return undefined
}

function isCutToken(text: string): boolean {
  return cutToken.test(text) || cutTokens.some((token) => token.startsWith(text))
}
