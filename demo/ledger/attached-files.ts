import type { Agent, FilePart } from 'offstage'

/** Files that a person attached to a conversation, newest last. */
export async function attachedFiles(
  agent: Agent,
  conversationId: string,
): Promise<readonly FilePart[]> {
  const { messages = [] } = (await agent.conversations.get(conversationId)) ?? {}
  return messages.flatMap((message) =>
    message.role === 'user' ? message.parts.filter((part) => part.type === 'file') : [],
  )
}
