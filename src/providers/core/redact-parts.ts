import type { StreamPart } from '../../protocol/stream-part.ts'
import type { Provider, RequestConfig, StreamOptions } from '../provider.ts'
import { flatten } from './flatten.ts'
import { RawRedactor } from './raw-redactor.ts'
import { Redactor, withMarks } from './redactor.ts'
import { secretsOf } from './secrets.ts'

type Delta = Extract<StreamPart, { readonly delta: string }>

/**
 * The provider without its keys and headers in anything that it emits, whatever a server may have echoed.
 * The one place where this is done.
 */
export function withoutKeys(provider: Provider, config: RequestConfig): Provider {
  // One for all attempts: a key that was replaced after a 401 is a key still.
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
  const held = new DeltaRedactor(redactor)
  const raw = new RawRedactor(redactor)
  for await (const batch of batches) {
    if (redactor.isIdle) yield batch
    else yield batch.flatMap((part) => held.pass(part)).flatMap((part) => raw.pass(part))
  }
  const rest = [...held.release().flatMap((part) => raw.pass(part)), ...raw.release()]
  if (rest.length > 0) yield rest
}

/** The text of one kind, or of one call's arguments, as far as it may be the beginning of a key. */
interface Undecided {
  /** It was emitted: parts of other kinds came behind it. */
  readonly given: string
  /** It is held back; with the fields of the delta that it came with. */
  readonly held: Delta | null
}

const NOTHING: Undecided = { given: '', held: null }

/**
 * Holds back the ends of deltas that may be the beginning of a key, until the next delta decides, or until something of
 * another kind comes: order counts. The rest of a key is known all the same when its text goes on behind that, since
 * whoever reads a message puts its texts together.
 */
class DeltaRedactor {
  readonly #redactor: Redactor
  /** By kind, and by call. */
  readonly #undecided = new Map<string, Undecided>()

  constructor(redactor: Redactor) {
    this.#redactor = redactor
  }

  pass(part: StreamPart): StreamPart[] {
    switch (part.type) {
      case 'text-delta':
        return [...this.release('reasoning-delta'), ...this.#delta(part.type, part)]
      case 'reasoning-delta':
        return [...this.release('text-delta'), ...this.#delta(part.type, part)]
      case 'tool-input-delta':
        return this.#delta(`call ${part.toolCallId}`, part)
      case 'file':
        return [...this.release('text-delta'), ...this.release('reasoning-delta'), part]
      case 'raw':
        return [part]
      case 'usage':
      case 'warning':
        return [this.#redactor.cleanAll(part)]
      case 'tool-input-start':
        return [
          ...this.release('text-delta'),
          ...this.release('reasoning-delta'),
          this.#redactor.cleanAll(part),
        ]
      case 'tool-call':
      case 'action-error':
      case 'finish':
      case 'error':
        return [...this.release(), this.#redactor.cleanAll(part)]
      default:
        return part satisfies never
    }
  }

  /** Returns what is held back, of one place or of all. */
  release(place?: string): StreamPart[] {
    const places = place === undefined ? [...this.#undecided.keys()] : [place]
    return places.flatMap((key) => {
      const { given, held } = this.#undecided.get(key) ?? NOTHING
      if (held === null) return []
      const text = given + held.delta
      const { secrets } = this.#redactor.find(text, 'whole')
      const { heldFrom } = this.#redactor.find(text, 'growing')
      this.#undecided.set(key, { given: text.slice(heldFrom), held: null })
      return this.#clean(held, withMarks(text, secrets, given.length))
    })
  }

  #delta(place: string, part: Delta): StreamPart[] {
    const { given, held } = this.#undecided.get(place) ?? NOTHING
    const text = given + (held?.delta ?? '') + part.delta
    const { secrets, heldFrom } = this.#redactor.find(text, 'growing')
    const decided = Math.max(heldFrom, given.length)
    if (heldFrom === text.length) this.#undecided.delete(place)
    else
      this.#undecided.set(place, {
        given: text.slice(heldFrom, decided),
        held: decided < text.length ? { ...part, delta: text.slice(decided) } : null,
      })
    return this.#clean(part, withMarks(text.slice(0, decided), secrets, given.length))
  }

  #clean(part: Delta, delta: string): StreamPart[] {
    return delta === '' ? [] : [{ ...this.#redactor.cleanAll({ ...part, delta: '' }), delta }]
  }
}
