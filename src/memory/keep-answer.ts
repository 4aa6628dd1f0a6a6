import type { RememberedRun, RememberingAgent } from '../client/features/memory.ts'
import type { StoredConversation } from '../protocol/conversation.ts'
import type { Memory } from './memory.ts'

/** Most characters of a question and of an answer. Together they form one entry. */
const QUESTION = 600
const ANSWER = 1_300
const MAX_TEXT = 2_000

/** Replaces a remembered question with the question and its answer, once the run is completed. */
export async function keepAnswer(
  memory: Memory,
  agent: RememberingAgent,
  { conversationId, result }: RememberedRun,
): Promise<void> {
  const { outcome, text: answer } = await result
  if (outcome !== 'completed' || answer.trim() === '') return
  const stored = await agent.conversations.get(conversationId)
  const where = { conversationId }
  const question = questionIn(stored)
  // Questions from a model that calls the agent weren't kept, so none is found.
  const entry = (await memory.list(where)).find(({ text }) => text === question)
  if (!stored || !entry) return
  const untrusted = entry.untrusted === true || stored.taint !== undefined
  const text = `Q: ${question.slice(0, QUESTION)}\nA: ${answer.trim().slice(0, ANSWER)}`
  const [kept] = await memory.remember(text, { ...where, untrusted })
  if (kept) await memory.forget([entry.id], where)
}

/** Text of the person's last message, in the form in which it was kept. */
function questionIn(stored: StoredConversation | null): string {
  const parts = stored?.messages.findLast(
    (message) => message.role === 'user' && !message.synthetic,
  )?.parts
  const texts = parts?.flatMap((part) => (part.type === 'text' ? part.text : [])) ?? []
  return texts.join('\n').trim().slice(0, MAX_TEXT).trim()
}
