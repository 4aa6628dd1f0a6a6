export interface Preset {
  /** The provider's id. */
  readonly provider: string
  readonly label: string
  /** Default address. Fills the field until the visitor types another. */
  readonly baseURL: string
  readonly model: string
  /** Hint for the visitor, such as how to let a page call this endpoint. */
  readonly note: string
  /** Runs in this browser: it has no address and no key. */
  readonly isEngine?: true
}

export const NO_MODEL = 'scripted'

export const presets: readonly Preset[] = [
  {
    provider: NO_MODEL,
    label: 'Demo mode (scripted)',
    baseURL: '',
    model: 'script',
    note: 'A script plays the model. Worker, loop, journal and tools are real.',
  },
  {
    provider: 'ollama',
    label: 'Ollama',
    baseURL: 'http://localhost:11434/v1',
    model: 'qwen3:4b',
    note: 'Allow this page: start it with OLLAMA_ORIGINS set to the address above.',
  },
  {
    provider: 'lmstudio',
    label: 'LM Studio',
    baseURL: 'http://localhost:1234/v1',
    model: 'qwen3-4b',
    note: 'Switch on CORS in the settings of its local server.',
  },
  {
    provider: 'llamacpp',
    label: 'llama.cpp server',
    baseURL: 'http://localhost:8080/v1',
    model: 'default',
    note: 'Start llama-server with --jinja, so that the model can call tools.',
  },
  {
    provider: 'vllm',
    label: 'vLLM',
    baseURL: 'http://localhost:8000/v1',
    model: '',
    note: 'Start it with --enable-auto-tool-choice and a --tool-call-parser.',
  },
  {
    provider: 'localai',
    label: 'LocalAI',
    baseURL: 'http://localhost:8080/v1',
    model: '',
    note: 'Start it with CORS=true and CORS_ALLOW_ORIGINS set to this page.',
  },
  {
    provider: 'wllama',
    label: 'A GGUF file, in this browser',
    baseURL: '',
    model: '',
    note: 'llama.cpp in WebAssembly (wllama). Choose a file, or type its address. It loads with your first message.',
    isEngine: true,
  },
  {
    provider: 'webllm',
    label: 'WebLLM, on this graphics card',
    baseURL: '',
    model: 'Qwen3-1.7B-q4f16_1-MLC',
    note: 'Needs WebGPU. Your first message downloads WebLLM (2 MB) and the model: about 1 GB, once.',
    isEngine: true,
  },
  {
    provider: 'prompt-api',
    label: 'This browser’s own model',
    baseURL: '',
    model: 'default',
    note: 'In some versions of Chrome and Edge. The browser may download it first.',
    isEngine: true,
  },
  {
    provider: 'openai',
    label: 'OpenAI',
    baseURL: 'https://api.openai.com/v1',
    model: '',
    note: 'Needs a key. Whoever uses this page can read it.',
  },
  {
    provider: 'anthropic',
    label: 'Anthropic',
    baseURL: 'https://api.anthropic.com',
    model: '',
    note: 'Needs a key. Whoever uses this page can read it.',
  },
  {
    provider: 'minimax',
    label: 'MiniMax',
    baseURL: 'https://api.minimax.io/anthropic',
    model: 'MiniMax-M2.5',
    note: 'Needs a key. Accounts in mainland China use https://api.minimaxi.com/anthropic.',
  },
  {
    provider: 'gemini',
    label: 'Google Gemini',
    baseURL: 'https://generativelanguage.googleapis.com/v1beta/openai',
    model: 'gemini-3.8-flash',
    note: 'Needs a key. Whoever uses this page can read it.',
  },
  {
    provider: 'openai-compatible',
    label: 'Another endpoint (Chat Completions)',
    baseURL: '',
    model: '',
    note: 'Any server that speaks OpenAI Chat Completions and allows requests from this page.',
  },
]

export function presetOf(provider: string): Preset | undefined {
  return presets.find((preset) => preset.provider === provider)
}

/** Whether a server answers, and neither the script nor an engine in this browser. */
export function isServed(provider: string): boolean {
  return provider !== NO_MODEL && !presetOf(provider)?.isEngine
}
