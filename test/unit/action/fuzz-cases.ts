import fc from 'fast-check'
import { anyCharacter } from '../any-character.ts'

/** Pieces of outputs, whole and broken, that markers, code and calls are made of. */
const fragments = [
  '<ACTION>',
  '</ACTION>',
  '<ACTION',
  '<ACT',
  '<Action>',
  '<ACTIONS>',
  '</ACT',
  '&lt;ACTION&gt;',
  '<ACTION/>',
  '<search>',
  '</search>',
  '<query>',
  '</query>',
  '<limit>5</limit>',
  '<click><index>1</index></click>',
  '<search><query>cats</query></search>',
  '<search query="x"/>',
  '<list_tabs/>',
  '<list_tabs',
  '<foo>',
  '</foo>',
  '<![CDATA[',
  ']]>',
  ']]',
  '<!--',
  '-->',
  '<!DOCTYPE x>',
  '<?xml?>',
  '<',
  '>',
  '&amp;',
  '&#65;',
  '&#xZ;',
  '<think>',
  '</think>',
  '<thinking>',
  '</thinking>',
  '<thi',
  '`',
  '``',
  '```',
  '```json\n',
  '\n```\n',
  '~~~\n',
  '\n',
  '\n\n',
  '\r\n',
  ' ',
  'text ',
  'a < b',
  'Ω',
  '👍🏽',
  '\ud83d',
  '\ufeff',
  'search',
  'search(',
  'search(query="x")',
  'click(1)',
  'print(',
  ')',
  '{"name":"search","arguments":{"query":"cats"}}',
  '{"name":"search"',
  '{"a":1}',
  '{',
  '}',
  '[',
  ']',
  '"',
  "'",
  '\\',
  ',',
  ':',
  '<tool_call>',
  '</tool_call>',
  '<function=search>',
  '<parameter=query>',
  '</parameter>',
  '</function>',
  '[TOOL_CALLS]',
  '[ARGS]',
  '<|python_tag|>',
  '<｜tool▁calls▁begin｜>',
  '<｜tool▁call▁begin｜>',
  '<｜tool▁sep｜>',
  '<｜tool▁call▁end｜>',
  '<|tool_calls_section_begin|>',
  '<invoke name="search">',
  '<parameter name="query">',
  '</invoke>',
  '<function_calls>',
  '<arg_key>query</arg_key>',
  '<arg_value>',
  '</arg_value>',
  'Action: search\n',
  'Action Input: ',
  'Observation: ',
  '<|im_end|>',
  '__proto__',
  '<__proto__>',
  '<constructor>',
  'prototype',
  '<save_meta><id>1</id><meta>',
  '</meta></save_meta>',
  '<tag_items><ids>',
  '<item>',
  '</item>',
  '</ids></tag_items>',
] as const

/** Outputs of fragments and any characters, in any order. */
export const anyOutput: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      { weight: 12, arbitrary: fc.constantFrom(...fragments) },
      { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 6 }) },
    ),
    { maxLength: 24 },
  )
  .map((parts) => parts.join(''))

const values = [
  'cats',
  'a < b && c',
  '</query>',
  '<b>x</b>',
  '\n  x\n',
  'use <ACTION> tags',
  ']]>',
  '`x`',
  '"quoted"',
  '007',
  '',
]

/** A reply with one well-formed block, to be mutated or cut. */
export const goodOutput: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom(
      '',
      'Ok.\n',
      'I use `code` here.\n\n',
      '<think>hm</think>',
      '```js\nx()\n```\n',
    ),
    fc.array(
      fc
        .tuple(fc.constantFrom(...values), fc.boolean())
        .map(([value, cdata]) =>
          cdata && !value.includes(']]>')
            ? `<search><query><![CDATA[${value}]]></query></search>`
            : `<search><query>${value.replaceAll('<', '&lt;')}</query></search>`,
        ),
      { minLength: 1, maxLength: 3 },
    ),
  )
  .map(([before, calls]) => `${before}<ACTION>\n${calls.join('\n')}\n</ACTION>`)

/** A good output with a range deleted, doubled or replaced. */
export const mutatedOutput: fc.Arbitrary<string> = fc
  .tuple(
    goodOutput,
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.nat(12),
    fc.constantFrom('', ...fragments),
  )
  .map(([text, where, length, insert]) => {
    const at = Math.floor(where * text.length)
    return text.slice(0, at) + insert + text.slice(at + length)
  })
