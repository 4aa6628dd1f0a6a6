import { isUnfinished } from '../../conversation/index.ts'
import type { ShownMessage } from '../../index.ts'
import type { ChatContext, LocalState } from './context.ts'
import { conversationKey, editedId, editKey, inputKey, isInputKey } from './local-keys.ts'
import { toCallRef } from './parts/call-ref.ts'
import type { PersistentStorage } from './persistent-storage.ts'
import { joinTexts, sendingTexts } from './unsent-texts.ts'

/** Texts by their keys in a local state. */
type Texts = Readonly<Record<string, string>>

/** Keeps unsent writing over a reload: the message, edits of earlier ones, and changed inputs of waiting calls. */
export class DraftStore {
  readonly #storage: () => PersistentStorage
  /**
   * Keys restored from storage. Their texts are kept, because a call of another agent, or an old message, may appear
   * later than its conversation.
   */
  #restoredKeys: readonly string[] = []

  constructor(storage: () => PersistentStorage) {
    this.#storage = storage
  }

  /** Restores the unsent texts of a conversation when it comes on view. */
  restore(local: LocalState, conversationId: string): void {
    const storage = this.#storage()
    const sendingText = joinTexts(...sendingTexts(local, conversationId))
      ? null
      : this.#takeSendingText(conversationId)
    const draft = joinTexts(sendingText, storage.getItem(conversationKey('draft', conversationId)))
    local.set('draft', draft || undefined)
    const texts = {
      ...this.#readDraft(conversationKey('inputs', conversationId)),
      ...this.#readDraft(conversationKey('edits', conversationId)),
    }
    this.#restoredKeys = Object.keys(texts)
    for (const [key, text] of Object.entries(texts)) local.set(key, text)
  }

  /** Saves the unsent texts. Called after each drawing. */
  save({ local, snapshot }: Pick<ChatContext, 'local' | 'snapshot'>): void {
    const { conversationId } = snapshot
    this.#write(conversationKey('draft', conversationId), local.get<string>('draft') ?? null)
    // Keeps edited inputs if the page stopped following an unfinished run, because its calls still wait.
    if (!snapshot.ended || !isUnfinished(snapshot.ended))
      this.#writeTexts(
        conversationKey('inputs', conversationId),
        textsIn(local, this.#inputKeys(snapshot)),
      )
    const edits = this.#editKeys(local, snapshot)
    this.#restoredKeys = [...new Set([...this.#restoredKeys, ...edits])]
    this.#writeTexts(conversationKey('edits', conversationId), textsIn(local, edits))
  }

  /**
   * Keeps texts that are being sent, even to a conversation off view. If the page reloads before they arrive, they
   * return to the draft.
   */
  keepSending(local: LocalState, conversationId: string): void {
    const text = joinTexts(...sendingTexts(local, conversationId))
    this.#write(conversationKey('sending', conversationId), text || null)
  }

  /** Takes the text that the previous page was sending when it was left. */
  #takeSendingText(conversationId: string): string | null {
    const name = conversationKey('sending', conversationId)
    const sendingText = this.#storage().getItem(name)
    this.#write(name, null)
    return sendingText
  }

  /** Forgets the draft of a sent edit, even in a conversation that is no longer on view. */
  forgetEdit(conversationId: string, message: Pick<ShownMessage, 'id'>): void {
    const name = conversationKey('edits', conversationId)
    const { [editKey(message)]: _sent, ...remaining } = this.#readDraft(name)
    this.#writeTexts(name, remaining)
  }

  #inputKeys(snapshot: ChatContext['snapshot']): readonly string[] {
    if (snapshot.status === 'idle' && snapshot.runId === undefined) return []
    const waiting = snapshot.pending.map((call) => inputKey(toCallRef({ snapshot }, call)))
    return [...this.#restoredKeys.filter(isInputKey), ...waiting]
  }

  /** Keeps edits of messages in other branches, and of messages not loaded yet. */
  #editKeys(local: LocalState, { messages }: ChatContext['snapshot']): readonly string[] {
    return [...local.keys()].filter((key) => {
      const edited = editedId(key)
      return (
        edited !== null &&
        (this.#restoredKeys.includes(key) || messages.some(({ id }) => id === edited))
      )
    })
  }

  #readDraft(name: string): Texts {
    return parseTexts(this.#storage().getItem(name))
  }

  #writeTexts(name: string, texts: Texts): void {
    this.#write(name, Object.keys(texts).length === 0 ? null : JSON.stringify(texts))
  }

  #write(name: string, value: string | null): void {
    const storage = this.#storage()
    if (storage.getItem(name) !== value) storage.setItem(name, value)
  }
}

function textsIn(local: LocalState, keys: readonly string[]): Texts {
  const texts = keys.map((key) => [key, local.get<string>(key)] as const)
  return Object.fromEntries(
    texts.filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}

/** Other code of the origin may have written this value. */
function parseTexts(stored: string | null): Texts {
  try {
    const value = JSON.parse(stored ?? '{}') as Readonly<Record<string, unknown>>
    return Object.fromEntries(
      Object.entries(value).filter(
        (entry): entry is [string, string] => isTextKey(entry[0]) && typeof entry[1] === 'string',
      ),
    )
  } catch {
    return {}
  }
}

function isTextKey(key: string): boolean {
  return isInputKey(key) || editedId(key) !== null
}
