import { alternation, isTagStart } from './char-codes.ts'
import { lazyPattern } from '../lib/once.ts'

/** Tokens that end a turn, by vendor. Tokens between bars (`<|…|>`) are matched by pattern. */
const plainTokens: readonly string[] = [
  '</s>',
  '<end_of_turn>',
  '<eos>',
  '<EOT>',
  // Gemma 4, FunctionGemma: results would come next.
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
  () => `^(?:${alternation(plainTokens)}|<\\|[^<>|｜\\n]{1,30}\\|>|<｜[^<>|｜\\n]{1,30}｜>)`,
)
const cutTokens: readonly string[] = [...plainTokens, '<start_of_turn>']
/** The next turn's header. */
export const turnStart: RegExp =
  /^<(?:\|(?:im_start|start_header_id)\||\|turn|start_of_turn)>(?:user|assistant|system|tool|model)?/
/** Most stop tokens in a row that are read. */
const maxTokens = 20
const cutToken = /^<[|｜][^<>|｜\n]{0,30}[|｜]?$/

/** Whether a token at the start of `text` ends the turn; `'partial'` if that depends on more text. */
export function matchTurnEnd(text: string): 'next-turn' | 'partial' | undefined {
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

/** Header of another turn or a result, in vendors' tokens. */
const turn =
  /^(?:<(?:start_of_turn|seed:bos|\|turn|start_function_response|\|tool_response)>|<[|｜](?:im_(?:start|user|system|assistant)|start_header_id|start_of_role|START_OF_TURN_TOKEN|header_start|(?:hy_|ctrl_)?(?:user|assistant|system|developer|observation|environment|ipython|tool)|(?:START_)?tool[▁_ ]?(?:responses?|results?|outputs?)(?:[▁_ :]?(?:begin|start))?)[|｜]>|<\|start\|>\w|\[(?:INST|TOOL_RESULTS)\])/i
/** Start of a result, as a word or an element. */
const result =
  /^(?:Observation:|<(?:(?:tool|function)_?(?:responses?|results?|outputs?)|observation)>)/
const cut = /^(?:<[^<>\n]{0,30}|\[[A-Z_]{0,12})$/
/** Harmony's header of the model's own turn. */
const ownTurn = '<|start|>assistant'

const bars = [
  'im_start',
  'start_header_id',
  'header_start',
  'start_of_role',
  'bot',
  'plamo:msg',
  'begin',
]
const tokens = ['start_of_turn', '|turn', 'seed:bos', 'extra_id_0', 'extra_id_1']
const otherRoles = [
  'user',
  'human',
  'system',
  'developer',
  'observation',
  'environment',
  'ipython',
  'tool',
  'function',
]
/**
 * Headers of turns that aren't the model's: vendors' tokens and the role, in lower case. `matchHeader` reads Harmony's.
 */
const otherTurns: readonly string[] = [
  ...otherRoles.flatMap((role) => [
    ...bars.map((token) => `<|${token}|>${role}`),
    ...tokens.map((token) => `<${token}>${role}`),
    `<|${role}|>`,
    `<|hy_${role}|>`,
    `<｜${role}｜>`,
    `[|${role}|]`,
    `]~b]${role}`,
  ]),
  '<|im_user|>',
  '<|im_system|>',
  '[inst]',
  '[tool_results]',
  '<|start_of_turn_token|><|user_token|>',
  '<|start_of_turn_token|><|system_token|>',
  '<｜tool▁outputs▁begin｜>',
  '<｜tool▁output▁begin｜>',
  '<|tool_response>',
  '<start_function_response>',
  '[round 1] user:',
]

/** Names of elements that contain results. */
export const resultTags: readonly string[] = ['tool', 'function'].flatMap((kind) =>
  ['response', 'responses', 'result', 'results', 'output', 'outputs'].map(
    (name) => `${kind}_${name}`,
  ),
)

/**
 * R4: returns whether the model starts to write as somebody else here: another turn, or an invented result. `'partial'`
 * if that depends on more input. A result's keyword counts only at the start of a line.
 */
export function startsHallucination(text: string, lineStart: boolean): boolean | 'partial' {
  if (text.startsWith(ownTurn)) return false
  if (ownTurn.startsWith(text)) return 'partial'
  if (turn.test(text)) return true
  if (result.test(text)) return lineStart || text.startsWith('<')
  const isPartial = cut.test(text) || (lineStart && 'Observation:'.startsWith(text))
  return isPartial ? 'partial' : false
}

/**
 * R4: returns whether somebody else's turn starts here, regardless of the text before it. `'partial'` if that depends
 * on more input.
 */
export function startsOthersTurn(text: string): boolean | 'partial' {
  if (!isTagStart(text.charCodeAt(0))) return false
  const start = text.toLowerCase()
  if (otherTurns.some((header) => start.startsWith(header))) return true
  return otherTurns.some((header) => header.startsWith(start)) ? 'partial' : false
}
