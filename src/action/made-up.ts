const role =
  '(?:hy_|ctrl_)?(?:user|assistant|system|developer|observation|environment|ipython|tool)'
const results = '(?:responses?|results?|outputs?)'
/** The header of another turn, or of a result, by vendor's tokens. */
const turn = new RegExp(
  `^(?:<(?:start_of_turn|seed:bos|\\|turn|start_function_response|\\|tool_response)>` +
    `|<[|｜](?:im_(?:start|user|system|assistant)|start_header_id|start_of_role|START_OF_TURN_TOKEN|header_start|${role}` +
    `|(?:START_)?tool[▁_ ]?${results}(?:[▁_ :]?(?:begin|start))?)[|｜]>` +
    `|<\\|start\\|>\\w|\\[(?:INST|TOOL_RESULTS)\\])`,
  'i',
)
/** A result in words or in an element. */
const result = new RegExp(`^(?:Observation:|<(?:(?:tool|function)_?${results}|observation)>)`)
const cut = /^(?:<[^<>\n]{0,30}|\[[A-Z_]{0,12})$/
/** Of harmony. */
const own = '<|start|>assistant'

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
