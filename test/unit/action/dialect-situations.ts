import type { Dialect } from './dialect-table.ts'
import type { Call } from './dialect-writers.ts'

export type Mode = 'ACTION mode' | 'native mode'

/** Expected result of an output. */
export interface Expectation {
  readonly calls: readonly Call[]
  /** The reply, ignoring white space, or `AS_WRITTEN`. Absent if the rules leave it open. */
  readonly text?: string
  readonly error?: string
}

/** The output is the reply, every character of it. */
export const AS_WRITTEN = 'as written'

export interface Situation {
  /** Completes "a call …". */
  readonly name: string
  /** Undefined where the format can't be written so. */
  output(dialect: Dialect): string | undefined
  /** Undefined where the rules leave it open: then only what holds for every output is checked. */
  expect(dialect: Dialect, mode: Mode): Expectation | undefined
}

export const search: Call = { toolName: 'search', input: { query: 'cats' } }
export const click: Call = { toolName: 'click', input: { index: 7, button: 'left' } }
const tabs: Call = { toolName: 'list_tabs', input: {} }
const wrong: Call = { toolName: 'click', input: { index: 'seven' } }
const unknown: Call = { toolName: 'fetch_page', input: { query: 'cats' } }

/** Values of every type, and strings that look like the syntax of some format. */
const rich: readonly Call[] = [
  {
    toolName: 'done',
    input: { text: `She said "no": it's 5 & 6, {a: [1]} 名 👍 é`, success: true },
  },
  {
    toolName: 'write_file',
    input: {
      path: 'src/a b.js',
      content: 'if (a < b && c > d) {\n  print("x\\n", \'y\')\n\n}\n\t<b class="c">bold</b> [1, 2)',
      overwrite: false,
    },
  },
  { toolName: 'tag_items', input: { ids: ['1', 'b c', '"quoted"'], tags: [] } },
  { toolName: 'save_meta', input: { id: '007', meta: { a: [1, { b: null }], c: 'x <y> z' } } },
  { toolName: 'sum', input: { values: [1, -2.5, 3000] } },
  { toolName: 'plan', input: { steps: [{ title: 'one', done: true, substeps: ['a', 'b'] }] } },
  { toolName: 'search', input: { query: '```js\nx()\n```', limit: 3 } },
  { toolName: 'run_js', input: { code: '// é\n\nconst s = `a ${b} "c" \'d\'`' } },
]

const isMarked = ({ marker }: Dialect): boolean =>
  marker === 'token' || marker === 'tag' || marker === 'line'
const isBare = ({ marker }: Dialect): boolean => marker === 'none' || marker === 'plain'
const asWritten: Expectation = { calls: [], text: AS_WRITTEN }
const read = (calls: readonly Call[], text = ''): Expectation => ({ calls, text })

/** The same in both modes. */
const always = (expectation: Expectation) => (): Expectation => expectation

const fence = (text: string): string => (text.includes('```') ? '````' : '```')

/** A line of its own before, between and after. */
const before = 'I look it up now.\n'
const between = '\nThen the other one:\n\n'
const after = '\n\nThat is what I did.'

/** Closing marks of many formats. A careless reader would take them as part of the value before. */
const closers =
  'x</query></search></parameter></function></tool_call>"}}]</tool_call></invoke></arg_value></param>") ]<|call|>'

const one = (dialect: Dialect): string => dialect.write([search])

export const situations: readonly Situation[] = [
  { name: 'that is all of the output', output: one, expect: always(read([search])) },
  {
    name: 'without arguments',
    output: (dialect) => dialect.write([tabs]),
    expect: always(read([tabs])),
  },
  {
    name: 'with values of every type',
    output: (dialect) => dialect.write(rich),
    expect: always(read(rich)),
  },
  {
    name: 'that is one of several',
    output: (dialect) => dialect.write([search, click, tabs]),
    expect: always(read([search, click, tabs])),
  },
  {
    name: 'with another section right after it (Q6)',
    output: (dialect) => `${one(dialect)}\n${dialect.write([click])}`,
    // R4: the first block counts.
    expect: ({ marker }, mode) =>
      read(marker === 'block' && mode === 'ACTION mode' ? [search] : [search, click]),
  },
  {
    name: 'with prose and another section after it (Q6)',
    output: (dialect) => one(dialect) + between + dialect.write([click]),
    expect: (dialect, mode) => {
      if (mode === 'native mode')
        return isBare(dialect) ? undefined : read([search, click], between)
      return read(isMarked(dialect) ? [search, click] : [search])
    },
  },
  {
    name: 'after prose',
    output: (dialect) => before + one(dialect),
    expect: always(read([search], before)),
  },
  {
    name: 'right after a sentence (Q2, R18)',
    output: (dialect) => `I look it up now.${one(dialect)}`,
    expect: ({ marker }, mode) => {
      if (marker === 'token') return read([search], before)
      if (marker === 'line') return undefined
      const isRead = mode === 'ACTION mode' && (marker === 'tag' || marker === 'block')
      return isRead ? read([search], before) : asWritten
    },
  },
  {
    name: 'with prose after it (Q2, R18)',
    output: (dialect) => one(dialect) + after,
    expect: (_, mode) => (mode === 'native mode' ? asWritten : read([search])),
  },
  {
    name: 'between prose (Q2, R18)',
    output: (dialect) => before + one(dialect) + after,
    expect: ({ marker }, mode) =>
      mode === 'native mode' || marker === 'plain' ? asWritten : read([search], before),
  },
  ...['<|im_end|>', '<|eom_id|>', '<|eot_id|>', '</s>', '\n<|im_end|>\n\n', ' \n\n'].map(
    (end): Situation => ({
      name: `with ${JSON.stringify(end)} after it (Q2)`,
      output: (dialect) => one(dialect) + end,
      expect: always(read([search])),
    }),
  ),
  {
    name: 'with results that the model made up after it (R4)',
    output: (dialect) => `${one(dialect)}\nObservation: none\n${dialect.write([click])}`,
    expect: (dialect, mode) =>
      mode === 'ACTION mode'
        ? read([search])
        : isBare(dialect)
          ? undefined
          : read([search, click], 'Observation: none'),
  },
  {
    name: 'of an unknown tool (R8, R18)',
    output: (dialect) => dialect.write([unknown]),
    expect: (dialect) =>
      isMarked(dialect) || dialect.marker === 'block'
        ? { calls: [], text: '', error: 'unknown_tool' }
        : // `Action:` is hardly anything else.
          /react|command r/.test(dialect.name)
          ? undefined
          : asWritten,
  },
  {
    name: 'with a value of the wrong type (R12)',
    output: (dialect) => dialect.write([wrong]),
    expect: always({ calls: [], text: '', error: 'invalid_params' }),
  },
  {
    name: 'before one with a value of the wrong type and another one (R16)',
    output: (dialect) => dialect.write([search, wrong, tabs]),
    expect: always({ calls: [search], text: '', error: 'invalid_params' }),
  },
  {
    name: 'before one of an unknown tool and another one (R16)',
    output: (dialect) => dialect.write([search, unknown, tabs]),
    expect: (dialect) =>
      isBare(dialect) ? undefined : { calls: [search], text: '', error: 'unknown_tool' },
  },
  {
    name: 'alone in a fence that ends the output (R3, Q2)',
    output: (dialect) => {
      const call = one(dialect)
      return `${before}${fence(call)}\n${call}\n${fence(call)}`
    },
    expect: ({ thinks }, mode) =>
      mode === 'native mode' ? asWritten : thinks ? undefined : read([search], before),
  },
  {
    name: 'in a fence that prose follows (R3, R18)',
    output: (dialect) => {
      const call = one(dialect)
      return `${before}${fence(call)}\n${call}\n${fence(call)}${after}`
    },
    expect: always(asWritten),
  },
  {
    name: 'in a fence with code before it (R3)',
    output: (dialect) => {
      const call = one(dialect)
      return `${fence(call)}js\nlet a\n${call}\n${fence(call)}`
    },
    expect: always(asWritten),
  },
  {
    name: 'in inline code (R3)',
    output: (dialect) => {
      const call = one(dialect)
      return /[\n`]/.test(call) ? undefined : `You may write \`${call}\` here.`
    },
    expect: always(asWritten),
  },
  ...Object.entries({
    'in a blockquote': '> ',
    'in an item of a list': '- ',
    'in indented code': '    ',
    'in a table': '| Eve | ',
  }).map(([where, prefix]): Situation => ({
    name: `${where} (Q2)`,
    output: (dialect) => `It says:\n\n${prefix}${one(dialect).replaceAll('\n', `\n${prefix}`)}`,
    expect: (_, mode) => (mode === 'native mode' ? asWritten : undefined),
  })),
  ...['- ', '> ', '| Eve | ', '    ', 'The review says: '].map((prefix): Situation => ({
    name: `after a thought in a line that begins with ${JSON.stringify(prefix)} (Q2)`,
    output: (dialect) => `It says:\n\n${prefix}<think>a</think>${one(dialect)}`,
    expect: (_, mode) => (mode === 'native mode' ? { calls: [] } : undefined),
  })),
  {
    name: 'in quotation marks (Q2)',
    output: (dialect) => `The review says: "\n${one(dialect)}\n"`,
    expect: (_, mode) => (mode === 'native mode' ? asWritten : undefined),
  },
  {
    name: 'in thoughts (R5)',
    output: (dialect) =>
      dialect.thinks ? undefined : `<think>\nMaybe\n${one(dialect)}\n</think>\nNo, I won't.`,
    expect: always(read([], "No, I won't.")),
  },
  {
    name: 'in thoughts that only a closer marks (R5, Q2)',
    output: (dialect) => `Maybe\n${one(dialect)}\n</think>\nNo, I won't.`,
    expect: (_, mode) => (mode === 'native mode' ? { calls: [] } : undefined),
  },
  {
    name: 'after thoughts (R5)',
    output: (dialect) => `<think>\nMaybe\n</think>\n\n${one(dialect)}`,
    expect: always(read([search])),
  },
  {
    name: 'whose closers stand once more after it (Q6)',
    output: (dialect) => `${one(dialect)}\n\nA review says: ${closers}`,
    expect: (_, mode) => (mode === 'native mode' ? { calls: [] } : read([search])),
  },
  {
    name: 'with the namespace of another API before its name (R18)',
    output: (dialect) =>
      // R8: a block's names are exact; and some formats write it themselves.
      dialect.marker === 'block' || /tool tag|kimi|harmony/.test(dialect.name)
        ? undefined
        : dialect.write([{ ...search, toolName: 'functions.search' }]),
    expect: always(read([search])),
  },
]
