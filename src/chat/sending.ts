import type { Conversation, FilePart, RunInput, ShownMessage } from '../index.ts'
import type { ChatActions, LocalState } from './context.ts'
import { editKey, editSendingKey } from './edit-keys.ts'
import { notSent, runBegun } from './run-begun.ts'
import { giveBack, noteReturned, noteOnItsWay } from './unsent.ts'
import type { Words } from './words/words.ts'

export interface SendingTarget {
  readonly local: LocalState
  conversation(): Conversation | null
  words(): Words
  toLatest(): void
  /** Keeps texts that are being sent until they arrive, even if another conversation is on view by then. */
  keepOnItsWay(conversationId: string): void
  /** Forgets a sent edit, even if another conversation is on view by then. */
  forgetEdit(conversationId: string, message: ShownMessage): void
}

type Sending = Pick<ChatActions, 'send' | 'stop' | 'edit'>

/** Creates the actions that send. No text is lost if sending fails. */
export function sending(target: SendingTarget, perform: ChatActions['perform']): Sending {
  const key = 'composer'
  return {
    send(text, files = []) {
      const conversation = target.conversation()
      if (!conversation || (text.trim() === '' && files.length === 0)) return false
      const steers = conversation.getSnapshot().runId !== undefined
      return perform({ name: 'send', detail: { text, files, steers }, key }, async () => {
        target.toLatest()
        const { conversationId } = conversation.getSnapshot()
        const arrived = noteOnItsWay(target.local, conversationId, text)
        target.keepOnItsWay(conversationId)
        try {
          await deliver(conversation, inputOf(text, files))
        } catch (thrown) {
          const isOnView = target.conversation() === conversation
          giveBack(target.local, { conversationId, isOnView, text, files })
          throw notSent(thrown, target.words())
        } finally {
          arrived()
          target.keepOnItsWay(conversationId)
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

async function deliver(conversation: Conversation, input: RunInput): Promise<void> {
  const { runId, status } = conversation.getSnapshot()
  // The run may have ended meanwhile, and a loading conversation may have one.
  const isMaybeOpen = runId !== undefined || status === 'loading'
  if (isMaybeOpen && (await conversation.steer(input, { when: 'soonest' })) !== null) return
  await runBegun(conversation.send(input))
}

/** The editor stays open with its text until that is part of the conversation. */
async function sendEdit(
  { local, words, forgetEdit, conversation: onView }: SendingTarget,
  conversation: Conversation,
  { message, text }: { readonly message: ShownMessage; readonly text: string },
): Promise<void> {
  try {
    await runBegun(conversation.edit(message.id, text))
    local.set(editKey(message), undefined)
    forgetEdit(conversation.getSnapshot().conversationId, message)
  } catch (thrown) {
    const { conversationId, messages } = conversation.getSnapshot()
    // Another tab may have switched to a branch without this message.
    if (messages.some(({ id }) => id === message.id)) noteReturned(local, conversationId, text)
    else giveBack(local, { conversationId, isOnView: onView() === conversation, text })
    throw notSent(thrown, words())
  }
}

function inputOf(text: string, files: readonly FilePart[]): RunInput {
  if (files.length === 0) return text
  return text.trim() === '' ? files : [{ type: 'text', text }, ...files]
}
