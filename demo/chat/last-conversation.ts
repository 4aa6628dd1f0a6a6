import { stored } from '../lib/stored.ts'

/** Of this tab, so that two tabs don't disturb each other. */
const last = stored('sessionStorage', 'kiln-conversation')

/** Which conversation is on view, for after a reload. */
export function rememberConversation(conversationId: string | undefined): void {
  last.write(conversationId)
}

export function lastConversation(): string | undefined {
  const value = last.read()
  return typeof value === 'string' ? value : undefined
}
