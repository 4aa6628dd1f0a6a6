import type { ConversationSnapshot, ShownCall, ShownMessage } from '../../index.ts'

/** What a log shows, from top to bottom. `key` is unique and stays the same as the row changes. */
export type ChatRow =
  | { readonly type: 'day'; readonly key: string; readonly at: number }
  | { readonly type: 'message'; readonly key: string; readonly message: ShownMessage }
  | { readonly type: 'call'; readonly key: string; readonly call: ShownCall }
  | { readonly type: 'compaction'; readonly key: string }

/** The rows of a snapshot: days, messages, each call behind its message, and where it was compacted. */
export function rowsOf({ messages, compactions = [] }: ConversationSnapshot): readonly ChatRow[] {
  const rows: ChatRow[] = []
  let day = ''
  const compactedBefore = new Set(compactions.map((compaction) => compaction.after))
  for (const message of messages) {
    if (message.role === 'tool' || message.role === 'system') continue
    if (message.at !== undefined) {
      const today = new Date(message.at).toDateString()
      if (today !== day) rows.push({ type: 'day', key: `day:${message.id}`, at: message.at })
      day = today
    }
    rows.push({ type: 'message', key: message.id, message })
    for (const call of message.calls ?? [])
      rows.push({ type: 'call', key: `call:${call.toolCallId}`, call })
    if (compactedBefore.has(message.id)) rows.push({ type: 'compaction', key: `cut:${message.id}` })
  }
  return rows
}
