import type { Agent, ConversationRecord } from '../index.ts'
import type { Action, ChatActions, LocalState } from './context.ts'
import { problemKey } from './problem-key.ts'
import { sending, type SendingTarget } from './sending.ts'

export interface ActionTarget extends SendingTarget {
  readonly element: HTMLElement
  readonly local: LocalState
  agent(): Agent | null
  /** Shows a conversation; null: a new one. */
  view(conversationId: string | null): void
  setOpen(isOpen: boolean): void
}

/** Time in which a deleted conversation can be restored. Milliseconds. */
const RETURNABLE_MS = 8000

export function createActions(target: ActionTarget): ChatActions {
  const perform = performer(target)
  return {
    perform,
    ...sending(target, perform),
    ...deleting(target, perform),
    open(conversationId) {
      target.local.set('list', undefined)
      target.view(conversationId)
    },
    startNew() {
      target.local.set('list', undefined)
      target.view(null)
    },
    toLatest: () => target.toLatest(),
    show: () => target.setOpen(true),
    close: () => target.setOpen(false),
  }
}

/** Emits the event of an action. False if a host cancelled it. */
function isAllowed({ element, conversation }: ActionTarget, { name, detail }: Action): boolean {
  const conversationId = conversation()?.getSnapshot().conversationId
  const event = new CustomEvent(`offstage-${name}`, {
    detail: { conversationId, ...detail },
    bubbles: true,
    composed: true,
    cancelable: true,
  })
  return element.dispatchEvent(event)
}

function performer(target: ActionTarget): ChatActions['perform'] {
  return (action, act) => {
    if (!isAllowed(target, action)) return false
    if (action.name !== 'delete') keepUsed(target)
    const key = problemKey(action.key ?? 'notices')
    target.local.set(key, undefined)
    // Runs within the user gesture: consent is checked before the first await.
    acted(act).catch((thrown: unknown) => target.local.set(key, wordsOf(thrown)))
    return true
  }
}

/** Keeps a conversation that is used while its deletion can still be undone. */
function keepUsed({ local, conversation }: ActionTarget): void {
  const deleted = local.get<ConversationRecord>('deleted')?.conversationId
  if (deleted !== undefined && deleted === conversation()?.getSnapshot().conversationId)
    local.set('deleted', undefined)
}

function acted(act: () => Promise<unknown>): Promise<unknown> {
  try {
    return act()
  } catch (thrown) {
    return Promise.reject(thrown)
  }
}

function deleting(
  target: ActionTarget,
  perform: ChatActions['perform'],
): Pick<ChatActions, 'delete' | 'restore'> {
  const { local } = target
  let timer: ReturnType<typeof setTimeout> | undefined
  /** Owner of the deleted conversation. */
  let agent: Agent | null = null
  const remove = (): void => {
    clearTimeout(timer)
    const deleted = local.get<ConversationRecord>('deleted')
    if (!deleted || !agent) return
    const { conversationId } = deleted
    const owner = agent
    local.set('deleted', undefined)
    perform({ name: 'delete', detail: { conversationId }, key: 'list' }, async () => {
      await owner.conversations.delete(conversationId)
      const shown = target.conversation()?.getSnapshot().conversationId
      if (shown === conversationId) target.view(null)
    })
  }
  return {
    delete(record) {
      remove()
      agent = target.agent()
      local.set('deleted', record)
      timer = setTimeout(remove, RETURNABLE_MS)
    },
    restore() {
      clearTimeout(timer)
      local.set('deleted', undefined)
    },
  }
}

function wordsOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
