import type { Agent, Conversation } from '../index.ts'
import type { ActionName, ChatActions, LocalState } from './context.ts'

export interface ActionTarget {
  readonly element: HTMLElement
  readonly local: LocalState
  agent(): Agent | null
  conversation(): Conversation | null
  /** Shows a conversation; null: a new one. */
  show(conversationId: string | null): void
}

/** Where the words of a failure are kept for what was pressed. */
export function problemKey(key: string): string {
  return `problem:${key}`
}

export function createActions(target: ActionTarget): ChatActions {
  const { local } = target

  const allowed = (name: ActionName, detail: object): boolean => {
    const event = new CustomEvent(`offstage-${name}`, {
      detail: { conversationId: target.conversation()?.getSnapshot().conversationId, ...detail },
      bubbles: true,
      composed: true,
      cancelable: true,
    })
    return target.element.dispatchEvent(event)
  }

  const perform: ChatActions['perform'] = ({ name, detail = {}, key = name }, act) => {
    if (!allowed(name, detail)) return
    local.set(problemKey(key), undefined)
    // Within the press's own event: a consent is looked for before anything is awaited.
    let acted: Promise<unknown>
    try {
      acted = act()
    } catch (thrown) {
      acted = Promise.reject(thrown)
    }
    acted.catch((thrown: unknown) => local.set(problemKey(key), wordsOf(thrown)))
  }

  return {
    perform,
    send(text) {
      const conversation = target.conversation()
      if (!conversation || text.trim() === '') return
      if (conversation.getSnapshot().runId !== undefined)
        perform({ name: 'send', detail: { text, steers: true }, key: 'composer' }, () =>
          conversation.steer(text),
        )
      else
        perform(
          { name: 'send', detail: { text, steers: false }, key: 'composer' },
          async () => void conversation.send(text),
        )
    },
    stop() {
      const conversation = target.conversation()
      if (conversation) perform({ name: 'stop', key: 'composer' }, () => conversation.abort())
    },
    open: (conversationId) => target.show(conversationId),
    startNew: () => target.show(null),
  }
}

function wordsOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
