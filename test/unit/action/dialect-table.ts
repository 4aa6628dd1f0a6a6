import {
  functionTag,
  gemma,
  inBlock,
  invoke,
  listed,
  literal,
  markup,
  named,
  pairs,
  parameters,
  python,
} from './dialect-writers.ts'
import type { Call } from './dialect-writers.ts'

/** A format of calls in text, as models write it. */
export interface Dialect {
  readonly name: string
  /** Writes the calls as one section. If a section holds one call only, writes one section per line. */
  write(calls: readonly Call[]): string
  /**
   * Announcement of a section (R18):
   * - `token`: a control token that only models write;
   * - `tag`: a tag that people also write about;
   * - `line`: words at the start of a line;
   * - `block`: the ACTION block;
   * - `none`: nothing;
   * - `plain`: nothing, just JSON or `name(…)`.
   */
  readonly marker: 'token' | 'tag' | 'line' | 'block' | 'none' | 'plain'
  /** Writes reasoning before the call, which is never part of the reply. */
  readonly thinks?: true
  /** Text that strings can't contain, because the format has no escape for it. */
  readonly without?: RegExp
  /** White space around a string belongs to the format's layout. */
  readonly isTrimmed?: true
}

/** The rest of a row. */
type Properties = Omit<Dialect, 'name' | 'write'>

const each =
  (write: (call: Call) => string, between: string = '\n') =>
  (calls: readonly Call[]): string =>
    calls.map(write).join(between)

const token: Properties = { marker: 'token' }
const tag: Properties = { marker: 'tag' }
const raw: Properties = {
  marker: 'tag',
  without: /<\/?(?:parameter|function|tool_call|seed)|\r$/,
}
const glm: Properties = {
  marker: 'tag',
  isTrimmed: true,
  without: /<\/?(?:longcat_)?(?:arg_|tool_call)/,
}
const xml: Properties = {
  marker: 'tag',
  isTrimmed: true,
  without: /<\/?\S*(?:param|invoke|function|call)|<!\[/,
}
/** MiniMax M3 writes this token before every tag. */
const m3 = ']<]minimax[>['
const fenced = (text: string): string => `\`\`\`json\n${text}\n\`\`\``

const rows: Record<string, readonly [(calls: readonly Call[]) => string, Properties]> = {
  action: [
    (calls) =>
      `<ACTION>\n${each(
        (call) =>
          `<${call.toolName}>\n${parameters(
            call,
            (name, value) => `<${name}>${inBlock(value)}</${name}>\n`,
            '',
          )}</${call.toolName}>`,
      )(calls)}\n</ACTION>`,
    { marker: 'block', without: /\]\]>/ },
  ],
  hermes: [each((call) => `<tool_call>\n${named(call)}\n</tool_call>`), tag],
  'hermes on one line': [each((call) => `<tool_call>${named(call)}</tool_call>`), tag],
  'hermes with a list': [(calls) => `<tool_call>${listed(calls)}</tool_call>`, tag],
  'hermes, several in one wrapper': [
    (calls) => `<tool_call>\n${each((call) => named(call))(calls)}\n</tool_call>`,
    tag,
  ],
  'qwen3-coder': [each((call) => `<tool_call>\n${functionTag(call)}\n</tool_call>`), raw],
  'qwen3-coder, several in one wrapper': [
    (calls) => `<tool_call>\n${each(functionTag)(calls)}\n</tool_call>`,
    raw,
  ],
  'function tag': [each(functionTag), raw],
  'function tag with json': [
    each((call) => `<function=${call.toolName}>${JSON.stringify(call.input)}</function>`, ''),
    tag,
  ],
  seed: [each((call) => `<seed:tool_call>\n${functionTag(call)}\n</seed:tool_call>`), raw],
  mistral: [(calls) => `[TOOL_CALLS]${listed(calls)}`, token],
  'mistral small': [
    each((call) => `[TOOL_CALLS]${call.toolName}[ARGS]${JSON.stringify(call.input)}`, ''),
    token,
  ],
  'mistral with ids': [
    each(
      (call, id = 'a1B2c3D4e') =>
        `[TOOL_CALLS]${call.toolName}[CALL_ID]${id}[ARGS]${JSON.stringify(call.input)}`,
      '',
    ),
    token,
  ],
  llama: [
    (calls) => `<|python_tag|>${each((call) => named(call, 'name', 'parameters'), '; ')(calls)}`,
    token,
  ],
  'llama with python': [(calls) => `<|python_tag|>${each(python, '; ')(calls)}`, token],
  'llama 4': [(calls) => `<|python_start|>[${each(python, ', ')(calls)}]<|python_end|>`, token],
  'deepseek v3': [
    (calls) =>
      `<｜tool▁calls▁begin｜>${each(
        (call) =>
          `<｜tool▁call▁begin｜>function<｜tool▁sep｜>${call.toolName}\n${fenced(JSON.stringify(call.input))}<｜tool▁call▁end｜>`,
      )(calls)}<｜tool▁calls▁end｜>`,
    token,
  ],
  'deepseek v3.1': [
    (calls) =>
      `<｜tool▁calls▁begin｜>${each(
        (call) =>
          `<｜tool▁call▁begin｜>${call.toolName}<｜tool▁sep｜>${JSON.stringify(call.input)}<｜tool▁call▁end｜>`,
        '',
      )(calls)}<｜tool▁calls▁end｜>`,
    token,
  ],
  'deepseek v3.2': [
    (calls) =>
      `<｜DSML｜function_calls>\n${each((call) => invoke(call, '｜DSML｜', ' string="true"'))(calls)}\n</｜DSML｜function_calls>`,
    { ...xml, marker: 'token' },
  ],
  'deepseek v4.1': [
    (calls) =>
      `<｜DSML｜ calls>\n${each((call) => invoke(call, '｜DSML｜ ', ' string="true"'))(calls)}\n</｜DSML｜ calls>`,
    { ...xml, marker: 'token' },
  ],
  'plamo 3': [
    (calls) =>
      `<|plamo:begin_tool_requests:plamo|>${each(
        (call) =>
          `<|plamo:begin_tool_request:plamo|><|plamo:begin_tool_name:plamo|>${call.toolName}<|plamo:end_tool_name:plamo|><|plamo:begin_tool_arguments:plamo|><|plamo:constrain|>json<|plamo:msg|>${JSON.stringify(call.input)}<|plamo:end_tool_arguments:plamo|><|plamo:end_tool_request:plamo|>`,
        '',
      )(calls)}<|plamo:end_tool_requests:plamo|>`,
    token,
  ],
  'kimi in the singular': [
    (calls) =>
      `<|tool_call_section_begin|>${calls
        .map(
          (call, at) =>
            `<|tool_call_begin|>functions.${call.toolName}:${at}<|tool_call_argument_begin|>${JSON.stringify(call.input)}<|tool_call_end|>`,
        )
        .join('')}<|tool_call_section_end|>`,
    token,
  ],
  'llama without its token': [
    each((call) => named(call, 'name', 'parameters'), '; '),
    { marker: 'plain' },
  ],
  kimi: [
    (calls) =>
      `<|tool_calls_section_begin|>${calls
        .map(
          (call, at) =>
            `<|tool_call_begin|>functions.${call.toolName}:${at}<|tool_call_argument_begin|>${JSON.stringify(call.input)}<|tool_call_end|>`,
        )
        .join('')}<|tool_calls_section_end|>`,
    token,
  ],
  glm: [each((call) => `<tool_call>${call.toolName}\n${pairs(call, '', '\n')}</tool_call>`), glm],
  'glm on one line': [
    each((call) => `<tool_call>${call.toolName}${pairs(call, '', '')}</tool_call>`),
    glm,
  ],
  longcat: [
    each(
      (call) =>
        `<longcat_tool_call>${call.toolName}\n${pairs(call, 'longcat_', '\n')}</longcat_tool_call>`,
    ),
    glm,
  ],
  harmony: [
    each(
      (call) =>
        `<|channel|>commentary to=functions.${call.toolName} <|constrain|>json<|message|>${JSON.stringify(call.input)}<|call|>`,
      '<|start|>assistant',
    ),
    token,
  ],
  'harmony, the recipient first': [
    each(
      (call) =>
        `<|start|>assistant to=functions.${call.toolName}<|channel|>commentary json<|message|>${JSON.stringify(call.input)}<|call|>`,
      '',
    ),
    token,
  ],
  'harmony in analysis': [
    each(
      (call) =>
        `<|channel|>analysis to=functions.${call.toolName} code<|message|>${JSON.stringify(call.input)}<|call|>`,
      '<|start|>assistant',
    ),
    token,
  ],
  'harmony after analysis': [
    each(
      (call) =>
        `<|channel|>analysis<|message|>We need it.<|end|><|start|>assistant<|channel|>commentary to=functions.${call.toolName} <|constrain|>json<|message|>${JSON.stringify(call.input)}<|call|>`,
      '<|start|>assistant',
    ),
    { ...token, thinks: true },
  ],
  'function gemma': [
    each(
      (call) =>
        `<start_function_call>call:${call.toolName}${gemma(call.input, '<escape>')}<end_function_call>`,
      '',
    ),
    { marker: 'token', without: /<escape>/ },
  ],
  'gemma 4': [
    each(
      (call) => `<|tool_call>call:${call.toolName}${gemma(call.input, '<|"|>')}<tool_call|>`,
      '',
    ),
    { marker: 'token', without: /<\|"\|>/ },
  ],
  invoke: [each((call) => invoke(call)), xml],
  'function calls': [
    (calls) => `<function_calls>\n${each((call) => invoke(call))(calls)}\n</function_calls>`,
    xml,
  ],
  'function calls with a prefix': [
    (calls) =>
      `<antml:function_calls>\n${each((call) => invoke(call, 'antml:'))(calls)}\n</antml:function_calls>`,
    xml,
  ],
  calls: [(calls) => `<calls>\n${each((call) => invoke(call))(calls)}\n</calls>`, xml],
  minimax: [
    (calls) => `<minimax:tool_call>\n${each((call) => invoke(call))(calls)}\n</minimax:tool_call>`,
    xml,
  ],
  'minimax m3': [
    (calls) =>
      `${m3}<tool_call>\n${each(
        (call) =>
          `${m3}<invoke name="${call.toolName}">${parameters(
            call,
            (name, value) => `${m3}<${name}>${markup(value)}${m3}</${name}>`,
            '',
          )}${m3}</invoke>`,
      )(calls)}\n${m3}</tool_call>`,
    { ...xml, marker: 'token' },
  ],
  'step 3': [
    (calls) =>
      `<｜tool_calls_begin｜>${each(
        (call) =>
          `<｜tool_call_begin｜>function<｜tool_sep｜>${invoke(call, 'steptml:')}<｜tool_call_end｜>`,
        '\n',
      )(calls)}<｜tool_calls_end｜>`,
    { ...xml, marker: 'token' },
  ],
  minicpm: [
    each(
      (call) =>
        `<function name="${call.toolName}">${parameters(
          call,
          (name, value) => `<param name="${name}">${markup(value)}</param>`,
          '',
        )}</function>`,
    ),
    xml,
  ],
  'tool use': [
    each(
      (call) =>
        `<tool_use>\n<name>${call.toolName}</name>\n<arguments>${JSON.stringify(call.input)}</arguments>\n</tool_use>`,
    ),
    { marker: 'tag', without: /<\/(?:arguments|tool_use)/ },
  ],
  'olmo 3': [(calls) => `<function_calls>\n${each(python)(calls)}\n</function_calls>`, tag],
  jamba: [
    (calls) => `<tool_calls>[\n${each((call) => named(call), ',\n')(calls)}\n]</tool_calls>`,
    tag,
  ],
  glaive: [each((call) => `<functioncall> ${named(call)}`), tag],
  nemotron: [(calls) => `<TOOLCALL>${listed(calls)}</TOOLCALL>`, token],
  internlm: [
    each(
      (call) => `<|action_start|><|plugin|>\n${named(call, 'name', 'parameters')}\n<|action_end|>`,
    ),
    token,
  ],
  granite: [(calls) => `<|tool_call|>${listed(calls)}`, token],
  'phi 4': [(calls) => `<|tool_call|>${listed(calls)}<|/tool_call|>`, token],
  'phi 4 mini': [(calls) => `functools${listed(calls)}`, { marker: 'line' }],
  lfm2: [(calls) => `<|tool_call_start|>[${each(python, ', ')(calls)}]<|tool_call_end|>`, token],
  apertus: [
    (calls) =>
      `<|tools_prefix|>[${each((call) => JSON.stringify({ [call.toolName]: call.input }), ', ')(calls)}]<|tools_suffix|>`,
    token,
  ],
  'command a': [
    (calls) =>
      `<|START_THINKING|>I need it.<|END_THINKING|><|START_ACTION|>[\n${calls
        .map(({ toolName, input }, at) =>
          JSON.stringify({ tool_call_id: String(at), tool_name: toolName, parameters: input }),
        )
        .join(',\n')}\n]<|END_ACTION|>`,
    { ...token, thinks: true },
  ],
  'command r': [
    (calls) => `Action: ${fenced(listed(calls, 'tool_name', 'parameters'))}`,
    { marker: 'none' },
  ],
  functionary: [
    each((call) => `>>>${call.toolName}\n${JSON.stringify(call.input)}`),
    { marker: 'line' },
  ],
  gigachat: [
    each((call) => `<|message_sep|>\n\nfunction call<|role_sep|>\n${named(call)}`),
    { marker: 'token' },
  ],
  'tool tag': [
    each(
      (call) =>
        `<${call.toolName}>\n${parameters(
          call,
          (name, value) => `<${name}>${inBlock(value)}</${name}>\n`,
          '',
        )}</${call.toolName}>`,
    ),
    { marker: 'none', without: /\]\]>/ },
  ],
  json: [each((call) => named(call)), { marker: 'plain' }],
  'json of another name': [each((call) => named(call, 'tool', 'args')), { marker: 'plain' }],
  'json list': [(calls) => listed(calls), { marker: 'plain' }],
  'keyed json': [
    each((call) => JSON.stringify({ [call.toolName]: call.input })),
    { marker: 'plain' },
  ],
  python: [each(python), { marker: 'plain' }],
  'python list': [(calls) => `[${each(python, ', ')(calls)}]`, { marker: 'plain' }],
  'python in single quotes': [
    each(
      (call) =>
        `${call.toolName}(${parameters(
          call,
          (name, value) =>
            `${name}=${
              typeof value === 'string'
                ? `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
                : literal(value)
            }`,
          ', ',
        )})`,
    ),
    { marker: 'plain' },
  ],
  react: [
    each((call) => `Action: ${call.toolName}\nAction Input: ${JSON.stringify(call.input)}`),
    { marker: 'none' },
  ],
}

export const dialectTable: readonly Dialect[] = Object.entries(rows).map(
  ([name, [write, properties]]) => ({ name, write, ...properties }),
)
