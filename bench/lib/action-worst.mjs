const string = { type: 'string' }
const tool = (name, properties) => ({
  name,
  description: `The ${name} tool.`,
  inputSchema: { type: 'object', properties, required: [] },
})

/** The tools that the outputs below name. */
export const worstTools = [
  tool('search', { query: string }),
  tool('tag_items', { ids: { type: 'array', items: string } }),
  tool('save_meta', { id: string, meta: { type: 'object', additionalProperties: true } }),
]

/** Outputs that make a careless reader slow: an opening, and a unit that is repeated up to the size. */
const cases = [
  ['Action: ', 'a'],
  ['Action:', ' '],
  ['Action: search\n', ' '],
  ['<|channel|>commentary to=', 'a'],
  ['<|channel|>analysis<|message|>', 'word '],
  ['<function=', 'a'],
  ['<function=search><parameter=query>', '</parameter>'],
  ['<tool_call>search\n<arg_key>query</arg_key>\n<arg_value>', '</arg_value>'],
  ['<tool_call>\n{"name":"search","arguments":{"query":"', '</tool_call>'],
  ['', '<tool_call>\n{"name":"search","arguments":{"query":"cats"}}\n</tool_call>\n'],
  ['', '<invoke name="search"><parameter name="query">cats</parameter></invoke>\n'],
  ['', '[TOOL_CALLS]search[ARGS]{"query":"cats"}'],
  ['', '[TOOL_CALLS][{"name":"search","arguments":{"query":"cats"}}]'],
  ['', 'search(query="cats")\n'],
  ['', 'print('],
  ['', 'print(\n'],
  ['', 'search('],
  ['So ', '[{"name":"search","arguments":\n'],
  ['{"a":', '{"a":'],
  ['{"name":"search","arguments":{"query":"', '\\"'],
  ['[', '['],
  ['<ACTION>\n<search><query>', '</query>'],
  ['<ACTION>\n<search><query><![CDATA[', ']]>'],
  ['<ACTION>\n<tag_items><ids>', '<item>'],
  ['<ACTION>\n<save_meta><id>1</id><meta>', '<a>'],
  ['<ACTION', ' '],
  ['`', '<ACTION>'],
  ['<!--', '<ACTION>'],
  ['', '<think>'],
  ['', '</think>\n'],
  ['', '```json\n'],
  ['', '> "\n'],
  ['', '<'],
  ['', '<pre>'],
]

export const worst = cases.map(([head, unit]) => ({
  name: `${JSON.stringify(head)} + ${JSON.stringify(unit)} × n`,
  make: (/** @type {number} */ size) =>
    head + unit.repeat(Math.max(1, Math.floor((size - head.length) / unit.length))),
}))
