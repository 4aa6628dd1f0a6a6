import type { Agent, JsonValue, QuestionAnswer } from 'offstage'

type Verdict = Parameters<Agent['resolveInterrupted']>[1]

/** A person's answers to a call that waits. They reject with words that say what to change. */
export interface CallAnswers {
  approve(toolCallId: string, input?: JsonValue): Promise<boolean>
  deny(toolCallId: string): Promise<boolean>
  answer(toolCallId: string, answer: string | QuestionAnswer): Promise<boolean>
  resolve(toolCallId: string, verdict: Verdict): Promise<boolean>
}

export function callAnswers(agent: Agent, conversationId: () => string | undefined): CallAnswers {
  const ref = (toolCallId: string): { toolCallId: string; conversationId?: string } => {
    const id = conversationId()
    return { toolCallId, ...(id !== undefined && { conversationId: id }) }
  }
  return {
    approve: (id, input) => agent.approve(ref(id), input === undefined ? {} : { input }),
    deny: (id) => agent.deny(ref(id)),
    answer: (id, answer) => agent.answer(ref(id), answer),
    resolve: (id, verdict) => agent.resolveInterrupted(ref(id), verdict),
  }
}
