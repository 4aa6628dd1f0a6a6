import { asObjects, asRecord, asText, parseJson } from '../core/read-json.ts'
import { addressSpaceOf } from './address.ts'
import type { Outcome } from './ask.ts'
import type { Examination } from './examination.ts'
import { ownerOf } from './identify-server.ts'
import type { Plan } from './probe-model.ts'

export interface ModelList {
  readonly models?: readonly string[]
  /** `owned_by` of the first model, which may identify the server software. */
  readonly owner?: string
  /** HTTP status of the list; undefined if no answer came. */
  readonly status?: number
}

/**
 * Lists the models of an endpoint's server by `GET …/models` (the form of OpenAI and Anthropic). A local server
 * without that list is asked for Ollama's `GET /api/tags`.
 */
export async function listModels(
  examination: Examination,
  plan: Plan,
  endpoint: URL,
): Promise<ModelList> {
  const path = endpoint.pathname.replace(/\/(chat\/completions|messages|responses)$/, '/models')
  if (path === endpoint.pathname) return {}
  const headers = new Headers(plan.headers)
  headers.delete('content-type')
  headers.set('accept', 'application/json')
  const { credentials = 'omit' } = examination.config
  const get = (pathname: string): Promise<Outcome> =>
    examination.ask(new URL(pathname, endpoint.origin), { headers, credentials })
  const listed = await get(path)
  const models = modelNames(listed)
  const status = listed.type === 'answer' ? { status: listed.status } : {}
  const owner = ownerOf(modelEntries(listed) ?? [])
  if (models) return { ...status, models, ...(owner !== undefined && { owner }) }
  if (listed.type === 'timeout' || addressSpaceOf(endpoint.hostname) === 'public') return status
  const tags = modelNames(await get('/api/tags'))
  return { ...status, ...(tags && { models: tags }) }
}

/** The names in a list of models, whatever its form; undefined when the answer is no such list. */
export function modelNames(outcome: Outcome): readonly string[] | undefined {
  const entries = modelEntries(outcome)
  return entries?.flatMap((entry) => asText(entry['id']) ?? asText(entry['name']) ?? [])
}

/** The entries of `{ data: […] }` or Ollama's `{ models: […] }`. */
export function modelEntries(outcome: Outcome): ReturnType<typeof asObjects> | undefined {
  if (outcome.type !== 'answer' || outcome.status !== 200) return undefined
  const body = asRecord(parseJson(outcome.body))
  // An Ollama without models sends `data: null`.
  if (body?.['object'] === 'list') return asObjects(body['data'])
  const list = [body?.['data'], body?.['models']].find((entry) => Array.isArray(entry))
  return list === undefined ? undefined : asObjects(list)
}

/** Whether the list holds the model. Ollama's names without a tag mean `:latest`. */
export function offers(models: readonly string[], model: string): boolean {
  return models.includes(model) || models.includes(`${model}:latest`)
}
