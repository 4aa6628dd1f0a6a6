import type { BranchPoint } from '../protocol/commands.ts'
import { OffstageError } from '../protocol/error.ts'
import type { ConversationState, MessageNode } from '../protocol/state.ts'

/**
 * The parent message of a new branch; null when the branch replaces a first message. Throws `invalid-input`
 * when the message doesn't exist, or can't be edited or answered again. Pure.
 */
export function branchPoint(
  { path, others }: Pick<ConversationState, 'path' | 'others'>,
  { type, messageId }: BranchPoint,
): string | null {
  const nodes = new Map([...path, ...others].map((node) => [node.id, node]))
  const named = messageId === undefined ? path.at(-1) : nodes.get(messageId)
  if (!named) {
    const what =
      messageId === undefined
        ? 'The conversation has no messages'
        : `There is no message ${messageId}`
    throw new OffstageError('invalid-input', `${what}.`)
  }
  switch (type) {
    case 'edit':
      if (isWritten(named)) return named.parentId
      throw new OffstageError(
        'invalid-input',
        `Message ${named.id} was not written by a person: it can't be edited.`,
      )
    case 'regenerate': {
      const asked = askedBy(named, nodes)
      if (asked) return asked.id
      throw new OffstageError(
        'invalid-input',
        `Message ${named.id} answers no message of a person.`,
      )
    }
    default:
      return type satisfies never
  }
}

/** The user's message that this one answers: itself, or the nearest before it. */
function askedBy(
  from: MessageNode,
  nodes: ReadonlyMap<string, MessageNode>,
): MessageNode | undefined {
  // Damaged rows may form a cycle, so visit each message once.
  const seen = new Set<MessageNode>()
  let node: MessageNode | undefined = from
  while (node && !isWritten(node) && !seen.has(node)) {
    seen.add(node)
    node = node.parentId === null ? undefined : nodes.get(node.parentId)
  }
  return node && isWritten(node) ? node : undefined
}

function isWritten({ message }: MessageNode): boolean {
  return message.role === 'user' && message.synthetic !== true
}
