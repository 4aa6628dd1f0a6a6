import type { JsonObject } from '../../protocol/json.ts'
import { asRecord, asText, type JsonRecord, parseJson } from '../core/read-json.ts'
import type { Outcome } from './ask.ts'

export type ServerId = 'ollama' | 'lmstudio' | 'llamacpp' | 'vllm' | 'localai' | 'openai-compatible'

/** Server by the `owned_by` in its list of models. Ollama puts the model's library there. */
const owners: ReadonlyMap<string | undefined, ServerId | 'sglang'> = new Map([
  ['library', 'ollama'],
  ['organization_owner', 'lmstudio'],
  ['llamacpp', 'llamacpp'],
  ['vllm', 'vllm'],
  ['sglang', 'sglang'],
])

/** Returns the server whose model list has this `owned_by`. */
function serverOfOwner(owner: string | undefined): ServerId | 'sglang' | undefined {
  return owners.get(owner)
}

/** `owned_by` of a list's first model. */
export function ownerOf(entries: readonly JsonObject[]): string | undefined {
  return asText(entries[0]?.['owned_by'])
}

/** Paths that only one of these servers answers. Used if the model list doesn't identify the server. */
const marks: readonly (readonly [
  server: ServerId,
  path: string,
  isMark: (body: JsonRecord) => boolean,
])[] = [
  ['ollama', '/api/tags', ({ models }) => Array.isArray(models)],
  ['lmstudio', '/api/v0/models', ({ data }) => Array.isArray(data)],
  ['llamacpp', '/props', (body) => asRecord(body['default_generation_settings']) !== undefined],
  ['vllm', '/version', ({ version }) => /^\d/.test(String(version))],
  ['localai', '/version', ({ version }) => /^v\d/.test(String(version))],
]

/**
 * Identifies the server by its model list, else by a path that only one candidate answers. If none matches, returns
 * `'openai-compatible'`.
 */
export async function identifyServer(
  entries: readonly JsonObject[],
  candidates: readonly ServerId[],
  get: (path: string) => Promise<Outcome>,
): Promise<ServerId> {
  const owner = serverOfOwner(ownerOf(entries))
  // SGLang has no preset of its own.
  if (owner) return owner === 'sglang' ? 'openai-compatible' : owner
  for (const [server, path, isMark] of marks.filter(([each]) => candidates.includes(each))) {
    const outcome = await get(path)
    if (outcome.type !== 'answer' || outcome.status !== 200) continue
    const body = asRecord(parseJson(outcome.body))
    if (body && isMark(body)) return server
  }
  return 'openai-compatible'
}

/** Advice about a server, in imperative sentences. */
export interface ServerHelp {
  /** How to start the server. */
  readonly start: string
  /** How to allow pages of this origin. */
  readonly cors: (origin: string) => string
  /** How to get this model. */
  readonly model: (name: string) => string
  /** Another possible cause of a 403, with its fix. */
  readonly forbidden?: string
  /** The server runs a single model and ignores the requested name. */
  readonly ignoresModel?: boolean
}

const generic: ServerHelp = {
  start: 'Start the server, or correct the baseURL.',
  cors: (origin) =>
    `Make the server answer OPTIONS requests, and allow the origin ${origin}, the method POST and the headers content-type and authorization. Or put a proxy on the page's own origin in between.`,
  model: () => 'Use one of the models that the server lists.',
}

/**
 * Help by provider id. Sources: Ollama's FAQ and envconfig, LM Studio's CLI pages, llama.cpp's tools/server, vLLM's
 * `serve` arguments and tool-calling page, LocalAI's CLI reference and http/app.go.
 */
const help: { readonly [provider: string]: Partial<ServerHelp> } = {
  ollama: {
    start: 'Start the Ollama app, or run: ollama serve',
    cors: (origin) => `Set the environment variable OLLAMA_ORIGINS=${origin} and restart Ollama.`,
    model: (name) => `Run: ollama pull ${name}`,
  },
  lmstudio: {
    start: 'Start the server in the Developer tab, or run: lms server start --cors',
    cors: () => 'Switch on CORS in the server settings, or run: lms server start --cors',
    model: (name) => `Download or load it in the app, or run: lms get ${name}`,
  },
  llamacpp: {
    start: 'Run: llama-server -m model.gguf --jinja',
    ignoresModel: true,
  },
  vllm: {
    start: 'Run: vllm serve <model>',
    cors: (origin) => `Start it with: --allowed-origins '["${origin}"]'`,
    model: () => 'Use the name that it was started with (--served-model-name, else the path).',
  },
  sglang: {
    start: 'Run: python -m sglang.launch_server --model-path <model>',
    model: () => 'Use the name that it was started with (--served-model-name, else the path).',
  },
  localai: {
    start: 'Run: local-ai run <model>',
    cors: (origin) => `Start it with --cors --cors-allow-origins ${origin}`,
    model: (name) => `Run: local-ai models install ${name}`,
    forbidden:
      'LocalAI answers 403 to pages of other sites that send no key: give an apiKey, or start it with --disable-csrf.',
  },
}

/** Default ports that identify the server behind the provider `openai-compatible`. */
const byPort: { readonly [port: string]: string } = {
  '11434': 'ollama',
  '1234': 'lmstudio',
  '30000': 'sglang',
}

/** Returns the server software: from the model list's owner, else the provider, else the port. */
export function detectServer(provider: string, endpoint: URL, owner?: string): string {
  const ownerServer = serverOfOwner(owner)
  return ownerServer ?? (provider === 'openai-compatible' ? byPort[endpoint.port] : provider) ?? ''
}

export function helpFor(server: string): ServerHelp {
  return { ...generic, ...help[server] }
}
