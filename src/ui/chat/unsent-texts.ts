import { getAttachments, setAttachments } from './attachments.ts'
import type { LocalState } from './context.ts'
import type { ConversationSnapshot, FilePart } from '../../index.ts'
import { conversationKey } from './local-keys.ts'
import { messageText } from './parts/text-of.ts'

/** Returns text that was neither sent nor put back into the composer. */
export function unsentText(local: LocalState, conversationId: string): string | undefined {
  return local.get(conversationKey('unsent', conversationId))
}

/** Returns the message that is neither in the conversation nor back in the composer. */
export function unsentMessage(
  local: LocalState,
  { unsent, conversationId }: Pick<ConversationSnapshot, 'unsent' | 'conversationId'>,
): { readonly text: string | undefined; readonly files: readonly FilePart[] } {
  const ownText = unsentText(local, conversationId)
  if (ownText === undefined && unsent) {
    const text = messageText(unsent)
    if (!isReturned(local, conversationId, text))
      return { text, files: unsent.parts.filter((part) => part.type === 'file') }
  }
  return { text: ownText, files: [] }
}

/** Returns texts that are being sent to a conversation; they may wait until the storage opens. */
export function sendingTexts(local: LocalState, conversationId: string): readonly string[] {
  return (
    local
      .get<readonly SendingText[]>(conversationKey('sending', conversationId))
      ?.map(({ text }) => text) ?? []
  )
}

/** Returns messages sent while the conversation loads. Once loaded, the conversation shows sent messages at once. */
export function sentWhileLoading(
  { conversationId, status }: ConversationSnapshot,
  local: LocalState,
): readonly string[] {
  return status === 'loading' ? sendingTexts(local, conversationId) : []
}

/** Marks a text as being sent. Returns a function that removes the mark. */
export function markBeingSent(local: LocalState, conversationId: string, text: string): () => void {
  const key = conversationKey('sending', conversationId)
  const entry: SendingText = { text }
  const otherEntries = (): readonly SendingText[] =>
    (local.get<readonly SendingText[]>(key) ?? []).filter((each) => each !== entry)
  local.set(key, [...otherEntries(), entry])
  return () => local.set(key, otherEntries())
}

interface SendingText {
  readonly text: string
}

/** Whether the person already has this text back. */
function isReturned(local: LocalState, conversationId: string, text: string): boolean {
  return local.get(conversationKey('returned', conversationId)) === text
}

/** Records that a person got a text back outside of the composer. */
export function noteReturned(local: LocalState, conversationId: string, text: string): void {
  local.set(conversationKey('returned', conversationId), text)
}

interface UnsentMessage {
  readonly conversationId: string
  readonly text: string
  readonly files?: readonly FilePart[]
}

export interface Returned extends UnsentMessage {
  /** The conversation is on view, so the composer's draft belongs to it. */
  readonly isOnView: boolean
}

/** Gives back what was not sent: to the composer, unless it holds another draft. */
export function restoreUnsent(local: LocalState, { isOnView, ...message }: Returned): void {
  restoreMessage(local, message)
  const { conversationId, text } = message
  if (text.trim() === '') return
  const isFree = isOnView && (local.get<string>('draft') ?? '').trim() === ''
  if (isFree) local.set('draft', text)
  else
    local.set(
      conversationKey('unsent', conversationId),
      joinTexts(unsentText(local, conversationId), text),
    )
}

/** Takes an unsent message back: its text goes before the current draft. */
export function prependToDraft(local: LocalState, message: UnsentMessage): void {
  restoreMessage(local, message)
  local.set('draft', joinTexts(message.text, local.get('draft')))
  local.set(conversationKey('unsent', message.conversationId), undefined)
}

function restoreMessage(
  local: LocalState,
  { conversationId, text, files = [] }: UnsentMessage,
): void {
  setAttachments(local, conversationId, [...files, ...getAttachments(local, conversationId)])
  noteReturned(local, conversationId, text)
}

/** Joins texts with a blank line; empty ones are left out. */
export function joinTexts(...texts: readonly (string | null | undefined)[]): string {
  return texts.filter((text) => text?.trim()).join('\n\n')
}
