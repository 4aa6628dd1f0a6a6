import { tool } from './harness.ts'

/** The tools of the calls below. */
export const tools = [
  tool('delete_account', { id: { type: 'integer' }, why: { type: 'string' } }, ['id']),
  tool('search', { query: { type: 'string' } }, ['query']),
]
const json = '{"name":"delete_account","arguments":{"id":7}}'
/** A call in every dialect that is read. */
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
  'harmony recipient first':
    '<|start|>assistant to=functions.delete_account<|channel|>commentary json<|message|>{"id":7}<|call|>',
  'harmony in the analysis':
    '<|start|>assistant<|channel|>analysis to=delete_account code<|message|>{"id":7}<|end|>',
  'harmony after the template':
    'to=functions.delete_account<|channel|>commentary<|message|>{"id":7}',
  'gemma 4': '<|tool_call>call:delete_account{id:7}<tool_call|>',
  'step 3':
    '<｜tool_calls_begin｜>\n<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="delete_account">\n<steptml:parameter name="id">7</steptml:parameter>\n</steptml:invoke><｜tool_call_end｜>\n<｜tool_calls_end｜>',
  'llama 4': '<|python_start|>[delete_account(id=7)]<|python_end|>',
  lfm: '<|tool_call_start|>[delete_account(id=7)]<|tool_call_end|>',
  'minicpm 4': '<|tool_call_start|>\n```python\ndelete_account(id=7)\n```\n<|tool_call_end|>',
  'minicpm 5': '<function name="delete_account"><param name="id">7</param></function>',
  'phi-4-mini': `<|tool_call|>[${json}]<|/tool_call|>`,
  functools: `functools[${json}]`,
  gigachat: `function call${json}`,
  'gigachat 3': `<|message_sep|>\n\nfunction call<|role_sep|>\n${json}`,
  'gigachat 3.1': `<|function_call|>${json}`,
  'functionary 3.2': '>>>delete_account\n{"id":7}',
  'functionary 3.2, first': 'delete_account\n{"id":7}',
  'functionary 3.1': '<function=delete_account>{"id":7}</function>',
  'functionary 2': '<|from|>assistant\n<|recipient|>delete_account\n<|content|>{"id":7}<|stop|>',
  'command r':
    'Action: ```json\n[\n    {\n        "tool_name": "delete_account",\n        "parameters": {"id": 7}\n    }\n]\n```',
  'command a':
    '<|START_ACTION|>[\n    {"tool_call_id": "0", "tool_name": "delete_account", "parameters": {"id": 7}}\n]<|END_ACTION|>',
  'kimi in the singular':
    '<|tool_call_section_begin|><|tool_call_begin|>functions.delete_account:0<|tool_call_argument_begin|>{"id":7}<|tool_call_end|><|tool_call_section_end|>',
  plamo:
    '<|plamo:begin_tool_requests:plamo|><|plamo:begin_tool_request:plamo|><|plamo:begin_tool_name:plamo|>delete_account<|plamo:end_tool_name:plamo|><|plamo:begin_tool_arguments:plamo|><|plamo:constrain|>json<|plamo:msg|>{"id":7}<|plamo:end_tool_arguments:plamo|><|plamo:end_tool_request:plamo|><|plamo:end_tool_requests:plamo|>',
  'dsml with spaces':
    '<｜DSML｜ calls>\n<｜DSML｜ invoke name="delete_account">\n<｜DSML｜ parameter name="id" string="false">7</｜DSML｜ parameter>\n</｜DSML｜ invoke>\n</｜DSML｜ calls>',
  longcat:
    '<longcat_tool_call>delete_account\n<longcat_arg_key>id</longcat_arg_key>\n<longcat_arg_value>7</longcat_arg_value>\n</longcat_tool_call>',
  hunyuan:
    '<tool_calls:opensource>\n<tool_call:opensource>delete_account<tool_sep:opensource>\n<arg_key:opensource>id</arg_key:opensource>\n<arg_value:opensource>7</arg_value:opensource>\n</tool_call:opensource>\n</tool_calls:opensource>',
  dsml: '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="delete_account">\n<｜DSML｜parameter name="id" string="false">7</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>',
  gcml: '<｜GCML｜tool_calls>\n<｜GCML｜invoke name="delete_account">\n<｜GCML｜parameter name="id" string="false">7</｜GCML｜parameter>\n</｜GCML｜invoke>\n</｜GCML｜tool_calls>',
  minimax:
    '<minimax:tool_call>\n<invoke name="delete_account">\n<parameter name="id">7</parameter>\n</invoke>\n</minimax:tool_call>',
  'minimax m3':
    ']<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name="delete_account">]<]minimax[>[<id>7]<]minimax[>[</id>]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>',
  'k2 horizon':
    '<ifm|tool_calls>\n<ifm|tool_call>delete_account\n<ifm|arg_key>id</ifm|arg_key>\n<ifm|arg_value>7</ifm|arg_value>\n</ifm|tool_call>\n</ifm|tool_calls>',
  'kimi k3':
    '<|open|>tools<|sep|><|open|>call tool="delete_account" index="1"<|sep|><|open|>argument key="id" type="number"<|sep|>7<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>',
  solar:
    '<|tool_call:start|>delete_account\n<|tool_arg:start|>id<|tool_arg:value|>7<|tool_arg:end|>\n<|tool_call:end|>',
  'solar open':
    '<|tool_calls|><|tool_call:begin|>0123456789<|tool_call:name|>delete_account<|tool_call:args|>{"id":7}<|tool_call:end|><|calls|>',
  inkling:
    '<|message_model|>delete_account<|content_invoke_tool_json|>{"name":"delete_account","args":{"id":7}}',
  pangu: `[unused11][${json}][unused12]`,
  apertus: '<|tools_prefix|>[{"delete_account": {"id": 7}}]<|tools_suffix|>',
  internlm: `<|action_start|><|plugin|>\n${json}<|action_end|>`,
  nemotron: `<TOOLCALL>[${json}]</TOOLCALL>`,
  olmo: '<function_calls>\ndelete_account(id=7)\n</function_calls>',
  dots: '<dots_function_call>\n<invoke name="delete_account">\n<parameter name="id">7</parameter>\n</invoke>\n</dots_function_call>',
  'step-audio': `<tool_call>function\ndelete_account\n{"id":7}</tool_call>`,
  'json and a stop token': `${json}<|eom_id|>`,
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
