import { textDigest } from '../lib/text-digest.ts'
import type { JsonValue } from '../protocol/json.ts'
import type { ConversationSnapshot, ShownMessage } from './snapshot.ts'

/** Name of the tool by which a model suggests another input for a waiting call. */
export const SUGGEST_CHANGE = 'suggest_change'

/** Beginning of the ids of conversations that keep discussions. */
export const DISCUSSION = 'discussion-'

/** A person's question about a waiting call, with what the model said. */
export interface DiscussionEntry {
  /** Id of the question's message. */
  readonly id: string
  readonly question: string
  /** The model's words so far. Empty until it has written any. */
  readonly answer: string
  /** Inputs that the model suggests for the call, oldest first. Each fits the tool's schema. */
  readonly suggestions: readonly JsonValue[]
  /** Names of tools that the model called all the same. None of them ran. */
  readonly refused: readonly string[]
}

/**
 * Returns the id of the conversation that keeps the discussion of a call. `agent.conversation(discussionId(call))` shows
 * it; it is empty if nobody has asked.
 */
export function discussionId(call: {
  readonly conversationId: string
  readonly toolCallId: string
}): string {
  // Providers and models choose ids of calls: any characters, of any length.
  return `${DISCUSSION}${textDigest(JSON.stringify([call.conversationId, call.toolCallId]))}`
}

/**
 * Reads the discussion of a waiting call from the snapshot of its conversation, oldest question first. Pure.
 *
 * @example
 * const discussion = agent.conversation(discussionId({ conversationId, toolCallId }))
 * discussion.subscribe(() => draw(readDiscussion(discussion.getSnapshot())))
 */
export function readDiscussion({
  messages,
}: Pick<ConversationSnapshot, 'messages'>): readonly DiscussionEntry[] {
  const starts = messages.flatMap(({ role }, index) => (role === 'user' ? [index] : []))
  return starts.flatMap((start, order) => {
    const [question, ...answers] = messages.slice(start, starts[order + 1])
    if (!question) return []
    const calls = answers.flatMap((message) => message.calls ?? [])
    return [
      {
        id: question.id,
        question: textOf(question),
        answer: answers.map(textOf).filter(Boolean).join('\n\n'),
        suggestions: calls.flatMap(({ input, status, toolName }) =>
          toolName === SUGGEST_CHANGE && status === 'succeeded' && input !== undefined
            ? [input]
            : [],
        ),
        refused: calls.flatMap(({ toolName }) => (toolName === SUGGEST_CHANGE ? [] : [toolName])),
      },
    ]
  })
}

function textOf({ role, parts }: ShownMessage): string {
  if (role === 'tool') return ''
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
}
