import type { ConversationSnapshot, ToolResultPart } from 'offstage'
import { byId } from '../lib/dom.ts'
import { createKeyedList } from '../lib/keyed-list.ts'
import type { MessageItem, MessageOptions } from './message-view.ts'
import { createMessageView } from './message-view.ts'
import type { RunNotes } from './run-notes.ts'

/** Shows the messages of a conversation, or a welcome when there are none. */
export function createMessageList(
  options: MessageOptions,
): (snapshot: ConversationSnapshot | undefined, notes: RunNotes) => void {
  const welcome = byId('welcome', HTMLElement)
  const show = createKeyedList<MessageItem>(byId('messages', HTMLElement), {
    key: ({ id }) => id,
    create: (item) => createMessageView(item, options),
  })
  return (snapshot, notes) => {
    const items = snapshot ? itemsOf(snapshot, notes) : []
    welcome.hidden = items.length > 0 || snapshot?.status === 'loading'
    show(items)
  }
}

/** The messages that people see. Results stand in messages of their own, and go to their calls. */
function itemsOf(
  { messages, pending, status }: ConversationSnapshot,
  { progress }: RunNotes,
): MessageItem[] {
  const results = new Map<string, ToolResultPart>()
  for (const message of messages) {
    if (message.role !== 'tool') continue
    for (const part of message.parts) results.set(part.toolCallId, part)
  }
  const isLive = status === 'running' || status === 'waiting'
  const last = messages.at(-1)
  return messages.flatMap((message, index): MessageItem[] =>
    message.role === 'tool' || message.role === 'system'
      ? []
      : [
          {
            id: message.id ?? String(index),
            message,
            isOpen: status === 'running' && message === last && message.role === 'assistant',
            call: (part) => ({
              call: part,
              result: results.get(part.toolCallId),
              pending: pending.find(({ toolCallId }) => toolCallId === part.toolCallId),
              progress: progress.get(part.toolCallId),
              isLive,
            }),
          },
        ],
  )
}
