/** Tokens that mark calls whatever follows. */
const tokens = [
  '[TOOL_CALLS]',
  '<|python_tag|>',
  '<|tool_call|>',
  '<|tool_calls|>',
  '<|tool_call_start|>',
  '<|tool_call_begin|>',
  '<|tool_calls_begin|>',
  '<|tool_calls_section_begin|>',
  '<|tool▁calls▁begin|>',
  '<|action_start|>',
  '<|START_ACTION|>',
  '<|tools_prefix|>',
  '<｜tool▁calls▁begin｜>',
  '<｜tool▁call▁begin｜>',
  '<｜DSML｜',
  '<start_function_call>',
  '<TOOLCALL>',
] as const

/** Tags that people also write about: a call only when what follows looks like one. */
const tags = [
  '<tool_call>',
  '<tool_calls>',
  '<function_calls>',
  '<function_call>',
  '<functioncall>',
  '<tool_use>',
  '<longcat_tool_call>',
  '<seed:tool_call>',
  '<minimax:tool_call>',
] as const

/** Markers that carry the tool's name themselves. */
const patterns: readonly {
  readonly whole: RegExp
  readonly partial: RegExp
  readonly head: string
}[] = [
  {
    head: '<function=',
    whole: /^<function=\s*["']?[\w.:-]+["']?\s*>/,
    partial: /^<function=\s*["']?[\w.:-]*["']?\s*$/,
  },
  { head: '<invoke name=', whole: /^<invoke name=["']/, partial: /^$/ },
  { head: '<|channel|>commentary to=', whole: /^<\|channel\|>commentary to=/, partial: /^$/ },
  {
    head: '<|start|>assistant<|channel|>commentary to=',
    whole: /^<\|start\|>assistant<\|channel\|>commentary to=/,
    partial: /^$/,
  },
]

const bodyStart =
  /^(?:\s*(?:[{[]|```|<[A-Za-z_|])|(?:[ \t]*\r?\n\s*)?[A-Za-z_][\w.:-]*[ \t]*(?:\r?\n|[<{(]))/
const bodyPartial = /^(?:\s*(?:<|`{1,2})?|(?:[ \t]*\r?\n\s*)?[A-Za-z_][\w.:-]*[ \t]*\r?)$/

/** Whether a marker of another format starts at `at`; `'partial'` while more input may make one. */
export function matchMarker(text: string, at: number): boolean | 'partial' {
  const window = text.slice(at, at + 120)
  let partial = false
  for (const token of tokens) {
    if (window.startsWith(token)) return true
    partial ||= token.startsWith(window)
  }
  for (const tag of tags) {
    partial ||= tag.startsWith(window)
    if (!window.startsWith(tag)) continue
    const body = window.slice(tag.length)
    if (bodyStart.test(body)) return true
    return bodyPartial.test(body) && body.length < 80 ? 'partial' : false
  }
  for (const { head, whole, partial: cut } of patterns) {
    if (whole.test(window)) return true
    partial ||= head.startsWith(window) || cut.test(window)
  }
  return partial ? 'partial' : false
}

/** Whether a token that only models write stands at `at`. */
export function matchToken(text: string, at: number): true | 'partial' | undefined {
  const window = text.slice(at, at + 40)
  if (tokens.some((token) => window.startsWith(token))) return true
  return tokens.some((token) => token.startsWith(window)) ? 'partial' : undefined
}

/** After the opening token or tag at `at`; undefined when there is none that holds a body. */
export function endOfMarker(text: string, at: number): number | undefined {
  for (const marker of [...tokens, ...tags]) {
    if (text.startsWith(marker, at)) return at + marker.length
  }
  return undefined
}

/** DeepSeek V3.2 writes Anthropic's tags with a mark of its own in them. */
export function withoutDsmlMarks(text: string): string {
  return text.includes('｜DSML｜') ? text.replaceAll('｜DSML｜', '') : text
}
