import { isTagStart } from './char-codes.ts'

/** The header of another turn, or of a result, by vendor's tokens. */
const turn =
  /^(?:<(?:start_of_turn|seed:bos|\|turn|start_function_response|\|tool_response)>|<[|｜](?:im_(?:start|user|system|assistant)|start_header_id|start_of_role|START_OF_TURN_TOKEN|header_start|(?:hy_|ctrl_)?(?:user|assistant|system|developer|observation|environment|ipython|tool)|(?:START_)?tool[▁_ ]?(?:responses?|results?|outputs?)(?:[▁_ :]?(?:begin|start))?)[|｜]>|<\|start\|>\w|\[(?:INST|TOOL_RESULTS)\])/i
/** A result in words or in an element. */
const result =
  /^(?:Observation:|<(?:(?:tool|function)_?(?:responses?|results?|outputs?)|observation)>)/
const cut = /^(?:<[^<>\n]{0,30}|\[[A-Z_]{0,12})$/
/** Of harmony. */
const own = '<|start|>assistant'

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
/** The headers of turns that aren't the model's, by vendors' tokens and the role, in lower case; harmony's are read elsewhere. */
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

/** Names of the elements in which results stand. */
export const resultTags: readonly string[] = ['tool', 'function'].flatMap((kind) =>
  ['response', 'responses', 'result', 'results', 'output', 'outputs'].map(
    (name) => `${kind}_${name}`,
  ),
)

/**
 * R4: the model goes on in somebody else's name here, in a turn or with a result that it made up; `'partial'`
 * while more input may make that. A result's words count at the start of a line.
 */
export function startsMadeUp(text: string, lineStart: boolean): boolean | 'partial' {
  if (text.startsWith(own)) return false
  if (own.startsWith(text)) return 'partial'
  if (turn.test(text)) return true
  if (result.test(text)) return lineStart || text.startsWith('<')
  const isPartial = cut.test(text) || (lineStart && 'Observation:'.startsWith(text))
  return isPartial ? 'partial' : false
}

/** R4: somebody else's turn starts here, after whatever the model wrote; `'partial'` while more input may make that. */
export function startsOthersTurn(text: string): boolean | 'partial' {
  if (!isTagStart(text.charCodeAt(0))) return false
  const start = text.toLowerCase()
  if (otherTurns.some((header) => start.startsWith(header))) return true
  return otherTurns.some((header) => header.startsWith(start)) ? 'partial' : false
}
