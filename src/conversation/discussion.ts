import { textDigest } from '../lib/text-digest.ts'
import type { JsonValue } from '../protocol/json.ts'
import type { ConversationSnapshot, ShownMessage } from './snapshot.ts'

/** Name of the tool by which a model suggests another input for a waiting call. */
export const SUGGEST_CHANGE = 'suggest_change'

/** Prefix for the ids of conversations that store discussions. */
export const DISCUSSION = 'discussion-'

/** A person's question about a waiting call, and the model's answer. */
export interface DiscussionEntry {
  /** Id of the question's message. */
  readonly id: string
  readonly question: string
  /** The model's text so far; empty at first. */
  readonly answer: string
  /** Inputs that the model suggests for the call, oldest first. Each fits the tool's schema. */
  readonly suggestions: readonly JsonValue[]
  /** Names of other tools that the model called although it must not. None of these calls ran. */
  readonly refused: readonly string[]
}

/**
 * Returns the id of the conversation that stores the discussion of a call, for `agent.conversation()`. The conversation
 * is empty until a person asks a question.
 */
export function discussionId(call: {
  readonly conversationId: string
  readonly toolCallId: string
}): string {
  // Hashed, because providers and models choose the ids of calls: any characters, of any length.
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
