/** A text format for tool calls, with the servers' names for its parsers. */
export interface ToolCallFormat {
  /** Models that write this format. */
  readonly name: string
  /** Matches a text with calls in this format. */
  readonly mark: RegExp
  /** Parser names, separated by spaces, the most common first. Empty if the server has no such parser. */
  readonly vllm: string
  readonly sglang: string
  /** `tools`: parsed by the model's own template, without a named parser. */
  readonly ollama: string
  /** Whether llama.cpp parses this format. It derives the parser from the template, so it has no name. */
  readonly llamacpp: boolean
}

/** The fields of a `ToolCallFormat`. */
type Row = readonly [
  name: string,
  mark: RegExp,
  vllm?: string,
  sglang?: string,
  ollama?: string,
  llamacpp?: true,
]

/** Dialects, tried in order: the first whose mark matches wins. */
const rows: readonly Row[] = [
  ['GigaChat 3.5', /｜GCML｜/, '', 'gigachat35', '', true],
  ['DeepSeek V4.1', /｜DSML｜ /],
  ['DeepSeek V4', /｜DSML｜tool_calls/, 'deepseek_v4', 'deepseekv4', '', true],
  ['DeepSeek V3.2', /｜DSML｜/, 'deepseek_v32', 'deepseekv32', '', true],
  ['Step 3', /<steptml:/, 'step3', 'step3'],
  ['DeepSeek V3', /function<[|｜]tool[▁_ ]sep[|｜]>/, 'deepseek_v3', 'deepseekv3', 'cogito', true],
  ['DeepSeek V3.1', /<｜tool[▁_ ]call/, 'deepseek_v31', 'deepseekv31', 'deepseek3', true],
  ['MiniMax M3', /\]<\]minimax\[>\[/, 'minimax_m3', 'minimax-m3', '', true],
  ['MiniMax M2', /<minimax:tool_call>/, 'minimax_m2', 'minimax-m2', '', true],
  ['dots', /<dots_function_call>/, '', 'dots'],
  ['Muse Glimmer', /<atem:/, '', 'muse', 'glimmer', true],
  ['Seed-OSS', /<seed:tool_call>/, 'seed_oss', '', '', true],
  ['LongCat', /<longcat_tool_call>/, 'longcat'],
  ['K2 Horizon', /<ifm\|tool_call/, '', 'k2_horizon', '', true],
  ['Kimi K3', /<\|open\|>(?:tools<|call )/, 'kimi_k3', 'kimi_k3', '', true],
  ['Kimi K2', /<\|tool_calls?_(?:section_)?begin\|>/, 'kimi_k2', 'kimi_k2', '', true],
  ['Hunyuan 3', /<tool_sep[:>]/, 'hy_v3', 'hunyuan'],
  ['Hunyuan 4', /<tool_calls[^>]*>\s*<tool_call/, '', 'hunyuan'],
  [
    'GLM',
    /<arg_key>/,
    'glm45 glm47 poolside_v1',
    'glm45 glm47 ling3 poolside_v1 spark25',
    'glm-4.7 laguna',
    true,
  ],
  [
    'Qwen3-Coder',
    /<function=[^>]+>\s*<parameter=/,
    'qwen3_xml qwen3_coder mimo step3p5',
    'qwen3_coder mimo step3p5',
    'qwen3-coder qwen3.5 nemotron-3-nano',
    true,
  ],
  ['Llama 3.1 and Functionary 3.1', /<function=[^>]+>\s*\{/, '', '', '', true],
  ['MiniCPM 5', /<function name=/, 'minicpm5', 'minicpm5', '', true],
  ['Step-Audio 2', /<tool_call>function\n/],
  [
    'Hermes and Qwen',
    /<tool_call>\s*[{[]/,
    'hermes granite4 ernie45 xlam',
    'qwen hermes trinity',
    'qwen3 qwen3-vl',
    true,
  ],
  ['Gemma 4', /<\|tool_call>call:/, 'gemma4', 'gemma4', 'gemma4', true],
  ['FunctionGemma', /<start_function_call>/, 'functiongemma', '', 'functiongemma'],
  ['Mistral 7B and Nemo', /\[TOOL_CALLS\]\s*\[/, 'mistral', 'mistral', 'tools', true],
  ['Mistral', /\[TOOL_CALLS\]/, 'mistral', 'mistral', 'ministral', true],
  ['gpt-oss', /<\|(?:channel|constrain)\|>/, 'openai', 'gpt-oss', 'harmony', true],
  ['Inkling', /<\|content_invoke_tool/, 'inkling', 'inkling', '', true],
  ['PLaMo 3', /<\|plamo:begin_tool/],
  ['MiniCPM 3 and 4', /<\|tool_call_start\|>\s*```/],
  ['LFM2, as JSON', /<\|tool_call_start\|>\s*\[\s*\{/, 'lfm2', 'lfm2', '', true],
  ['LFM2', /<\|tool_call_start\|>/, 'lfm2', 'lfm2', 'lfm2', true],
  ['openPangu', /\[unused11\]/],
  ['Solar Open 2', /<\|tool_call:start\|>/, 'solar_open2'],
  ['Solar Open', /<\|tool_call:begin\|>/, '', '', '', true],
  ['InternLM', /<\|action_start\|>/, 'internlm', 'interns1'],
  [
    'Command R7B and A',
    /<\|START_ACTION\|>/,
    'cohere_command3 cohere_command4',
    'cohere_command4',
    'cohere',
    true,
  ],
  ['Command R', /Action:\s*```/, '', '', 'tools', true],
  ['Apertus', /<\|tools_prefix\|>/, 'apertus', 'apertus2509', '', true],
  [
    'GigaChat 3',
    /function call<\|role_sep\|>|<\|function_call\|>/,
    'gigachat3',
    'gigachat3',
    '',
    true,
  ],
  ['Phi-4-mini', /functools\[/, 'phi4_mini_json', '', '', true],
  ['Granite 3', /<\|tool_call\|>/, 'granite', '', '', true],
  ['Granite 20B', /<function_call>/, 'granite-20b-fc'],
  ['Nemotron 2', /<TOOLCALL>/, '', '', '', true],
  ['Hunyuan A13B and Jamba', /<tool_calls>\s*[[{]/, 'hunyuan_a13b jamba', '', '', true],
  ['Olmo 3', /<function_calls>\s*\w/, 'olmo3', '', 'olmo3'],
  ['Llama 4, as Python', /<\|python_start\|>/, 'llama4_pythonic', 'pythonic'],
  ["Llama 3.1's own tools", /<\|python_tag\|>\s*[\w.]+\.call\(/, '', '', '', true],
  [
    'Llama',
    /<\|python_tag\|>|^\s*\{[^{}]*"name":[^{}]*"parameters":/,
    'llama3_json llama4_json',
    'llama3',
    'tools',
    true,
  ],
  ['Llama, as Python', /^\s*\[\w+\(/, 'pythonic', 'pythonic'],
  ['xLAM', /^\s*\[\s*\{\s*"name":/, 'xlam', '', 'tools'],
  ['Functionary 3.2', /(?:^|>>>)\w+\n\{/, '', '', '', true],
  ['ReAct', /^Action:.*\s+Action Input:/m],
]

/**
 * Dialects in the order of the rows. Checked on 2026-11-22; sources: docs/action.md. A test compares this list with the
 * tables in that page, in docs/providers/vllm.md and in docs/providers/openai-compatible.md.
 */
export const toolCallFormats: readonly ToolCallFormat[] = rows.map(
  ([name, mark, vllm = '', sglang = '', ollama = '', llamacpp = false]) => ({
    name,
    mark,
    vllm,
    sglang,
    ollama,
    llamacpp,
  }),
)

/** Returns the dialect of the calls in a text, if one matches. */
export function detectToolCallFormat(text: string): ToolCallFormat | undefined {
  return toolCallFormats.find(({ mark }) => mark.test(text))
}
