import type { EventBatch, RunEventBody } from '../protocol/event.ts'

/** Milliseconds between two batches of deltas: short for an eye, long for a message queue. */
const INTERVAL_MS = 40

type Delta = Extract<RunEventBody, { delta: string }>
type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/**
 * The events of one run on their way to the page. Adjacent deltas of one part become one event; the
 * first event goes at once, later ones when the clock says so inside `push` (a timer alone starves
 * while data keeps arriving) or when the trailing timer fires. Other agents of the page may follow: they
 * get all that comes after they began to.
 */
export class RunEvents {
  readonly #ref: Pick<EventBatch, 'runId' | 'conversationId'>
  readonly #agents: Set<string>
  readonly #post: (batch: EventBatch) => void
  readonly #nextBatch: () => number
  #pending: RunEventBody[] = []
  #openDelta: Mutable<Delta> | null = null
  #batch = 0
  #flushedAt = Number.NEGATIVE_INFINITY
  #timer: ReturnType<typeof setTimeout> | undefined
  #stepText = ''
  #end: RunEventBody | null = null

  constructor(
    ref: Pick<EventBatch, 'agentId' | 'runId' | 'conversationId'>,
    out: { readonly post: (batch: EventBatch) => void; readonly nextBatch: () => number },
  ) {
    const { agentId, runId, conversationId } = ref
    this.#ref = { runId, conversationId }
    this.#agents = new Set([agentId])
    this.#post = out.post
    this.#nextBatch = out.nextBatch
  }

  /** The text of the step under way, as far as it was written. */
  get stepText(): string {
    return this.#stepText
  }

  /** `first` brings the agent up to date. Nothing happens when it follows already. */
  follow(agentId: string, first: () => RunEventBody): void {
    if (this.#agents.has(agentId)) return
    this.flush()
    this.#send(agentId, this.#end === null ? [first()] : [first(), this.#end])
    this.#agents.add(agentId)
  }

  push(event: RunEventBody): void {
    if (event.type === 'text-delta') this.#stepText += event.delta
    else if (event.type === 'step-start' || event.type === 'step-reset') this.#stepText = ''
    else if (event.type === 'run-end') this.#end = event
    if ('delta' in event) this.#pushDelta(event)
    else {
      this.#openDelta = null
      this.#pending.push(event)
    }
    if (performance.now() - this.#flushedAt >= INTERVAL_MS) this.flush()
    else this.#timer ??= setTimeout(() => this.flush(), INTERVAL_MS)
  }

  /** Sends what is pending; returns the number of the newest batch, 0 before the first. */
  flush(): number {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#pending.length > 0) {
      for (const agentId of this.#agents) this.#send(agentId, this.#pending)
      this.#pending = []
      this.#openDelta = null
      this.#flushedAt = performance.now()
    }
    return this.#batch
  }

  #send(agentId: string, events: readonly RunEventBody[]): void {
    this.#batch = this.#nextBatch()
    this.#post({ ...this.#ref, agentId, batch: this.#batch, events })
  }

  #pushDelta(event: Delta): void {
    const open = this.#openDelta
    if (open !== null && open.type === event.type && partOf(open) === partOf(event)) {
      open.delta += event.delta
      return
    }
    this.#openDelta = { ...event }
    this.#pending.push(this.#openDelta)
  }
}

function partOf(event: Delta): string {
  return event.type === 'tool-input-delta' ? event.toolCallId : event.partId
}
