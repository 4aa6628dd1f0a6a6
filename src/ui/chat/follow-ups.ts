import type { ChatContext } from './context.ts'
import type { ShownMessage } from '../../index.ts'

type Context = Pick<ChatContext, 'snapshot' | 'answers' | 'local'>

/** Asks the page, once for each answer, what a person may want to send next. */
export class FollowUps {
  #asked: string | null = null

  /** Runs after each drawing. */
  update({ snapshot, answers, local }: Context): void {
    const answer = answers.followUps && finishedAnswer(snapshot)
    const id = answer?.id ?? null
    if (id === this.#asked) return
    this.#asked = id
    const isKnown = answer && local.get(followUpsKey(answer)) !== undefined
    if (answer && !isKnown) void this.#ask(answer, { answers, local })
  }

  async #ask(answer: ShownMessage, { answers, local }: Omit<Context, 'snapshot'>): Promise<void> {
    try {
      const texts = textsIn(await answers.followUps?.(answer))
      // Drops late results: they don't belong to the newest answer.
      if (this.#asked === answer.id) local.set(followUpsKey(answer), texts)
    } catch (thrown) {
      reportError(thrown)
    }
  }
}

/** Throws if page code returned anything but a list of texts. */
function textsIn(given: unknown): readonly string[] {
  if (given === undefined || given === null) return []
  if (Array.isArray(given) && given.every((text) => typeof text === 'string')) return given
  throw new TypeError('followUps of a chat must return a list of strings.')
}

/** Returns texts that a person may want to send next. */
export function followUpsOf({ snapshot, local }: Omit<Context, 'answers'>): readonly string[] {
  const answer = finishedAnswer(snapshot)
  return (answer && local.get<readonly string[]>(followUpsKey(answer))) ?? []
}

/** Returns the newest message if it is the complete answer of a run. */
function finishedAnswer({ messages, runId, ended }: Context['snapshot']): ShownMessage | null {
  const last = messages.at(-1)
  const isWhole = ended?.outcome === 'completed' && ended.finishReason === undefined
  const isDone = runId === undefined && isWhole && last?.at !== undefined
  return isDone && last.role === 'assistant' ? last : null
}

function followUpsKey({ id }: ShownMessage): string {
  return `follow-ups:${id}`
}
