// The names that servers have for their parsers, those of one parser together. vLLM's `tool_parsers/__init__.py` and
// `reasoning/__init__.py` at 0064cc9, SGLang's `function_call_parser.py` at 00828e5 and `reasoning_parser.py` at 002e9bf.

export interface Registry {
  readonly calls: readonly string[]
  readonly reasoning: readonly string[]
}

const lines = (text: string): readonly string[] => text.trim().split(/\s*\n\s*/)

export const registries: { readonly vllm: Registry; readonly sglang: Registry } = {
  vllm: {
    calls: lines(`
      deepseek_v3
      deepseek_v31
      deepseek_v32
      deepseek_v4
      cohere_command3
      cohere_command4
      ernie45
      glm45 glm47
      granite-20b-fc
      granite
      granite4
      hermes
      poolside_v1
      hunyuan_a13b
      hy_v3
      internlm
      jamba
      lfm2
      kimi_k2
      kimi_k3
      llama3_json llama4_json
      llama4_pythonic
      longcat
      qwen3_coder qwen3_xml mimo
      minimax_m2
      minimax_m3
      minicpm5
      mistral
      olmo3
      openai
      phi4_mini_json
      pythonic
      seed_oss
      step3
      step3p5
      inkling
      xlam
      gigachat3
      functiongemma
      gemma4
      apertus
      solar_open2`),
    reasoning: lines(`
      deepseek_r1
      deepseek_v3
      deepseek_v4
      poolside_v1
      cohere_command3
      cohere_command4
      ernie45
      gemma4
      glm45 glm47
      openai_gptoss
      granite
      holo2
      hunyuan_a13b
      hy_v3
      kimi_k2
      kimi_k3
      qwen3 mimo
      minimax_m2
      minimax_m2_append_think
      minimax_m3
      mistral
      nemotron_v3
      olmo3
      seed_oss
      step3
      step3p5
      inkling
      solar_open2`),
  },
  sglang: {
    calls: lines(`
      apertus2509
      cohere_command4
      deepseekv3
      deepseekv31
      deepseekv32
      deepseekv4
      dots
      glm glm45
      glm47
      gpt-oss
      k2_horizon
      kimi_k2
      kimi_k3
      lfm2
      ling3
      llama3
      mimo
      minicpm5
      mistral
      muse
      poolside_v1
      pythonic
      qwen qwen25
      qwen3_coder step3p5
      spark25
      step3
      minimax-m2
      minimax-m3
      trinity
      interns1
      hermes
      hunyuan
      gigachat3
      gigachat35
      gemma4
      inkling`),
    reasoning: lines(`
      apertus2509
      deepseek-r1 step3 step3p5
      deepseek-v3
      deepseek-v4
      glm45
      hunyuan
      gpt-oss
      kimi
      kimi_k2
      kimi_k3
      mimo
      poolside_v1
      qwen3 qwen3-thinking minimax interns1
      minimax-append-think
      minimax-m3
      mistral
      nemotron_3
      gemma4
      inkling
      cohere_command4
      telechat4`),
  },
}

/** The names of the parsers that these are names of; a name that isn't registered stays as it is. */
export function parsersOf(names: Iterable<string>, registered: readonly string[]): Set<string> {
  const all = [...names]
  return new Set(
    all.map((name) => registered.find((entry) => entry.split(' ').includes(name)) ?? name),
  )
}
