import type { RememberedRun, RememberingAgent } from '../client/features/memory.ts'
import type { Memory } from './memory.ts'

/** Maximum characters of a question, and of an answer. Together they form one entry. */
const MAX_QUESTION = 600
const MAX_ANSWER = 1_300
const MAX_TEXT = 2_000

/** Replaces a remembered question with the question and its answer, once the run is completed. */
export async function keepAnswer(
  memory: Memory,
  agent: RememberingAgent,
  { conversationId, result }: RememberedRun,
): Promise<void> {
  const { outcome, text: answer } = await result
  if (outcome !== 'completed' || !answer.trim()) return
  const stored = await agent.conversations.get(conversationId)
  if (!stored) return
  // Takes the last message before the answer, because the next run may have added another message.
  let lastQuestion = ''
  let question: string | undefined
  for (const message of stored.messages) {
    const texts = message.parts.flatMap((part) => (part.type === 'text' ? part.text : []))
    if (message.role !== 'user') {
      if (texts.join('') === answer) question = lastQuestion
      // Trims and cuts the message as the memory did.
    } else if (!message.synthetic) lastQuestion = texts.join('\n').trim().slice(0, MAX_TEXT).trim()
  }
  // A result of `finish_task` isn't in any message.
  question ??= lastQuestion
  const where = { conversationId }
  // Questions from a model that calls the agent weren't kept, so no entry is found.
  const entry = (await memory.list(where)).find(({ text }) => text === question)
  if (!entry) return
  const untrusted = entry.untrusted || !!stored.taint
  const text = `Q: ${question.slice(0, MAX_QUESTION)}\nA: ${answer.trim().slice(0, MAX_ANSWER)}`
  const [remembered] = await memory.remember(text, { ...where, untrusted })
  if (remembered) await memory.forget([entry.id], where)
}
