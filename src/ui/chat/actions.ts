import type {
  Agent,
  Conversation,
  ConversationRecord,
  FilePart,
  Run,
  RunInput,
  ShownMessage,
} from '../../index.ts'
import type { Action, ChatActions, LocalState } from './context.ts'
import { type DiscussedCall, isSameCall, toCallRef } from './parts/call-ref.ts'
import { problemKey, editKey, editSendingKey } from './local-keys.ts'
import { restoreUnsent, markBeingSent, noteReturned } from './unsent-texts.ts'
import { errorText } from './views/problem.ts'
import type { Words } from './words/words.ts'

export interface ActionTarget extends SendingTarget {
  readonly element: HTMLElement
  readonly local: LocalState
  agent(): Agent | null
  /** Shows a conversation; null: a new one. */
  view(conversationId: string | null): void
  setOpen(isOpen: boolean): void
}

/** Time in which a deleted conversation can be restored. Milliseconds. */
const RESTORABLE_MS = 8000

export function createActions(target: ActionTarget): ChatActions {
  const perform = createPerform(target)
  const openConversation = (conversationId: string | null): void => {
    target.local.set('list', undefined)
    target.view(conversationId)
  }
  return {
    perform,
    ...createSendActions(target, perform),
    ...createDeleteActions(target, perform),
    openConversation,
    startNew: () => openConversation(null),
    scrollToLatest: () => target.scrollToLatest(),
    openBubble: () => target.setOpen(true),
    closeBubble: () => target.setOpen(false),
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

function createPerform(target: ActionTarget): ChatActions['perform'] {
  return (action, act) => {
    if (!isAllowed(target, action)) return false
    if (action.key !== 'list') keepUsedConversation(target)
    const key = problemKey(action.key ?? 'notices')
    target.local.set(key, undefined)
    // Runs at once, within the user gesture: `act` checks consent before its first await.
    callAsync(act).catch((thrown: unknown) =>
      target.local.set(key, errorText(thrown, target.words())),
    )
    return true
  }
}

/** Cancels a conversation's pending deletion once the conversation is used. */
function keepUsedConversation({ local, conversation }: ActionTarget): void {
  const deleted = local.get<ConversationRecord>('deleted')?.conversationId
  if (deleted !== undefined && deleted === conversation()?.getSnapshot().conversationId)
    local.set('deleted', undefined)
}

/** Turns a synchronous throw into a rejection. */
async function callAsync(act: () => Promise<unknown>): Promise<void> {
  await act()
}

function createDeleteActions(
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
      timer = setTimeout(remove, RESTORABLE_MS)
    },
    restore() {
      clearTimeout(timer)
      local.set('deleted', undefined)
    },
  }
}

interface SendingTarget {
  readonly local: LocalState
  conversation(): Conversation | null
  words(): Words
  scrollToLatest(): void
  /** Keeps texts that are being sent until they arrive, even if another conversation is on view by then. */
  keepSending(conversationId: string): void
  /** Forgets a sent edit, even if another conversation is on view by then. */
  forgetEdit(conversationId: string, message: ShownMessage): void
}

type SendActions = Pick<ChatActions, 'send' | 'stop' | 'edit'>

/** Creates the actions that send. No text is lost if sending fails. */
function createSendActions(target: SendingTarget, perform: ChatActions['perform']): SendActions {
  const key = 'composer'
  return {
    send(text, files = []) {
      const conversation = target.conversation()
      if (!conversation || (text.trim() === '' && files.length === 0)) return false
      const steers = conversation.getSnapshot().runId !== undefined
      return perform({ name: 'send', detail: { text, files, steers }, key }, async () => {
        target.scrollToLatest()
        const { conversationId } = conversation.getSnapshot()
        const unmark = markBeingSent(target.local, conversationId, text)
        target.keepSending(conversationId)
        try {
          await deliver(conversation, inputOf(text, files), target.local.get('about'))
        } catch (thrown) {
          const isOnView = target.conversation() === conversation
          restoreUnsent(target.local, { conversationId, isOnView, text, files })
          throw createUnsentError(thrown, target.words())
        } finally {
          unmark()
          target.keepSending(conversationId)
        }
      })
    },
    stop() {
      const conversation = target.conversation()
      if (conversation) perform({ name: 'stop', key }, () => conversation.abort())
    },
    edit(message, text) {
      const conversation = target.conversation()
      const sendingKey = editSendingKey(message)
      if (!conversation || text.trim() === '' || target.local.get(sendingKey)) return
      perform({ name: 'edit', detail: { message, text }, key: message.id }, async () => {
        target.local.set(sendingKey, true)
        await sendEdit(target, conversation, { message, text }).finally(() =>
          target.local.set(sendingKey, undefined),
        )
      })
    },
  }
}

async function deliver(
  conversation: Conversation,
  input: RunInput,
  about: DiscussedCall | undefined,
): Promise<void> {
  const snapshot = conversation.getSnapshot()
  const { runId, status, pending } = snapshot
  // `about` may be outdated until the next drawing: its call may be answered, or belong to another conversation.
  const isWaiting = pending.some(
    (call) => about && isSameCall(about.call, toCallRef({ snapshot }, call)),
  )
  const answer =
    about &&
    isWaiting &&
    typeof input === 'string' &&
    (await conversation.discuss(about.call, input))
  if (answer) return waitForRunStart(answer)
  // The run may have ended meanwhile, and a conversation that is still loading may have a run.
  const isMaybeRunning = runId !== undefined || status === 'loading'
  if (isMaybeRunning && (await conversation.steer(input, { when: 'soonest' })) !== null) return
  await waitForRunStart(conversation.send(input))
}

/** Sends an edit. The editor stays open with its text until the conversation contains the text. */
async function sendEdit(
  { local, words, forgetEdit, conversation: currentConversation }: SendingTarget,
  conversation: Conversation,
  { message, text }: { readonly message: ShownMessage; readonly text: string },
): Promise<void> {
  const files = message.parts.filter((part) => part.type === 'file')
  try {
    await waitForRunStart(conversation.edit(message.id, inputOf(text, files)))
    local.set(editKey(message), undefined)
    forgetEdit(conversation.getSnapshot().conversationId, message)
  } catch (thrown) {
    const { conversationId, messages } = conversation.getSnapshot()
    // Another tab may have switched to another branch, which doesn't have the message.
    if (messages.some(({ id }) => id === message.id)) noteReturned(local, conversationId, text)
    else
      restoreUnsent(local, {
        conversationId,
        isOnView: currentConversation() === conversation,
        text,
        files,
      })
    throw createUnsentError(thrown, words())
  }
}

function inputOf(text: string, files: readonly FilePart[]): RunInput {
  if (files.length === 0) return text
  return text.trim() === '' ? files : [{ type: 'text', text }, ...files]
}

/**
 * Resolves once a run has begun, or is queued until the storage has space. Rejects if the run was refused or aborted
 * before.
 */
export async function waitForRunStart(run: Run): Promise<void> {
  for await (const event of run) {
    if (event.type !== 'run-end') return
    const { result } = event
    if (result.outcome === 'failed') throw Object.assign(new Error(), result.error)
    if (result.outcome === 'aborted') throw Object.assign(new Error(), { code: result.reason })
    return
  }
}

/** Creates the error that says why something was not sent. */
function createUnsentError(thrown: unknown, words: Words): Error {
  return new Error(`${words.unsent} ${errorText(thrown, words)}`)
}
