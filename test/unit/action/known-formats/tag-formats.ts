import { args, json, lyon, oneCall, rooms, tagValue, twoCalls } from './samples.ts'
import type { CallFormat, WrittenCall } from './samples.ts'

/** `<function=name><parameter=key>` with a line break around each value. */
const qwenFunction = (call: WrittenCall): string =>
  `<function=${call.name}>\n${args(call, (key, value) => `<parameter=${key}>\n${tagValue(value)}\n</parameter>\n`)}</function>`

/** The same on fewer lines. */
const shortFunction = (call: WrittenCall): string =>
  `<function=${call.name}>\n${args(call, (key, value) => `<parameter=${key}>${tagValue(value)}</parameter>\n`)}</function>`

/** `<invoke name="…">`, with a prefix in every tag and a note of each parameter's type. */
const invoke = (call: WrittenCall, prefix = '', typed = false): string =>
  `<${prefix}invoke name="${call.name}">\n${args(
    call,
    (key, value) =>
      `<${prefix}parameter name="${key}"${typed ? ` string="${typeof value === 'string'}"` : ''}>${tagValue(value)}</${prefix}parameter>\n`,
  )}</${prefix}invoke>`

/** `<arg_key>` and `<arg_value>` pairs. */
const pairs = (call: WrittenCall, prefix = '', gap = '\n', suffix = ''): string =>
  args(
    call,
    (key, value) =>
      `<${prefix}arg_key${suffix}>${key}</${prefix}arg_key${suffix}>${gap}<${prefix}arg_value${suffix}>${tagValue(value)}</${prefix}arg_value${suffix}>${gap}`,
  )

const each = (
  calls: readonly WrittenCall[],
  write: (call: WrittenCall) => string,
  gap = '\n',
): string => calls.map(write).join(gap)

/** MiniMax M3: a token before every tag, parameters as tags of their own name. */
const ns = ']<]minimax[>['
function m3Value(value: unknown): string {
  if (Array.isArray(value))
    return value.map((entry) => `${ns}<item>${m3Value(entry)}${ns}</item>`).join('')
  if (typeof value === 'object' && value !== null)
    return Object.entries(value)
      .map(([key, entry]) => `${ns}<${key}>${m3Value(entry)}${ns}</${key}>`)
      .join('')
  return tagValue(value)
}

/** Formats whose calls are made of tags. */
export const tagFormats: readonly CallFormat[] = [
  {
    row: '`<tool_call><function=name>`',
    write: (calls) => each(calls, (call) => `<tool_call>\n${qwenFunction(call)}\n</tool_call>`),
    ends: ['<|im_end|>'],
    variants: {
      'no `<tool_call>`': oneCall(qwenFunction(lyon)),
      'a closer without an opener': oneCall(`${qwenFunction(lyon)}\n</tool_call>`),
      'no `</function>`': oneCall(
        `<tool_call>\n<function=find_hotel>\n<parameter=city>\nLyon\n</parameter>\n<parameter=nights>\n2\n</parameter>\n</tool_call>`,
      ),
      'values on one line': oneCall(
        '<tool_call>\n<function=find_hotel>\n<parameter=city>Lyon</parameter>\n<parameter=nights>2</parameter></function>\n</tool_call>',
      ),
      'two functions in one': twoCalls(
        `<tool_call>\n${qwenFunction(lyon)}\n<function=book_room>\n<parameter=room>\n007\n</parameter>\n<parameter=guests>\n1\n</parameter>\n</function>\n</tool_call>`,
      ),
    },
  },
  {
    row: '`<function=name>{…}</function>`',
    write: (calls) =>
      each(calls, ({ name, input }) => `<function=${name}>${JSON.stringify(input)}</function>`, ''),
    ends: ['<|eot_id|>', '<|eom_id|>'],
  },
  {
    row: '`<seed:tool_call>`',
    write: (calls) =>
      each(calls, (call) => `<seed:tool_call>\n${shortFunction(call)}\n</seed:tool_call>`),
    ends: ['<seed:eos>'],
  },
  {
    row: '`<minimax:tool_call>`',
    write: (calls) =>
      `<minimax:tool_call>\n${each(calls, (call) => invoke(call))}\n</minimax:tool_call>`,
    ends: ['[e~['],
    variants: {
      'a line break after': oneCall(`<minimax:tool_call>\n${invoke(lyon)}\n</minimax:tool_call>\n`),
    },
  },
  {
    row: '`]<]minimax[>[<tool_call>`',
    write: (calls) =>
      `${ns}<tool_call>\n${each(
        calls,
        (call) =>
          `${ns}<invoke name="${call.name}">${args(call, (key, value) => `${ns}<${key}>${m3Value(value)}${ns}</${key}>`)}${ns}</invoke>`,
      )}\n${ns}</tool_call>`,
    ends: ['[e~['],
  },
  {
    row: '`<｜DSML｜invoke name="…">`',
    write: (calls) =>
      `<｜DSML｜function_calls>\n${each(calls, (call) => invoke(call, '｜DSML｜', true))}\n</｜DSML｜function_calls>`,
    ends: ['<｜end▁of▁sentence｜>'],
    variants: {
      '`tool_calls` (V4)': oneCall(
        `<｜DSML｜tool_calls>\n${invoke(lyon, '｜DSML｜', true)}\n</｜DSML｜tool_calls>`,
      ),
      '`calls` and spaces (V4.1)': oneCall(
        `<｜DSML｜ calls>\n${invoke(lyon, '｜DSML｜ ', true)}\n</｜DSML｜ calls>`,
      ),
      'a JSON body': oneCall(
        '<｜DSML｜function_calls>\n<｜DSML｜invoke name="find_hotel">\n{"city": "Lyon", "nights": 2}\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
      ),
    },
  },
  {
    row: '`<｜GCML｜invoke name="…">`',
    write: (calls) =>
      `<｜GCML｜tool_calls>\n${each(calls, (call) => invoke(call, '｜GCML｜', true))}\n</｜GCML｜tool_calls>`,
    ends: ['<|message_sep|>', '</s>'],
  },
  {
    row: '`<dots_function_call>`',
    write: (calls) =>
      each(calls, (call) => `<dots_function_call>\n${invoke(call)}\n</dots_function_call>`),
    variants: {
      'two calls in one block': twoCalls(
        `<dots_function_call>\n${invoke(lyon)}\n<invoke name="book_room">\n<parameter name="room">007</parameter>\n<parameter name="guests">1</parameter>\n</invoke>\n</dots_function_call>`,
      ),
      'a JSON body': oneCall(`<dots_function_call>\n${json(lyon)}\n</dots_function_call>`),
    },
  },
  {
    row: '`<atem:function_calls>`',
    write: (calls) =>
      each(
        calls,
        (call) =>
          ` to=${call.name}<|message|><atem:function_calls>\n${invoke(call, 'atem:')}\n</atem:function_calls>`,
        '<|eom|><|start|>assistant',
      ),
    alone: true,
    ends: ['<|eot|>'],
    variants: {
      'a reply `to=user`': {
        output: ' to=user<|message|>I found none.<|eot|>',
        calls: [],
        text: 'I found none.',
      },
      'a reply, then a call': {
        output: ` to=user<|message|>I look.<|eom|><|start|>assistant to=find_hotel<|message|><atem:function_calls>\n${invoke(lyon, 'atem:')}\n</atem:function_calls><|eot|>`,
        calls: [lyon],
        text: 'I look.',
      },
    },
  },
  {
    row: '`<steptml:invoke name="…">`',
    write: (calls) =>
      `<｜tool_calls_begin｜>\n${each(calls, (call) => `<｜tool_call_begin｜>function<｜tool_sep｜>${invoke(call, 'steptml:')}<｜tool_call_end｜>`)}\n<｜tool_calls_end｜>`,
    ends: ['<|EOT|>'],
  },
  {
    row: '`<function name="…"><param name="…">`',
    write: (calls) =>
      each(
        calls,
        (call) =>
          `<function name="${call.name}">${args(call, (key, value) => `<param name="${key}">${tagValue(value)}</param>`)}</function>`,
      ),
    ends: ['<|im_end|>'],
    variants: {
      CDATA: oneCall(
        '<function name="find_hotel"><param name="city"><![CDATA[Lyon]]></param><param name="nights">2</param></function>',
      ),
    },
  },
  {
    row: '`<tool_call>name<arg_key>`',
    write: (calls) => each(calls, (call) => `<tool_call>${call.name}\n${pairs(call)}</tool_call>`),
    ends: ['<|observation|>', '<|role_end|>', '</assistant>', '<|user|>'],
    variants: {
      'no line breaks': oneCall(`<tool_call>find_hotel${pairs(lyon, '', '')}</tool_call>`),
      'no arguments, one line': {
        output: '<tool_call>list_rooms</tool_call>',
        calls: [rooms],
        text: '',
      },
      'pairs on one line': oneCall(
        `<tool_call>find_hotel\n<arg_key>city</arg_key><arg_value>Lyon</arg_value>\n<arg_key>nights</arg_key><arg_value>2</arg_value>\n</tool_call>`,
      ),
    },
  },
  {
    row: '`<tool_call>name<tool_sep><arg_key>`',
    write: (calls) =>
      `<tool_calls>\n${each(calls, (call) => `<tool_call>${call.name}<tool_sep>\n${pairs(call)}</tool_call>`)}\n</tool_calls>`,
    ends: ['<|eos|>'],
    variants: {
      'no `<tool_sep>`': oneCall(
        `<tool_calls>\n<tool_call>find_hotel${pairs(lyon, '', '')}</tool_call>\n</tool_calls>`,
      ),
      'a suffix in every tag': oneCall(
        `<tool_calls:opensource>\n<tool_call:opensource>find_hotel<tool_sep:opensource>\n${pairs(lyon, '', '\n', ':opensource')}</tool_call:opensource>\n</tool_calls:opensource>`,
      ),
    },
  },
  {
    row: '`<ifm|tool_call>`',
    write: (calls) =>
      `<ifm|tool_calls>\n${each(calls, (call) => `<ifm|tool_call>${call.name}\n${pairs(call, 'ifm|')}</ifm|tool_call>`)}\n</ifm|tool_calls>`,
    variants: {
      'a JSON body': oneCall(
        `<ifm|tool_calls>\n<ifm|tool_call>\n${json(lyon)}\n</ifm|tool_call>\n</ifm|tool_calls>`,
      ),
      'typed pairs': oneCall(
        '<ifm|tool_calls>\n<ifm|tool_call>find_hotel\n<ifm|arg_key>city</ifm|arg_key>\n<ifm|arg_type>string</ifm|arg_type>\n<ifm|arg_value>Lyon</ifm|arg_value>\n<ifm|arg_key>nights</ifm|arg_key>\n<ifm|arg_type>integer</ifm|arg_type>\n<ifm|arg_value>2</ifm|arg_value>\n</ifm|tool_call>\n</ifm|tool_calls>',
      ),
    },
  },
  {
    row: '`<|open|>call tool="…"<|sep|>`',
    write: (calls) =>
      `<|open|>tools<|sep|>${calls
        .map(
          (call, at) =>
            `<|open|>call tool="${call.name}" index="${at + 1}"<|sep|>${args(call, (key, value) => `<|open|>argument key="${key}" type="${typeof value === 'string' ? 'string' : 'json'}"<|sep|>${tagValue(value)}<|close|>argument<|sep|>`)}<|close|>call<|sep|>`,
        )
        .join('')}<|close|>tools<|sep|>`,
    ends: ['<|close|>message<|sep|><|end_of_msg|>'],
    variants: {
      'a reply in `response`': {
        output:
          '<|open|>response<|sep|>I found none.<|close|>response<|sep|><|close|>message<|sep|>',
        calls: [],
        text: 'I found none.',
      },
    },
  },
  {
    row: '`<|tool_call:start|>`',
    write: (calls) =>
      each(
        calls,
        (call) =>
          `<|tool_call:start|>${call.name}\n${args(call, (key, value) => `<|tool_arg:start|>${key}<|tool_arg:value|>${tagValue(value)}<|tool_arg:end|>\n`)}<|tool_call:end|>`,
      ),
    ends: ['<|im:end|>'],
  },
]
