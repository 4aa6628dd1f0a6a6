import type { ErrorData } from '../../protocol/error.ts'
import type { ModelConfigData } from '../../protocol/model.ts'
import type { FilePart, Message, StreamPart } from '../../protocol/message.ts'
import type { RequestAdapter, Refused, RequestForm } from '../provider.ts'
import { type FormMemory, REQUEST_CHANGED, type StoredForm, TOOLS_REFUSED } from './form-memory.ts'
import { asObjects, asText } from './read-json.ts'
import { fileDigest, isBlank, metadataDigest, optionalFields, tokenField } from './request-form.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { outputFiles } from '../sent-files.ts'

/** Files of the request, oldest first. */
function filesOf({ request: { messages } }: Refused): FilePart[] {
  return messages.flatMap(({ parts }) =>
    (parts as readonly Message['parts'][number][]).flatMap((part) => {
      if (part.type === 'tool-result') return outputFiles(part.output)
      return part.type === 'file' ? part : []
    }),
  )
}

/** Metadata from this provider in the request's messages. */
function metadataOf({ request, providerId }: Refused): JsonObject[] {
  return request.messages.flatMap((message) => {
    const metadata = message.role === 'assistant' && message.providerMetadata?.[providerId]
    return metadata ? [metadata] : []
  })
}

function offersTools({ request }: Refused): boolean {
  return request.toolMode !== 'action' && request.tools.length > 0
}

/** Most requests for one message. */
const MAX_REQUESTS = 4

/**
 * Finds the form of request that an endpoint accepts. If a refusal names a known field or feature, changes only that.
 * Otherwise climbs one rung at each refusal: lossless changes; optional fields, pictures, metadata and the system role;
 * streaming and native tools. Only the form of an answered request is remembered.
 */
export class FormAdapter implements RequestAdapter {
  readonly #memory: FormMemory
  readonly #model: ModelConfigData
  /** The caller can describe tools as text. */
  readonly #canWriteTools: boolean
  #form: RequestForm
  #refusals = 0
  /** The refusal that caused the switch to the Responses API. */
  #switchError: ErrorData | undefined
  /** The new form found for this message, to be stored with the answer. */
  learned: StoredForm | undefined
  /** Message of the endpoint's last refusal. */
  #refusalMessage = ''

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

  /** Changes the form after a refusal. Returns true if the request is worth sending again. */
  handleRefusal(refused: Refused): boolean {
    const { error } = refused
    const writesTools = this.#canWriteTools && offersTools(refused)
    const isTools = error.code === 'tools-unsupported'
    const isMissing = this.#switchError !== undefined && isNoPath(error)
    let changes = namedChanges(refused, this.#form)
    // An error inside a stream may have no specific code.
    const isNamed = error.code === 'provider-error' && changes.length > 0
    if (!isTools && !isMissing && !isNamed && !isAboutForm(error)) return false
    if (++this.#refusals >= MAX_REQUESTS) return false
    if (isMissing) return this.#switchBack(writesTools)
    if (isTools && !changes.includes('api responses')) changes = ['tools text']
    if (changes.includes('tools text') && !writesTools) return false
    if (changes.includes('api responses')) this.#switchError = error
    const first = losslessChanges(refused)
    const second = lossyChanges(refused, this.#model)
    // If the form already has a lossy change, the lossless and the lossy rung are climbed with one request.
    const earlyRungs = second.some((change) => this.#form.has(change))
      ? [[...first, ...second]]
      : [first, second]
    const rungs = [...earlyRungs, lastResorts(refused, writesTools)]
    if (this.#refusals === MAX_REQUESTS - 1) return this.#add([...changes, ...rungs.flat()], error)
    // Skips rungs that wouldn't change this request.
    return this.#add(changes, error) || rungs.some((rung) => this.#add(rung, error))
  }

  /** Switches to tools described as text, after the endpoint refused native tools. */
  switchToTextTools(error: ErrorData): void {
    this.#add(['tools text'], error)
  }

  /** Remembers the form of an answered request. The first time, returns warnings about lost information. */
  answered(): StreamPart[] {
    const remembered = this.#memory.get(this.#model)
    const newChanges = [...this.#form].filter((change) => !remembered.has(change))
    if (newChanges.length === 0) return []
    this.learned = this.#memory.set(this.#model, this.#form)
    return lossWarnings(newChanges, this.#refusalMessage)
  }

  /** Returns to Chat Completions, since the endpoint has no Responses API. */
  #switchBack(writesTools: boolean): boolean {
    const refusal = this.#switchError as ErrorData
    this.#switchError = undefined
    this.#form = new Set([...this.#form].filter((change) => change !== 'api responses'))
    return writesTools && this.#add(['tools text'], refusal)
  }

  #add(changes: readonly string[], { message }: ErrorData): boolean {
    const sizeBefore = this.#form.size
    this.#form = new Set([...this.#form, ...changes])
    this.#refusalMessage = message
    return this.#form.size > sizeBefore
  }
}

/** Whether a refusal is about the request's form, not about keys, billing, rate limits or content. */
function isAboutForm({ code, message, details }: ErrorData): boolean {
  if (code !== 'bad-request') return false
  // The space before `rout` excludes a router's name in a link.
  return details?.['status'] !== 404 || /\bno \w+ found that| rout|n(?:o|')t support/i.test(message)
}

function isNoPath({ details }: ErrorData): boolean {
  return details?.['status'] === 404 || details?.['status'] === 405
}

function hasResults({ request }: Refused): boolean {
  return request.messages.some(({ role }) => role === 'tool')
}

/** Changes that lose nothing. */
function losslessChanges(refused: Refused): string[] {
  const { body } = refused
  const messages = asObjects(body['messages'])
  return [
    ...(messages.some((message) => message['name'] !== undefined) ? ['names none'] : []),
    ...(messages.some(isBlank) ? ['contents filled'] : []),
    ...(offersTools(refused) ? ['schemas portable', 'strict off'] : []),
    ...(hasResults(refused) ? ['ids short'] : []),
    ...(JSON.stringify(body).includes('"cache_control":{') ? ['without cache_control'] : []),
    ...(tokenField(body) === 'max_completion_tokens' ? ['tokens renamed'] : []),
  ]
}

function lossyChanges(refused: Refused, { extraBody }: ModelConfigData): string[] {
  const { instructions, messages } = refused.request
  return [
    ...(optionalFields(refused.body, extraBody).length > 0 ? ['options none'] : []),
    ...(instructions !== undefined || messages.length > 1 ? ['roles simple'] : []),
    ...filesOf(refused).map(fileDigest),
    ...metadataOf(refused).map(metadataDigest),
  ]
}

function lastResorts(refused: Refused, writesTools: boolean): string[] {
  if (!offersTools(refused)) return ['stream off', ...(hasResults(refused) ? ['calls text'] : [])]
  return ['stream off', ...(writesTools ? ['tools text'] : ['schemas minimal', 'calls text'])]
}

function lossWarnings(changes: readonly string[], refusalText: string): StreamPart[] {
  const has = (start: string): boolean => changes.some((change) => change.startsWith(start))
  const losses = [
    ...(has('file') ? ['Files were left out.'] : []),
    ...(has('metadata') ? ['Earlier reasoning was left out.'] : []),
    ...(has('options') ? ['Options were left out.'] : []),
    ...(has('calls') ? ['Earlier calls became text.'] : []),
    ...(has('tools') ? ['Tools are described as text (ACTION mode).'] : []),
    ...(has('api') ? ["Set api: 'responses'."] : []),
  ]
  if (losses.length === 0) return []
  const code = has('tools') ? TOOLS_REFUSED : REQUEST_CHANGED
  const message = `The endpoint refused the request. ${losses.join(' ')}\n${refusalText}`
  return [{ type: 'warning', code, message }]
}

/** A pattern for a refusal's message or field path, and the changes that it suggests. */
type Rule = readonly [
  words: RegExp,
  changes: (refused: Refused, context: Context) => readonly string[] | string,
]

interface Context {
  readonly text: string
  readonly form: RequestForm
}

const TOKENS =
  /\bmax_\w*tokens\b|\b(?:output|completion|generated) tokens?\b|\btokens? (?:limit|requested)/i
const SCHEMA =
  /schema|grammar|function_?\s?declaration|\bparameters\b|\$(?:ref|defs)\b|\btools\W+\d/i

const rules: readonly Rule[] = [
  [/\/v1\/responses\b/i, ({ hasResponses }) => (hasResponses ? 'api responses' : [])],
  [TOKENS, tokenChanges],
  [TOKENS, () => ['without max_tokens', 'without max_completion_tokens']],
  // Stands before the rule for options: a refusal of earlier reasoning may also name the option that requested
  // reasoning.
  [
    /^(?!include\b).*(?:signature|encrypted|\brs_|reasoning_content|content\S+: (?:expected )?.thinking)/is,
    metadataChanges,
  ],
  [/./s, optionChanges],
  [/\bstream(?:ing)?\b/i, () => 'stream off'],
  [/(?:\b|_)(?:image|picture|vision|multi-?modal)/i, fileChanges('image/')],
  [/\baudio\b/i, fileChanges('audio/')],
  [/(?:\b|_)(?:file|pdf|document)/i, fileChanges('')],
  [/reasoning|thinking/i, metadataChanges],
  [/(?:tool_call|tool_use|call)_?\s?id|tool_calls\W+\d+\W+id\b/i, () => 'ids short'],
  [/messages\W+\d+\W+(?:\w+\W+)?name\b/, () => 'names none'],
  [
    /\b(?:blank|empty)\b|content\b.{0,60}\bnull\b|\bnull\b.{0,60}\bcontent/i,
    () => 'contents filled',
  ],
  [/\b(?:system|developer)\b|\broles?\b|alternat/i, () => 'roles simple'],
  [
    SCHEMA,
    ({ body }) => (JSON.stringify(body['tools'])?.includes('"strict":true') ? 'strict off' : []),
  ],
  [SCHEMA, (refused) => (offersTools(refused) ? 'schemas portable' : [])],
  [SCHEMA, (refused) => (offersTools(refused) ? 'schemas minimal' : [])],
]

/**
 * Changes for the field or feature that the refusal names, except those already made. Empty if the refusal names
 * nothing known.
 */
function namedChanges(refused: Refused, form: RequestForm): readonly string[] {
  const { message, details } = refused.error
  // A pointer such as `#/properties/stream` names a place in a schema, not a field of the request.
  const cleanMessage = message
    .replace(/^The endpoint answered \d+: /, '')
    .replace(/#\/\S+/g, 'schema')
  const text = [asText(details?.['field']), cleanMessage].filter(Boolean).join(' ')
  for (const [pattern, changes] of rules) {
    if (!pattern.test(text)) continue
    const newChanges = [changes(refused, { text, form })]
      .flat()
      .filter((change) => !form.has(change))
    if (newChanges.length > 0) return newChanges
  }
  return []
}

/** Renames the token limit, or sets it to the nearest number in the refusal. */
function tokenChanges({ body }: Refused, { text }: Context): string | string[] {
  const field = tokenField(body)
  if (field === undefined) return []
  if (/unsupported|unrecognized|unknown|not support|extra|unexpected|forbidden/i.test(text))
    return field === 'max_output_tokens' ? `without ${field}` : 'tokens renamed'
  const limit = Number(body[field])
  const numbers = (text.match(/\b\d[\d,]*\b/g) ?? []).map((number) =>
    Number(number.replaceAll(',', '')),
  )
  const lower = Math.max(...numbers.filter((number) => number > 0 && number < limit))
  const higher = Math.min(...numbers.filter((number) => number > limit))
  if (lower > 0) return `tokens max ${lower}`
  return higher < Infinity ? `tokens min ${higher}` : `without ${field}`
}

/**
 * Field names that are also ordinary words. Recognised in a refusal only if quoted, at the start of the text, or after
 * a colon, `param`, `invalid` or `argument`.
 */
const COMMON_WORD = /^[a-z]+$/

/** Drops the optional field that the refusal names last. If two fields exclude each other, the first one stays. */
function optionChanges({ body }: Refused, { text, form }: Context): string[] {
  const positions = optionalFields(body)
    .map((name) => {
      const [prefix, suffix] = COMMON_WORD.test(name)
        ? ['(?:[\'"`]|^|: |(?:param\\w*|invalid|argument) )', '(?=[\'"`.[: ]|$)']
        : ['\\b', '\\b']
      return [name, text.search(new RegExp(`${prefix}${name}${suffix}`))] as const
    })
    .filter(([, at]) => at >= 0)
  const lastNamed = positions.toSorted(([, a], [, b]) => a - b).at(-1)
  const nestedField = /\b(cache_control|citations|phase)\b/.exec(text)?.[1]
  const field = lastNamed?.[0] ?? nestedField
  if (field === undefined) return []
  const change = `without ${field}`
  // After a second refused field, drops all optional fields: the endpoint would refuse them one by one.
  const isSecond = [...form].some((other) => other.startsWith('without ') && other !== change)
  return isSecond ? [change, 'options none'] : [change]
}

/** Phrases saying that a feature is never accepted. Other refusals are only about this value. */
const NEVER =
  /not? (?:\w+ )?support|unsupported|only (?:be )?supported|unknown variant|not (?:\w+ )?(?:enabled|available|allowed|permitted|accept|take)\b|\bno \w+ found|content type/i

function fileChanges(kind: string): Rule[1] {
  return (refused, { text, form }) => {
    const files = filesOf(refused).filter(({ mediaType }) => mediaType.startsWith(kind))
    if (files.length === 0) return []
    if (NEVER.test(text) && !/\bformat|mime/i.test(text)) return `files ${kind}`
    const digests = files.map(fileDigest)
    // Earlier requests with the other files were accepted, so the newest file is the cause. If there are too many
    // files, the newest is kept.
    if (digests.some((digest) => form.has(digest)) || files.length === 1) return digests
    return /at most|too many|maximum|exceed|up to \d/i.test(text)
      ? digests.slice(0, -1)
      : digests.slice(-1)
  }
}

/** Required metadata can't be invented, so the calls become text. Refused metadata is left out. */
function metadataChanges(refused: Refused, { text, form }: Context): string | string[] {
  if (/must be|(?<!without its )required|missing|expected|passed back/i.test(text))
    return 'calls text'
  const metadata = metadataOf(refused)
  if (metadata.length === 0) return []
  // The endpoint already refused other metadata, so it accepts none.
  const isAgain = [...form].some((change) => change.startsWith('metadata '))
  return isAgain || NEVER.test(text) ? 'metadata none' : metadata.map(metadataDigest)
}
