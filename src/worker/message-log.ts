import { formatObservation } from '../action/index.ts'
import type { JournalEntry } from '../protocol/journal.ts'
import type {
  AssistantMessage,
  CallError,
  Message,
  ToolMessage,
  ToolResultPart,
} from '../protocol/message.ts'
import type { PendingCall } from '../protocol/run.ts'
import { callsOfImport } from './imported-calls.ts'

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
  readonly #importedCalls = new Map<string, PendingCall>()

  get messages(): readonly Message[] {
    return this.#messages
  }

  /** A call of this conversation had this id, whether or not its messages are still there. */
  hasCallId(toolCallId: string): boolean {
    return this.#usedIds.has(toolCallId)
  }

  /** Calls of imported messages that have no result yet, oldest first. */
  get importedCalls(): PendingCall[] {
    return [...this.#importedCalls.values()]
  }

  fold(entry: JournalEntry): void {
    switch (entry.type) {
      case 'run-started':
        if (entry.message) this.#messages.push(entry.message)
        return
      case 'messages-imported':
        for (const message of entry.messages) this.#import(message)
        for (const call of callsOfImport(entry.messages).open)
          this.#importedCalls.set(call.toolCallId, call)
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
        this.#importedCalls.clear()
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
    this.#takeAssistant(entry.message)
    if (entry.feedback)
      this.#messages.push(feedbackMessage(`${entry.message.id}:feedback`, entry.feedback))
  }

  /** The message, and the place of its calls' results behind it. */
  #takeAssistant(message: AssistantMessage): void {
    this.#messages.push(message)
    const calls = message.parts.filter((part) => part.type === 'tool-call')
    if (calls.length === 0) return
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
    this.#messages.push({ role: 'tool', id: `${message.id}:tools`, parts: [] })
    for (const call of calls) {
      this.#groups.set(call.toolCallId, group)
      this.#usedIds.add(call.toolCallId)
    }
  }

  #settle(entry: Extract<JournalEntry, { type: 'call-settled' }>): void {
    const group = this.#groups.get(entry.toolCallId)
    const call = group?.order.find((candidate) => candidate.toolCallId === entry.toolCallId)
    if (!group || !call) return
    const providerCallId = group.providerIds.get(entry.toolCallId)
    this.#takeResult(group, {
      type: 'tool-result',
      toolCallId: entry.toolCallId,
      toolName: call.toolName,
      ...(providerCallId && { providerCallId }),
      output: entry.output,
      ...(entry.note && { note: entry.note }),
    })
  }

  #takeResult(group: CallGroup, result: ToolResultPart): void {
    group.results.set(result.toolCallId, result)
    this.#importedCalls.delete(result.toolCallId)
    const previous = this.#messages[group.at] as ToolMessage
    this.#messages[group.at] = {
      ...previous,
      parts: group.order.flatMap(({ toolCallId }) => group.results.get(toolCallId) ?? []),
    }
  }

  #import(message: Message): void {
    if (message.role === 'assistant') {
      this.#takeAssistant(message)
    } else if (message.role === 'tool') {
      for (const part of message.parts) {
        const group = this.#groups.get(part.toolCallId)
        if (group) this.#takeResult(group, part)
      }
    } else {
      this.#messages.push(message)
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
