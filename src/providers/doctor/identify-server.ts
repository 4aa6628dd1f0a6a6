import type { JsonObject } from '../../protocol/json.ts'
import { asRecord, asText, parseJson } from '../core/read-json.ts'
import type { Outcome } from './ask.ts'

export type ServerId = 'ollama' | 'lmstudio' | 'llamacpp' | 'vllm' | 'localai' | 'openai-compatible'

/** `owned_by` in a server's list of models. Ollama: the library that the model comes from. */
const owners: ReadonlyMap<string | undefined, ServerId | 'sglang'> = new Map([
  ['library', 'ollama'],
  ['organization_owner', 'lmstudio'],
  ['llamacpp', 'llamacpp'],
  ['vllm', 'vllm'],
  ['sglang', 'sglang'],
])

/** Returns the server whose model list has this `owned_by`. */
export function serverOfOwner(owner: string | undefined): ServerId | 'sglang' | undefined {
  return owners.get(owner)
}

/** `owned_by` of a list's first model. */
export function ownerOf(entries: readonly JsonObject[]): string | undefined {
  return asText(entries[0]?.['owned_by'])
}

/** Paths that only one of these servers answers, for model lists that don't identify the server. */
const marks: readonly {
  readonly server: ServerId
  readonly path: string
  readonly isMark: (body: unknown) => boolean
}[] = [
  {
    server: 'ollama',
    path: '/api/tags',
    isMark: (body) => Array.isArray(asRecord(body)?.['models']),
  },
  {
    server: 'lmstudio',
    path: '/api/v0/models',
    isMark: (body) => Array.isArray(asRecord(body)?.['data']),
  },
  {
    server: 'llamacpp',
    path: '/props',
    isMark: (body) => asRecord(asRecord(body)?.['default_generation_settings']) !== undefined,
  },
  {
    server: 'vllm',
    path: '/version',
    isMark: (body) => /^\d/.test(String(asRecord(body)?.['version'])),
  },
  {
    server: 'localai',
    path: '/version',
    isMark: (body) => /^v\d/.test(String(asRecord(body)?.['version'])),
  },
]

/**
 * Identifies the server by its model list, else by a path that only one candidate answers. Returns
 * `'openai-compatible'` if no candidate matches.
 */
export async function identifyServer(
  entries: readonly JsonObject[],
  candidates: readonly ServerId[],
  get: (path: string) => Promise<Outcome>,
): Promise<ServerId> {
  const owner = serverOfOwner(ownerOf(entries))
  // SGLang has no preset of its own.
  if (owner) return owner === 'sglang' ? 'openai-compatible' : owner
  for (const { server, path, isMark } of marks.filter((mark) => candidates.includes(mark.server))) {
    const outcome = await get(path)
    const isJson = outcome.type === 'answer' && outcome.status === 200
    if (isJson && isMark(parseJson(outcome.body))) return server
  }
  return 'openai-compatible'
}
