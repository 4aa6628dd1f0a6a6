import { json, jsonList, lyon, oneCall, room, twoCalls } from './samples.ts'
import type { CallFormat, WrittenCall } from './samples.ts'

const lines = (parts: readonly string[]): string => parts.join('\n')

/** Formats whose calls are JSON objects between marks. */
export const jsonFormats: readonly CallFormat[] = [
  {
    row: 'JSON in `<tool_call>`',
    write: (calls) => lines(calls.map((call) => `<tool_call>\n${json(call)}\n</tool_call>`)),
    ends: ['<|im_end|>', '\n<|endoftext|>'],
    variants: {
      'on one line': oneCall(`<tool_call>${json(lyon)}</tool_call>`),
      'arguments as a JSON string': oneCall(
        `<tool_call>\n{"name": "find_hotel", "arguments": ${JSON.stringify(JSON.stringify(lyon.input))}}\n</tool_call>`,
      ),
      'no closer': oneCall(`<tool_call>\n${json(lyon)}\n`),
      'a list of calls': twoCalls(`<tool_call>[${json(lyon)}, ${json(room)}]</tool_call>`),
      'blank lines between': twoCalls(
        `<tool_call>\n${json(lyon)}\n</tool_call>\n\n\n<tool_call>\n${json(room)}\n</tool_call>`,
      ),
    },
  },
  {
    row: 'JSON in `<tool_calls>`',
    write: (calls) => `<tool_calls>${jsonList(calls)}</tool_calls>`,
    ends: ['<|end|>', '<|eos|>'],
    variants: {
      'a call a line': twoCalls(
        `<tool_calls>[\n    ${json(lyon)},\n    ${json(room)}\n]</tool_calls>`,
      ),
      'JSON lines': twoCalls(`<tool_calls>\n${json(lyon)}\n${json(room)}\n</tool_calls>`),
      'with ids': oneCall(
        `<tool_calls>[{"name": "find_hotel", "arguments": {"city": "Lyon", "nights": 2}, "id": "1"}]</tool_calls>`,
      ),
    },
  },
  {
    row: '`<TOOLCALL>[…]</TOOLCALL>`',
    write: (calls) => `<TOOLCALL>${jsonList(calls)}</TOOLCALL>`,
    variants: {
      'no closer': oneCall(`<TOOLCALL>${jsonList([lyon])}`),
    },
  },
  {
    row: '`<function_call> {…}`',
    write: (calls) => lines(calls.map((call) => `<function_call> ${json(call)}`)),
    ends: ['<|end_of_text|>'],
  },
  {
    row: '`<|tool_call|>[…]`',
    write: (calls) => `<|tool_call|>${jsonList(calls)}`,
    ends: ['<|end_of_text|>'],
    variants: {
      'with a closer': oneCall(`<|tool_call|>${jsonList([lyon])}<|/tool_call|>`),
      'one object': oneCall(`<|tool_call|>${json(lyon)}<|/tool_call|>`),
      'wrapped in `function`': oneCall(
        `<|tool_call|>[{"type": "function", "function": ${json(lyon)}}]<|/tool_call|>`,
      ),
    },
  },
  {
    row: '`functools[…]`',
    write: (calls) => `functools${jsonList(calls)}`,
    ends: ['<|end|>', '<|eot_id|>'],
    variants: {
      'a leading space': oneCall(` functools${jsonList([lyon])}`),
    },
  },
  {
    row: '`[TOOL_CALLS][…]`',
    write: (calls) =>
      `[TOOL_CALLS][${calls
        .map(
          ({ name, input }, at) =>
            `{"name": "${name}", "arguments": ${JSON.stringify(input)}, "id": "aB3dE6gH${at}"}`,
        )
        .join(', ')}]`,
    ends: ['</s>'],
    variants: {
      'a space after the mark': oneCall(`[TOOL_CALLS] ${jsonList([lyon])}`),
    },
  },
  {
    row: '`[TOOL_CALLS]name[ARGS]{…}`',
    write: (calls) =>
      calls.map(({ name, input }) => `[TOOL_CALLS]${name}[ARGS]${JSON.stringify(input)}`).join(''),
    ends: ['</s>'],
    variants: {
      'with a call id': oneCall(
        '[TOOL_CALLS]find_hotel[CALL_ID]aB3dE6gH9[ARGS]{"city": "Lyon", "nights": 2}',
      ),
      'no `[ARGS]`': oneCall('[TOOL_CALLS]find_hotel{"city": "Lyon", "nights": 2}'),
      'two calls, no `[ARGS]`': twoCalls(
        '[TOOL_CALLS]find_hotel{"city": "Lyon", "nights": 2}[TOOL_CALLS]book_room{"room": "007", "guests": 1}',
      ),
    },
  },
  {
    row: 'Llama JSON, with or without `<|python_tag|>`',
    write: (calls) => calls.map((call) => json(call, ['name', 'parameters'])).join('; '),
    ends: ['<|eom_id|>', '<|eot_id|>'],
    variants: {
      '`<|python_tag|>`': oneCall(`<|python_tag|>${json(lyon, ['name', 'parameters'])}`),
      '`<|python_tag|>`, two calls': twoCalls(
        `<|python_tag|>${json(lyon, ['name', 'parameters'])}; ${json(room, ['name', 'parameters'])}`,
      ),
      'with a type': oneCall(
        '{"type": "function", "name": "find_hotel", "parameters": {"city": "Lyon", "nights": 2}}',
      ),
    },
  },
  {
    row: 'A bare JSON list',
    write: (calls) => jsonList(calls),
    variants: {
      'in a fence': twoCalls(`\`\`\`json\n${jsonList([lyon, room])}\n\`\`\``),
    },
  },
  {
    row: '`<|action_start|><|plugin|>`',
    write: (calls) =>
      lines(
        calls.map(
          (call) =>
            `<|action_start|><|plugin|>\n${json(call, ['name', 'parameters'])}<|action_end|>`,
        ),
      ),
    ends: ['<|im_end|>', '\n'],
    variants: {
      'a space between the marks': oneCall(
        `<|action_start|> <|plugin|>\n${json(lyon)}<|action_end|>`,
      ),
    },
  },
  {
    row: '`<|START_ACTION|>`',
    write: (calls) =>
      `<|START_ACTION|>[\n${calls
        .map(
          ({ name, input }, at) =>
            `    {"tool_call_id": "${at}", "tool_name": "${name}", "parameters": ${JSON.stringify(input)}}`,
        )
        .join(',\n')}\n]<|END_ACTION|>`,
    ends: ['<|END_OF_TURN_TOKEN|>'],
    variants: {
      'no closer': oneCall(
        '<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "find_hotel", "parameters": {"city": "Lyon", "nights": 2}}]',
      ),
      'a reply in `<|START_RESPONSE|>`': {
        output: '<|START_RESPONSE|>I found none.<|END_RESPONSE|>',
        calls: [],
        text: 'I found none.',
      },
      'a reply in `<|START_TEXT|>`': {
        output: '<|START_TEXT|>I found none.<|END_TEXT|><|END_OF_TURN_TOKEN|>',
        calls: [],
        text: 'I found none.',
      },
    },
  },
  {
    row: '`Action:` and a JSON list in a fence',
    write: (calls) =>
      `Action: \`\`\`json\n[\n${calls
        .map(
          ({ name, input }) =>
            `    {\n        "tool_name": "${name}",\n        "parameters": ${JSON.stringify(input)}\n    }`,
        )
        .join(',\n')}\n]\n\`\`\``,
    variants: {
      'after `Plan:`': {
        output: `Plan: I search.\nAction:\`\`\`json\n[\n    ${json(lyon, ['tool_name', 'parameters'])}\n]\n\`\`\``,
        calls: [lyon],
        text: 'Plan: I search.',
      },
    },
  },
  {
    row: '`<longcat_tool_call>`',
    write: (calls) =>
      lines(calls.map((call) => `<longcat_tool_call>\n${json(call)}\n</longcat_tool_call>`)),
    ends: ['</longcat_s>'],
    variants: {
      'on one line': oneCall(`<longcat_tool_call>${json(lyon)}</longcat_tool_call>`),
      '`<longcat_arg_key>` pairs': oneCall(
        '<longcat_tool_call>find_hotel\n<longcat_arg_key>city</longcat_arg_key>\n<longcat_arg_value>Lyon</longcat_arg_value>\n<longcat_arg_key>nights</longcat_arg_key>\n<longcat_arg_value>2</longcat_arg_value>\n</longcat_tool_call>',
      ),
    },
  },
  {
    row: '`<|tools_prefix|>[{"name": {…}}]`',
    write: (calls) =>
      `<|tools_prefix|>[${calls.map(({ name, input }) => `{"${name}": ${JSON.stringify(input)}}`).join(', ')}]<|tools_suffix|>`,
    ends: ['<|assistant_end|>'],
  },
  {
    row: '`<|tool_call_start|>[{…}]<|tool_call_end|>`',
    write: (calls) => `<|tool_call_start|>${jsonList(calls)}<|tool_call_end|>`,
    ends: ['<|im_end|>'],
  },
  {
    row: '`[unused11][{…}][unused12]`',
    write: (calls) => `[unused11]${jsonList(calls)}[unused12]`,
    ends: ['[unused10]'],
  },
  {
    row: '`<tool_call>function` and JSON on the third line',
    write: (calls) =>
      lines(
        calls.map(
          ({ name, input }) => `<tool_call>function\n${name}\n${JSON.stringify(input)}</tool_call>`,
        ),
      ),
  },
  {
    row: '`<|content_invoke_tool_json|>`',
    write: (calls) =>
      calls
        .map(
          (call) =>
            `<|message_model|>${call.name}<|content_invoke_tool_json|>${json(call, ['name', 'args'])}<|end_message|>`,
        )
        .join(''),
    ends: ['<|content_model_end_sampling|>'],
    variants: {
      'a reply in `<|content_text|>`': {
        output:
          '<|message_model|><|content_text|>I found none.<|end_message|><|content_model_end_sampling|>',
        calls: [],
        text: 'I found none.',
      },
    },
  },
  {
    row: 'GigaChat `function call<|role_sep|>`',
    write: ([call]) => `<|message_sep|>\n\nfunction call<|role_sep|>\n${json(call as WrittenCall)}`,
    single: true,
    ends: ['<|message_sep|>\n\n', '</s>'],
    variants: {
      '`<|function_call|>`': oneCall(`<|function_call|>${json(lyon)}`),
      'no separator before': oneCall(`function call<|role_sep|>\n${json(lyon)}<|message_sep|>`),
      "prose on the separator's line": {
        output: `I look.<|message_sep|>\n\nfunction call<|role_sep|>\n${json(lyon)}`,
        calls: [lyon],
        text: 'I look.',
      },
    },
  },
]
