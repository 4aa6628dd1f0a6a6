import type { Dialect } from './dialects.ts'

/** What to set so that calls come as calls. */
export interface ToolAdvice {
  /** The server refuses tools: what has it take them, after "For native calls, ". */
  readonly refused: string
  /** The model answers in words: what may be the cause beside the model. An imperative sentence. */
  readonly inWords?: string
  /** It hands calls on as text. Imperative sentences. */
  readonly asText: (dialect: Dialect | undefined) => string
}

const TEMPLATE = "Try toolMode: 'action': the server's template may not show the model its tools."

const generic: ToolAdvice = {
  refused: 'set what these words ask for, or choose a model and a server that take tools.',
  inWords: TEMPLATE,
  asText: () =>
    "Look for the server's setting that has it parse the calls of this model, or use toolMode 'action'.",
}

/** There is nothing to set on its servers. */
const hosted: ToolAdvice = { refused: generic.refused, asText: generic.asText }

const VLLM_FLAGS = '--enable-auto-tool-choice --tool-call-parser'

/** By a parser that reads the format; without one, no setting of the server helps. */
function byParser(
  server: string,
  names: string | undefined,
  advise: (parser: string) => string,
): string {
  const [parser, ...others] = names?.split(' ') ?? []
  if (parser === undefined)
    return `${server} has no parser that is known to read this format: use toolMode 'action', or another model.`
  const more = others.length === 0 ? '' : ` (for some models: ${others.join(', ')})`
  return advise(parser) + more
}

/**
 * By server id. Sources, November 2026: llama.cpp's tools/server, vLLM's tool-calling page, SGLang's
 * tool-parser page, Ollama's server/images.go, LM Studio's tool-use page, LocalAI's functions page.
 */
const advice: { readonly [server: string]: ToolAdvice } = {
  openai: hosted,
  anthropic: hosted,
  minimax: hosted,
  gemini: hosted,
  ollama: {
    inWords: TEMPLATE,
    refused: "choose a model with the capability 'tools' (ollama show <model>).",
    asText: (dialect) => {
      const advise = (parser: string): string =>
        `The model's template or PARSER doesn't fit its calls: take it from Ollama's own library (ollama pull), or give the Modelfile the TEMPLATE, or RENDERER and PARSER, of that one (ollama show --modelfile).${parser === 'tools' ? '' : ` For this format: PARSER ${parser}`}`
      return dialect ? byParser('Ollama', dialect.ollama, advise) : advise('tools')
    },
  },
  lmstudio: {
    ...generic,
    asText: () =>
      'Update LM Studio and its runtime, and choose a model that it marks as trained for tool use.',
  },
  llamacpp: {
    inWords: TEMPLATE,
    refused: 'start llama-server with --jinja.',
    asText: (dialect) =>
      dialect && !dialect.llamacpp
        ? byParser('llama.cpp', undefined, String)
        : "Start llama-server with --jinja and without --skip-chat-parsing, and give it the model's own template: --chat-template-file <file>",
  },
  vllm: {
    inWords: TEMPLATE,
    refused: `start it with ${VLLM_FLAGS} <parser>, where <parser> is that of the model (https://docs.vllm.ai/en/latest/features/tool_calling.html).`,
    asText: (dialect) =>
      byParser(
        'vLLM',
        dialect?.vllm,
        (parser) => `Start it with the parser of this model: ${VLLM_FLAGS} ${parser}`,
      ),
  },
  sglang: {
    ...generic,
    asText: (dialect) =>
      byParser(
        'SGLang',
        dialect?.sglang,
        (parser) => `Start it with the parser of this model: --tool-call-parser ${parser}`,
      ),
  },
  localai: {
    ...generic,
    asText: (dialect) => {
      const own =
        "In the model's configuration, use the model's own template (template.use_tokenizer_template: true)."
      const vllm = byParser('vLLM', dialect?.vllm, (parser) => `options: [tool_parser:${parser}]`)
      return `${own} With the vLLM backend: ${vllm}`
    },
  },
}

/** What a refusal says of a server that is not known otherwise. */
const named: readonly (readonly [words: RegExp, server: string])[] = [
  [/--enable-auto-tool-choice/, 'vllm'],
  [/--jinja/, 'llamacpp'],
]

/** @param refusal the server's words, where it refused tools. */
export function adviceFor(server: string, refusal = ''): ToolAdvice {
  const known = Object.hasOwn(advice, server) ? advice[server] : undefined
  // Under a vendor's name there may be any server.
  if (known && known !== hosted) return known
  const [, found = ''] = named.find(([words]) => words.test(refusal)) ?? []
  return advice[found] ?? known ?? generic
}
