import type { ReactiveController, ReactiveControllerHost } from 'lit'
import type { Agent, Conversation, ConversationSnapshot } from '../index.ts'

/** Text is drawn at most this often. Milliseconds. */
const BETWEEN_DRAWINGS = 60
/** Where it grows out of view, at most this often. Milliseconds. */
const BETWEEN_UNSEEN = 250
/** A drawing that takes long makes the next one wait this many times as long. */
const REST_PER_WORK = 4

/** Keeps an element drawn like one conversation of one agent, while it is connected. */
export class FollowConversation implements ReactiveController {
  readonly #host: ReactiveControllerHost
  readonly #isSeen: () => boolean
  #conversation: Conversation | null = null
  #unsubscribe: (() => void) | null = null
  #isConnected = false
  #timer: ReturnType<typeof setTimeout> | undefined
  #drawnAt = -Infinity
  #beganAt = 0
  #wait = BETWEEN_DRAWINGS
  #shape = ''

  /** @param isSeen Whether the newest text is in view. */
  constructor(host: ReactiveControllerHost, isSeen: () => boolean) {
    this.#host = host
    this.#isSeen = isSeen
    host.addController(this)
  }

  get conversation(): Conversation | null {
    return this.#conversation
  }

  get snapshot(): ConversationSnapshot | null {
    return this.#conversation?.getSnapshot() ?? null
  }

  follow(agent: Agent, conversationId: string): void {
    const conversation = agent.conversation(conversationId)
    if (conversation === this.#conversation) return
    this.#release()
    this.#conversation = conversation
    this.#subscribe()
    this.#host.requestUpdate()
  }

  leave(): void {
    this.#release()
    this.#conversation = null
    this.#host.requestUpdate()
  }

  hostConnected(): void {
    this.#isConnected = true
    this.#subscribe()
  }

  hostDisconnected(): void {
    this.#isConnected = false
    this.#release()
  }

  #release(): void {
    this.#unsubscribe?.()
    this.#unsubscribe = null
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  hostUpdate(): void {
    this.#beganAt = performance.now()
  }

  hostUpdated(): void {
    // Behind what others do once it is drawn.
    queueMicrotask(() => {
      this.#drawnAt = performance.now()
      const script = this.#drawnAt - this.#beganAt
      this.#setWait(script)
      // To lay out and paint what was drawn is work, too: the next task comes behind it.
      requestAnimationFrame((frameAt) => {
        setTimeout(() =>
          this.#setWait(script + performance.now() - Math.max(frameAt, this.#drawnAt)),
        )
      })
    })
  }

  #setWait(work: number): void {
    const least = this.#isSeen() ? BETWEEN_DRAWINGS : BETWEEN_UNSEEN
    this.#wait = Math.max(least, work * REST_PER_WORK)
  }

  #subscribe(): void {
    if (this.#unsubscribe || !this.#conversation || !this.#isConnected) return
    this.#unsubscribe = this.#conversation.subscribe(() => this.#changed())
    this.#host.requestUpdate()
  }

  /** What is more than a longer text is drawn at once. */
  #changed(): void {
    const shape = shapeOf(this.snapshot)
    const isText = shape === this.#shape
    this.#shape = shape
    const since = performance.now() - this.#drawnAt
    if (!isText || since >= this.#wait) {
      clearTimeout(this.#timer)
      this.#timer = undefined
      this.#host.requestUpdate()
      return
    }
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#host.requestUpdate()
    }, this.#wait - since)
  }
}

/** The same for two snapshots of which one only has more text. */
function shapeOf(snapshot: ConversationSnapshot | null): string {
  if (!snapshot) return ''
  const { status, runId, ownership, pending, messages, queued } = snapshot
  const last = messages.at(-1)
  const calls = last?.calls?.map(({ status: each }) => each).join() ?? ''
  return [status, runId, ownership, pending.length, messages.length, queued.length, calls].join(' ')
}
