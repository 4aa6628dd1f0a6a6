import { formatObservation } from '../action/index.ts'
import type { JournalEntry } from '../protocol/journal.ts'
import type { CallError, Message, ToolMessage, ToolResultPart } from '../protocol/message.ts'

interface CallGroup {
  /** Index of the tool message in the log. */
  readonly at: number
  readonly order: readonly { readonly toolCallId: string; readonly toolName: string }[]
  readonly providerIds: ReadonlyMap<string, string>
  readonly results: Map<string, ToolResultPart>
}

/**
 * The messages of a conversation, derived from its journal entry by entry. Grows in place (copying
 * an array per entry would be quadratic); the messages themselves are never changed.
 */
export class MessageLog {
  #messages: Message[] = []
  readonly #groups = new Map<string, CallGroup>()
  #usedIds = new Set<string>()

  get messages(): readonly Message[] {
    return this.#messages
  }

  /** A call of this conversation had this id, whether or not its messages are still there. */
  hasCallId(toolCallId: string): boolean {
    return this.#usedIds.has(toolCallId)
  }

  fold(entry: JournalEntry): void {
    switch (entry.type) {
      case 'run-started':
        if (entry.message) this.#messages.push(entry.message)
        return
      case 'messages-imported':
        for (const message of entry.messages) this.#import(message)
        return
      case 'model-output':
        this.#takeOutput(entry)
        return
      case 'call-settled':
        this.#settle(entry)
        return
      case 'run-ended':
        if (entry.partial) this.#messages.push(partialMessage(entry.runId, entry.partial))
        return
      case 'history-cleared':
        this.#messages = []
        this.#groups.clear()
        return
      case 'step-started':
      case 'attempt-failed':
      case 'approval-requested':
      case 'approval-answered':
      case 'question-asked':
      case 'question-answered':
      case 'output-requested':
      case 'call-started':
      case 'call-withdrawn':
      case 'call-interrupted':
      case 'run-parked':
      case 'run-continued':
        return
      default:
        entry satisfies never
    }
  }

  #takeOutput(entry: Extract<JournalEntry, { type: 'model-output' }>): void {
    this.#messages.push(entry.message)
    const calls = entry.message.parts.filter((part) => part.type === 'tool-call')
    if (calls.length > 0) {
      const group: CallGroup = {
        at: this.#messages.length,
        order: calls,
        providerIds: new Map(
          calls.flatMap((call) =>
            call.providerCallId ? [[call.toolCallId, call.providerCallId]] : [],
          ),
        ),
        results: new Map(),
      }
      this.#messages.push({ role: 'tool', id: `${entry.message.id}:tools`, parts: [] })
      for (const call of calls) {
        this.#groups.set(call.toolCallId, group)
        this.#usedIds.add(call.toolCallId)
      }
    }
    if (entry.feedback)
      this.#messages.push(feedbackMessage(`${entry.message.id}:feedback`, entry.feedback))
  }

  #settle(entry: Extract<JournalEntry, { type: 'call-settled' }>): void {
    const group = this.#groups.get(entry.toolCallId)
    const call = group?.order.find((candidate) => candidate.toolCallId === entry.toolCallId)
    if (!group || !call) return
    const providerCallId = group.providerIds.get(entry.toolCallId)
    group.results.set(entry.toolCallId, {
      type: 'tool-result',
      toolCallId: entry.toolCallId,
      toolName: call.toolName,
      ...(providerCallId && { providerCallId }),
      output: entry.output,
      ...(entry.note && { note: entry.note }),
    })
    const previous = this.#messages[group.at] as ToolMessage
    this.#messages[group.at] = {
      ...previous,
      parts: group.order.flatMap(({ toolCallId }) => group.results.get(toolCallId) ?? []),
    }
  }

  #import(message: Message): void {
    this.#messages.push(message)
    if (message.role !== 'assistant') return
    for (const part of message.parts) {
      if (part.type === 'tool-call') this.#usedIds.add(part.toolCallId)
    }
  }
}

function partialMessage(runId: string | null, text: string): Message {
  return {
    role: 'assistant',
    id: `${runId}:partial`,
    parts: [{ type: 'text', text }],
    partial: true,
  }
}

function feedbackMessage(id: string, feedback: CallError): Message {
  return {
    role: 'user',
    id,
    synthetic: true,
    parts: [{ type: 'text', text: formatObservation([{ error: feedback }]) }],
  }
}
