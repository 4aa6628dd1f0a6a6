/** A call as the writers take it: texts and whole numbers. */
export interface WrittenCall {
  readonly toolName: string
  readonly input: Readonly<Record<string, string | number>>
}

/** How a format writes a list of calls as one section. */
export interface Writer {
  readonly write: (calls: readonly WrittenCall[]) => string
  /** Strings are raw text: they may not hold this. */
  readonly forbids?: RegExp
}

const { stringify } = JSON
const entries = (call: WrittenCall): [string, string | number][] => Object.entries(call.input)
const each = (one: (call: WrittenCall) => string, between = '\n'): Writer['write'] => {
  return (calls) => calls.map(one).join(between)
}
const json = (call: WrittenCall, name = 'name', args = 'arguments'): string =>
  stringify({ [name]: call.toolName, [args]: call.input })
const list = (calls: readonly WrittenCall[]): string =>
  `[${calls.map((call) => json(call)).join(', ')}]`
const python = ({ toolName, input }: WrittenCall): string =>
  `${toolName}(${Object.entries(input)
    .map(([key, value]) => `${key}=${stringify(value)}`)
    .join(', ')})`
const pythonList = (calls: readonly WrittenCall[]): string => `[${calls.map(python).join(', ')}]`

function element(call: WrittenCall, tag: string, parameter: string, mark = ''): string {
  const parts = entries(call).map(
    ([key, value]) => `<${mark}${parameter} name="${key}">${value}</${mark}${parameter}>`,
  )
  return `<${mark}${tag} name="${call.toolName}">\n${parts.join('\n')}\n</${mark}${tag}>`
}

const invokes = (open: string, close: string, mark = ''): Writer => ({
  write: (calls) =>
    `${open}\n${calls.map((call) => element(call, 'invoke', 'parameter', mark)).join('\n')}\n${close}`,
  forbids: /[<&]/,
})

const qwen = (call: WrittenCall): string =>
  `<function=${call.toolName}>\n${entries(call)
    .map(([key, value]) => `<parameter=${key}>\n${value}\n</parameter>`)
    .join('\n')}\n</function>`

const pairs = (call: WrittenCall, prefix = ''): string =>
  `<${prefix}tool_call>${call.toolName}\n${entries(call)
    .map(
      ([key, value]) =>
        `<${prefix}arg_key>${key}</${prefix}arg_key>\n<${prefix}arg_value>${value}</${prefix}arg_value>\n`,
    )
    .join('')}</${prefix}tool_call>`

const gemma = (call: WrittenCall): string =>
  `<|tool_call>call:${call.toolName}{${entries(call)
    .map(([key, value]) => `${key}:${typeof value === 'string' ? `<|"|>${value}<|"|>` : value}`)
    .join(',')}}<tool_call|>`

const deepseek = (call: WrittenCall): string =>
  `<｜tool▁call▁begin｜>function<｜tool▁sep｜>${call.toolName}\n\`\`\`json\n${stringify(call.input)}\n\`\`\`<｜tool▁call▁end｜>`

const step = (call: WrittenCall): string =>
  `<｜tool_call_begin｜>function<｜tool_sep｜>${element(call, 'invoke', 'parameter', 'steptml:')}<｜tool_call_end｜>`

const k3 = (call: WrittenCall): string =>
  `<|open|>call tool="${call.toolName}" index="1"<|sep|>${entries(call)
    .map(
      ([key, value]) =>
        `<|open|>argument key="${key}" type="${typeof value}"<|sep|>${value}<|close|>argument<|sep|>`,
    )
    .join('')}<|close|>call<|sep|>`

/** Every marked format, as its models write it. */
export const writers: Readonly<Record<string, Writer>> = {
  hermes: { write: each((call) => `<tool_call>\n${json(call)}\n</tool_call>`) },
  'hermes, pretty': {
    write: each(
      ({ toolName, input }) =>
        `<tool_call>\n${stringify({ name: toolName, arguments: input }, null, 2)}\n</tool_call>`,
    ),
  },
  'qwen3-coder': {
    write: each((call) => `<tool_call>\n${qwen(call)}\n</tool_call>`),
    forbids: /[<]|^\s|\s$/,
  },
  'function tags': { write: each(qwen), forbids: /[<]|^\s|\s$/ },
  'function tags with JSON': {
    write: each((call) => `<function=${call.toolName}>${stringify(call.input)}</function>`),
  },
  seed: {
    write: each((call) => `<seed:tool_call>\n${qwen(call)}\n</seed:tool_call>`),
    forbids: /[<]|^\s|\s$/,
  },
  mistral: { write: (calls) => `[TOOL_CALLS]${list(calls)}` },
  'mistral small': {
    write: each((call) => `[TOOL_CALLS]${call.toolName}[ARGS]${stringify(call.input)}`, ''),
  },
  llama: { write: each((call) => `<|python_tag|>${json(call, 'name', 'parameters')}`) },
  'llama 4': { write: (calls) => `<|python_start|>${pythonList(calls)}<|python_end|>` },
  lfm: { write: (calls) => `<|tool_call_start|>${pythonList(calls)}<|tool_call_end|>` },
  olmo: {
    write: (calls) => `<function_calls>\n${calls.map(python).join('\n')}\n</function_calls>`,
  },
  'phi-4-mini': { write: (calls) => `<|tool_call|>${list(calls)}<|/tool_call|>` },
  functools: { write: (calls) => `functools${list(calls)}` },
  jamba: { write: (calls) => `<tool_calls>${list(calls)}</tool_calls>` },
  'minimax m1': {
    write: (calls) => `<tool_calls>\n${calls.map((call) => json(call)).join('\n')}\n</tool_calls>`,
  },
  nemotron: { write: (calls) => `<TOOLCALL>${list(calls)}</TOOLCALL>` },
  internlm: {
    write: each(
      (call) => `<|action_start|><|plugin|>\n${json(call, 'name', 'parameters')}<|action_end|>`,
    ),
  },
  'command a': {
    write: (calls) =>
      `<|START_ACTION|>[${calls
        .map((call, at) =>
          stringify({ tool_call_id: `${at}`, tool_name: call.toolName, parameters: call.input }),
        )
        .join(',\n')}]<|END_ACTION|>`,
  },
  apertus: {
    write: (calls) =>
      `<|tools_prefix|>[${calls.map((call) => stringify({ [call.toolName]: call.input })).join(', ')}]<|tools_suffix|>`,
  },
  pangu: { write: (calls) => `[unused11]${list(calls)}[unused12]` },
  deepseek: {
    write: (calls) => `<｜tool▁calls▁begin｜>${calls.map(deepseek).join('\n')}<｜tool▁calls▁end｜>`,
  },
  kimi: {
    write: (calls) =>
      `<|tool_calls_section_begin|>${calls
        .map(
          (call, at) =>
            `<|tool_call_begin|>functions.${call.toolName}:${at}<|tool_call_argument_begin|>${stringify(call.input)}<|tool_call_end|>`,
        )
        .join('')}<|tool_calls_section_end|>`,
  },
  'step 3': {
    write: (calls) => `<｜tool_calls_begin｜>\n${calls.map(step).join('\n')}\n<｜tool_calls_end｜>`,
    forbids: /[<&]/,
  },
  glm: { write: each((call) => pairs(call)), forbids: /[<]|^\s|\s$/ },
  longcat: { write: each((call) => pairs(call, 'longcat_')), forbids: /[<]|^\s|\s$/ },
  'kimi k3': {
    write: (calls) => `<|open|>tools<|sep|>${calls.map(k3).join('')}<|close|>tools<|sep|>`,
    forbids: /[<&]|^\s|\s$/,
  },
  harmony: {
    write: each(
      (call) =>
        `<|start|>assistant<|channel|>commentary to=functions.${call.toolName} <|constrain|>json<|message|>${stringify(call.input)}<|call|>`,
      '',
    ),
  },
  'harmony, recipient first': {
    write: each(
      (call) =>
        `<|start|>assistant to=functions.${call.toolName}<|channel|>commentary json<|message|>${stringify(call.input)}<|call|>`,
      '',
    ),
  },
  'gemma 4': { write: each(gemma, '') },
  gigachat: { write: each((call) => `<|function_call|>${json(call)}`) },
  functionary: { write: each((call) => `>>>${call.toolName}\n${stringify(call.input)}`) },
  minicpm: { write: each((call) => element(call, 'function', 'param')), forbids: /[<&]/ },
  'minicpm with CDATA': {
    write: each((call) =>
      element(
        {
          ...call,
          input: Object.fromEntries(
            entries(call).map(([key, value]) => [key, `<![CDATA[${value}]]>`]),
          ),
        },
        'function',
        'param',
      ),
    ),
    forbids: /]]>/,
  },
  invoke: { write: each((call) => element(call, 'invoke', 'parameter')), forbids: /[<&]/ },
  'function calls': invokes('<function_calls>', '</function_calls>'),
  minimax: invokes('<minimax:tool_call>', '</minimax:tool_call>'),
  dsml: invokes('<｜DSML｜function_calls>', '</｜DSML｜function_calls>', '｜DSML｜'),
  gcml: invokes('<｜GCML｜tool_calls>', '</｜GCML｜tool_calls>', '｜GCML｜'),
  dots: invokes('<dots_function_call>', '</dots_function_call>'),
}
