import type { ErrorData } from '../../protocol/error.ts'
import type { ModelConfigData } from '../../protocol/model.ts'
import type { StreamPart } from '../../protocol/stream-part.ts'
import type { Ladder, Refused, RequestForm } from '../provider.ts'
import type { FormMemory, StoredForm } from './form-memory.ts'
import { namedChanges } from './named-changes.ts'
import { asObjects } from './read-json.ts'
import { filesOf, metadataOf, offersTools } from './refused.ts'
import { fileDigest, isBlank, metadataDigest, optionalFields, tokenField } from './request-form.ts'

/** Requests that are made for one message at most. */
const MAX_REQUESTS = 4

/**
 * Finds the form in which an endpoint takes a request. A refusal that names a field or a feature changes that one; one
 * that names nothing known climbs a rung: first what loses nothing, then optional fields, pictures, metadata and the
 * system role, at last streaming and native tools. Only the form of an answered request is remembered.
 */
export class FormLadder implements Ladder {
  readonly #memory: FormMemory
  readonly #model: ModelConfigData
  /** Whoever asks can describe tools as text. */
  readonly #canWriteTools: boolean
  #form: RequestForm
  #refusals = 0
  /** The refusal that led to the Responses API. */
  #switched: ErrorData | undefined
  /** The form that this message's requests found, to be stored with the answer. */
  learned: StoredForm | undefined
  /** The endpoint's words when it last refused. */
  #words = ''

  constructor(memory: FormMemory, model: ModelConfigData, canWriteTools = false) {
    this.#memory = memory
    this.#model = model
    this.#canWriteTools = canWriteTools
    this.#form = memory.get(model)
  }

  /** The form of the next request. */
  get form(): RequestForm {
    return this.#form
  }

  /** Takes a refusal. True: the form has changed, so the request is worth sending again. */
  climb(refused: Refused): boolean {
    const { error } = refused
    const writesTools = this.#canWriteTools && offersTools(refused)
    const isTools = error.code === 'tools-unsupported'
    const isMissing = this.#switched !== undefined && isNoPath(error)
    let named = namedChanges(refused, this.#form)
    // An error in a stream may come without its kind.
    const isNamed = error.code === 'provider-error' && named.length > 0
    if (!isTools && !isMissing && !isNamed && !isAboutForm(error)) return false
    if (++this.#refusals >= MAX_REQUESTS) return false
    if (isMissing) return this.#switchBack(writesTools)
    if (isTools && !named.includes('api responses')) named = ['tools text']
    if (named.includes('tools text') && !writesTools) return false
    if (named.includes('api responses')) this.#switched = error
    const first = free(refused)
    const second = lossy(refused)
    // Where only a loss helped before, it costs no further request to find that out again.
    const begun = second.some((change) => this.#form.has(change))
      ? [[...first, ...second]]
      : [first, second]
    const rungs = [...begun, last(refused, writesTools)]
    if (this.#refusals === MAX_REQUESTS - 1) return this.#add([...named, ...rungs.flat()], error)
    // A rung that the request has nothing for is no request of its own.
    return this.#add(named, error) || rungs.some((rung) => this.#add(rung, error))
  }

  /** Tools are refused: they are to be described as text. */
  writeTools(error: ErrorData): void {
    this.#add(['tools text'], error)
  }

  /** Remembers the form of an answered request. Returns warnings of what it lost, the first time. */
  answered(): StreamPart[] {
    const before = this.#memory.get(this.#model)
    const news = [...this.#form].filter((change) => !before.has(change))
    if (news.length === 0) return []
    this.learned = this.#memory.set(this.#model, this.#form)
    return lossWarnings(news, this.#words)
  }

  /** The endpoint has no Responses API after all. */
  #switchBack(writesTools: boolean): boolean {
    const refusal = this.#switched as ErrorData
    this.#switched = undefined
    this.#form = new Set([...this.#form].filter((change) => change !== 'api responses'))
    return writesTools && this.#add(['tools text'], refusal)
  }

  #add(changes: readonly string[], { message }: ErrorData): boolean {
    const before = this.#form.size
    this.#form = new Set([...this.#form, ...changes])
    this.#words = message
    return this.#form.size > before
  }
}

/** Whether a refusal is about the request's form, not about keys, money, rates or what was said. */
function isAboutForm({ code, message, details }: ErrorData): boolean {
  if (code !== 'bad-request') return false
  return details?.['status'] !== 404 || /\bno \w+ found that|rout|n(?:o|')t support/i.test(message)
}

function isNoPath({ details }: ErrorData): boolean {
  return details?.['status'] === 404 || details?.['status'] === 405
}

/** Changes that lose nothing. */
function free(refused: Refused): string[] {
  const { request, body } = refused
  const messages = asObjects(body['messages'])
  const hasResults = request.messages.some(({ role }) => role === 'tool')
  return [
    ...(messages.some((message) => message['name'] !== undefined) ? ['names none'] : []),
    ...(messages.some(isBlank) ? ['contents filled'] : []),
    ...(offersTools(refused) ? ['schemas portable', 'strict off'] : []),
    ...(hasResults ? ['ids short'] : []),
    ...(JSON.stringify(body).includes('"cache_control":{') ? ['without cache_control'] : []),
    ...(tokenField(body) === 'max_completion_tokens' ? ['tokens renamed'] : []),
  ]
}

function lossy(refused: Refused): string[] {
  const { body, request } = refused
  const { instructions, messages } = request
  return [
    ...(optionalFields(body).length > 0 ? ['options none'] : []),
    ...(instructions !== undefined || messages.length > 1 ? ['roles simple'] : []),
    ...filesOf(refused).map(fileDigest),
    ...metadataOf(refused).map(metadataDigest),
  ]
}

function last(refused: Refused, writesTools: boolean): string[] {
  const hasResults = refused.request.messages.some(({ role }) => role === 'tool')
  if (!offersTools(refused)) return ['stream off', ...(hasResults ? ['calls text'] : [])]
  return ['stream off', ...(writesTools ? ['tools text'] : ['schemas minimal', 'calls text'])]
}

export const TOOLS_REFUSED = 'tools-refused'
export const REQUEST_CHANGED = 'request-changed'

function lossWarnings(changes: readonly string[], words: string): StreamPart[] {
  const has = (start: string): boolean => changes.some((change) => change.startsWith(start))
  const losses = [
    ...(has('file') ? ['Files were left out: the model reads their names only.'] : []),
    ...(has('metadata') ? ["The model's earlier reasoning was left out."] : []),
    ...(has('calls') ? ['Earlier tool calls were described in words.'] : []),
    ...(has('tools') ? ['Tools are described as text (ACTION mode).'] : []),
    ...(has('api') ? ["The Responses API is asked instead: set api: 'responses'."] : []),
  ]
  if (losses.length === 0) return []
  const code = has('tools') ? TOOLS_REFUSED : REQUEST_CHANGED
  const message = `The endpoint refused the request. ${losses.join(' ')}\n${words}`
  return [{ type: 'warning', code, message }]
}
