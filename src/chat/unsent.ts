import { attachedTo, setAttached } from './attachments.ts'
import type { LocalState } from './context.ts'
import type { ConversationSnapshot, FilePart } from '../index.ts'
import { textOf } from './parts/text-of.ts'

/** What was written for a conversation and not sent, where it couldn't go back to where one writes. */
export function unsentOf(local: LocalState, conversationId: string): string | undefined {
  return local.get(unsentKey(conversationId))
}

/** A message that is neither part of the conversation nor back where it was written. */
export function unsentIn(
  local: LocalState,
  { unsent, conversationId }: Pick<ConversationSnapshot, 'unsent' | 'conversationId'>,
): { readonly text: string | undefined; readonly files: readonly FilePart[] } {
  const refused = unsent && textOf(unsent)
  const isBack = refused === undefined || isReturned(local, conversationId, refused)
  const parts = isBack || !unsent ? [] : unsent.parts
  return {
    text: unsentOf(local, conversationId) ?? (isBack ? undefined : refused),
    files: parts.filter((part) => part.type === 'file'),
  }
}

/** What is on its way into a conversation: it may have to wait until the storage opens. */
export function onItsWay(local: LocalState, conversationId: string): readonly string[] {
  return local.get<readonly OnItsWay[]>(onItsWayKey(conversationId))?.map(({ text }) => text) ?? []
}

/** Messages that were sent before the conversation is loaded. Later ones are shown at once as what they become. */
export function sentWhileLoading(
  { conversationId, status }: ConversationSnapshot,
  local: LocalState,
): readonly string[] {
  return status === 'loading' ? onItsWay(local, conversationId) : []
}

/** Notes a text as one that is on its way. Returns what notes that it is so no more. */
export function noteOnItsWay(local: LocalState, conversationId: string, text: string): () => void {
  const key = onItsWayKey(conversationId)
  const one: OnItsWay = { text }
  const others = (): readonly OnItsWay[] =>
    (local.get<readonly OnItsWay[]>(key) ?? []).filter((each) => each !== one)
  local.set(key, [...others(), one])
  return () => local.set(key, others())
}

interface OnItsWay {
  readonly text: string
}

/** Whether a text is one that a person has back already. */
function isReturned(local: LocalState, conversationId: string, text: string): boolean {
  return local.get(returnedKey(conversationId)) === text
}

/** A person has a text back elsewhere than where one writes. */
export function noteReturned(local: LocalState, conversationId: string, text: string): void {
  local.set(returnedKey(conversationId), text)
}

export interface Returned {
  readonly conversationId: string
  /** It is on view: what is written there is written for it. */
  readonly isOnView: boolean
  readonly text: string
  readonly files?: readonly FilePart[]
}

/** Gives back what was not sent: to where one writes, unless something new stands there. */
export function giveBack(
  local: LocalState,
  { conversationId, isOnView, text, files = [] }: Returned,
): void {
  if (files.length > 0)
    setAttached(local, conversationId, [...files, ...attachedTo(local, conversationId)])
  noteReturned(local, conversationId, text)
  if (text.trim() === '') return
  const isFree = isOnView && (local.get<string>('draft') ?? '').trim() === ''
  if (isFree) local.set('draft', text)
  else local.set(unsentKey(conversationId), joined(unsentOf(local, conversationId), text))
}

/** A person takes a text back: it goes before what was written since. */
export function takeBack(
  local: LocalState,
  { conversationId, text, files = [] }: Omit<Returned, 'isOnView'>,
): void {
  if (files.length > 0)
    setAttached(local, conversationId, [...files, ...attachedTo(local, conversationId)])
  noteReturned(local, conversationId, text)
  local.set('draft', joined(text, local.get('draft')))
  local.set(unsentKey(conversationId), undefined)
}

/** What was written, and what comes after it. */
export function joined(...texts: readonly (string | null | undefined)[]): string {
  return texts.filter((text) => text?.trim()).join('\n\n')
}

function onItsWayKey(conversationId: string): string {
  return `sending:${conversationId}`
}

function unsentKey(conversationId: string): string {
  return `unsent:${conversationId}`
}

function returnedKey(conversationId: string): string {
  return `returned:${conversationId}`
}
