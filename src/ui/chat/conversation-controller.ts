import type { LitElement, ReactiveController } from 'lit'
import type { Agent, Conversation, ConversationSnapshot } from '../../index.ts'
import { GREW, type Grew } from './markdown/sliced-markdown.ts'

/** Minimum time between drawings of a growing text. Milliseconds. */
const BETWEEN_DRAWINGS = 60
/** Minimum time between drawings while the growing text is out of view. Milliseconds. */
const BETWEEN_UNSEEN = 250
/** Wait before the next drawing, as a multiple of the time that the last one took. */
const REST_PER_WORK = 7
/** Maximum wait between drawings. Milliseconds. */
const LONGEST_REST = 1000

/** Redraws an element when its conversation changes, while it is connected. */
export class ConversationController implements ReactiveController {
  readonly #host: LitElement
  readonly #isInView: () => boolean
  #conversation: Conversation | null = null
  #unsubscribe: (() => void) | null = null
  #isConnected = false
  #timer: ReturnType<typeof setTimeout> | undefined
  #drawnAt = -Infinity
  #beganAt = 0
  /** Time spent on the newest drawing, including its later slices. Milliseconds. */
  #workMs = 0
  #root: HTMLElement | DocumentFragment | null = null
  #waitMs = BETWEEN_DRAWINGS
  #shape = ''

  /** @param isInView Whether the newest text is in view. */
  constructor(host: LitElement, isInView: () => boolean) {
    this.#host = host
    this.#isInView = isInView
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
    this.#releaseConversation()
    this.#conversation = conversation
    this.#subscribe()
    this.#host.requestUpdate()
  }

  unfollow(): void {
    this.#releaseConversation()
    this.#conversation = null
    this.#host.requestUpdate()
  }

  hostConnected(): void {
    this.#isConnected = true
    this.#subscribe()
  }

  hostDisconnected(): void {
    this.#isConnected = false
    this.#releaseConversation()
  }

  #releaseConversation(): void {
    this.#unsubscribe?.()
    this.#unsubscribe = null
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  hostUpdate(): void {
    this.#beganAt = performance.now()
    this.#workMs = 0
  }

  hostUpdated(): void {
    this.#listen()
    // Measured after other code that runs once the element is drawn.
    queueMicrotask(() => {
      this.#onDrawn(performance.now() - this.#beganAt)
      requestAnimationFrame((frameAt) => this.#afterFrame(frameAt))
    })
  }

  /** Counts drawings between updates, too: a long text is drawn over several frames. */
  #listen(): void {
    const { renderRoot } = this.#host
    if (this.#root === renderRoot) return
    this.#root = renderRoot
    renderRoot.addEventListener(GREW, (event) => {
      // Measured after the listeners that lay out the text.
      this.#onDrawn(performance.now() - (event as Grew).detail)
      this.#afterFrame(this.#drawnAt)
    })
  }

  #onDrawn(scriptMs: number): void {
    this.#drawnAt = performance.now()
    this.#addWork(scriptMs)
  }

  /** Adds layout and paint time: the next task runs after them. */
  #afterFrame(frameAt: number): void {
    setTimeout(() => this.#addWork(performance.now() - Math.max(frameAt, this.#drawnAt)))
  }

  #addWork(ms: number): void {
    this.#workMs += ms
    const minWait = this.#isInView() ? BETWEEN_DRAWINGS : BETWEEN_UNSEEN
    this.#waitMs = Math.max(minWait, Math.min(LONGEST_REST, this.#workMs * REST_PER_WORK))
  }

  #subscribe(): void {
    if (this.#unsubscribe || !this.#conversation || !this.#isConnected) return
    this.#unsubscribe = this.#conversation.subscribe(() => this.#onChange())
    this.#host.requestUpdate()
  }

  /** Draws at once, unless only text has grown. */
  #onChange(): void {
    const shape = shapeOf(this.snapshot)
    const isText = shape === this.#shape
    this.#shape = shape
    if (isText) return this.#drawSoon()
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#host.requestUpdate()
  }

  #drawSoon(): void {
    const waitMs = this.#drawnAt + this.#waitMs - performance.now()
    if (waitMs <= 0) this.#host.requestUpdate()
    else
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined
        // Checks again, because the required wait may have grown meanwhile.
        this.#drawSoon()
      }, waitMs)
  }
}

/** Describes everything in a snapshot except its text. */
function shapeOf(snapshot: ConversationSnapshot | null): string {
  if (!snapshot) return ''
  const { status, runId, ownership, pending, messages, queued } = snapshot
  const last = messages.at(-1)
  const calls = last?.calls?.map(({ status: each }) => each).join() ?? ''
  return [status, runId, ownership, pending.length, messages.length, queued.length, calls].join(' ')
}
