/** A text format for tool calls, with the servers' names for its parsers. */
export interface ToolCallFormat {
  /** Models that write this format. */
  readonly name: string
  /** Matches a text with calls in this format. */
  readonly mark: RegExp
  /** Parser names, separated by spaces, the most common first. Undefined if the server has no such parser. */
  readonly vllm?: string
  readonly sglang?: string
  /** `tools`: parsed by the model's own template, without a named parser. */
  readonly ollama?: string
  /** llama.cpp derives the parser from the template, so it has no name. */
  readonly llamacpp?: true
}

/**
 * Dialects, tried in order: the first whose mark matches wins. Checked on 2026-11-22; sources: docs/action.md. A test
 * compares this list with the tables in that page, in docs/providers/vllm.md and in
 * docs/providers/openai-compatible.md.
 */
export const toolCallFormats: readonly ToolCallFormat[] = [
  { name: 'GigaChat 3.5', mark: /｜GCML｜/, sglang: 'gigachat35', llamacpp: true },
  { name: 'DeepSeek V4.1', mark: /｜DSML｜ / },
  {
    name: 'DeepSeek V4',
    mark: /｜DSML｜tool_calls/,
    vllm: 'deepseek_v4',
    sglang: 'deepseekv4',
    llamacpp: true,
  },
  {
    name: 'DeepSeek V3.2',
    mark: /｜DSML｜/,
    vllm: 'deepseek_v32',
    sglang: 'deepseekv32',
    llamacpp: true,
  },
  { name: 'Step 3', mark: /<steptml:/, vllm: 'step3', sglang: 'step3' },
  {
    name: 'DeepSeek V3',
    mark: /function<[|｜]tool[▁_ ]sep[|｜]>/,
    vllm: 'deepseek_v3',
    sglang: 'deepseekv3',
    ollama: 'cogito',
    llamacpp: true,
  },
  {
    name: 'DeepSeek V3.1',
    mark: /<｜tool[▁_ ]call/,
    vllm: 'deepseek_v31',
    sglang: 'deepseekv31',
    ollama: 'deepseek3',
    llamacpp: true,
  },
  {
    name: 'MiniMax M3',
    mark: /\]<\]minimax\[>\[/,
    vllm: 'minimax_m3',
    sglang: 'minimax-m3',
    llamacpp: true,
  },
  {
    name: 'MiniMax M2',
    mark: /<minimax:tool_call>/,
    vllm: 'minimax_m2',
    sglang: 'minimax-m2',
    llamacpp: true,
  },
  { name: 'dots', mark: /<dots_function_call>/, sglang: 'dots' },
  { name: 'Muse Glimmer', mark: /<atem:/, sglang: 'muse', ollama: 'glimmer', llamacpp: true },
  { name: 'Seed-OSS', mark: /<seed:tool_call>/, vllm: 'seed_oss', llamacpp: true },
  { name: 'LongCat', mark: /<longcat_tool_call>/, vllm: 'longcat' },
  { name: 'K2 Horizon', mark: /<ifm\|tool_call/, sglang: 'k2_horizon', llamacpp: true },
  {
    name: 'Kimi K3',
    mark: /<\|open\|>(?:tools<|call )/,
    vllm: 'kimi_k3',
    sglang: 'kimi_k3',
    llamacpp: true,
  },
  {
    name: 'Kimi K2',
    mark: /<\|tool_calls?_(?:section_)?begin\|>/,
    vllm: 'kimi_k2',
    sglang: 'kimi_k2',
    llamacpp: true,
  },
  { name: 'Hunyuan 3', mark: /<tool_sep[:>]/, vllm: 'hy_v3', sglang: 'hunyuan' },
  { name: 'Hunyuan 4', mark: /<tool_calls[^>]*>\s*<tool_call/, sglang: 'hunyuan' },
  {
    name: 'GLM',
    mark: /<arg_key>/,
    vllm: 'glm45 glm47 poolside_v1',
    sglang: 'glm45 glm47 ling3 poolside_v1 spark25',
    ollama: 'glm-4.7 laguna',
    llamacpp: true,
  },
  {
    name: 'Qwen3-Coder',
    mark: /<function=[^>]+>\s*<parameter=/,
    vllm: 'qwen3_xml qwen3_coder mimo step3p5',
    sglang: 'qwen3_coder mimo step3p5',
    ollama: 'qwen3-coder qwen3.5 nemotron-3-nano',
    llamacpp: true,
  },
  { name: 'Llama 3.1 and Functionary 3.1', mark: /<function=[^>]+>\s*\{/, llamacpp: true },
  {
    name: 'MiniCPM 5',
    mark: /<function name=/,
    vllm: 'minicpm5',
    sglang: 'minicpm5',
    llamacpp: true,
  },
  { name: 'Step-Audio 2', mark: /<tool_call>function\n/ },
  {
    name: 'Hermes and Qwen',
    mark: /<tool_call>\s*[{[]/,
    vllm: 'hermes granite4 ernie45 xlam',
    sglang: 'qwen hermes trinity',
    ollama: 'qwen3 qwen3-vl',
    llamacpp: true,
  },
  {
    name: 'Gemma 4',
    mark: /<\|tool_call>call:/,
    vllm: 'gemma4',
    sglang: 'gemma4',
    ollama: 'gemma4',
    llamacpp: true,
  },
  {
    name: 'FunctionGemma',
    mark: /<start_function_call>/,
    vllm: 'functiongemma',
    ollama: 'functiongemma',
  },
  {
    name: 'Mistral 7B and Nemo',
    mark: /\[TOOL_CALLS\]\s*\[/,
    vllm: 'mistral',
    sglang: 'mistral',
    ollama: 'tools',
    llamacpp: true,
  },
  {
    name: 'Mistral',
    mark: /\[TOOL_CALLS\]/,
    vllm: 'mistral',
    sglang: 'mistral',
    ollama: 'ministral',
    llamacpp: true,
  },
  {
    name: 'gpt-oss',
    mark: /<\|(?:channel|constrain)\|>/,
    vllm: 'openai',
    sglang: 'gpt-oss',
    ollama: 'harmony',
    llamacpp: true,
  },
  {
    name: 'Inkling',
    mark: /<\|content_invoke_tool/,
    vllm: 'inkling',
    sglang: 'inkling',
    llamacpp: true,
  },
  { name: 'PLaMo 3', mark: /<\|plamo:begin_tool/ },
  { name: 'MiniCPM 3 and 4', mark: /<\|tool_call_start\|>\s*```/ },
  {
    name: 'LFM2, as JSON',
    mark: /<\|tool_call_start\|>\s*\[\s*\{/,
    vllm: 'lfm2',
    sglang: 'lfm2',
    llamacpp: true,
  },
  {
    name: 'LFM2',
    mark: /<\|tool_call_start\|>/,
    vllm: 'lfm2',
    sglang: 'lfm2',
    ollama: 'lfm2',
    llamacpp: true,
  },
  { name: 'openPangu', mark: /\[unused11\]/ },
  { name: 'Solar Open 2', mark: /<\|tool_call:start\|>/, vllm: 'solar_open2' },
  { name: 'Solar Open', mark: /<\|tool_call:begin\|>/, llamacpp: true },
  { name: 'InternLM', mark: /<\|action_start\|>/, vllm: 'internlm', sglang: 'interns1' },
  {
    name: 'Command R7B and A',
    mark: /<\|START_ACTION\|>/,
    vllm: 'cohere_command3 cohere_command4',
    sglang: 'cohere_command4',
    ollama: 'cohere',
    llamacpp: true,
  },
  { name: 'Command R', mark: /Action:\s*```/, ollama: 'tools', llamacpp: true },
  {
    name: 'Apertus',
    mark: /<\|tools_prefix\|>/,
    vllm: 'apertus',
    sglang: 'apertus2509',
    llamacpp: true,
  },
  {
    name: 'GigaChat 3',
    mark: /function call<\|role_sep\|>|<\|function_call\|>/,
    vllm: 'gigachat3',
    sglang: 'gigachat3',
    llamacpp: true,
  },
  { name: 'Phi-4-mini', mark: /functools\[/, vllm: 'phi4_mini_json', llamacpp: true },
  { name: 'Granite 3', mark: /<\|tool_call\|>/, vllm: 'granite', llamacpp: true },
  { name: 'Granite 20B', mark: /<function_call>/, vllm: 'granite-20b-fc' },
  { name: 'Nemotron 2', mark: /<TOOLCALL>/, llamacpp: true },
  {
    name: 'Hunyuan A13B and Jamba',
    mark: /<tool_calls>\s*[[{]/,
    vllm: 'hunyuan_a13b jamba',
    llamacpp: true,
  },
  { name: 'Olmo 3', mark: /<function_calls>\s*\w/, vllm: 'olmo3', ollama: 'olmo3' },
  {
    name: 'Llama 4, as Python',
    mark: /<\|python_start\|>/,
    vllm: 'llama4_pythonic',
    sglang: 'pythonic',
  },
  { name: "Llama 3.1's own tools", mark: /<\|python_tag\|>\s*[\w.]+\.call\(/, llamacpp: true },
  {
    name: 'Llama',
    mark: /<\|python_tag\|>|^\s*\{[^{}]*"name":[^{}]*"parameters":/,
    vllm: 'llama3_json llama4_json',
    sglang: 'llama3',
    ollama: 'tools',
    llamacpp: true,
  },
  { name: 'Llama, as Python', mark: /^\s*\[\w+\(/, vllm: 'pythonic', sglang: 'pythonic' },
  { name: 'xLAM', mark: /^\s*\[\s*\{\s*"name":/, vllm: 'xlam', ollama: 'tools' },
  { name: 'Functionary 3.2', mark: /(?:^|>>>)\w+\n\{/, llamacpp: true },
  { name: 'ReAct', mark: /^Action:.*\s+Action Input:/m },
]

/** Returns the dialect of the calls in a text, if one matches. */
export function detectToolCallFormat(text: string): ToolCallFormat | undefined {
  return toolCallFormats.find(({ mark }) => mark.test(text))
}
