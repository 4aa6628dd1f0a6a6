/** Tokens that end a turn and leaked into the output. */
const stopToken = /^(?:<\|[^<>|]{1,30}\|>|<｜[^<>｜]{1,30}｜>|<\/s>|<(?:end_of_turn|eos|EOT)>)/
/** The next turn's header. */
const turnStart = /^<\|(?:im_start|start_header_id)\|>(?:user|assistant|system|tool)?/
/** A closing tag of some format of calls, left over. */
const strayCloser = /^<\/[\w:-]*(?:tool|func|invoke|call|param|action|arg)[\w:-]*>/i
/** What a model makes up after its call: results. */
const madeUp = /^(?:Observation:|<tool_response>|<\/)/

/** R4: what follows a call and is neither prose nor another call; `'partial'` while it may become that. */
export function matchMadeUp(text: string): boolean | 'partial' {
  if (stopToken.test(text) || madeUp.test(text)) return true
  return 'Observation:'.startsWith(text) || /^<[^<>\n]{0,30}$/.test(text) ? 'partial' : false
}

/**
 * What follows a block that counts only at the end of the output: `'end'` at a stop token, `'text'`
 * when something else stands there, `'open'` so far. The end of the block's own fence may follow.
 */
export function classifyTrailing(trailing: string, aloneInFence: boolean): 'open' | 'end' | 'text' {
  const rest = trailing.replace(aloneInFence ? /^\s*(?:`+|~+)?\s*/ : /^\s*/, '')
  if (rest === '' || (rest.length < 40 && /^<[^<>\n]*$/.test(rest))) return 'open'
  return stopToken.test(rest) ? 'end' : 'text'
}

/** Nothing but white space, stop tokens and stray closing tags follows. */
export function endsAnswer(trailing: string): boolean {
  let rest = trailing.trimStart()
  for (;;) {
    const found = turnStart.exec(rest) ?? stopToken.exec(rest) ?? strayCloser.exec(rest)
    if (!found) return rest === ''
    rest = rest.slice(found[0].length).trimStart()
  }
}

/** Nothing, or the end of a fence, follows the block. */
export function isBlockLast(trailing: string): boolean {
  return /^\s*(?:(?:`{3,}|~{3,})\s*)?$/.test(trailing)
}

/** A comment never closed is none, so a closer in it ends the block. */
export function splitAtCloser(content: string): {
  readonly content: string
  readonly rest: string
} {
  const closer = /<\/ACTION\s*>/.exec(content)
  if (!closer) return { content, rest: '' }
  const end = closer.index + closer[0].length
  return { content: content.slice(0, closer.index), rest: content.slice(end) }
}
