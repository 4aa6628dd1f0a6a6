import {
  type CSSResultGroup,
  LitElement,
  type PropertyDeclarations,
  type PropertyValues,
  type TemplateResult,
} from 'lit'
import { createActions } from './actions.ts'
import type { ChatActions, ChatContext } from './context.ts'
import { FollowConversation } from './follow-conversation.ts'
import { createLocalState } from './local-state.ts'
import type { ChatProperties } from './offstage-chat.ts'
import { remembered } from './remembered.ts'
import { styles } from './styles/index.ts'
import { chatView } from './views/chat.ts'
import { wordsFor } from './words/words.ts'

/** See `OffstageChat`. */
export class ChatElement extends LitElement implements ChatProperties {
  static override readonly styles: CSSResultGroup = styles
  static override readonly properties: PropertyDeclarations = {
    agent: { attribute: false },
    conversationId: { attribute: 'conversation-id' },
    placement: { reflect: true },
    theme: { reflect: true },
    heading: {},
    suggestions: { attribute: false },
    words: { attribute: false },
    renderers: { attribute: false },
    markdown: { attribute: false },
  }

  declare agent: ChatProperties['agent']
  declare conversationId: ChatProperties['conversationId']
  declare placement: ChatProperties['placement']
  declare theme: ChatProperties['theme']
  declare heading: ChatProperties['heading']
  declare suggestions: ChatProperties['suggestions']
  declare words: ChatProperties['words']
  declare renderers: ChatProperties['renderers']
  declare markdown: ChatProperties['markdown']

  readonly #follow = new FollowConversation(this)
  readonly #local = createLocalState(() => this.requestUpdate())
  readonly #actions: ChatActions

  constructor() {
    super()
    this.agent = null
    this.conversationId = null
    this.placement = 'inline'
    this.theme = 'auto'
    this.heading = null
    this.suggestions = []
    this.words = {}
    this.renderers = {}
    this.markdown = {}
    this.#actions = createActions({
      element: this,
      local: this.#local,
      agent: () => this.agent,
      conversation: () => this.#follow.conversation,
      show: (conversationId) => {
        this.conversationId = conversationId ?? this.agent?.newConversationId() ?? null
      },
    })
  }

  send(text: string): void {
    this.#actions.send(text)
  }

  focusComposer(): void {
    this.renderRoot.querySelector('textarea')?.focus()
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('agent') || changed.has('conversationId')) this.#choose()
  }

  protected override render(): TemplateResult | null {
    const context = this.#context()
    return context && chatView(context)
  }

  /** Which conversation is on view; one that was interrupted goes on. */
  #choose(): void {
    const { agent } = this
    if (!agent) return this.#follow.leave()
    const memory = remembered(this.id)
    this.conversationId ??= memory.read('conversation') ?? agent.newConversationId()
    memory.write('conversation', this.conversationId)
    if (this.#follow.conversation === agent.conversation(this.conversationId)) return
    this.#follow.follow(agent, this.conversationId)
    void this.#follow.conversation?.resume({ interrupted: 'ask' }).catch(() => {})
  }

  #context(): ChatContext | null {
    const { agent, renderers, markdown, suggestions } = this
    const { conversation, snapshot } = this.#follow
    if (!agent || !conversation || !snapshot) return null
    const locale = this.closest('[lang]')?.getAttribute('lang') || navigator.language
    const words = wordsFor(locale, {
      ...(this.heading !== null && { heading: this.heading }),
      ...this.words,
    })
    return {
      agent,
      conversation,
      snapshot,
      words,
      locale,
      local: this.#local,
      actions: this.#actions,
      renderers,
      markdown,
      suggestions,
    }
  }
}
