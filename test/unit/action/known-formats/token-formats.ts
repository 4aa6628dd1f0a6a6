import { args, literal, lyon, oneCall, pythonCall, room, twoCalls } from './samples.ts'
import type { CallFormat, WrittenCall } from './samples.ts'

/** `{key:value}` with `mark` around strings, as the Gemma templates write it. */
function gemma(value: unknown, mark: string): string {
  if (typeof value === 'string') return `${mark}${value}${mark}`
  if (Array.isArray(value)) return `[${value.map((entry) => gemma(entry, mark)).join(',')}]`
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value)
      .map(([key, entry]) => `${key}:${gemma(entry, mark)}`)
      .join(',')}}`
  return String(value)
}

const body = ({ input }: WrittenCall): string => JSON.stringify(input)
const join = (
  calls: readonly WrittenCall[],
  write: (call: WrittenCall, at: number) => string,
): string => calls.map(write).join('')

/** Formats whose calls stand between tokens of the model. */
export const tokenFormats: readonly CallFormat[] = [
  {
    row: '`<|tool_call>call:name{…}<tool_call|>`',
    write: (calls) =>
      join(
        calls,
        ({ name, input }) => `<|tool_call>call:${name}${gemma(input, '<|"|>')}<tool_call|>`,
      ),
    ends: ['<|tool_response>', '<turn|>', '<tool_call|>'],
    variants: {
      'no closer': oneCall('<|tool_call>call:find_hotel{city:<|"|>Lyon<|"|>,nights:2}'),
    },
  },
  {
    row: '`<start_function_call>call:name{…}`',
    write: (calls) =>
      join(
        calls,
        ({ name, input }) =>
          `<start_function_call>call:${name}${gemma(input, '<escape>')}<end_function_call>`,
      ),
    ends: ['<start_function_response>', '<end_of_turn>'],
  },
  {
    row: 'Harmony `<|channel|>commentary to=`',
    write: (calls) =>
      calls
        .map(
          (call) =>
            `<|channel|>commentary to=functions.${call.name} <|constrain|>json<|message|>${body(call)}`,
        )
        .join('<|call|><|start|>assistant'),
    alone: true,
    ends: ['<|call|>', '<|end|>'],
    variants: {
      'the recipient in the role': oneCall(
        `<|start|>assistant to=functions.find_hotel<|channel|>commentary json<|message|>${body(lyon)}<|call|>`,
      ),
      'no role': oneCall(
        ` to=functions.find_hotel<|channel|>commentary <|constrain|>json<|message|>${body(lyon)}<|call|>`,
      ),
      'no prefix, no closer': oneCall(
        `<|channel|>commentary to=find_hotel json<|message|>${body(lyon)}`,
      ),
      'in the channel `analysis`': oneCall(
        `<|channel|>analysis to=functions.find_hotel <|constrain|>json<|message|>${body(lyon)}<|call|>`,
      ),
      'after thoughts': oneCall(
        `<|channel|>analysis<|message|>One must search.<|end|><|start|>assistant<|channel|>commentary to=functions.find_hotel <|constrain|>json<|message|>${body(lyon)}<|call|>`,
      ),
      'after a preamble': {
        output: `<|channel|>commentary<|message|>I look.<|end|><|start|>assistant<|channel|>commentary to=functions.find_hotel <|constrain|>json<|message|>${body(lyon)}<|call|>`,
        calls: [lyon],
        text: 'I look.',
      },
      'a reply in `final`': {
        output:
          '<|channel|>analysis<|message|>Nothing to do.<|end|><|start|>assistant<|channel|>final<|message|>I found none.<|return|>',
        calls: [],
        text: 'I found none.',
      },
    },
  },
  {
    row: '`<|tool_calls_section_begin|>`',
    write: (calls) =>
      `<|tool_calls_section_begin|>${join(calls, (call, at) => `<|tool_call_begin|>functions.${call.name}:${at}<|tool_call_argument_begin|>${body(call)}<|tool_call_end|>`)}<|tool_calls_section_end|>`,
    ends: ['<|im_end|>'],
    variants: {
      'no section': oneCall(
        `<|tool_call_begin|>functions.find_hotel:0<|tool_call_argument_begin|>${body(lyon)}<|tool_call_end|>`,
      ),
      'no prefix': oneCall(
        `<|tool_calls_section_begin|><|tool_call_begin|>find_hotel:0<|tool_call_argument_begin|>${body(lyon)}<|tool_call_end|><|tool_calls_section_end|>`,
      ),
      'white space around': oneCall(
        `<|tool_calls_section_begin|>\n<|tool_call_begin|> functions.find_hotel:0 <|tool_call_argument_begin|> ${body(lyon)} <|tool_call_end|>\n<|tool_calls_section_end|>`,
      ),
      'a section in the singular': oneCall(
        `<|tool_call_section_begin|><|tool_call_begin|>functions.find_hotel:0<|tool_call_argument_begin|>${body(lyon)}<|tool_call_end|><|tool_call_section_end|>`,
      ),
    },
  },
  {
    row: '`<｜tool▁calls▁begin｜>`, JSON in a fence',
    write: (calls) =>
      `<｜tool▁calls▁begin｜>${calls
        .map(
          (call) =>
            `<｜tool▁call▁begin｜>function<｜tool▁sep｜>${call.name}\n\`\`\`json\n${body(call)}\n\`\`\`<｜tool▁call▁end｜>`,
        )
        .join('\n')}<｜tool▁calls▁end｜>`,
    ends: ['<｜end▁of▁sentence｜>'],
    variants: {
      'ASCII bars': oneCall(
        `<|tool▁calls▁begin|><|tool▁call▁begin|>function<|tool▁sep|>find_hotel\n\`\`\`json\n${body(lyon)}\n\`\`\`<|tool▁call▁end|><|tool▁calls▁end|>`,
      ),
      underscores: oneCall(
        `<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜>find_hotel\n\`\`\`json\n${body(lyon)}\n\`\`\`<｜tool_call_end｜><｜tool_calls_end｜>`,
      ),
      spaces: oneCall(
        `<｜tool calls begin｜><｜tool call begin｜>function<｜tool sep｜>find_hotel\n\`\`\`json\n${body(lyon)}\n\`\`\`<｜tool call end｜><｜tool calls end｜>`,
      ),
    },
  },
  {
    row: '`<｜tool▁calls▁begin｜>`, JSON',
    write: (calls) =>
      `<｜tool▁calls▁begin｜>${join(calls, (call) => `<｜tool▁call▁begin｜>${call.name}<｜tool▁sep｜>${body(call)}<｜tool▁call▁end｜>`)}<｜tool▁calls▁end｜>`,
    ends: ['<｜end▁of▁sentence｜>'],
  },
  {
    row: '`<|tool_call:begin|>`',
    write: (calls) =>
      `<|tool_calls|>${join(calls, (call, at) => `<|tool_call:begin|>ab12cd34e${at}<|tool_call:name|>${call.name}<|tool_call:args|>${body(call)}<|tool_call:end|>`)}<|calls|>`,
    variants: {
      'after a reply': {
        output: `<|content|>I look.<|end|><|begin|>assistant<|tool_calls|><|tool_call:begin|>ab12cd34e5<|tool_call:name|>find_hotel<|tool_call:args|>${body(lyon)}<|tool_call:end|><|calls|>`,
        calls: [lyon],
        text: 'I look.',
      },
    },
  },
  {
    row: '`>>>name` and JSON',
    write: (calls) => join(calls, (call) => `>>>${call.name}\n${body(call)}`),
    ends: ['<|eot_id|>'],
    variants: {
      'no first mark': oneCall(`find_hotel\n${body(lyon)}`),
      'two calls, no first mark': twoCalls(`find_hotel\n${body(lyon)}>>>book_room\n${body(room)}`),
      'a reply to `all`': { output: 'all\nI found none.', calls: [], text: 'I found none.' },
      'a reply, then a call': {
        output: `all\nI look.>>>find_hotel\n${body(lyon)}`,
        calls: [lyon],
        text: 'I look.',
      },
    },
  },
  {
    row: '`<|plamo:begin_tool_request:plamo|>`',
    write: (calls) =>
      `<|plamo:begin_tool_requests:plamo|>${join(
        calls,
        (call) =>
          `<|plamo:begin_tool_request:plamo|><|plamo:begin_tool_name:plamo|>${call.name}<|plamo:end_tool_name:plamo|><|plamo:begin_tool_arguments:plamo|>${body(call)}<|plamo:end_tool_arguments:plamo|><|plamo:end_tool_request:plamo|>`,
      )}<|plamo:end_tool_requests:plamo|>`,
    ends: ['<|plamo:tag|>'],
    variants: {
      'tokens that constrain the JSON': oneCall(
        `<|plamo:begin_tool_requests:plamo|><|plamo:begin_tool_request:plamo|><|plamo:begin_tool_name:plamo|>find_hotel<|plamo:end_tool_name:plamo|><|plamo:begin_tool_arguments:plamo|><|plamo:constrain|>json<|plamo:msg|>${body(lyon)}<|plamo:end_tool_arguments:plamo|><|plamo:end_tool_request:plamo|><|plamo:end_tool_requests:plamo|><|plamo:tag|>`,
      ),
      'line breaks': oneCall(
        `<|plamo:begin_tool_requests:plamo|>\n<|plamo:begin_tool_request:plamo|>\n<|plamo:begin_tool_name:plamo|>find_hotel<|plamo:end_tool_name:plamo|>\n<|plamo:begin_tool_arguments:plamo|>${body(lyon)}<|plamo:end_tool_arguments:plamo|>\n<|plamo:end_tool_request:plamo|>\n<|plamo:end_tool_requests:plamo|>`,
      ),
      'no closers': oneCall(
        `<|plamo:begin_tool_requests:plamo|><|plamo:begin_tool_request:plamo|><|plamo:begin_tool_name:plamo|>find_hotel<|plamo:end_tool_name:plamo|><|plamo:begin_tool_arguments:plamo|>${body(lyon)}`,
      ),
    },
  },
  {
    row: 'A Python list `[name(key="…")]`',
    write: (calls) => `[${calls.map((call) => pythonCall(call)).join(', ')}]`,
    ends: ['<|eot_id|>', '<|eom|>'],
  },
  {
    row: '`<|python_start|>[name(…)]<|python_end|>`',
    write: (calls) =>
      `<|python_start|>[${calls.map((call) => pythonCall(call)).join(', ')}]<|python_end|>`,
    ends: ['<|eom|>', '<|eot|>'],
  },
  {
    row: '`<|tool_call_start|>[name(…)]<|tool_call_end|>`',
    write: (calls) =>
      `<|tool_call_start|>[${calls.map((call) => pythonCall(call)).join(', ')}]<|tool_call_end|>`,
    ends: ['<|im_end|>'],
  },
  {
    row: '`<|tool_call_start|>` and Python in a fence',
    write: (calls) =>
      `<|tool_call_start|>\n\`\`\`python\n${calls.map((call) => pythonCall(call)).join('\n')}\n\`\`\`\n<|tool_call_end|>`,
    ends: ['<|im_end|>'],
  },
  {
    row: '`<function_calls>` and `name(…)` lines',
    write: (calls) =>
      `<function_calls>\n${calls
        .map((call) =>
          pythonCall(call, (value) =>
            typeof value === 'object'
              ? JSON.stringify(value)
              : typeof value === 'boolean'
                ? String(value)
                : literal(value),
          ),
        )
        .join('\n')}\n</function_calls>`,
    ends: ['<|im_end|>'],
    variants: {
      'on one line': twoCalls(
        `<function_calls>${pythonCall(lyon)}\n${pythonCall(room)}</function_calls>`,
      ),
    },
  },
  {
    row: '`<|python_tag|>name.call(…)`',
    write: ([call]) =>
      `<|python_tag|>${(call as WrittenCall).name}.call(${args(call as WrittenCall, (key, value) => `${key}=${literal(value)}, `).replace(/, $/, '')})`,
    single: true,
    ends: ['<|eom_id|>'],
  },
]
