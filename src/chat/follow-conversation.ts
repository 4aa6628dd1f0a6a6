import type { ReactiveController, ReactiveControllerHost } from 'lit'
import type { Agent, Conversation, ConversationSnapshot } from '../index.ts'
import { GREW, type Grew } from './markdown/sliced-markdown.ts'

interface Host extends ReactiveControllerHost {
  readonly renderRoot: HTMLElement | DocumentFragment
}

/** Text is drawn at most this often. Milliseconds. */
const BETWEEN_DRAWINGS = 60
/** Where it grows out of view, at most this often. Milliseconds. */
const BETWEEN_UNSEEN = 250
/** A drawing that takes long makes the next one wait this many times as long, */
const REST_PER_WORK = 7
/** but no longer than this. Milliseconds. */
const LONGEST_REST = 1000

/** Keeps an element drawn like one conversation of one agent, while it is connected. */
export class FollowConversation implements ReactiveController {
  readonly #host: Host
  readonly #isSeen: () => boolean
  #conversation: Conversation | null = null
  #unsubscribe: (() => void) | null = null
  #isConnected = false
  #timer: ReturnType<typeof setTimeout> | undefined
  #drawnAt = -Infinity
  #beganAt = 0
  /** Of the newest drawing, with all that is drawn of it later. Milliseconds. */
  #work = 0
  #root: HTMLElement | DocumentFragment | null = null
  #wait = BETWEEN_DRAWINGS
  #shape = ''

  /** @param isSeen Whether the newest text is in view. */
  constructor(host: Host, isSeen: () => boolean) {
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
    this.#work = 0
  }

  hostUpdated(): void {
    this.#listen()
    // Behind what others do once it is drawn.
    queueMicrotask(() => {
      this.#drawn(performance.now() - this.#beganAt)
      requestAnimationFrame((frameAt) => this.#afterFrame(frameAt))
    })
  }

  /** A long text is drawn in slices, in frames that come later. */
  #listen(): void {
    const { renderRoot } = this.#host
    if (this.#root === renderRoot) return
    this.#root = renderRoot
    renderRoot.addEventListener(GREW, (event) => {
      // Behind those who lay it out.
      this.#drawn(performance.now() - (event as Grew).detail)
      this.#afterFrame(this.#drawnAt)
    })
  }

  #drawn(script: number): void {
    this.#drawnAt = performance.now()
    this.#worked(script)
  }

  /** To lay out and paint what was drawn is work, too: the next task comes behind it. */
  #afterFrame(frameAt: number): void {
    setTimeout(() => this.#worked(performance.now() - Math.max(frameAt, this.#drawnAt)))
  }

  #worked(ms: number): void {
    this.#work += ms
    const least = this.#isSeen() ? BETWEEN_DRAWINGS : BETWEEN_UNSEEN
    this.#wait = Math.max(least, Math.min(LONGEST_REST, this.#work * REST_PER_WORK))
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
    if (isText) return this.#drawSoon()
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#host.requestUpdate()
  }

  #drawSoon(): void {
    const rest = this.#drawnAt + this.#wait - performance.now()
    if (rest <= 0) this.#host.requestUpdate()
    else
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined
        // What was drawn may have turned out to be more work.
        this.#drawSoon()
      }, rest)
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
