import type { ChatContext, LocalState } from './context.ts'
import { inputKey, isInputKey } from './input-key.ts'
import { refOf } from './parts/call-ref.ts'
import type { Remembered } from './remembered.ts'

/** By the keys of a local state. */
type Inputs = Readonly<Record<string, string>>

/** What is being written outlives a reload: the message, and other inputs for calls that wait. */
export class KeptWriting {
  readonly #memory: () => Remembered
  /** Inputs that were kept before: a call of another agent may be shown later than its conversation. */
  #kept: readonly string[] = []

  constructor(memory: () => Remembered) {
    this.#memory = memory
  }

  /** Of a conversation that comes on view. */
  restore(local: LocalState, conversationId: string): void {
    const memory = this.#memory()
    local.set('draft', memory.read(draftName(conversationId)) ?? undefined)
    const inputs = parsed(memory.read(inputsName(conversationId)))
    this.#kept = Object.keys(inputs)
    for (const [key, text] of Object.entries(inputs)) local.set(key, text)
  }

  /** After each drawing. */
  keep({ local, snapshot }: Pick<ChatContext, 'local' | 'snapshot'>): void {
    const { conversationId } = snapshot
    this.#write(draftName(conversationId), local.get<string>('draft') ?? null)
    const inputs = this.#inputs(local, snapshot)
    const isEmpty = Object.keys(inputs).length === 0
    this.#write(inputsName(conversationId), isEmpty ? null : JSON.stringify(inputs))
  }

  #inputs(local: LocalState, snapshot: ChatContext['snapshot']): Inputs {
    if (snapshot.status === 'idle' && snapshot.runId === undefined) return {}
    const waiting = snapshot.pending.map((call) => inputKey(refOf({ snapshot }, call)))
    const entries = [...new Set([...this.#kept, ...waiting])].flatMap((key) => {
      const text = local.get<string>(key)
      return text === undefined ? [] : [[key, text] as const]
    })
    return Object.fromEntries(entries)
  }

  #write(name: string, value: string | null): void {
    const memory = this.#memory()
    if (memory.read(name) !== value) memory.write(name, value)
  }
}

function draftName(conversationId: string): string {
  return `draft:${conversationId}`
}

function inputsName(conversationId: string): string {
  return `inputs:${conversationId}`
}

/** Other code of the origin may write there, too. */
function parsed(kept: string | null): Inputs {
  try {
    const value: unknown = JSON.parse(kept ?? '{}')
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return {}
    return Object.fromEntries(
      Object.entries(value).filter(
        (entry): entry is [string, string] => isInputKey(entry[0]) && typeof entry[1] === 'string',
      ),
    )
  } catch {
    return {}
  }
}
