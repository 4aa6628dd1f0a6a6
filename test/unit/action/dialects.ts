import { tool } from './harness.ts'

/** The tools of the calls below. */
export const tools = [
  tool('delete_account', { id: { type: 'integer' }, why: { type: 'string' } }, ['id']),
  tool('search', { query: { type: 'string' } }, ['query']),
]
const json = '{"name":"delete_account","arguments":{"id":7}}'
/** One call in every dialect that is read. */
export const dialects = {
  action: '<ACTION>\n<delete_account><id>7</id></delete_account>\n</ACTION>',
  hermes: `<tool_call>\n${json}\n</tool_call>`,
  'hermes on one line': `<tool_call>${json}</tool_call>`,
  'qwen3-coder':
    '<tool_call>\n<function=delete_account>\n<parameter=id>\n7\n</parameter>\n</function>\n</tool_call>',
  'function tag': '<function=delete_account><parameter=id>7</parameter></function>',
  mistral: `[TOOL_CALLS][${json}]`,
  'mistral small': '[TOOL_CALLS]delete_account[ARGS]{"id":7}',
  llama: `<|python_tag|>${json}`,
  deepseek:
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>delete_account\n```json\n{"id":7}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  kimi: '<|tool_calls_section_begin|><|tool_call_begin|>functions.delete_account:0<|tool_call_argument_begin|>{"id":7}<|tool_call_end|><|tool_calls_section_end|>',
  glm: '<tool_call>delete_account\n<arg_key>id</arg_key>\n<arg_value>7</arg_value>\n</tool_call>',
  harmony:
    '<|channel|>commentary to=functions.delete_account <|constrain|>json<|message|>{"id":7}<|call|>',
  gemma: '<start_function_call>call:delete_account{id:7}<end_function_call>',
  invoke: '<invoke name="delete_account">\n<parameter name="id">7</parameter>\n</invoke>',
  'function calls':
    '<function_calls>\n<invoke name="delete_account">\n<parameter name="id">7</parameter>\n</invoke>\n</function_calls>',
  'tool tag': '<delete_account>\n<id>7</id>\n</delete_account>',
  json,
  'keyed json': '{"delete_account": {"id": 7}}',
  python: 'delete_account(id=7)',
  'python list': '[delete_account(id=7)]',
  react: 'Action: delete_account\nAction Input: {"id": 7}',
}
