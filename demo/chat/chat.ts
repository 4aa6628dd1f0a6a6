import type {
  Agent,
  ConversationSnapshot,
  ErrorData,
  Message,
  ModelConfig,
  Run,
  RunEvent,
} from 'offstage'
import { OffstageError } from 'offstage'
import { createEventInspector } from '../inspector/event-inspector.ts'
import { byId, setText } from '../lib/dom.ts'
import { createAnnouncer } from './announcer.ts'
import { callAnswers } from './call-answers.ts'
import type { Composer } from './composer.ts'
import { createComposer } from './composer.ts'
import { createFailure } from './failure.ts'
import type { History } from './history.ts'
import { createHistory } from './history.ts'
import { keepAtEnd } from '../lib/keep-at-end.ts'
import { rememberConversation } from './last-conversation.ts'
import { createMessageList } from './message-list.ts'
import type { MessageOptions } from './message-view.ts'
import type { RunWatch } from './run-watch.ts'
import { createRunWatch } from './run-watch.ts'

export type ChatOptions = Pick<MessageOptions, 'titleOf' | 'offerFor'> & {
  /** The agent's model as it is configured now. */
  model(): ModelConfig
  /** A run of the conversation on view began or ended. */
  onBusy(busy: boolean): void
}

/** The conversation on view: what it shows comes from the agent's snapshots and events alone. */
export class Chat {
  readonly #agent: Agent
  readonly #options: ChatOptions
  readonly #log: HTMLElement = byId('log', HTMLElement)
  readonly #watch: RunWatch
  readonly #composer: Composer
  readonly #history: History
  readonly #showMessages: ReturnType<typeof createMessageList>
  readonly #showFailure: ReturnType<typeof createFailure>
  readonly #listeners: readonly ((event: RunEvent) => void)[]
  #conversationId: string | undefined
  #unsubscribe = (): void => {}
  /** What failed outside of any run. */
  #trouble: ErrorData | undefined

  constructor(agent: Agent, options: ChatOptions) {
    this.#agent = agent
    this.#options = options
    this.#listeners = [createEventInspector(), createAnnouncer(options.titleOf)]
    this.#watch = createRunWatch((event) => this.#onEvent(event))
    this.#showMessages = createMessageList({
      ...options,
      answers: callAnswers(agent, () => this.#conversationId),
    })
    this.#showFailure = createFailure({
      onRetry: () => this.send(lastRequest(this.#snapshot())),
      model: () => options.model(),
    })
    this.#composer = createComposer({
      onSend: (text) => this.send(text),
      onStop: () => this.#watch.runOf(this.#conversationId)?.abort('stopped by the shopper'),
    })
    this.#history = createHistory(agent, {
      current: () => this.#conversationId,
      onOpen: (id) => void this.#open(id),
      onDeleted: (id) => {
        if (id === this.#conversationId) this.#view(undefined)
      },
    })
    byId('new-button', HTMLButtonElement).addEventListener('click', () => this.#startNew())
  }

  send(text: string): void {
    if (!text) return
    const conversationId = this.#conversationId
    const run = this.#agent.run(text, conversationId === undefined ? {} : { conversationId })
    this.#watch.follow(run)
    this.#view(run.conversationId)
    this.#log.scrollTop = this.#log.scrollHeight
  }

  /** Goes on with the newest unfinished run of all; when there is none, shows the conversation. */
  async resume(conversationId: string | undefined): Promise<void> {
    const before = this.#conversationId
    const run = await this.#takeUp()
    // Who has asked for something meanwhile stays with it.
    if (this.#conversationId !== before) return
    this.#view(run ? run.conversationId : conversationId, run !== null)
  }

  async #open(conversationId: string): Promise<void> {
    this.#view(conversationId)
    if (this.#watch.runOf(conversationId)) return
    const run = await this.#takeUp(conversationId)
    if (this.#conversationId === conversationId) this.#view(conversationId, run !== null)
  }

  async #takeUp(conversationId?: string): Promise<Run | null> {
    try {
      const run = await this.#agent.resume(conversationId, { interrupted: 'ask' })
      if (run) this.#watch.follow(run)
      this.#trouble = undefined
      return run
    } catch (error) {
      this.#trouble = OffstageError.is(error) ? error.toData() : undefined
      return null
    }
  }

  #startNew(): void {
    this.#history.close()
    this.#trouble = undefined
    this.#view(undefined)
    this.#composer.focus()
  }

  #view(conversationId: string | undefined, isResumed = false): void {
    this.#unsubscribe()
    this.#conversationId = conversationId
    byId('resumed', HTMLElement).hidden = !isResumed
    rememberConversation(conversationId)
    const conversation =
      conversationId === undefined ? undefined : this.#agent.conversation(conversationId)
    this.#unsubscribe = conversation?.subscribe(() => this.#render()) ?? (() => {})
    this.#render()
  }

  #snapshot(): ConversationSnapshot | undefined {
    const id = this.#conversationId
    return id === undefined ? undefined : this.#agent.conversation(id).getSnapshot()
  }

  #render(): void {
    const snapshot = this.#snapshot()
    const notes = this.#watch.notesOf(this.#conversationId)
    const busy = snapshot?.status === 'running' || snapshot?.status === 'waiting'
    keepAtEnd(this.#log, () => {
      this.#showMessages(snapshot, notes)
      this.#showFailure(this.#trouble ?? snapshot?.error)
    })
    this.#composer.setBusy(busy)
    this.#options.onBusy(busy)
    setText(byId('run-state', HTMLElement), notes.state)
    setText(byId('run-usage', HTMLElement), notes.usage)
  }

  #onEvent(event: RunEvent): void {
    for (const listener of this.#listeners) listener(event)
    if (event.type === 'run-end') this.#history.refresh()
    if (event.conversationId === this.#conversationId) this.#render()
  }
}

/** What the person said last. */
function lastRequest(snapshot: ConversationSnapshot | undefined): string {
  const isPerson = (message: Message): boolean => message.role === 'user' && !message.synthetic
  const last = snapshot?.messages.findLast(isPerson)
  if (last?.role !== 'user') return ''
  return last.parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
}
