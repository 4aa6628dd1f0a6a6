import { describeThrown } from '../../protocol/error.ts'
import type { HistoryMessage } from '../../protocol/history.ts'
import type { Message } from '../../protocol/message.ts'
import { asRecord } from '../core/read-json.ts'
import { readHistory } from './import-history.ts'
import { invalidHistory } from './invalid-history.ts'
import type { Shape } from './place.ts'

/**
 * Reads messages of OpenAI's Chat Completions; the result has no ids. Restores everything that `toOpenAI` wrote.
 * Pure. Throws `invalid-history`, naming the message and the field, for anything that can't be read.
 */
export function fromOpenAI(messages: readonly HistoryMessage[]): Message[] {
  return fromFormat(messages, 'openai')
}

/**
 * Reads messages of Anthropic's Messages API: an array, or the fields `system` and `messages` of a request. The
 * result has no ids. Restores everything that `toAnthropic` wrote. Pure. Throws as `fromOpenAI` does.
 */
export function fromAnthropic(
  history:
    | readonly HistoryMessage[]
    | { readonly system?: unknown; readonly messages: readonly HistoryMessage[] },
): Message[] {
  const { system, messages } = asRecord(history) ?? { messages: history }
  const first = system === undefined ? [] : [{ role: 'system', content: system }]
  return [...fromFormat(first, 'anthropic'), ...fromFormat(messages, 'anthropic')]
}

function fromFormat(messages: unknown, shape: Shape): Message[] {
  return joined(readHistory(plain(messages), shape).flat())
}

export function joined(read: readonly Message[]): Message[] {
  const together: Message[] = []
  for (const message of read) {
    const last = together.at(-1)
    // Results of one answer are one message.
    if (message.role === 'tool' && last?.role === 'tool' && !(message.foreign && last.foreign))
      together[together.length - 1] = {
        ...last,
        ...message,
        parts: [...last.parts, ...message.parts],
      }
    else together.push(message)
  }
  return together
}

/** Returns a JSON copy: later changes don't reach it, and it has no getters that run code. */
export function plain(messages: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(messages) ?? 'null')
  } catch (cause) {
    throw invalidHistory('history', describeThrown(cause))
  }
}
