import type { StreamPart } from '../../protocol/message.ts'
import type { BatchProvider, Provider, RequestConfig, StreamOptions } from '../provider.ts'
import { mapStrings, Redactor, withMarks } from './redactor.ts'
import { secretsOf } from './secrets.ts'

/**
 * Removes the provider's keys and header values from everything it emits, even if a server echoes them. No other code
 * does this.
 */
export function withoutKeys(provider: BatchProvider | Provider, config: RequestConfig): Provider {
  // Shared by all attempts: a key that was replaced after a 401 is still secret.
  const redactor = new Redactor(secretsOf(config))
  const batches: Provider['batches'] = (request, options = {}) =>
    redactBatches(provider.batches(request, learningKeys(options, redactor, config)), redactor)
  return {
    id: provider.id,
    batches,
    stream: (request, options) => flatten(batches(request, options)),
  }
}

function learningKeys(
  options: StreamOptions,
  redactor: Redactor,
  config: RequestConfig,
): StreamOptions {
  const { credentials } = options
  if (!credentials) return options
  return {
    ...options,
    async credentials(previousRejected, endpoint) {
      const given = await credentials(previousRejected, endpoint)
      redactor.learn(secretsOf({ ...config, ...given }))
      return given
    },
  }
}

async function* redactBatches(
  batches: AsyncIterable<readonly StreamPart[]>,
  redactor: Redactor,
): AsyncGenerator<readonly StreamPart[]> {
  const parts = new PartRedactor(redactor)
  for await (const batch of batches) {
    if (redactor.isIdle) yield batch
    else yield batch.flatMap((part) => parts.pass(part))
  }
  const rest = parts.release()
  if (rest.length > 0) yield rest
}

/** Maximum number of parts that wait for the rest of a possible key. */
const MAX_HELD = 16

/** Maximum number of places with the start of a possible key. */
const MAX_BEGUN = 256

/**
 * Removes keys that are split over parts. Each place has a text of its own: one kind of delta, one call's arguments,
 * one path of the raw data. A part waits, with all parts after it, while one of its texts may end with the start of a
 * key.
 */
class PartRedactor {
  readonly #redactor: Redactor
  #held: StreamPart[] = []
  /** Ends of released texts that may be the start of a key, by place. */
  readonly #begun = new Map<string, string>()

  constructor(redactor: Redactor) {
    this.#redactor = redactor
  }

  pass(part: StreamPart): readonly StreamPart[] {
    this.#held.push(part)
    const isEnd = part.type === 'finish' || part.type === 'error'
    const mayWait = !isEnd && this.#held.length < MAX_HELD
    const isOpen = (text: string): boolean => this.#redactor.find(text).openFrom < text.length
    return mayWait && [...this.#texts().values()].some(isOpen) ? [] : this.release()
  }

  release(): readonly StreamPart[] {
    const begun = this.#begun
    const places = new Map(
      [...this.#texts()].map(([place, text]) => {
        const { secrets, openFrom } = this.#redactor.find(text)
        const at = begun.get(place)?.length ?? 0
        begun.delete(place)
        if (openFrom < text.length && begun.size < MAX_BEGUN) begun.set(place, text.slice(openFrom))
        return [place, { text, secrets, at }]
      }),
    )
    const clean = (piece: string, place: string): string => {
      const known = places.get(place)
      if (!known) return piece
      const from = known.at
      known.at += piece.length
      return withMarks(known.text, known.secrets, { from, to: known.at })
    }
    const parts = this.#held.map((part) => this.#clean(part, clean))
    this.#held = []
    return parts.filter((part) => !('delta' in part) || part.delta !== '')
  }

  /** Returns the text at each place of the held parts. */
  #texts(): ReadonlyMap<string, string> {
    const texts = new Map<string, string>()
    const add = (text: string, place: string): string => {
      texts.set(place, (texts.get(place) ?? this.#begun.get(place) ?? '') + text)
      return text
    }
    for (const part of this.#held)
      if ('delta' in part) add(part.delta, placeOf(part))
      else if (part.type === 'raw') mapStrings(part.data, add)
    return texts
  }

  #clean(part: StreamPart, clean: (text: string, place: string) => string): StreamPart {
    if ('delta' in part) {
      const delta = clean(part.delta, placeOf(part))
      return { ...this.#redactor.cleanAll({ ...part, delta: '' }), delta }
    }
    if (part.type !== 'raw') return this.#redactor.cleanAll(part)
    const data = mapStrings(part.data, clean, (name) => this.#redactor.clean(name))
    return { ...part, data }
  }
}

function placeOf(part: Extract<StreamPart, { readonly delta: string }>): string {
  return 'toolCallId' in part ? part.toolCallId : part.type
}

/** The parts of all batches, one by one. */
async function* flatten(batches: AsyncIterable<readonly StreamPart[]>): AsyncGenerator<StreamPart> {
  for await (const batch of batches) {
    // Not `yield*`: that wraps each array in an iterator of promises.
    for (const part of batch) yield part
  }
}
