import { attachedTo, setAttached } from './attachments.ts'
import type { LocalState } from './context.ts'
import type { FilePart } from '../index.ts'

/** What was written for a conversation and not sent, where it couldn't go back to where one writes. */
export function unsentOf(local: LocalState, conversationId: string): string | undefined {
  return local.get(unsentKey(conversationId))
}

/** Whether a text is one that a person has back already. */
export function isReturned(local: LocalState, conversationId: string, text: string): boolean {
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
  if (text.trim() === '') return
  noteReturned(local, conversationId, text)
  const isFree = isOnView && (local.get<string>('draft') ?? '').trim() === ''
  if (isFree) local.set('draft', text)
  else local.set(unsentKey(conversationId), joined(unsentOf(local, conversationId), text))
}

/** A person takes a text back: it goes before what was written since. */
export function takeBack(local: LocalState, conversationId: string, text: string): void {
  noteReturned(local, conversationId, text)
  local.set('draft', joined(text, local.get('draft')))
  local.set(unsentKey(conversationId), undefined)
}

function joined(first: string | undefined, second: string | undefined): string {
  return [first, second].filter((text) => text !== undefined && text.trim() !== '').join('\n\n')
}

function unsentKey(conversationId: string): string {
  return `unsent:${conversationId}`
}

function returnedKey(conversationId: string): string {
  return `returned:${conversationId}`
}
